// A step as a Gantt chart: a row a stream, link or loader; and how full the busiest links are.
import { axis, chart, figure, legend, plainAxis, tip, tooltip } from './chart.js';
import * as echarts from 'echarts/core';
import { h } from './dom.js';
import { inkOn, isPrinting, parts } from './theme.js';
import { readable, scaleOf, spelled, ticks } from './units.js';

const laneHeight = 20, tallest = 640, mostFlows = 300, mostLinks = 6;
const partName = Object.fromEntries(parts.map((part) => [part.key, part.short ?? part.name]));

// The columns of the data as slices: {track, start, end, name, part, detail, lane}, in seconds; and the lanes' names.
export function unpack(timeline) {
  const { columns, strings } = timeline.slices;
  const slices = columns.track.map((track, i) => ({
    track, start: columns.start_ns[i] * 1e-9, end: (columns.start_ns[i] + columns.duration_ns[i]) * 1e-9,
    name: strings[columns.name[i]], part: strings[columns.part[i]], detail: strings[columns.detail[i]],
  }));
  const depth = timeline.tracks.map(() => 1), open = timeline.tracks.map(() => []);
  for (const slice of slices) { // by track, then start: what has not ended yet holds this one
    const stack = open[slice.track];
    while (stack.length && stack.at(-1) <= slice.start + 2e-9) stack.pop();
    slice.depth = stack.length;
    stack.push(slice.end);
    depth[slice.track] = Math.max(depth[slice.track], stack.length);
  }
  const first = [], names = [];
  timeline.tracks.forEach((track, i) => {
    first.push(names.length);
    for (let lane = 0; lane < depth[i]; ++lane) names.push(lane === 0 ? track : null);
  });
  for (const slice of slices) slice.lane = first[slice.track] + slice.depth;
  return { slices, names };
}

export function timelineFigure(timeline) {
  const { slices, names } = unpack(timeline);
  if (slices.length === 0) return null;
  return [ganttFigure(timeline, slices, names), linkFigure(timeline)];
}

