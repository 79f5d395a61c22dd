// Dark or light: the system's wish, or the reader's. Paper is always light.

const listeners = new Set();
const system = window.matchMedia('(prefers-color-scheme: dark)');

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : system.matches;
}

export const isPrinting = () => document.documentElement.classList.contains('printing');

export function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  for (const listener of listeners) listener();
}

export const onTheme = (listener) => listeners.add(listener);
system.addEventListener('change', () => listeners.forEach((listener) => listener()));

// The colours of style.css, as charts need them.
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ['paper', 'ink', 'soft', 'line', 'accent', 'accent-soft', 'warm', 'good', 'neutral'];
  const colours = Object.fromEntries(names.map((name) => [name.replace('-', '_'), get(name)]));
  colours.part = Object.fromEntries(parts.map((part) => [part.key, get(`part-${part.css}`)]));
  colours.heat = [0, 1, 2, 3, 4].map((i) => get(`heat-${i}`));
  colours.series = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => get(`series-${i}`));
  return colours;
}

// The parts of a step, in the order in which they are shown everywhere.
export const parts = [
  { key: 'forward_backward', css: 'compute', metric: 'forward_backward_time', name: 'Forward and backward' },
  { key: 'optimizer', css: 'optimizer', metric: 'optimizer_time', name: 'Optimizer' },
  { key: 'communication', css: 'communication', metric: 'exposed_communication_time', name: 'Exposed communication', short: 'Communication' },
  { key: 'input', css: 'input', metric: 'input_stall_time', name: 'Waiting for input', short: 'Input' },
  { key: 'host_overhead', css: 'host', metric: 'host_overhead_time', name: 'Host overhead', short: 'Host' },
  { key: 'straggler', css: 'straggler', metric: 'straggler_time', name: 'Waiting for the slowest' },
  { key: 'other', css: 'other', metric: '', name: 'Other' },
];

// A colour between those of a scale, at 0..1.
export function between(scale, at) {
  const place = Math.min(1, Math.max(0, at)) * (scale.length - 1);
  const i = Math.min(scale.length - 2, Math.floor(place));
  const [a, b] = [rgb(scale[i]), rgb(scale[i + 1])];
  return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * (place - i))).join(',')})`;
}

function rgb(hex) {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Black or white, whichever reads better on a colour "rgb(r,g,b)" or "#rrggbb".
export function inkOn(colour) {
  const [r, g, b] = colour.startsWith('#') ? rgb(colour) : colour.match(/\d+/g).map(Number);
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) > 0.22 ? '#12171c' : '#ffffff';
}
