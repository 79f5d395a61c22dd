// The page of a study: the best point, the front of time and cost, and how the answer follows each axis.
import { axis, chart, figure, legend, plainAxis, tip, tooltip } from './chart.js';
import { h, newId } from './dom.js';
import { figures, numbers, reading, sentence } from './shell.js';
import { table } from './table.js';
import { between, inkOn } from './theme.js';
import { grouped, percent, readable, scaleOf, ticks } from './units.js';

const spoken = (name) => name.replaceAll('_', ' ').replaceAll('cost self hosted', 'cost on own servers').replaceAll('cost cloud', 'cost in the cloud');

export function sweepPage(data) {
  const study = new Study(data);
  const best = data.best.length > 0 ? data.best[0] : null;
  return {
    title: data.name,
    headline: `A study of ${grouped(String(study.points))} points over ${study.axes.map((a) => a.name).join(', ')}.`,
    answer: [lede(study, best), answerNumbers(study, best), reading([
      { title: 'What was asked', text: sentence(`${data.maximize ? 'Most' : 'Least'} ${spoken(data.objective)}${data.constraints.length > 0 ? `, with ${spoken(data.constraints.join(' and '))}` : ''}`) },
      best !== null && { title: 'What limits the best', text: sentence(`${data.rows.limit[best]}`) },
      { title: 'What could not be', text: data.invalid + data.failed > 0 ? `${data.invalid + data.failed} of ${study.points} points are at fault; the commonest reasons are at the end.` : '' },
    ])],
    sections: [
      { id: 'best', title: 'The best points', says: 'Best first.', body: [data.best.length > 0 && study.table('Best points', data.best)] },
      { id: 'front', title: 'Time against cost', says: 'Every point that was asked for, owned and rented. Nothing is both as fast and as cheap as what lies on the front.', body: [figures(frontFigure(study))] },
      { id: 'map', title: 'Two axes at a time', body: [figures(mapFigure(study))] },
      { id: 'sensitivity', title: 'What moves the answer', says: 'Elasticity: the per cent by which the answer changes where a number changes by one per cent, all else equal.', body: [figures(sensitivityFigures(study)), relativeTable(data)] },
      { id: 'faults', title: 'Points at fault', body: [faultsTable(data)] },
    ],
    footer: [h('p', {}, `clustersim ${data.version}${data.rows.left_out > 0 ? `; of the rows that came out ${grouped(String(data.rows.left_out))} are not drawn, to keep this file small (fronts and best points are of all)` : ''}`)],
  };
}

