// The table beside a chart: folded away, and to be had as CSV.
import { h } from './dom.js';
import { grouped, readable } from './units.js';

// columns: {name, unit?, number?, text?(value)}; rows: arrays of values.
// A long one scrolls by itself, unless it is to be read `whole`.
export function table(title, columns, rows, whole = false) {
  const numeric = columns.map((column, i) => column.number ?? rows.some((row) => typeof row[i] === 'number'));
  const shown = (column, value) =>
    column.text ? column.text(value) : typeof value === 'number' ? (Number.isInteger(value) && !column.unit ? grouped(String(value)) : readable(value, column.unit ?? '')) : (value ?? '–');
  return h('div', { class: whole ? 'scroll whole' : 'scroll', tabindex: '0', role: 'region', 'aria-label': `${title}, table` },
    h('table', {},
      h('caption', { class: 'hidden' }, title),
      h('thead', {}, h('tr', {}, columns.map((column, i) =>
        h('th', { scope: 'col', class: numeric[i] ? 'number' : undefined }, column.name)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, columns.map((column, i) =>
        h('td', { class: numeric[i] ? 'number' : undefined }, shown(column, row[i]))))))));
}

// Built when it is opened: a long table costs nothing until someone reads it.
export function foldedTable(title, columns, rows) {
  const details = h('details', { class: 'data' }, h('summary', {}, `Table`, h('span', { class: 'hidden' }, `: ${title}`)));
  let built = false;
  const open = () => {
    if (built) return;
    built = true;
    details.append(table(title, columns, rows), h('button', { type: 'button', class: 'quiet', onclick: () => download(title, columns, rows) },
      'Download CSV', h('span', { class: 'hidden' }, `: ${title}`)));
  };
  details.addEventListener('toggle', open);
  details.dataset.rows = rows.length;
  return details;
}

function cell(value) {
  const text = value === null || value === undefined ? '' : String(value);
  // A spreadsheet runs what begins like a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(columns, rows) {
  const header = columns.map((column) => cell(column.unit && column.unit !== '1' ? `${column.name} [${column.unit}]` : column.name));
  return [header, ...rows.map((row) => row.map(cell))].map((line) => line.join(',')).join('\r\n') + '\r\n';
}

function download(title, columns, rows) {
  const url = URL.createObjectURL(new Blob([csv(columns, rows)], { type: 'text/csv' }));
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  h('a', { href: url, download: `${name || 'table'}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
