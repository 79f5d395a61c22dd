// A chart with its sentence, its description and its table; redrawn when the theme, the width or the medium changes.
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import { h, newId } from './dom.js';
import { foldedTable } from './table.js';
import { onTheme, palette } from './theme.js';

echarts.use([BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, DataZoomComponent, GridComponent,
  LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent, CanvasRenderer, SVGRenderer]);

const drawings = new Set(); // {draw(), resize()}

// A figure: title, one sentence of what it says, the drawing, and a table of its values.
export function figure({ title, says, body, controls, data, wide }) {
  const id = newId('figure');
  return h('figure', { 'aria-labelledby': id, 'data-name': title, class: wide ? 'wide' : undefined },
    h('figcaption', {}, h('h3', { id }, title), says && h('p', {}, says)),
    controls, body, data && foldedTable(title, data.columns, data.rows));
}

// option(colours, narrow) -> an ECharts option; label: what a screen reader says in place of the picture.
export function chart({ label, height, option, canvas = false, ready }) {
  const box = h('div', { class: 'chart', role: 'img', 'aria-label': label, style: { height: `${height}px` } });
  let instance = null, narrow = false;
  const isNarrow = () => box.clientWidth < 600;
  const drawing = {
    draw() {
      if (!box.isConnected) return;
      instance?.dispose();
      narrow = isNarrow();
      instance = echarts.init(box, null, { renderer: canvas ? 'canvas' : 'svg' });
      instance.setOption({ ...base(palette()), ...option(palette(), narrow) });
      box.dataset.points = instance.getOption().series.reduce((n, series) => n + (series.data?.length ?? 0), 0);
      ready?.(instance);
    },
    resize: () => (isNarrow() === narrow ? instance?.resize() : drawing.draw()),
    drop: () => instance?.dispose(),
  };
  drawings.add(drawing);
  return { box, redraw: drawing.draw, set: (changes) => instance?.setOption(changes) };
}

// A drawing of our own that follows the theme as charts do.
export function onDraw(draw) {
  drawings.add({ draw, resize: () => {} });
}

// Before another page takes the place of this one.
export function forgetDrawings() {
  for (const drawing of drawings) drawing.drop?.();
  drawings.clear();
}

export function drawAll() {
  for (const drawing of drawings) drawing.draw();
}

function base(colours) {
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: colours.soft, fontSize: 12 },
    color: colours.series,
    grid: { left: 8, right: 16, top: 16, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    tooltip: tooltip(colours),
  };
}

export const tooltip = (colours, more = {}) => ({
  trigger: 'item',
  confine: true,
  backgroundColor: colours.paper,
  borderColor: colours.line,
  borderWidth: 1,
  padding: [8, 12],
  textStyle: { color: colours.ink, fontSize: 12 },
  extraCssText: 'box-shadow: 0 2px 10px rgba(0,0,0,.14); border-radius: 6px; max-width: 320px; white-space: normal;',
  ...more,
});

// What a tooltip shows: elements, so that no name is ever read as HTML.
export const tip = (title, ...lines) =>
  h('div', {}, h('strong', {}, title), lines.filter(Boolean).map(([name, value]) =>
    h('div', { class: 'tip' }, h('span', {}, name), h('span', {}, value))));

// The usual look of an axis.
export const axis = (colours, more = {}) => ({
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: colours.line, width: 1 } },
  axisLabel: { color: colours.soft, hideOverlap: true },
  nameTextStyle: { color: colours.soft, fontSize: 12 },
  ...more,
});

export const plainAxis = (colours, more = {}) =>
  axis(colours, { splitLine: { show: false }, axisLine: { show: true, lineStyle: { color: colours.line } }, ...more });

export const legend = (colours, more = {}) => ({
  top: 0, left: 0, icon: 'roundRect', itemWidth: 12, itemHeight: 8, itemGap: 16, textStyle: { color: colours.ink, fontSize: 12 }, ...more,
});

const resizeAll = () => drawings.forEach((drawing) => drawing.resize());
let waiting = 0;
window.addEventListener('resize', () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(resizeAll);
});
onTheme(drawAll);

// Paper is light and has its own width.
window.addEventListener('beforeprint', () => {
  document.documentElement.classList.add('printing');
  drawAll();
});
window.addEventListener('afterprint', () => {
  document.documentElement.classList.remove('printing');
  drawAll();
});
