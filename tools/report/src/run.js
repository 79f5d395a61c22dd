// The page of one run: the answer, and everything that it rests on.
import { costSection } from './cost.js';
import { h } from './dom.js';
import { heatFigure } from './heat.js';
import { pictureFigure } from './picture.js';
import { errorsFigure, scatterFigure } from './scatter.js';
import { figures, folded, lines, numbers, provenance, reading, sentence } from './shell.js';
import { partsBar, whatIfFigure } from './step.js';
import { table } from './table.js';
import { timelineFigure } from './timeline.js';
import { metricText, percent, readable } from './units.js';

const kindNames = {
  compute: 'GPU arithmetic', memory: 'GPU memory bandwidth', fabric: 'The network between GPUs', input: 'The input pipeline',
  host: 'The host processor', storage: 'Storage', loader: 'Decoding and loading', pcie: 'PCIe', thermal: 'Temperature', power: 'Power',
  straggler: 'The slowest rank',
};

// Topics of notes that the page shows as figures of their own.
const shownElsewhere = new Set(['what if', 'expected error', 'cloud']);

export function runPage(data) {
  const { report } = data;
  const metric = (name) => report.metrics[name] && { name, ...report.metrics[name] };
  const text = (name) => (metric(name) ? metricText(metric(name)) : '');
  const [, ...headline] = [report.scenario, report.headline].filter(Boolean);
  return {
    title: report.scenario || report.headline,
    headline: headline.join(''),
    answer: [h('p', { class: 'lede' }, lede(report, text)), answerNumbers(data, metric, text), answerReading(data)],
    sections: [
      { id: 'step', title: 'Where the time goes', says: `A step takes ${text('step_time')}. Each part is measured from its own spans; together they are the step.`,
        body: [partsBar(report), figures(whatIfFigure(data))] },
      { id: 'timeline', title: 'A step, moment by moment', short: 'Timeline', says: data.timeline && timelineSays(data.timeline),
        body: [data.timeline && figures(timelineFigure(data.timeline))] },
      { id: 'cluster', title: 'The cluster', says: 'As it was simulated, with the load of the steady step. Nodes that are equal are drawn once.',
        body: [data.picture && figures(pictureFigure(data.picture))] },
      { id: 'heat', title: 'Temperature, clock and power', short: 'Heat and power', says: heatSays(text),
        body: [energyNumbers(text), data.heat?.length > 0 && figures(heatFigure(data.heat))] },
      costSection(data, text),
      { id: 'trust', title: 'How far to trust it', says: trustSays(data), body: [figures(likeFigure(data), errorsFigure('Their errors', data.like))] },
      { id: 'numbers', title: 'All numbers', says: 'With what each one means.', body: [metricTable(report)] },
      { id: 'assumptions', title: 'Assumptions and sources', short: 'Assumptions', says: 'What the answer leans on that the scenario did not state.', body: assumptions(data) },
    ],
    footer: [h('p', {}, provenance(report.provenance))],
  };
}

function lede(report, text) {
  const parts = ['Training to the target takes ', h('b', {}, text('time_to_train'))];
  const [own, cloud] = [text('cost_self_hosted'), text('cost_cloud')];
  if (own && cloud) parts.push(' and costs ', h('b', {}, own), ' on own servers or ', h('b', {}, cloud), ' in the cloud');
  else if (own) parts.push(' and costs ', h('b', {}, own), ' on own servers');
  else if (cloud) parts.push(' and costs ', h('b', {}, cloud), ' in the cloud');
  parts.push('. ');
  const breakEven = report.metrics.break_even_utilization?.value;
  if (breakEven !== undefined)
    parts.push(breakEven > 1 ? 'Renting is cheaper at any use. ' : `Owning pays once the machines work more than ${percent(breakEven)} of the year. `);
  return parts;
}