function ganttFigure(timeline, slices, names) {
  const nodes = [...new Set(timeline.tracks.map((track) => track.process).filter((name) => name.startsWith('node')))];
  const label = (track) => (track ? shortName(track, nodes) : '');
  const full = names.length * laneHeight, height = Math.min(full, tallest);
  const scroll = full > tallest;
  const end = timeline.window_s, [divisor, unit] = scaleOf(end, 's');
  let instance = null, range = [0, 100];
  const zoom = (factor, shift = 0) => {
    const middle = (range[0] + range[1]) / 2 + shift * (range[1] - range[0]), half = Math.min(50, ((range[1] - range[0]) / 2) * factor);
    const start = Math.min(100 - 2 * half, Math.max(0, middle - half));
    instance?.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, start, end: start + 2 * half });
  };
  const button = (text, name, action) => h('button', { type: 'button', 'aria-label': name, onclick: action }, text);
  const controls = h('div', { class: 'controls' },
    button('+', 'Zoom in', () => zoom(0.5)), button('−', 'Zoom out', () => zoom(2)), button('←', 'Earlier', () => zoom(1, -0.5)), button('→', 'Later', () => zoom(1, 0.5)),
    button('All', 'All of the step', () => zoom(1e9)));
  const used = parts.filter((part) => slices.some((slice) => slice.part === part.key));
  const key = h('div', { class: 'swatches' }, used.map((part) =>
    h('span', {}, h('span', { class: 'swatch', style: { background: `var(--part-${part.css})` } }), partName[part.key])));
  const { box } = chart({
    label: `Timeline of a step: ${timeline.tracks.length} tracks, ${slices.length} slices over ${readable(end, 's')}. The table below lists them.`,
    height: height + 84,
    canvas: true,
    ready: (made) => {
      instance = made;
      range = [0, 100];
      made.on('dataZoom', () => {
        const [x] = made.getOption().dataZoom;
        range = [x.start, x.end];
      });
    },
    option: (colours, narrow) => {
      const left = narrow ? 92 : 210;
      return {
        grid: { left, right: scroll ? 30 : 12, top: 8, height },
        xAxis: plainAxis(colours, { type: 'value', min: 0, max: end / divisor, axisLabel: { color: colours.soft, hideOverlap: true, showMaxLabel: false, formatter: (v) => `${+v.toPrecision(5)} ${unit}` },
          splitLine: { show: true, lineStyle: { color: colours.line } } }),
        yAxis: axis(colours, { type: 'category', inverse: true, data: names.map(label), splitLine: { show: false },
          axisLabel: { color: colours.ink, fontSize: 11, interval: 0, width: left - 14, overflow: 'truncate' } }),
        dataZoom: isPrinting() ? [] : [
          { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false },
          { type: 'slider', xAxisIndex: 0, filterMode: 'weakFilter', height: 22, bottom: 4, borderColor: colours.line, fillerColor: colours.accent_soft, backgroundColor: 'transparent',
            showDetail: false, brushSelect: false, handleStyle: { color: colours.paper, borderColor: colours.accent }, moveHandleSize: 0, dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } } },
          ...(scroll ? [{ type: 'slider', yAxisIndex: 0, width: 14, right: 2, startValue: 0, endValue: Math.floor(tallest / laneHeight) - 1, zoomLock: true, showDetail: false, brushSelect: false,
            borderColor: colours.line, fillerColor: colours.accent_soft, backgroundColor: 'transparent', handleSize: 0, moveHandleSize: 0 }] : []),
        ],
        tooltip: tooltip(colours, { formatter: ({ dataIndex, seriesIndex }) => {
          const slice = slices[dataIndex];
          if (seriesIndex !== 0 || !slice) return '';
          return tip(slice.name, ['On', label(timeline.tracks[slice.track])], ['Takes', readable(slice.end - slice.start, 's')], ['Starts at', readable(slice.start, 's')],
            ['Counts as', partName[slice.part] ?? slice.part], slice.detail && [slice.detail, '']);
        } }),
        series: [
          { type: 'custom', clip: true, progressive: 3000, encode: { x: [0, 1], y: 2 }, dimensions: ['start', 'end', 'lane'],
            data: slices.map((slice) => [slice.start / divisor, slice.end / divisor, slice.lane]),
            renderItem: (params, api) => block(params, api, slices[params.dataIndex], colours) },
          { type: 'custom', clip: true, silent: true, z: 3, data: flowsOf(timeline, slices, divisor), encode: { x: [0, 2] },
            renderItem: (params, api) => arrow(api, colours) },
        ],
      };
    },
  });
  return figure({
    title: 'Streams, buckets and links', body: [key, box], controls, wide: true,
    says: `${nodes.length === 1 ? `GPUs and links of ${nodes[0].replace(' (x', ' (×')}. ` : ''}Thin lines lead from gradients to the collective that reduces them.`,
    data: {
      columns: [{ name: 'Track' }, { name: 'Slice' }, { name: 'Start', unit: 's' }, { name: 'Duration', unit: 's' }, { name: 'Counts as' }, { name: 'Detail' }],
      rows: slices.map((slice) => [`${timeline.tracks[slice.track].process} ${timeline.tracks[slice.track].name}`, slice.name, slice.start, slice.end - slice.start, partName[slice.part] ?? slice.part, slice.detail]),
    },
  });
}

// The process is named only where nodes differ.
const shortName = (track, nodes) => (nodes.length > 1 && track.process.startsWith('node') ? `${track.process} ${track.name}` : track.name);

function block(params, api, slice, colours) {
  const [x, y] = api.coord([api.value(0), api.value(2)]), [x2] = api.coord([api.value(1), api.value(2)]);
  const { x: left, y: top, width, height } = params.coordSys;
  const thick = Math.max(1, Math.min(laneHeight, api.size([0, 1])[1]) - 3);
  const shape = echarts.graphic.clipRectByRect({ x, y: y - thick / 2, width: Math.max(0.6, x2 - x - 0.6), height: thick }, { x: left, y: top, width, height });
  if (!shape) return null;
  const fill = colours.part[slice.part] ?? colours.part.other;
  const children = [{ type: 'rect', shape: { ...shape, r: shape.width > 6 ? 2 : 0 }, style: { fill } }];
  if (shape.width > 46 && thick > 11)
    children.push({ type: 'text', silent: true, style: { text: slice.name, x: shape.x + 5, y: shape.y + shape.height / 2, textVerticalAlign: 'middle', fontSize: 11, fontFamily: 'Report, sans-serif', fill: inkOn(fill), width: shape.width - 8, overflow: 'truncate' } });
  return { type: 'group', children };
}

