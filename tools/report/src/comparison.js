// The page of a comparison: which is fastest, which is cheapest, and why they differ.
import { axis, chart, figure, legend, tip, tooltip } from './chart.js';
import { h } from './dom.js';
import { figures, lines, numbers, provenance, reading, sentence } from './shell.js';
import { table } from './table.js';
import { parts } from './theme.js';
import { metricText, percent, readable, scaleOf, ticks } from './units.js';

export function comparisonPage(data) {
  const runs = data.runs.map((run) => ({ ...run, title: `${run.letter}  ${run.scenario}`,
    value: (name) => run.metrics[name]?.value, text: (name) => (run.metrics[name] ? metricText({ name, ...run.metrics[name] }) : '–') }));
  const of = (letter) => runs.find((run) => run.letter === letter);
  const fastest = of(data.fastest), own = of(data.cheapest_self_hosted), cloud = of(data.cheapest_cloud);
  return {
    title: 'Scenarios side by side',
    headline: runs.map((run) => run.title).join(', '),
    answer: [
      h('p', { class: 'lede' }, h('b', {}, fastest.title), ' is the fastest: ', h('b', {}, fastest.text('time_to_train')), ' to its target. ',
        own && ['On own servers ', h('b', {}, own.title), ' is the cheapest, ', h('b', {}, own.text('cost_self_hosted')), '. '],
        cloud && ['In the cloud it is ', h('b', {}, cloud.title), ', ', h('b', {}, cloud.text('cost_cloud')), '.']),
      numbers(runs.slice(0, 8).map((run) => ({ name: run.title, value: run.text('time_to_train'), best: run === fastest,
        note: [run.value('cost_self_hosted') !== undefined && `own ${run.text('cost_self_hosted')}`, run.value('cost_cloud') !== undefined && `cloud ${run.text('cost_cloud')}`].filter(Boolean).join(', ') }))),
      reading([{ title: 'Why they differ', text: runs.map((run) => run.difference).filter(Boolean).slice(0, 2).map(sentence).join(' ') },
        { title: 'What limits the fastest', text: sentence(`${fastest.bottleneck.kind}, ${percent(fastest.bottleneck.share)} of the step (${fastest.bottleneck.resource})`) }]),
    ],
    sections: [
      { id: 'front', title: 'Time against cost', says: 'Each way to get the work done. Nothing else is both as fast and as cheap as what lies on the front.', body: [figures(frontFigure(data, of))] },
      { id: 'time', title: 'Time', body: [figures(barsFigure('Time to train', runs, 'time_to_train', 's'), barsFigure('Energy', runs, 'energy', 'J'), stepFigure(runs))] },
      { id: 'why', title: 'Why they differ', says: 'By the parts of a step, each against the first.', body: [lines(runs.map((run) => run.difference).filter(Boolean).map(sentence))] },
      { id: 'own', title: 'Own or rent', says: 'The share of the year above which owning costs less than renting.', body: [ownOrRent(data, of)] },
      { id: 'numbers', title: 'All numbers', body: [metricTable(runs)] },
      { id: 'assumptions', title: 'Remarks and assumptions', body: [lines(data.remarks.map(sentence)), assumptionsTable(runs)] },
    ],
    footer: runs.map((run) => h('p', {}, `${run.letter}: ${run.path}. ${provenance(run.provenance)}`)),
  };
}

function barsFigure(title, runs, name, unit) {
  const rows = runs.filter((run) => run.value(name) !== undefined);
  if (rows.length === 0) return null;
  const least = Math.min(...rows.map((run) => run.value(name)));
  const [divisor, prefixed] = scaleOf(Math.max(...rows.map((run) => run.value(name))), unit);
  const { box } = chart({
    label: `${title}: ${rows.map((run) => `${run.title} ${run.text(name)}`).join('; ')}`,
    height: 34 * rows.length + 30,
    option: (colours) => ({
      grid: { left: 8, right: 70, top: 4, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: axis(colours, { type: 'value', splitNumber: 3, axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => `${v} ${prefixed}` } }),
      yAxis: axis(colours, { type: 'category', inverse: true, data: rows.map((run) => run.title), axisLabel: { color: colours.ink, width: 150, overflow: 'truncate' } }),
      tooltip: tooltip(colours, { formatter: ({ dataIndex: i }) => tip(rows[i].title, [title, rows[i].text(name)]) }),
      series: [{ type: 'bar', barWidth: 14, label: { show: true, position: 'right', color: colours.ink, formatter: ({ dataIndex: i }) => rows[i].text(name) },
        data: rows.map((run) => ({ value: run.value(name) / divisor, itemStyle: { color: run.value(name) === least ? colours.accent : colours.neutral, borderRadius: [0, 3, 3, 0] } })) }],
    }),
  });
  return figure({ title, body: box, data: { columns: [{ name: 'Run' }, { name: title, unit }], rows: rows.map((run) => [run.title, run.value(name)]) } });
}

