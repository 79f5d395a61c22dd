// The page of a validation: predicted against measured, all rows.
import { h } from './dom.js';
import { errorsFigure, scatterFigure } from './scatter.js';
import { figures, lines, numbers, reading, sentence } from './shell.js';
import { foldedTable, table } from './table.js';
import { percent } from './units.js';

export function validationPage(data) {
  const { rows, summary, bounds } = data;
  const scored = rows.filter((row) => row.scored);
  const missed = bounds.filter((bound) => !bound.met);
  return {
    title: 'Predicted against published measurements',
    headline: `Suite ${data.suite}: ${scored.length} rows scored, ${rows.length - scored.length} shown.`,
    answer: [
      h('p', { class: 'lede' }, 'Half of the predictions lie within ', h('b', {}, percent(summary.median_abs_error)), ' of what was measured, and 9 of 10 within ', h('b', {}, percent(summary.p90_abs_error)), '.'),
      numbers([{ name: 'Median error', value: percent(summary.median_abs_error) }, { name: '9 of 10 within', value: percent(summary.p90_abs_error) },
        { name: 'Worst', value: percent(summary.worst_abs_error) }, { name: 'Rows', value: String(summary.rows), note: `${rows.length - scored.length} more are shown, not scored` }]),
      reading([{ title: 'How it was done', text: data.remarks.slice(0, 2).map(sentence).join(' ') },
        bounds.length > 0 && { title: 'Bounds set before the result', text: missed.length === 0 ? `All ${bounds.length} are met.` : `${bounds.length - missed.length} of ${bounds.length} are met.` }]),
    ],
    sections: [
      { id: 'rows', title: 'Every row', says: 'Measured to the right, predicted upward; on the diagonal is right, the dashed lines are 10 % off. Rings are shown, not scored.', body: [figures(scatters(rows))] },
      { id: 'errors', title: 'How the errors lie', body: [figures(errorsFigure('Errors of the scored rows', scored, true))] },
      { id: 'groups', title: 'By group', body: [summaryTable('Errors by group', data.groups), summaryTable('Errors by family', data.families, true), data.left_out && summaryTable('Errors of left-out rows', data.left_out)] },
      { id: 'bounds', title: 'Bounds', says: 'Set by the project itself before it knew the result.', body: [bounds.length > 0 && boundsTable(bounds)] },
      { id: 'remarks', title: 'Remarks', body: [lines(data.remarks.map(sentence))] },
    ],
    footer: [h('p', {}, `clustersim ${data.version}`)],
  };
}

function scatters(rows) {
  const suites = [...new Set(rows.map((row) => row.suite))];
  return suites.map((suite) => {
    const own = rows.filter((row) => row.suite === suite);
    const groups = new Set(own.map((row) => row.group));
    return scatterFigure({ title: suites.length > 1 ? sentence(suite).slice(0, -1) : 'Predicted against measured', says: `${own.length} rows${groups.size > 8 ? '' : ', by group'}.`,
      rows: groups.size > 8 ? own.map((row) => ({ ...row, group: suite })) : own, wide: suites.length === 1, height: suites.length === 1 ? 520 : 400 });
  });
}

const summaryColumns = [{ name: 'Group' }, { name: 'Rows' }, { name: 'Median', text: percent, number: true }, { name: '9 of 10', text: percent, number: true }, { name: 'Worst', text: percent, number: true }];

function summaryTable(title, groups, folded = false) {
  const rows = Object.entries(groups).map(([name, s]) => [name, s.rows, s.median_abs_error, s.p90_abs_error, s.worst_abs_error]);
  if (rows.length === 0) return null;
  return folded ? foldedTable(title, summaryColumns, rows) : table(title, summaryColumns, rows);
}

const boundsTable = (bounds) => table('Bounds', [{ name: 'Bound' }, { name: 'Value', text: percent, number: true }, { name: 'Limit', text: percent, number: true }, { name: 'Result' }],
  bounds.map((bound) => [`${bound.suite}: ${bound.what}`, bound.value, bound.limit, bound.met ? 'met' : 'missed']));
