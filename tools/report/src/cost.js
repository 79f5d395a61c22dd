// What the run costs, of what, and when owning pays.
import { axis, chart, figure, legend, plainAxis, tip, tooltip } from './chart.js';
import { h, newId } from './dom.js';
import { between } from './theme.js';
import { figures, lines } from './shell.js';
import { percent, readable, ticks } from './units.js';

const year_h = 8760;

export function costSection({ money }, text) {
  if (!money) return null;
  const unpriced = money.unpriced.map((part) => `No price is known for ${part}: it is not priced.`);
  const doubts = money.warnings.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`);
  return {
    id: 'cost', title: 'Cost', says: costSays(text),
    body: [figures(partsFigure(money), money.own_or_rent && ownOrRentFigure(money)), lines([...unpriced, ...doubts])],
  };
}

function costSays(text) {
  const [own, cloud] = [text('cost_self_hosted'), text('cost_cloud')];
  if (own && cloud) return `This run: ${own} on own servers, ${cloud} in the cloud. Idle hours of owned machines are paid by those that work.`;
  return own ? `This run: ${own} on own servers. Idle hours are paid by those that work.` : cloud ? `This run: ${cloud} in the cloud.` : '';
}

// "46.1 to 56.0 USD" of a part or a sum whose prices are ranges.
const spanText = ({ low, high }, currency) => (low < high ? `${readable(low, currency)} to ${readable(high, currency)}` : '');

function partsFigure({ currency, own, rented }) {
  const ways = [{ name: 'Own servers', parts: own }, { name: 'Cloud', parts: rented }].filter((way) => way.parts.length > 0);
  if (ways.length === 0) return null;
  const names = [...new Set(ways.flatMap((way) => way.parts.map((part) => part.what)))];
  const sum = (way, end) => way.parts.reduce((sum, part) => sum + part[end], 0);
  const total = (way) => sum(way, 'amount');
  const span = (way) => spanText({ low: sum(way, 'low'), high: sum(way, 'high') }, currency);
  const tint = (name, colours) => (rented.some((part) => part.what === name) ? colours.warm
    : between([colours.accent, colours.accent_soft], own.findIndex((part) => part.what === name) / Math.max(1, own.length)));
  const { box } = chart({
    label: ways.map((way) => `${way.name} ${readable(total(way), currency)}: ${way.parts.map((part) => `${part.what} ${readable(part.amount, currency)}`).join(', ')}`).join('; '),
    height: 70 + 56 * ways.length + 24,
    option: (colours) => ({
      grid: { left: 8, right: 84, top: 56, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours, { data: names }),
      xAxis: axis(colours, { type: 'value', splitNumber: 4, axisLabel: { color: colours.soft, hideOverlap: true, formatter: ticks(Math.max(...ways.map(total)), currency) } }),
      yAxis: axis(colours, { type: 'category', inverse: true, data: ways.map((way) => way.name), axisLabel: { color: colours.ink, fontSize: 13 } }),
      tooltip: tooltip(colours, { formatter: ({ seriesName, dataIndex }) => {
        const part = ways[dataIndex].parts.find((p) => p.what === seriesName);
        return tip(`${ways[dataIndex].name}: ${seriesName}`, [readable(part.amount, currency), spanText(part, currency)], [part.basis, ''], [part.source, '']);
      } }),
      series: names.map((name) => ({
        name, type: 'bar', stack: 'cost', barWidth: 26, itemStyle: { borderColor: colours.paper, borderWidth: 1, color: tint(name, colours) },
        data: ways.map((way) => way.parts.find((part) => part.what === name)?.amount ?? null),
        label: { show: true, position: 'right', color: colours.ink, fontWeight: 600, formatter: ({ dataIndex }) => (ways[dataIndex].parts.at(-1).what === name ? readable(total(ways[dataIndex]), currency) : '') },
      })),
    }),
  });
  return figure({
    title: 'What the run costs, of what', body: box, wide: true,
    says: ways.filter(span).map((way) => `${way.name}: ${span(way)}, since a price is known as a range.`).join(' ') || undefined,
    data: { columns: [{ name: 'Way' }, { name: 'Part' }, { name: 'Amount', unit: currency }, { name: 'Low', unit: currency }, { name: 'High', unit: currency }, { name: 'Basis' }, { name: 'Formula' }, { name: 'Prices' }],
      rows: ways.flatMap((way) => way.parts.map((part) => [way.name, part.what, part.amount, part.low, part.high, part.basis, part.formula, part.source])) },
  });
}

// Money spent after t years of working `use` of all hours.
export const spentOwning = (m, use, t) => m.purchase + t * (m.fixed_per_year + m.electricity_per_hour * year_h * use);
export const spentRenting = (m, use, t) => t * m.rented_per_hour * year_h * use;
// When the two meet, in years; Infinity: never.
export function crossing(m, use) {
  const gained = spentRenting(m, use, 1) - (spentOwning(m, use, 1) - m.purchase);
  return gained > 0 ? m.purchase / gained : Infinity;
}

function verdict(m, use, currency) {
  const meets = crossing(m, use), resale = m.purchase * m.residual;
  const saved = spentRenting(m, use, m.years) - spentOwning(m, use, m.years) + resale;
  const when = meets <= m.years
    ? `At ${percent(use)} use owning has cost less than renting from month ${Math.ceil(meets * 12)} on`
    : `At ${percent(use)} use owning has not paid for itself within ${readable(m.years)} years`;
  const after = resale > 0 ? `; once the machines are sold for ${readable(resale, currency)}` : `; after ${readable(m.years)} years`;
  return `${when}${after}, ${saved >= 0 ? 'owning' : 'renting'} is ${readable(Math.abs(saved), currency)} cheaper.`;
}

function ownOrRentFigure({ currency, own_or_rent: m }) {
  const months = Array.from({ length: Math.round(m.years * 12) + 1 }, (_, i) => i);
  let use = m.utilization;
  const says = h('p', { class: 'verdict', 'aria-live': 'polite' }, verdict(m, use, currency));
  const own = () => [...months.map((i) => [i, spentOwning(m, use, i / 12)]), ...(m.residual > 0 ? [[months.at(-1), spentOwning(m, use, m.years) - m.purchase * m.residual]] : [])];
  const rent = () => months.map((i) => [i, spentRenting(m, use, i / 12)]);
  const series = (colours) => {
    const meets = crossing(m, use) * 12;
    return [
      { name: 'Own servers', type: 'line', showSymbol: false, lineStyle: { width: 2.4, color: colours.accent }, itemStyle: { color: colours.accent }, data: own() },
      { name: 'Cloud', type: 'line', showSymbol: false, lineStyle: { width: 2.4, color: colours.warm }, itemStyle: { color: colours.warm }, data: rent() },
      { name: 'Crossing', type: 'scatter', symbolSize: 11, z: 5, itemStyle: { color: colours.paper, borderColor: colours.ink, borderWidth: 2 },
        label: { show: true, position: 'top', distance: 8, offset: [-36, 0], color: colours.ink, fontWeight: 600, formatter: () => `month ${Math.ceil(meets)}` },
        data: meets <= months.at(-1) ? [[meets, spentOwning(m, use, meets / 12)]] : [] },
    ];
  };
  const drawing = chart({
    label: `Money spent over ${readable(m.years)} years. ${verdict(m, use, currency)}`,
    height: 330,
    option: (colours) => ({
      grid: { left: 8, right: 20, top: 40, bottom: 26, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours, { data: ['Own servers', 'Cloud'] }),
      xAxis: plainAxis(colours, { type: 'value', min: 0, max: months.at(-1), interval: months.at(-1) > 72 ? 12 : 6, name: 'months', nameLocation: 'middle', nameGap: 28 }),
      yAxis: axis(colours, { type: 'value', min: 0, splitNumber: 4, axisLabel: { color: colours.soft, formatter: ticks(Math.max(m.purchase, spentRenting(m, use, m.years)), currency) } }),
      tooltip: tooltip(colours, { trigger: 'axis', formatter: (items) => tip(`After ${readable(items[0].value[0])} months`,
        ...items.filter((item) => item.seriesName !== 'Crossing').map((item) => [item.seriesName, readable(item.value[1], currency)])) }),
      series: series(colours),
    }),
  });
  const id = newId('use');
  const shown = h('output', { for: id }, percent(use));
  const control = h('div', { class: 'controls' }, h('label', { for: id }, 'Share of the year in use',
    h('input', { id, type: 'range', min: 1, max: 100, step: 1, value: Math.round(use * 100), oninput: (event) => {
      use = Number(event.target.value) / 100;
      shown.textContent = percent(use);
      says.textContent = verdict(m, use, currency);
      drawing.redraw();
    } }), shown));
  return figure({
    title: 'Own or rent, over the years', body: drawing.box, controls: [says, control], wide: true,
    says: 'What has been spent on the same work: the purchase and its upkeep, or the rent.' + (m.residual > 0 ? ' The drop at the end is the resale.' : ''),
    data: { columns: [{ name: 'Month', number: true }, { name: 'Own servers', unit: currency }, { name: 'Cloud', unit: currency }],
      rows: months.map((i) => [i, spentOwning(m, m.utilization, i / 12), spentRenting(m, m.utilization, i / 12)]) },
  });
}