class Study {
  constructor(data) {
    Object.assign(this, { data, axes: data.axes.map((a) => ({ ...a, name: a.name.replaceAll('_', ' ') })), rows: data.rows, objective: data.objective, points: data.points });
  }
  unit(name) { return this.data.units[name] === 'money' ? this.data.currency : (this.data.units[name] ?? ''); }
  value(name, row) { return this.rows.metrics[name]?.[row] ?? null; }
  text(name, row) { return readable(this.value(name, row), this.unit(name)); }
  label(a, row) { return this.axes[a].labels[this.rows.values[a][row]]; }
  labels(row) { return this.axes.map((_, a) => this.label(a, row)); }
  get drawn() { return this.rows.values.length > 0 ? this.rows.values[0].length : 0; }
  table(title, rows) {
    const names = [...new Set([this.objective, 'time_to_train', 'cost_self_hosted', 'cost_cloud', 'energy'])].filter((name) => this.rows.metrics[name]);
    return tightTable(title, [...this.axes.map((a) => ({ name: a.name })), ...names.map((name) => ({ name: spoken(name), unit: this.unit(name), number: true })), { name: 'limited by' }],
      rows.map((row) => [...this.labels(row), ...names.map((name) => this.value(name, row)), this.rows.limit[row].replace(/ \(.*/, '')]));
  }
}

function tightTable(...content) {
  const made = table(...content);
  made.classList.add('tight');
  return made;
}

function lede(study, best) {
  if (best === null) return h('p', { class: 'lede' }, 'No point keeps every constraint.');
  const words = study.axes.map((a, i) => `${a.name} ${study.label(i, best)}`);
  return h('p', { class: 'lede' }, `The ${study.data.maximize ? 'most' : 'least'} ${spoken(study.objective)} is `, h('b', {}, study.text(study.objective, best)), `: ${words.join(', ')}.`);
}

function answerNumbers(study, best) {
  const { data } = study;
  const of = (name) => best !== null && study.value(name, best) !== null && { name: sentence(spoken(name)).slice(0, -1), value: study.text(name, best), best: name === data.objective };
  return numbers([...[...new Set([data.objective, 'time_to_train', 'cost_self_hosted', 'cost_cloud'])].map(of),
    { name: 'Points', value: grouped(String(study.points)), note: `${grouped(String(data.feasible))} keep every constraint` }]);
}

function frontFigure(study) {
  const { data, rows } = study;
  if (data.front.length === 0) return null;
  const offers = [];
  for (let row = 0; row < study.drawn; ++row)
    for (const [name, rented] of [['cost_self_hosted', false], ['cost_cloud', true]]) {
      const cost = study.value(name, row), time = rented ? (study.value('time_to_train_cloud', row) ?? null) : study.value('time_to_train', row);
      if (cost !== null && time !== null) offers.push({ row, rented, time, cost });
    }
  const [divisor, unit] = scaleOf(data.front.at(-1).time_s, 's');
  const lines = ({ row, rented, time, cost }) => tip(rented ? 'Rented' : 'Own servers', ...study.axes.map((a, i) => [a.name, study.label(i, row)]),
    ['Time', readable(time, 's')], ['Cost', readable(cost, data.currency)], ['Limited by', rows.limit[row]]);
  const front = data.front.map((offer) => ({ value: [offer.time_s / divisor, offer.cost], offer: { row: offer.row, rented: offer.rented, time: offer.time_s, cost: offer.cost } }));
  const { box } = chart({
    label: `Time against cost of ${offers.length} offers; ${front.length} on the front, from ${readable(data.front[0].time_s, 's')} for ${readable(data.front[0].cost, data.currency)} to ${readable(data.front.at(-1).time_s, 's')} for ${readable(data.front.at(-1).cost, data.currency)}`,
    height: 440,
    canvas: true,
    option: (colours) => ({
      grid: { left: 8, right: 30, top: 44, bottom: 28, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours, { data: ['Own servers', 'Cloud', 'On the front'], icon: 'circle', itemWidth: 9, itemHeight: 9 }),
      xAxis: axis(colours, { type: 'log', name: `time to train [${unit}]`, nameLocation: 'middle', nameGap: 30, axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => grouped(String(Number(v.toPrecision(3)))) } }),
      yAxis: axis(colours, { type: 'log', axisLabel: { color: colours.soft, formatter: (v) => readable(v, data.currency).replace('.00', '').replace('.0', '') } }),
      tooltip: tooltip(colours, { formatter: ({ data: point }) => (point?.offer ? lines(point.offer) : '') }),
      series: [
        ...[[false, 'Own servers', colours.accent], [true, 'Cloud', colours.warm]].map(([rented, name, colour]) => ({
          name, type: 'scatter', symbolSize: offers.length > 2000 ? 4 : 6, large: offers.length > 5000, itemStyle: { color: colour, opacity: 0.35 },
          data: offers.filter((offer) => offer.rented === rented).map((offer) => ({ value: [offer.time / divisor, offer.cost], offer })),
        })),
        { name: 'On the front', type: 'line', step: 'end', symbol: 'circle', symbolSize: 9, z: 4, lineStyle: { color: colours.ink, width: 1 }, itemStyle: { color: colours.paper, borderColor: colours.ink, borderWidth: 2 }, data: front },
      ],
    }),
  });
  return figure({
    title: 'The front of time and cost', body: box, wide: true, says: `${front.length} offers on the front, of ${grouped(String(offers.length))}.`,
    data: { columns: [{ name: 'Way' }, ...study.axes.map((a) => ({ name: a.name })), { name: 'Time', unit: 's' }, { name: 'Cost', unit: data.currency }],
      rows: data.front.map((offer) => [offer.rented ? 'rented' : 'own', ...study.labels(offer.row), offer.time_s, offer.cost]) },
  });
}

