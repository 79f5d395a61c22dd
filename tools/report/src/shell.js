// What every page has: name, contents, sections, the switch between light and dark.
import { h, newId } from './dom.js';
import { isDark, onTheme, setTheme } from './theme.js';

// sections: {id, title, says, body}; empty ones are left out.
export function shell({ title, headline, answer, sections, footer }) {
  const present = sections.filter((section) => section && section.body.some(Boolean));
  return h('div', { id: 'page' },
    h('header', {},
      h('div', { class: 'top' }, h('span', {}, h('strong', {}, 'clustersim')), themeButton()),
      h('div', { class: 'title' }, h('h1', {}, title), headline && h('p', {}, headline)),
      h('nav', { 'aria-label': 'Contents' },
        h('ul', {}, present.map((section) => h('li', {}, h('a', { href: `#${section.id}` }, section.short ?? section.title)))))),
    h('main', { id: 'main' },
      h('section', { class: 'answer', 'aria-label': 'Answer' }, answer),
      present.map((section) => h('section', { id: section.id, 'aria-labelledby': `${section.id}-title` },
        h('h2', { id: `${section.id}-title` }, section.title), section.says && h('p', {}, section.says), section.body))),
    h('footer', {}, footer));
}

function themeButton() {
  const button = h('button', { type: 'button', onclick: () => setTheme(isDark() ? 'light' : 'dark') });
  const name = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
  button.setAttribute('aria-label', 'Switch between light and dark');
  onTheme(name);
  name();
  return button;
}

// items: {name, value, note, best}
export const numbers = (items) =>
  h('dl', { class: 'numbers' }, items.filter(Boolean).map(({ name, value, note, best }) =>
    h('div', { class: best ? 'best' : undefined }, h('dt', {}, name), h('dd', {}, valueAndUnit(value), note && h('small', {}, note)))));

// A large number with its unit small beside it.
function valueAndUnit(text) {
  const [, value, unit] = /^(\S+)(?: (.*))?$/.exec(text) ?? [null, text];
  return unit ? [value, ' ', h('span', { class: 'unit' }, unit)] : [value];
}

// items: {title, text}: what to read first, side by side
export const reading = (items) =>
  h('div', { class: 'reading' }, items.filter((item) => item && item.text).map(({ title, text }) =>
    h('div', {}, h('h2', {}, title), h('p', {}, text))));

export const figures = (...items) => {
  const present = items.flat().filter(Boolean);
  return present.length > 0 && h('div', { class: 'figures' }, present);
};

export const lines = (items) => items.length > 0 && h('ul', { class: 'lines' }, items.map((item) => h('li', {}, item)));

// A folded block that paper shows open.
export function folded(title, ...body) {
  const id = newId('folded');
  const details = h('details', { id }, h('summary', {}, title), body);
  let was = false;
  window.addEventListener('beforeprint', () => { was = details.open; details.open = true; });
  window.addEventListener('afterprint', () => { details.open = was; });
  return details;
}

export const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.') : '');

export function provenance(p) {
  return `clustersim ${p.version}; ${p.events.toLocaleString('en')} events simulated in ${(p.wall_time_s * 1000).toPrecision(3)} ms` +
    (p.fingerprint ? `; fingerprint ${p.fingerprint}.` : '.');
}
