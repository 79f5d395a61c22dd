// Where a step goes, and what a faster part would bring.
import { axis, chart, figure, tip, tooltip } from './chart.js';
import { h } from './dom.js';
import { foldedTable } from './table.js';
import { parts } from './theme.js';
import { percent, readable, signedPercent } from './units.js';

const colourOf = (part) => `var(--part-${part.css})`;

export function stepParts(report) {
  const step = report.metrics.step_time?.value;
  return parts.filter((part) => report.metrics[part.metric])
    .map((part) => ({ ...part, seconds: report.metrics[part.metric].value, share: report.metrics[part.metric].value / step }));
}

export function partsBar(report) {
  const shown = stepParts(report);
  const label = shown.map((part) => `${part.name} ${readable(part.seconds, 's')}, ${percent(part.share)}`).join('; ');
  return h('div', { class: 'parts' },
    h('div', { class: 'bar', role: 'img', 'aria-label': `Parts of a step: ${label}`, 'data-points': shown.length },
      shown.filter((part) => part.share > 0).map((part) =>
        h('span', { title: `${part.name}: ${readable(part.seconds, 's')}`, style: { background: colourOf(part), flex: `${part.share} 0 0` } }))),
    h('ul', { class: 'key' }, shown.map((part) => h('li', {},
      h('span', { class: 'swatch', style: { background: colourOf(part) } }), h('span', {}, part.name),
      h('span', {}, readable(part.seconds, 's')), h('span', { class: 'soft' }, percent(part.share))))),
    foldedTable('Parts of a step', [{ name: 'Part' }, { name: 'Time', unit: 's' }, { name: 'Share', text: percent, number: true }],
      shown.map((part) => [part.name, part.seconds, part.share])));
}

export function whatIfFigure({ what_if: changes }) {
  if (!changes?.length) return null;
  const rows = changes.map(({ change, step_s: s, now_s: now }) => ({ change, s, now, share: s / now - 1 })).sort((a, b) => b.s - a.s);
  const best = rows.at(-1);
  const says = best.share < -0.005
    ? `Each resource doubled by itself, and the job simulated again. ${best.change} helps most: ${signedPercent(best.share)} of the step time.`
    : 'Each resource doubled by itself, and the job simulated again. None of them makes the step shorter.';
  const { box } = chart({
    label: `Change of the step time: ${[...rows].reverse().map((row) => `${row.change} ${signedPercent(row.share)}`).join('; ')}`,
    height: 34 * rows.length + 30,
    option: (colours, narrow) => ({
      grid: { left: 8, right: narrow ? 104 : 130, top: 4, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: axis(colours, { type: 'value', max: Math.max(0.05, -best.share), min: Math.min(0, -rows[0].share), splitNumber: 4,
        axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => (v === 0 ? 'as now' : signedPercent(-v).replace('.0', '')) } }),
      yAxis: axis(colours, { type: 'category', data: rows.map((row) => row.change), axisLabel: { color: colours.ink, fontSize: narrow ? 11 : 13, width: narrow ? 104 : 190, overflow: 'break' } }),
      tooltip: tooltip(colours, { formatter: ({ dataIndex: i }) =>
        tip(rows[i].change, ['Step time', readable(rows[i].s, 's')], ['Today', readable(rows[i].now, 's')], ['Change', signedPercent(rows[i].share)]) }),
      series: [{
        type: 'bar', barWidth: 14, barMinHeight: 1,
        data: rows.map((row) => ({ value: -row.share, itemStyle: { color: row === best && row.share < -0.005 ? colours.accent : colours.neutral, borderRadius: [0, 3, 3, 0] } })),
        label: { show: true, position: 'right', color: colours.ink, formatter: ({ dataIndex: i }) => (Math.abs(rows[i].share) < 0.005 ? 'no change' : `${signedPercent(rows[i].share)}, ${readable(rows[i].s, 's')}`) },
      }],
    }),
  });
  return figure({
    title: 'What would help', says, body: box, wide: true,
    data: { columns: [{ name: 'Change' }, { name: 'Step time', unit: 's' }, { name: 'Against today', text: signedPercent, number: true }],
      rows: [...rows].reverse().map((row) => [row.change, row.s, row.share]) },
  });
}
