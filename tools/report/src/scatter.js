// Predicted against measured on logarithmic axes: on the diagonal is right.
import { axis, chart, figure, legend, tip, tooltip } from './chart.js';
import { powers, readable, signedPercent, spelled } from './units.js';

const band = 0.1; // the thin lines beside the diagonal

// rows: {id, family, predicted, measured, unit, error?, scored, note?, group}
export function scatterFigure({ title, says, rows, wide = false, height = 380 }) {
  const drawn = rows.filter((row) => row.predicted > 0 && row.measured > 0);
  if (drawn.length === 0) return null;
  const units = [...new Set(drawn.map((row) => row.unit))];
  const unit = units.length === 1 ? units[0] : '';
  const ends = limits(drawn.flatMap((row) => [row.predicted, row.measured]));
  const groups = [...new Set(drawn.map((row) => row.group))];
  const error = (row) => row.error ?? row.predicted / row.measured - 1;
  const { box } = chart({
    label: `${title}: ${drawn.length} points, predicted against measured, on logarithmic axes. The values are in the table below.`,
    height,
    canvas: true,
    option: (colours, narrow) => {
      const legendRows = groups.length > 1 ? Math.ceil(groups.length / (narrow ? 2 : wide ? 6 : 3)) : 0;
      const logAxis = (name, gap) => axis(colours, {
        type: 'log', min: ends[0], max: ends[1], name: spelled(unit) ? `${name} [${spelled(unit)}]` : name, nameLocation: 'middle', nameGap: gap,
        axisLabel: { color: colours.soft, hideOverlap: true, formatter: powers }, minorSplitLine: { show: false },
      });
      const line = (factor, type) => ({
        type: 'line', silent: true, symbol: 'none', tooltip: { show: false }, z: 1,
        lineStyle: { color: factor === 1 ? colours.soft : colours.neutral, width: 1, type },
        data: [[ends[0], ends[0] * factor], [ends[1], ends[1] * factor]],
      });
      return {
        grid: { left: 8, right: 20, top: 12 + 24 * legendRows, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'all' },
        legend: groups.length > 1 ? legend(colours, { data: groups, icon: 'circle', itemWidth: 9, itemHeight: 9 }) : undefined,
        xAxis: logAxis('measured', 28),
        yAxis: logAxis('predicted', 12),
        tooltip: tooltip(colours, { formatter: ({ data }) => (data?.row ? tip(data.row.id,
          [data.row.family, ''], ['Predicted', readable(data.row.predicted, data.row.unit)], ['Measured', readable(data.row.measured, data.row.unit)],
          ['Error', signedPercent(error(data.row))], !data.row.scored && ['Shown, not scored', ''], data.row.note && [data.row.note, '']) : '') }),
        series: [
          line(1, 'solid'), line(1 + band, 'dashed'), line(1 / (1 + band), 'dashed'),
          ...groups.map((group, i) => ({
            name: group, type: 'scatter', symbolSize: drawn.length > 120 ? 6 : 9, z: 2,
            itemStyle: { color: colours.series[i % colours.series.length], opacity: 0.72, borderColor: colours.paper, borderWidth: 0.5 },
            data: drawn.filter((row) => row.group === group).map((row) => ({ value: [row.measured, row.predicted], row,
              symbol: row.scored ? 'circle' : 'emptyCircle' })),
          })),
        ],
      };
    },
  });
  return figure({
    title, says, body: box, wide,
    data: {
      columns: [{ name: 'Row' }, { name: 'Of' }, { name: 'Predicted', number: true, text: (v) => readable(v) }, { name: 'Measured', number: true, text: (v) => readable(v) }, { name: 'Unit' },
        { name: 'Error', number: true, text: signedPercent }, { name: 'Scored' }, { name: 'Note' }],
      rows: rows.map((row) => [row.id, row.family, row.predicted, row.measured, spelled(row.unit), error(row), row.scored ? 'yes' : 'no', row.note ?? '']),
    },
  });
}

// How many rows are how far off.
export function errorsFigure(title, rows = [], wide = false) {
  const width = 0.05, ends = 0.5;
  const errors = rows.map((row) => row.error).filter((value) => Number.isFinite(value));
  if (errors.length === 0) return null;
  const bins = Array.from({ length: Math.round((2 * ends) / width) }, (_, i) => ({ from: -ends + i * width, count: 0 }));
  for (const value of errors) bins[Math.min(bins.length - 1, Math.max(0, Math.floor((value + ends) / width + 1e-9)))].count += 1;
  const name = (i) => (i === 0 ? `below ${signedPercent(bins[1].from)}` : i === bins.length - 1 ? `above ${signedPercent(bins[i].from)}` : `${signedPercent(bins[i].from)} to ${signedPercent(bins[i].from + width)}`);
  const { box } = chart({
    label: `How many rows have which error: ${bins.map((bin, i) => bin.count && `${name(i)}: ${bin.count}`).filter(Boolean).join('; ')}`,
    height: wide ? 260 : 380,
    option: (colours) => ({
      grid: { left: 8, right: 16, top: 12, bottom: 26, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: axis(colours, { type: 'category', data: bins.map((bin) => signedPercent(Math.round(bin.from * 100) / 100)), splitLine: { show: false }, name: 'predicted / measured − 1, from', nameLocation: 'middle', nameGap: 30 }),
      yAxis: axis(colours, { type: 'value', splitNumber: 4 }),
      tooltip: tooltip(colours, { formatter: ({ dataIndex: i }) => tip(name(i), ['Rows', String(bins[i].count)]) }),
      series: [{ type: 'bar', barCategoryGap: '8%', data: bins.map((bin) => ({ value: bin.count, itemStyle: { color: Math.abs(bin.from + width / 2) < 0.1 ? colours.accent : colours.neutral } })) }],
    }),
  });
  return figure({ title, body: box, wide, says: `${errors.filter((value) => Math.abs(value) <= 0.1).length} of ${errors.length} within 10 %.`,
    data: { columns: [{ name: 'Error' }, { name: 'Rows' }], rows: bins.map((bin, i) => [name(i), bin.count]) } });
}

// A little beyond the values on both sides.
function limits(values) {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const round = (value, up) => {
    const power = 10 ** Math.floor(Math.log10(value));
    const marks = [1, 2, 5, 10].map((mark) => mark * power);
    return up ? marks.find((mark) => mark >= value * (1 - 1e-12)) : marks.filter((mark) => mark <= value * (1 + 1e-12)).at(-1);
  };
  return [round(low / 1.1, false), round(high * 1.1, true)];
}