function stepFigure(runs) {
  const present = parts.filter((part) => runs.some((run) => run.value(part.metric) > 0));
  const [divisor, unit] = scaleOf(Math.max(...runs.map((run) => run.value('step_time'))), 's');
  const { box } = chart({
    label: `Parts of a step. ${runs.map((run) => `${run.title}: ${present.map((part) => `${part.name} ${run.text(part.metric)}`).join(', ')}`).join('; ')}`,
    height: 40 * runs.length + 90,
    option: (colours) => ({
      grid: { left: 8, right: 24, top: 62, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours),
      xAxis: axis(colours, { type: 'value', axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => `${v} ${unit}` } }),
      yAxis: axis(colours, { type: 'category', inverse: true, data: runs.map((run) => run.title), axisLabel: { color: colours.ink, width: 170, overflow: 'truncate' } }),
      tooltip: tooltip(colours, { formatter: ({ seriesName, dataIndex, value }) => tip(runs[dataIndex].title, [seriesName, readable(value * divisor, 's')], ['Share', percent((value * divisor) / runs[dataIndex].value('step_time'))]) }),
      series: present.map((part) => ({ name: part.name, type: 'bar', stack: 'step', barWidth: 20, itemStyle: { color: colours.part[part.key] }, data: runs.map((run) => (run.value(part.metric) ?? 0) / divisor) })),
    }),
  });
  return figure({ title: 'Where a step goes', body: box, wide: true,
    data: { columns: [{ name: 'Run' }, ...present.map((part) => ({ name: part.name, unit: 's' }))], rows: runs.map((run) => [run.title, ...present.map((part) => run.value(part.metric) ?? null)]) } });
}

function frontFigure({ offers }, of) {
  if (offers.length === 0) return null;
  const currency = offers[0].cost.unit, mixed = offers.some((offer) => offer.cost.unit !== currency);
  if (mixed) return null; // told in the remarks: they are ranked at the catalog's rates
  const [divisor, unit] = scaleOf(Math.max(...offers.map((offer) => offer.time.value)), 's');
  const name = (offer) => `${of(offer.run).title}, ${offer.rented ? 'cloud' : 'own'}`;
  const front = offers.filter((offer) => offer.on_front).sort((a, b) => a.time.value - b.time.value);
  const same = (a, b) => a.time.value === b.time.value && a.cost.value === b.cost.value && a.rented === b.rented;
  const point = (offer) => ({ value: [offer.time.value / divisor, offer.cost.value], offer,
    letters: offers.find((other) => same(other, offer)) === offer ? offers.filter((other) => same(other, offer)).map((other) => other.run).join(', ') : '' });
  const { box } = chart({
    label: `Time against cost: ${offers.map((offer) => `${name(offer)} ${readable(offer.time.value, 's')}, ${readable(offer.cost.value, currency)}${offer.on_front ? ', on the front' : ''}`).join('; ')}`,
    height: 360,
    option: (colours) => ({
      grid: { left: 8, right: 30, top: 44, bottom: 28, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours, { data: ['Own servers', 'Cloud'], icon: 'circle', itemWidth: 9, itemHeight: 9 }),
      xAxis: axis(colours, { type: 'value', min: 0, name: `time to train [${unit}]`, nameLocation: 'middle', nameGap: 30 }),
      yAxis: axis(colours, { type: 'value', min: 0, axisLabel: { color: colours.soft, formatter: ticks(Math.max(...offers.map((offer) => offer.cost.value)), currency) } }),
      tooltip: tooltip(colours, { formatter: ({ data }) => (data?.offer ? tip(name(data.offer), ['Time', readable(data.offer.time.value, 's')], ['Cost', readable(data.offer.cost.value, currency)], data.offer.on_front && ['On the front', '']) : '') }),
      series: [
        { type: 'line', symbol: 'none', silent: true, z: 1, lineStyle: { color: colours.soft, type: 'dashed', width: 1 }, data: front.map((offer) => point(offer).value) },
        ...[[false, 'Own servers', colours.accent], [true, 'Cloud', colours.warm]].map(([rented, title, colour]) => ({
          name: title, type: 'scatter', symbolSize: 13, itemStyle: { color: colour, borderColor: colours.paper, borderWidth: 1.5 },
          label: { show: true, position: 'right', color: colours.ink, formatter: ({ data: { letters } }) => letters }, labelLayout: { hideOverlap: true },
          data: offers.filter((offer) => offer.rented === rented).map(point) })),
      ],
    }),
  });
  return figure({ title: 'The front of time and cost', body: box, wide: true, says: `The dashed line joins the ${front.length} on the front.`,
    data: { columns: [{ name: 'Way' }, { name: 'Time', unit: 's' }, { name: 'Cost', unit: currency }, { name: 'On the front' }],
      rows: offers.map((offer) => [name(offer), offer.time.value, offer.cost.value, offer.on_front ? 'yes' : 'no']) } });
}

const useText = (use) => (use === undefined || use > 1 ? 'never' : percent(use));
const rangeOfUse = ({ utilization_low: low, utilization_high: high }) => (low === undefined && high === undefined ? '' : ` (${useText(low)} to ${useText(high)})`);

function ownOrRent({ break_evens: pairs }, of) {
  if (pairs.length === 0) return null;
  return table('Own or rent', [{ name: 'Owning' }, { name: 'against renting for' }, { name: 'pays from a use of', number: true }],
    pairs.map((pair) => [of(pair.owned).title, of(pair.rented).title, useText(pair.utilization) + rangeOfUse(pair)]));
}

function metricTable(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))];
  return table('All numbers', [{ name: 'Number' }, ...runs.map((run) => ({ name: run.title, number: true }))],
    [['limited by', ...runs.map((run) => `${run.bottleneck.kind} ${percent(run.bottleneck.share)}`)],
      ...names.map((name) => [name.replaceAll('_', ' '), ...runs.map((run) => (run.unpriced.includes(name) ? 'unpriced' : run.text(name)))])], true);
}

function assumptionsTable(runs) {
  const rows = runs.flatMap((run) => run.assumptions.map((a) => [run.letter, a.kind, a.pointer, a.value, a.why]));
  return h('details', {}, h('summary', {}, `Assumptions (${rows.length})`),
    table('Assumptions', [{ name: 'Run' }, { name: 'Kind' }, { name: 'Key' }, { name: 'Value' }, { name: 'Why' }], rows));
}
