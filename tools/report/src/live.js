// The controls of `clustersim serve`: a change is put to the program that served the page, and its answer is drawn.
import { h, newId } from './dom.js';

const waitForMore = 150; // ms after a keystroke
const waitForWhatIfs = 700; // ms after an answer: they take several runs

// draw(data) shows the page of an answer.
export function controlPanel(controls, draw) {
  const changes = new Map(); // pointer -> value
  const status = h('p', { class: 'status', role: 'status' }, 'As in the scenario.');
  const faults = h('ul', { class: 'faults' });
  const fields = controls.map((control) => field(control, (value) => {
    if (value === undefined) changes.delete(control.pointer);
    else changes.set(control.pointer, value);
    later(waitForMore, false);
  }));
  let timer = 0, running = null;

  function later(delay, whatIf) {
    clearTimeout(timer);
    timer = setTimeout(() => ask(whatIf), delay);
  }

  async function ask(whatIf) {
    running?.abort();
    const own = running = new AbortController();
    const began = performance.now();
    try {
      const response = await fetch('answer', {
        method: 'POST', signal: own.signal, headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ changes: [...changes].map(([pointer, value]) => ({ pointer, value })), what_if: whatIf }),
      });
      if (response.status === 429) { later(1000, whatIf); return; }
      const answer = await response.json();
      if (own !== running) return;
      show(answer.faults ?? []);
      if (answer.faults) { status.textContent = 'This cannot be run; the page shows the last answer.'; return; }
      const took = Math.round(performance.now() - began);
      draw(answer);
      const what = changes.size === 0 ? 'As in the scenario' : changes.size === 1 ? '1 change' : `${changes.size} changes`;
      status.textContent = `${what}, answered in ${took} ms.`;
      document.documentElement.dataset.answers = Number(document.documentElement.dataset.answers ?? 0) + 1;
      if (!whatIf) later(waitForWhatIfs, true);
    } catch (error) {
      if (error.name !== 'AbortError') status.textContent = 'No answer: is clustersim serve still running?';
    }
  }

  function show(list) {
    faults.replaceChildren(...list.map((fault) =>
      h('li', {}, h('b', {}, fault.pointer || 'The change'), `: expected ${fault.expected}, got ${fault.got}. ${fault.hint}`)));
    for (const { input, control } of fields)
      input.setAttribute('aria-invalid', list.some((fault) => fault.pointer === control.pointer));
  }

  function reset() {
    for (const { input } of fields) input.value = '';
    changes.clear();
    later(0, false);
  }

  const groups = [...new Set(controls.map((control) => control.group))];
  return h('aside', { id: 'controls', 'aria-label': 'Change the scenario' },
    h('div', { class: 'groups' }, groups.map((group) => h('details', { name: 'controls' }, h('summary', {}, group),
      h('div', { class: 'fields' }, fields.filter(({ control }) => control.group === group).map(({ element }) => element))))),
    h('div', { class: 'said' }, status, h('button', { type: 'button', onclick: reset }, 'Reset')), faults);
}

// One control: take(value) with what is chosen, take(undefined) where the scenario's own holds.
function field(control, take) {
  const id = newId('control');
  const numeric = control.kind === 'integer' || control.kind === 'number';
  const read = () => {
    const text = input.value.trim();
    take(text === '' ? undefined : numeric ? Number(text) : text);
  };
  const own = control.value || 'default';
  const input = control.kind === 'choice'
    ? h('select', { id, onchange: read }, h('option', { value: '' }, own),
      control.choices.filter((choice) => choice !== control.value).map((choice) => h('option', { value: choice }, choice)))
    : h('input', { id, oninput: read, autocomplete: 'off', type: numeric ? 'number' : 'text', min: control.least, max: control.most,
      step: control.kind === 'integer' ? 1 : 'any', placeholder: control.kind === 'quantity' && !control.value ? `default (such as ${control.example})` : own });
  return { control, input, element: h('label', { for: id, title: control.pointer }, h('span', {}, control.label), input) };
}
