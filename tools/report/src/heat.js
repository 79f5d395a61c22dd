// How the GPUs warm up: temperature, clock and power from an idle start to the steady state.
import { chart, figure, axis, legend, plainAxis, tip, tooltip } from './chart.js';
import { readable, scaleOf, ticks } from './units.js';

const panels = [
  { key: 'temperature_c', name: 'Temperature', unit: 'degC', axis: '°C' },
  { key: 'clock_mhz', name: 'Clock', unit: 'MHz', axis: 'MHz', min: ({ min }) => Math.floor((min * 0.9) / 100) * 100 },
  { key: 'power_w', name: 'Power', unit: 'W', axis: 'W', min: 0 },
];

// GPUs that went through the same are one line.
function curves(heat) {
  const merged = new Map();
  for (const history of heat) {
    const key = JSON.stringify([history.time_s, ...panels.map((panel) => history[panel.key])]);
    const name = heat.every((other) => other.process === history.process) ? history.gpu : `${history.process} ${history.gpu}`;
    if (merged.has(key)) merged.get(key).names.push(name);
    else merged.set(key, { ...history, names: [name] });
  }
  return [...merged.values()].map((curve) => ({ ...curve,
    name: curve.names.length > 2 ? `${curve.names[0]} and ${curve.names.length - 1} like it` : curve.names.join(', ') }));
}

export function heatFigure(heat) {
  const shown = curves(heat);
  const end = Math.max(...shown.map((curve) => curve.time_s.at(-1)));
  const [divisor, unit] = scaleOf(end, 's');
  const last = (curve, key) => curve[key].at(-1);
  const label = `Temperature, clock and power over ${readable(end, 's')}. ` + shown.map((curve) =>
    `${curve.name}: ${panels.map((panel) => readable(last(curve, panel.key), panel.unit)).join(', ')} at the end`).join('; ');
  const legendRows = shown.length > 1 && shown.length <= 8 ? 26 : 0;
  const panelHeight = 118, gap = 40;
  const { box } = chart({
    label,
    height: legendRows + 24 + panels.length * (panelHeight + gap),
    option: (colours) => ({
      legend: legendRows ? legend(colours) : undefined,
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      tooltip: tooltip(colours, { trigger: 'axis', axisPointer: { lineStyle: { color: colours.soft } },
        formatter: (items) => tip(readable(items[0].value[0] * divisor, 's'),
          ...items.slice(0, 12).map((item) => [`${shown.length > 1 ? item.seriesName : panels[item.axisIndex].name}`, readable(item.value[1], panels[item.axisIndex].unit)])) }),
      grid: panels.map((_, i) => ({ left: 48, right: 20, top: legendRows + 24 + i * (panelHeight + gap), height: panelHeight })),
      xAxis: panels.map((_, i) => plainAxis(colours, { type: 'value', gridIndex: i, min: 0, max: end / divisor,
        axisLabel: { show: i === panels.length - 1, color: colours.soft, showMaxLabel: false, formatter: (v) => `${+v.toPrecision(3)} ${unit}` } })),
      yAxis: panels.map((panel, i) => axis(colours, { type: 'value', gridIndex: i, min: panel.min, scale: true, name: `${panel.name}, ${panel.axis}`, nameLocation: 'end', nameGap: 10,
        nameTextStyle: { color: colours.ink, align: 'left', padding: [0, 0, 0, -40], fontWeight: 500, fontSize: 12 }, splitNumber: 3,
        axisLabel: { color: colours.soft, hideOverlap: true, formatter: ticks(1) } })),
      series: panels.flatMap((panel, i) => shown.map((curve, k) => ({
        name: curve.name, type: 'line', xAxisIndex: i, yAxisIndex: i, showSymbol: false, sampling: 'lttb',
        lineStyle: { width: 1.8, color: colours.series[k % 8] }, itemStyle: { color: colours.series[k % 8] },
        data: curve.time_s.map((t, j) => [t / divisor, curve[panel.key][j]]),
      }))),
    }),
  });
  const unsettled = shown.filter((curve) => !curve.settled).length;
  return figure({
    title: 'From an idle start to the steady state', wide: true, body: box,
    says: 'Under the load of the steady step.' + (unsettled ? ` ${unsettled === shown.length ? 'The GPUs' : 'Some GPUs'} still moved at the end.` : ''),
    data: {
      columns: [{ name: 'GPU' }, { name: 'Time', unit: 's' }, { name: 'Temperature', unit: 'degC' }, { name: 'Clock', unit: 'MHz' }, { name: 'Power', unit: 'W' }],
      rows: shown.flatMap((curve) => curve.time_s.map((t, j) => [curve.name, t, curve.temperature_c[j], curve.clock_mhz[j], curve.power_w[j]])),
    },
  });
}