// From the end of the gradients to the start of their collective: [x1, lane1, x2, lane2].
function flowsOf(timeline, slices, divisor) {
  return timeline.flows.slice(0, mostFlows).map(([from, to]) =>
    [slices[from].end / divisor, slices[from].lane, slices[to].start / divisor, slices[to].lane]);
}

function arrow(api, colours) {
  const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(2), api.value(3)]);
  const bend = Math.max(8, Math.abs(x2 - x1) / 2);
  return { type: 'bezierCurve', shape: { x1, y1, x2, y2, cpx1: x1 + bend, cpy1: y1, cpx2: x2 - bend, cpy2: y2 }, style: { stroke: colours.ink, opacity: 0.3, lineWidth: 1, fill: 'none' } };
}

// Mean of a value that holds from each time to the next.
function mean(counter, end) {
  let area = 0;
  counter.time_s.forEach((t, i) => { area += counter.value[i] * ((counter.time_s[i + 1] ?? end) - t); });
  return area / end;
}

function linkFigure(timeline) {
  const end = timeline.window_s, [divisor, unit] = scaleOf(end, 's');
  const seen = new Set();
  const links = timeline.counters.filter((counter) => counter.unit.includes('/s'));
  const busiest = links.map((counter) => ({ ...counter, mean: mean(counter, end) })).filter((counter) => counter.mean > 0)
    .sort((a, b) => b.mean - a.mean)
    .filter((counter) => { // equal links are one line
      const key = JSON.stringify([counter.time_s, counter.value]);
      return !seen.has(key) && seen.add(key);
    }).slice(0, mostLinks);
  if (busiest.length === 0) return null;
  const nodes = [...new Set(links.map((counter) => counter.process).filter((process) => process.startsWith('node')))];
  const name = (counter) => shortName(counter, nodes);
  const { box } = chart({
    label: `Load of the ${busiest.length} busiest links over the step: ${busiest.map((counter) => `${name(counter)} ${readable(counter.mean, counter.unit)} in the mean`).join('; ')}`,
    height: 300,
    option: (colours) => ({
      grid: { left: 8, right: 16, top: 66, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours, { type: 'scroll', itemWidth: 14, itemHeight: 3 }),
      xAxis: plainAxis(colours, { type: 'value', min: 0, max: end / divisor, axisLabel: { color: colours.soft, hideOverlap: true, showMaxLabel: false, formatter: (v) => `${+v.toPrecision(4)} ${unit}` } }),
      yAxis: axis(colours, { type: 'value', min: 0, splitNumber: 4, axisLabel: { color: colours.soft, formatter: ticks(1, busiest[0].unit) } }),
      tooltip: tooltip(colours, { trigger: 'axis', formatter: (items) => tip(readable(items[0].value[0] * divisor, 's'), ...items.map((item) => [item.seriesName, readable(item.value[1], busiest[0].unit)])) }),
      series: busiest.map((counter, i) => ({ name: name(counter), type: 'line', step: 'end', showSymbol: false, lineStyle: { width: 1.5, color: colours.series[i] }, itemStyle: { color: colours.series[i] },
        data: [...counter.time_s.map((t, j) => [t / divisor, counter.value[j]]), [end / divisor, counter.value.at(-1)]] })),
    }),
  });
  return figure({
    title: 'Load of the busiest links', says: `The ${busiest.length} that carry most; links that carry the same are drawn once.`, body: box, wide: true,
    data: { columns: [{ name: 'Link' }, { name: 'Time', unit: 's' }, { name: 'Load', text: (v) => readable(v, busiest[0].unit), number: true, unit: spelled(busiest[0].unit) }],
      rows: busiest.flatMap((counter) => counter.time_s.map((t, j) => [name(counter), t, counter.value[j]])) },
  });
}
