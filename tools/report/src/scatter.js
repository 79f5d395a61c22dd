// Predicted against measured on logarithmic axes: on the diagonal is right.
import { axis, chart, figure, legend, tip, tooltip } from './chart.js';
import { readable, signedPercent, spelled } from './units.js';

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
    option: (colours) => {
      const logAxis = (name, gap) => axis(colours, {
        type: 'log', min: ends[0], max: ends[1], name: spelled(unit) ? `${name} [${spelled(unit)}]` : name, nameLocation: 'middle', nameGap: gap,
        axisLabel: { color: colours.soft, hideOverlap: true, formatter: (value) => readable(value, '') }, minorSplitLine: { show: false },
      });
      const line = (factor, type) => ({
        type: 'line', silent: true, symbol: 'none', tooltip: { show: false }, z: 1,
        lineStyle: { color: factor === 1 ? colours.soft : colours.neutral, width: 1, type },
        data: [[ends[0], ends[0] * factor], [ends[1], ends[1] * factor]],
      });
      return {
        grid: { left: 28, right: 20, top: groups.length > 1 ? 56 : 12, bottom: 28, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
        legend: groups.length > 1 ? legend(colours, { data: groups, icon: 'circle', itemWidth: 9, itemHeight: 9 }) : undefined,
        xAxis: logAxis('measured', 30),
        yAxis: logAxis('predicted', 52),
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