function answerNumbers({ report, expected_error: error }, metric, text) {
  const costs = ['cost_self_hosted', 'cost_cloud'].filter((name) => metric(name));
  const cheaper = costs.length === 2 && (metric(costs[0]).value <= metric(costs[1]).value ? costs[0] : costs[1]);
  const range = (name) => metric(`${name}_low`) && metric(`${name}_high`) && `${text(`${name}_low`)} to ${text(`${name}_high`)}`;
  const basis = [metric('epochs_to_target') && `${text('epochs_to_target')} epochs`, `${text('steps_to_target')} steps`].filter(Boolean).join(', ');
  return numbers([
    { name: 'Time to train', value: text('time_to_train'), note: basis },
    { name: 'Throughput', value: text('throughput'), note: error ? `±${percent(error.p90)} in 9 of 10 published runs like this` : 'no published run is like this one' },
    metric('cost_self_hosted') && { name: 'On own servers', value: text('cost_self_hosted'), note: [range('cost_self_hosted'), "this run's share of owned machines"].filter(Boolean).join(', '), best: cheaper === 'cost_self_hosted' },
    metric('cost_cloud') && { name: 'In the cloud', value: text('cost_cloud'), note: [range('cost_cloud'), report.notes.find((note) => note.topic === 'cloud')?.text].filter(Boolean).join(', '), best: cheaper === 'cost_cloud' },
    metric('energy') && { name: 'Energy', value: text('energy'), note: metric('carbon') && `${text('carbon')} of CO₂ equivalent` },
  ]);
}

function answerReading({ report, expected_error: error }) {
  const { kind, resource, share, advice } = report.bottleneck;
  return reading([
    { title: 'What limits it', text: kind && `${kindNames[kind] ?? sentence(kind).slice(0, -1)}, ${percent(share)} of the step${resource ? ` (${resource})` : ''}.` },
    { title: 'What to do', text: sentence(advice) },
    { title: 'How sure', text: error
      ? `${error.rows} published runs like this (${error.like}) were predicted within ${percent(error.median)} in the middle and ${percent(error.p90)} in 9 of 10.`
      : 'No published run is like this one: the error is not known.' },
  ]);
}

const timelineSays = (timeline) =>
  `One steady step of ${readable(timeline.step_s, 's')}. Zoom with the buttons, the bar below, or Ctrl and the wheel; hover for details.` +
  (timeline.decimation ? ` ${sentence(timeline.decimation)}` : '');

const heatSays = (text) =>
  `The hottest GPU settles at ${text('peak_gpu_temperature')}, the slowest at ${text('sustained_gpu_clock')}.`;

const energyNumbers = (text) => numbers([
  ['average_gpu_power', 'A GPU draws'], ['average_node_power', 'A node draws'], ['peak_gpu_temperature', 'Hottest GPU'], ['sustained_gpu_clock', 'Sustained clock'],
].filter(([name]) => text(name)).map(([name, label]) => ({ name: label, value: text(name) })));

const trustSays = ({ expected_error: error }) => (error
  ? `Published runs of ${error.like}. The constants were chosen with most of them in view, so their errors describe a fit.`
  : '');

function likeFigure({ like }) {
  if (!like?.length) return null;
  return scatterFigure({
    title: 'Predicted against measured',
    says: `${like.length} published runs like this one; the lines mark 10 % off.`,
    rows: like.map((row) => ({ ...row, group: 'published run' })),
  });
}

function metricTable(report) {
  const rows = Object.entries(report.metrics).map(([name, m]) => [name.replaceAll('_', ' '), metricText({ name, ...m }), m.meaning]);
  return table('All numbers', [{ name: 'Number' }, { name: 'Value', number: true }, { name: 'Meaning' }], rows, true);
}

function assumptions({ report, sources }) {
  const of = (kind) => report.assumptions.filter((a) => a.kind === kind);
  const rows = (kind) => of(kind).map((a) => [a.pointer, a.value, a.why]);
  const columns = [{ name: 'Key' }, { name: 'Value' }, { name: 'Why' }];
  const block = (kind, title) => of(kind).length > 0 && folded(`${title} (${of(kind).length})`, table(title, columns, rows(kind)));
  const notes = report.notes.filter((note) => !shownElsewhere.has(note.topic));
  return [
    lines(of('model').map((a) => [h('b', {}, a.pointer), ` ${a.value}: ${a.why}`])),
    block('estimate', 'Guesses among the numbers of the catalog'),
    block('default', 'Defaults'),
    notes.length > 0 && lines(notes.map((note) => [note.topic && h('b', {}, sentence(note.topic).slice(0, -1)), note.topic && ' ', note.text])),
    sources?.length > 0 && folded(`Sources of the hardware's numbers (${sources.length} parts)`,
      sources.map(({ id, text }) => h('details', {}, h('summary', {}, id),
        h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Sources of ${id}` }, h('pre', {}, text))))),
  ];
}