// The best over the other axes, of each pair of values.
function cells(study, a, b, metric, most) {
  const best = new Map();
  for (let row = 0; row < study.drawn; ++row) {
    const value = study.value(metric, row);
    if (value === null) continue;
    const key = study.rows.values[a][row] * study.axes[b].labels.length + study.rows.values[b][row];
    const had = best.get(key);
    if (!had || (most ? value > had.value : value < had.value)) best.set(key, { value, row });
  }
  return [...best].map(([key, { value, row }]) => ({ x: key % study.axes[b].labels.length, y: Math.floor(key / study.axes[b].labels.length), value, row }));
}

function mapFigure(study) {
  const wide = study.axes.flatMap((a, i) => (a.labels.length > 1 ? [i] : []));
  if (wide.length < 2) return null;
  const names = [...new Set([study.objective, 'time_to_train', 'cost_self_hosted', 'cost_cloud', 'energy', 'throughput'])].filter((name) => study.rows.metrics[name]);
  let [a, b, metric] = [wide[0], wide[1], names[0]];
  const most = () => (metric === study.objective ? study.data.maximize : metric === 'throughput');
  const drawing = chart({
    label: `${spoken(metric)} by ${study.axes[a].name} and ${study.axes[b].name}, as a heat map. The table below gives each cell.`,
    height: 60 + 42 * study.axes[a].labels.length + 40,
    option: (colours, narrow) => {
      const shown = cells(study, a, b, metric, most());
      const values = shown.map((cell) => Math.log(Math.max(cell.value, 1e-300)));
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const shade = (cell) => between(most() ? [...colours.heat].reverse() : colours.heat, high > low ? (Math.log(Math.max(cell.value, 1e-300)) - low) / (high - low) : 0);
      return {
        grid: { left: 8, right: 12, top: 8, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
        xAxis: plainAxis(colours, { type: 'category', data: study.axes[b].labels, axisLabel: { color: colours.ink, interval: 0, width: 110, overflow: 'break', hideOverlap: false, rotate: narrow ? 60 : 0 } }),
        yAxis: plainAxis(colours, { type: 'category', inverse: true, data: study.axes[a].labels, axisLabel: { color: colours.ink, width: narrow ? 90 : 180, overflow: 'truncate' } }),
        tooltip: tooltip(colours, { formatter: ({ data: cell }) => tip(readable(cell.value[2], study.unit(metric)), ...study.axes.map((other, i) => [other.name, study.label(i, cell.row)])) }),
        series: [{ type: 'heatmap', data: shown.map((cell) => ({ value: [cell.x, cell.y, cell.value], row: cell.row, itemStyle: { color: shade(cell), borderColor: colours.paper, borderWidth: 2 },
          label: { show: true, color: inkOn(shade(cell)), fontSize: narrow ? 9 : 12, formatter: readable(cell.value, study.unit(metric)) } })) }],
        visualMap: { show: false, min: 0, max: 1, dimension: 3, inRange: {} },
      };
    },
  });
  const select = (name, options, value, change) => {
    const id = newId('select');
    return h('label', { for: id }, name, h('select', { id, onchange: (event) => { change(event.target.value); drawing.box.style.height = `${100 + 42 * study.axes[a].labels.length}px`; drawing.redraw(); } },
      options.map(([key, text]) => h('option', { value: key, selected: key === value }, text))));
  };
  const axisOptions = wide.map((i) => [i, study.axes[i].name]);
  const controls = h('div', { class: 'controls' }, select('Of', names.map((name) => [name, spoken(name)]), metric, (v) => { metric = v; }),
    select('down', axisOptions, a, (v) => { a = Number(v); }), select('across', axisOptions, b, (v) => { b = Number(v); }));
  return figure({
    title: 'Heat map', body: drawing.box, controls, wide: true, says: 'Pale is better; each cell is the best over all other axes.',
    data: { columns: [{ name: study.axes[a].name }, { name: study.axes[b].name }, { name: spoken(metric), unit: study.unit(metric) }],
      rows: cells(study, a, b, metric, most()).map((cell) => [study.axes[a].labels[cell.y], study.axes[b].labels[cell.x], cell.value]) },
  });
}

function sensitivityFigures({ data }) {
  const metrics = [...new Set(data.sensitivities.map((s) => s.metric))];
  return metrics.map((metric) => {
    const rows = data.sensitivities.filter((s) => s.metric === metric && s.elasticity !== null).sort((a, b) => Math.abs(a.elasticity) - Math.abs(b.elasticity));
    if (rows.length === 0) return null;
    const signed = (v) => (v > 0 ? '+' : v < 0 ? '−' : '') + Math.abs(v).toFixed(2);
    const { box } = chart({
      label: `Elasticity of ${spoken(metric)}: ${rows.map((s) => `${s.axis} ${signed(s.elasticity)}`).join('; ')}`,
      height: 44 + 40 * rows.length,
      option: (colours) => ({
        grid: { left: 8, right: 48, top: 4, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
        xAxis: axis(colours, { type: 'value', axisLabel: { color: colours.soft, hideOverlap: true, formatter: ticks(1) } }),
        yAxis: axis(colours, { type: 'category', data: rows.map((s) => s.axis.replaceAll('_', ' ')), axisLabel: { color: colours.ink, width: 160, overflow: 'truncate' } }),
        tooltip: tooltip(colours, { formatter: ({ dataIndex: i }) => tip(rows[i].axis, ['Elasticity, median', signed(rows[i].elasticity)], ['From', signed(rows[i].least)], ['To', signed(rows[i].most)], ['Pairs of points', grouped(String(rows[i].pairs))]) }),
        series: [{ type: 'bar', barWidth: 16, barMinHeight: 1, data: rows.map((s) => ({ value: s.elasticity, itemStyle: { color: s === rows.at(-1) ? colours.accent : colours.neutral } })),
          label: { show: true, position: 'right', color: colours.ink, formatter: ({ value }) => signed(value) } }],
      }),
    });
    return figure({ title: `Elasticity of ${spoken(metric)}`, body: box,
      data: { columns: [{ name: 'Axis' }, { name: 'Median', number: true, text: signed }, { name: 'Least', number: true, text: signed }, { name: 'Most', number: true, text: signed }, { name: 'Pairs' }],
        rows: [...rows].reverse().map((s) => [s.axis, s.elasticity, s.least, s.most, s.pairs]) } });
  });
}

function relativeTable({ sensitivities }) {
  const rows = sensitivities.flatMap((s) => s.relative.map(([value, ratio]) => [s.axis.replaceAll('_', ' '), spoken(s.metric), value, ratio - 1]));
  return rows.length > 0 && [h('p', { class: 'between' }, 'Axes that are no numbers: each value against the first, all else equal.'),
    table('Values against the first', [{ name: 'Axis' }, { name: 'Of' }, { name: 'Value' }, { name: 'Against the first', number: true, text: (v) => (Math.abs(v) < 5e-5 ? 'the same' : (v > 0 ? '+' : '−') + percent(Math.abs(v))) }], rows)];
}

const faultsTable = ({ faults }) => faults.length > 0 && table('Points at fault', [{ name: 'Points' }, { name: 'Key' }, { name: 'Expected' }, { name: 'Got' }, { name: 'Hint' }],
  faults.map((f) => [f.points, f.pointer, f.expected, f.got, f.hint]));
