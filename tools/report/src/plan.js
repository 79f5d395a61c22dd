// The page of a plan: what to buy or to rent, how sure that is, and why not something else.
import { axis, chart, figure, legend, plainAxis, tip, tooltip } from './chart.js';
import { h } from './dom.js';
import { figures, folded, lines, numbers, reading, sentence } from './shell.js';
import { table } from './table.js';
import { parts } from './theme.js';
import { grouped, percent, readable, scaleOf } from './units.js';

const outlay = (offer) => offer.outlay;
const worst = (offer) => offer.expected_error?.nine_in_ten ?? offer.nine_in_ten;
const count = (number) => grouped(String(Math.round(number)));
const named = (offer) => `${offer.count} x ${offer.machine}`;
const times = (ratio) => (ratio >= 100 ? `${count(Number(ratio.toPrecision(2)))} times` : ratio >= 2 ? `${ratio.toPrecision(2)} times` : `+${percent(ratio - 1)}`);
const batchName = (batch) => `${count(batch.per_gpu)}${batch.accumulation > 1 ? ` x ${count(batch.accumulation)}` : ''}`;
const unbroken = (text) => text.replace(/ (%|x) /g, '\u00a0$1 ');
const pick = (list, most) => list.slice(0, most);

export function planPage(data) {
  const { offers, unproven, nearest } = data;
  const plan = { ...data, kept: [...offers, ...unproven], best: offers[0] ?? unproven[0] ?? nearest[0], found: offers.length + unproven.length > 0, proven: offers.length > 0,
    money: (value) => readable(value, data.currency) };
  return {
    title: data.question,
    headline: `Asked: ${data.goal}. Tried: ${count(data.machines)} kinds of machine in ${count(data.runs)} runs.`,
    answer: plan.best ? [lede(plan), answerNumbers(plan), answerReading(plan)] : [h('p', { class: 'lede' }, 'No machine that is known can run this job.')],
    sections: [
      { id: 'candidates', title: 'Time against money', says: plan.runs_asked ? `Everything that ran. The money is for ${count(plan.runs_asked)} runs: rent, or machines and electricity; the time is of one.` : 'Everything that ran. Rented, the money is that of the run; owned, of the purchase.', body: [figures(frontFigure(plan))] },
      { id: 'rivals', title: 'The best offers, and how sure', short: 'Rivals', says: rivalsSay(plan), body: [figures(rivalsFigure(plan)), offersTable(plan, offers, 'Offers that keep both limits')] },
      { id: 'unproven', title: 'On a guessed price, or without published rows like it', short: 'Less sure', says: 'They keep both limits too, as far as is known.', body: [offersTable(plan, unproven, 'Offers that are less sure')] },
      { id: 'nearest', title: 'What comes nearest', says: 'Of machines with published rows like them none keeps both limits.', body: [nearestTable(plan)] },
      { id: 'batch', title: 'The batch', says: batchSays(plan), body: [figures(batchFigure(plan))] },
      { id: 'step', title: 'Where a step goes', body: [figures(stepFigure(plan))] },
      { id: 'left-out', title: 'What was left out, and by which bound', short: 'Left out', says: 'Only what cannot win is left out without a run.', body: [prunedTable(data), leftOutTable(data)] },
      { id: 'assumptions', title: 'What the answer leans on', short: 'Assumptions', body: assumptions(plan) },
    ],
    footer: [h('p', {}, `clustersim ${data.version}. Money of a rented run is by the second. Real time = time x (1 + error); of rows like it, nine in ten are within the error that is shown.`)],
  };
}

const limitsOf = (plan) => [plan.deadline_s && `${readable(plan.deadline_s, 's')}`, plan.budget && plan.money(plan.budget.value)].filter(Boolean).join(' and ');

function lede(plan) {
  const { best, money } = plan;
  const what = [h('b', {}, named(best)), ` (${count(best.gpus)} x ${best.gpu})`];
  if (!plan.found)
    return h('p', { class: 'lede' }, `Nothing keeps ${limitsOf(plan)}. Nearest is to ${best.rented ? 'rent' : 'buy'} `, what, ': ', h('b', {}, readable(best.time_s, 's')), ', ', h('b', {}, money(outlay(best))), missText(plan, best), '.');
  return h('p', { class: 'lede' }, best.rented ? 'Rent ' : 'Buy ', what, ': trained in ', h('b', {}, readable(best.time_s, 's')), plan.runs_asked ? `, ${count(plan.runs_asked)} times` : '', ' for ', h('b', {}, money(outlay(best))),
    plan.proven ? '. ' : ', on a guessed price or without published rows like it. ', sureText(plan));
}

function missText(plan, offer) {
  const late = plan.deadline_s && offer.time_s > plan.deadline_s && `late by ${readable(offer.time_s - plan.deadline_s, 's')} (${times(offer.time_s / plan.deadline_s)})`;
  const dear = plan.budget && outlay(offer) > plan.budget.value && `over the budget by ${plan.money(outlay(offer) - plan.budget.value)} (${times(outlay(offer) / plan.budget.value)})`;
  return [late, dear].filter(Boolean).map((text) => `, ${text}`).join('');
}

function sureText({ best, deadline_s: deadline }) {
  const error = best.expected_error;
  if (!error) return 'No published run is like it: the error is not known.';
  if (!deadline) return `Published runs like it were predicted within ${percent(error.nine_in_ten)} in nine of ten.`;
  return error.time_s <= deadline ? `In time even at the error of nine in ten: ${readable(error.time_s, 's')}.` : `At the error of nine in ten it is late: ${readable(error.time_s, 's')}.`;
}

function answerNumbers(plan) {
  const { best, money } = plan, next = plan.kept[1], runs = plan.runs_asked ?? 1;
  return numbers([
    { name: 'Time to train', value: readable(best.time_s, 's'), note: plan.deadline_s && `of ${readable(plan.deadline_s, 's')} allowed`, best: true },
    { name: best.rented ? (runs > 1 ? `Rent of ${count(runs)} runs` : 'Rent of the run') : runs > 1 ? `Machines and power for ${count(runs)} runs` : 'To buy', value: money(outlay(best)),
      note: [plan.budget && `of ${money(plan.budget.value)}`, !best.rented && best.network_cost > 0 && `${money(best.network_cost)} of it for the network`, best.rented && runs > 1 && `${money(best.run_cost)} each`, best.electricity > 0 && `${money(best.electricity)} of it electricity; busy for ${readable(runs * best.time_s, 's')}`, !best.rented && `this run's share ${money(best.run_cost)}`].filter(Boolean).join('; ') },
    { name: 'Error of runs like it', value: worst(best) === undefined ? '?' : `±${percent(worst(best))}`, note: best.expected_error ? `in nine of ten: ${best.expected_error.of}` : 'no published row is like it' },
    best.batch.per_gpu > 0 && { name: 'Batch of a GPU', value: batchName(best.batch), note: `${count(best.batch.global)} samples a step${best.batch.epochs >= 1 ? `, ${readable(best.batch.epochs)} epochs` : ''}` },
    plan.found && next && { name: 'The next best', value: next.behind ? money(outlay(next)) : '–', note: `${named(next)}, ${next.rented ? 'rented' : 'owned'}, ${readable(next.time_s, 's')}` },
  ]);
}

function answerReading(plan) {
  const { best, kept } = plan;
  const toss = plan.offers.filter((offer) => offer.behind?.toss_up);
  const next = kept[1];
  const rival = toss.length > 0 ? `The difference to ${toss.slice(0, 3).map(named).join(', ')}${toss.length > 3 ? ` and ${toss.length - 3} more` : ''} is within the errors: a toss-up.`
    : plan.offers.length > 1 ? `The next, ${named(plan.offers[1])}, is behind by more than the errors of both: ${plan.offers[1].behind.why}.` : next ? `${named(next)}: ${next.behind?.why ?? ''}.` : '';
  return reading([
    { title: 'What limits it', text: sentence(best.limit.text) },
    { title: 'How it is joined', text: best.network ? `${best.network}.` : '' },
    { title: 'Against the others', text: plan.found ? rival : '' },
    { title: 'What it leans on first', text: sentence(pick(best.leans_on, 2).join('; ')) },
  ]);
}

// ---- everything that ran

const kinds = [
  { key: 'rented', name: 'Rented', colour: 'accent', of: (offer) => offer.rented && offer.proven },
  { key: 'owned', name: 'Owned', colour: 'warm', of: (offer) => !offer.rented && offer.proven },
  { key: 'rented-less', name: 'Rented, less sure', colour: 'accent', of: (offer) => offer.rented && !offer.proven, hollow: true },
  { key: 'owned-less', name: 'Owned, less sure', colour: 'warm', of: (offer) => !offer.rented && !offer.proven, hollow: true },
];

// Nothing is both as fast and as cheap, fastest first; of what is proven, where the answer is.
function frontOf({ tried, best }) {
  const sorted = tried.filter((offer) => offer.proven || !best?.proven).sort((a, b) => a.time_s - b.time_s || outlay(a) - outlay(b));
  let least = Infinity;
  return sorted.filter((offer) => outlay(offer) < least && ((least = outlay(offer)), true));
}

const isBest = (plan, offer) => plan.best && offer.machine === plan.best.machine && offer.count === plan.best.count && offer.rented === plan.best.rented && offer.network === plan.best.network;

function frontFigure(plan) {
  const { tried, money } = plan;
  if (tried.length === 0) return null;
  const front = frontOf(plan), best = tried.find((offer) => isBest(plan, offer));
  const [divisor, unit] = scaleOf(plan.deadline_s ?? Math.max(...tried.map((offer) => offer.time_s)), 's');
  const lines = (offer) => tip(`${named(offer)}, ${offer.rented ? 'rented' : 'owned'}`, ['GPUs', `${count(offer.gpus)} x ${offer.gpu}`], offer.network && [offer.network, ''], ['Batch of a GPU', batchName(offer.batch)],
    ['Time', readable(offer.time_s, 's')], [offer.rented ? 'Rent' : 'Purchase', money(outlay(offer))], worst(offer) !== undefined && ['Error, nine in ten', percent(worst(offer))], ['Limited by', offer.limit]);
  const point = (offer) => ({ value: [offer.time_s / divisor, outlay(offer)], offer });
  const xs = [...tried.map((offer) => offer.time_s), plan.deadline_s].filter(Boolean).map((s) => s / divisor);
  const ys = [...tried.map(outlay), plan.budget?.value].filter(Boolean);
  const ends = (values, before = 1.4) => [Math.min(...values) / before, Math.max(...values) * 1.4];
  // Left of a point of the front nothing is as cheap: room for its name, if the one before leaves it.
  const [first, last] = ends(xs), atRight = best && Math.log(best.time_s / divisor / first) > 0.75 * Math.log(last / first);
  const labelled = new Set(), apart = (Math.max(...ys) / Math.min(...ys)) ** 0.06;
  for (const offer of front) {
    const above = [...labelled].at(-1);
    if (!isBest(plan, offer) && (!above || outlay(above) > outlay(offer) * apart) && labelled.size < 8) labelled.add(offer);
  }
  const { box } = chart({
    label: `Time against money of ${tried.length} variants that ran; ${front.length} on the front, from ${readable(front[0].time_s, 's')} for ${money(outlay(front[0]))} to ${readable(front.at(-1).time_s, 's')} for ${money(outlay(front.at(-1)))}`,
    height: 470,
    option: (colours, narrow) => {
      const limits = [plan.deadline_s && { xAxis: plan.deadline_s / divisor, label: { formatter: 'deadline', position: 'insideEndTop', distance: 4 } },
        plan.budget && { yAxis: plan.budget.value, label: { formatter: 'budget', position: 'insideStartTop', distance: 4 } }].filter(Boolean);
      return {
        grid: { left: 8, right: narrow ? 14 : 30, top: narrow && kinds.filter((kind) => tried.some(kind.of)).length > 2 ? 76 : 48, bottom: 28, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
        legend: legend(colours, { data: [...kinds.filter((kind) => tried.some(kind.of)).map((kind) => ({ name: kind.name, icon: 'circle' })), { name: 'The front', icon: 'roundRect' }], itemWidth: 10, itemHeight: 10 }),
        xAxis: axis(colours, { type: 'log', min: ends(xs, narrow ? 1.4 : 2.2)[0], max: ends(xs)[1], name: `time to train [${unit}]`, nameLocation: 'middle', nameGap: 30, minorSplitLine: { show: false },
          axisLabel: { color: colours.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false, formatter: (v) => grouped(String(Number(v.toPrecision(2)))) } }),
        yAxis: axis(colours, { type: 'log', min: ends(ys)[0], max: ends(ys)[1], axisLabel: { color: colours.soft, showMinLabel: false, showMaxLabel: false, formatter: (v) => money(Number(v.toPrecision(2))).replace(/\.0+ /, ' ') } }),
        tooltip: tooltip(colours, { formatter: ({ data }) => (data?.offer ? lines(data.offer) : '') }),
        series: [
          ...kinds.map((kind) => ({ name: kind.name, type: 'scatter', symbol: 'circle', symbolSize: narrow ? 6 : 8, itemStyle: kind.hollow ? { color: 'transparent', borderColor: colours[kind.colour], borderWidth: 1.5 } : { color: colours[kind.colour], opacity: 0.7 }, data: tried.filter(kind.of).map(point) })),
          { name: 'The front', type: 'line', step: 'end', symbol: 'circle', symbolSize: 1, showAllSymbol: true, silent: true, z: 1, lineStyle: { color: colours.soft, width: 1.5 }, itemStyle: { color: colours.soft }, data: front.map(point),
            label: { show: !narrow, position: 'left', distance: 9, color: colours.soft, fontSize: 11, formatter: ({ dataIndex: i }) => (labelled.has(front[i]) ? named(front[i]) : '') },
            markLine: { silent: true, symbol: 'none', lineStyle: { color: colours.ink, type: 'dashed', width: 1 }, label: { color: colours.ink, fontSize: 12 }, data: limits } },
          ...(best ? [{ name: 'The answer', type: 'scatter', symbol: 'circle', symbolSize: 15, z: 5, itemStyle: { color: 'transparent', borderColor: colours.ink, borderWidth: 2 },
            label: { show: true, position: narrow ? 'top' : atRight ? 'left' : 'right', distance: 8, color: colours.ink, fontWeight: 600, fontSize: 13, formatter: plan.found ? 'the answer' : 'nearest', backgroundColor: colours.paper, padding: [1, 4] }, data: [point(best)] }] : []),
        ],
      };
    },
  });
  const onFront = new Set(front);
  return figure({
    title: 'Everything that ran', body: box, wide: true,
    says: `${count(tried.length)} variants of machine, count and network, each in its fastest batch. ${front.length} lie on the front: nothing else is both as fast and as cheap.`,
    data: { columns: [{ name: 'Machine' }, { name: 'Count' }, { name: 'GPU' }, { name: 'GPUs' }, { name: 'Way' }, { name: 'Network' }, { name: 'Batch of a GPU' }, { name: 'Accumulation' }, { name: 'Samples a step' }, { name: 'Time', unit: 's' }, { name: 'To spend', unit: plan.currency },
      { name: 'Of the run', unit: plan.currency }, { name: 'Error, nine in ten', number: true, text: percent }, { name: 'In time' }, { name: 'In budget' }, { name: 'Sure' }, { name: 'On the front' }, { name: 'Limited by' }],
      rows: tried.map((offer) => [offer.machine, offer.count, offer.gpu, offer.gpus, offer.rented ? 'rented' : 'owned', offer.network ?? '', offer.batch.per_gpu, offer.batch.accumulation, offer.batch.global, offer.time_s, outlay(offer), offer.run_cost, worst(offer) ?? null,
        yes(offer.in_time), yes(offer.in_budget), yes(offer.proven), yes(onFront.has(offer)), offer.limit]) },
  });
}

const yes = (flag) => (flag ? 'yes' : 'no');

// ---- the best offers

const rivalsSay = (plan) => (plan.offers.length > 1 ? `The ${plan.deadline_s ? 'least money' : 'fastest'} first. Where the errors overlap, the choice is a toss-up.` : '');

function rivalsFigure(plan) {
  const byMoney = Boolean(plan.deadline_s), rows = pick(plan.offers, 12);
  if (rows.length < 2) return null;
  const value = (offer) => (byMoney ? outlay(offer) : offer.time_s);
  const spread = (offer) => (byMoney && !offer.rented ? 0 : worst(offer) ?? 0);
  const unit = byMoney ? plan.currency : 's';
  const [divisor, prefixed] = scaleOf(Math.max(...rows.map((offer) => value(offer) * (1 + spread(offer)))), unit);
  const { box } = chart({
    label: `${byMoney ? 'To spend' : 'Time'}, best first: ${rows.map((offer) => `${named(offer)} ${readable(value(offer), unit)}`).join('; ')}`,
    height: 34 * rows.length + 40,
    option: (colours, narrow) => ({
      grid: { left: 8, right: 84, top: 4, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: axis(colours, { type: 'value', splitNumber: narrow ? 2 : 5, axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => `${grouped(String(Number(v.toPrecision(4))))} ${prefixed}` } }),
      yAxis: plainAxis(colours, { type: 'category', inverse: true, data: rows.map(named), axisLabel: { color: colours.ink, width: narrow ? 165 : 250, overflow: 'truncate', fontSize: narrow ? 10 : 12 } }),
      tooltip: tooltip(colours, { formatter: ({ dataIndex: i }) => tip(named(rows[i]), ['Time', readable(rows[i].time_s, 's')], ['To spend', plan.money(outlay(rows[i]))], ['Error, nine in ten', percent(worst(rows[i]))], rows[i].behind && [rows[i].behind.why, '']) }),
      series: [
        { type: 'bar', barWidth: 14,
          data: rows.map((offer, i) => ({ value: value(offer) / divisor, itemStyle: { color: i === 0 || offer.behind?.toss_up ? colours.accent : colours.neutral, borderRadius: [0, 3, 3, 0] } })) },
        { type: 'custom', silent: true, z: 3, encode: { x: [0, 1], y: 2 }, renderItem: (_, api) => {
          const [x0, y] = api.coord([api.value(0), api.value(2)]), [x1] = api.coord([api.value(1), api.value(2)]);
          const line = (from, to, top, bottom) => ({ type: 'line', shape: { x1: from, x2: to, y1: top, y2: bottom }, style: { stroke: colours.ink, lineWidth: 1.5 } });
          return { type: 'group', children: [...(x1 > x0 ? [line(x0, x1, y, y), line(x0, x0, y - 4, y + 4), line(x1, x1, y - 4, y + 4)] : []),
            { type: 'text', style: { text: readable(value(rows[api.value(2)]), unit), x: x1 + 8, y, verticalAlign: 'middle', fill: colours.ink, fontSize: 12, fontFamily: getComputedStyle(document.body).fontFamily } }] };
        }, data: rows.map((offer, i) => [(value(offer) * (1 - spread(offer))) / divisor, (value(offer) * (1 + spread(offer))) / divisor, i]) },
      ],
    }),
  });
  return figure({ title: byMoney ? 'What they cost' : 'How long they take', body: box, wide: true, says: 'The thin lines are the error that nine in ten published rows like it stay within; what they hide from the first is drawn in its colour.',
    data: { columns: [{ name: 'Machines' }, { name: 'Time', unit: 's' }, { name: 'To spend', unit: plan.currency }, { name: 'Error, nine in ten', number: true, text: percent }, { name: 'Against the first' }],
      rows: rows.map((offer) => [named(offer), offer.time_s, outlay(offer), worst(offer) ?? null, offer.behind?.why ?? '']) } });
}

function offersTable(plan, offers, title) {
  if (offers.length === 0) return null;
  const columns = [{ name: 'Machines' }, { name: 'GPUs' }, { name: 'Way' }, { name: 'Time', unit: 's' }, { name: 'Nine in ten', unit: 's' }, { name: 'To spend', unit: plan.currency }, { name: 'Against the best' }, { name: 'Batch' }, { name: 'Limited by' }, { name: 'Network' }];
  const against = (offer) => (!offer.behind ? 'the best' : `${offer.behind.toss_up ? 'a toss-up; ' : ''}${offer.behind.share >= 1 ? `${(1 + offer.behind.share).toPrecision(2)} times` : `${offer.behind.share < 0 ? '−' : '+'}${percent(Math.abs(offer.behind.share))}`}: ${offer.behind.why}`);
  const made = table(title, columns, offers.map((offer) => [named(offer), `${count(offer.gpus)} x ${offer.gpu}`, offer.rented ? 'rented' : 'owned', offer.time_s, offer.expected_error?.time_s ?? null, outlay(offer), unbroken(against(offer)), batchName(offer.batch), offer.limit.kind, offer.network ?? '–']));
  made.classList.add('offers');
  return made;
}

function nearestTable(plan) {
  if (plan.nearest.length === 0) return null;
  return table('What comes nearest', [{ name: 'Machines' }, { name: 'GPUs' }, { name: 'Way' }, { name: 'Time', unit: 's' }, { name: 'To spend', unit: plan.currency }, { name: 'Misses' }, { name: 'Limited by' }],
    plan.nearest.map((offer) => [named(offer), `${count(offer.gpus)} x ${offer.gpu}`, offer.rented ? 'rented' : 'owned', offer.time_s, outlay(offer), sentence(missText(plan, offer).replace(/^, /, '')), offer.limit.text]), true);
}

// ---- batch and step

const batchSays = ({ best }) => (best && best.batches.length > 1 ? `What ${named(best)} takes in each batch that was tried: larger ones use the GPUs better and need more epochs to the same quality.` : '');

function batchFigure({ best }) {
  if (!best || best.batches.length < 2) return null;
  const rows = best.batches, least = Math.min(...rows.map((batch) => batch.time_s));
  const [divisor, unit] = scaleOf(Math.max(...rows.map((batch) => batch.time_s)), 's');
  const name = (batch) => `${batchName(batch)} a GPU, ${count(batch.global)} a step`;
  const { box } = chart({
    label: `Time by batch: ${rows.map((batch) => `${name(batch)} ${readable(batch.time_s, 's')}`).join('; ')}`,
    height: 34 * rows.length + 40,
    option: (colours, narrow) => ({
      grid: { left: 8, right: narrow ? 70 : 180, top: 4, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: axis(colours, { type: 'value', splitNumber: 3, axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => `${v} ${unit}` } }),
      yAxis: plainAxis(colours, { type: 'category', inverse: true, data: rows.map(name), axisLabel: { color: colours.ink, width: narrow ? 150 : 220, overflow: 'truncate', fontSize: narrow ? 11 : 12 } }),
      tooltip: tooltip(colours, { formatter: ({ dataIndex: i }) => tip(name(rows[i]), ['Time', readable(rows[i].time_s, 's')], rows[i].epochs && ['Epochs', readable(rows[i].epochs)]) }),
      series: [{ type: 'bar', barWidth: 14, label: { show: true, position: 'right', color: colours.ink, formatter: ({ dataIndex: i }) => `${readable(rows[i].time_s, 's')}${!narrow && rows[i].epochs >= 1 ? `, ${readable(rows[i].epochs)} epochs` : ''}` },
        data: rows.map((batch) => ({ value: batch.time_s / divisor, itemStyle: { color: batch.time_s === least ? colours.accent : colours.neutral, borderRadius: [0, 3, 3, 0] } })) }],
    }),
  });
  return figure({ title: 'Time by batch', body: box, wide: true,
    data: { columns: [{ name: 'Batch of a GPU' }, { name: 'Accumulation' }, { name: 'Samples a step' }, { name: 'Epochs' }, { name: 'Time', unit: 's' }, { name: 'Outside the published batches' }],
      rows: rows.map((batch) => [batch.per_gpu, batch.accumulation, batch.global, batch.epochs ?? null, batch.time_s, yes(batch.extrapolated)]) } });
}

function stepFigure(plan) {
  const rows = pick(plan.found ? plan.kept : plan.nearest, 8);
  if (rows.length === 0) return null;
  const share = (offer, part) => (part.metric ? (offer.metrics[part.metric] ?? 0) / offer.metrics.step_time : 0);
  const present = parts.filter((part) => rows.some((offer) => share(offer, part) > 0.001));
  const { box } = chart({
    label: `Parts of a step. ${rows.map((offer) => `${named(offer)}: ${present.map((part) => `${part.name} ${percent(share(offer, part))}`).join(', ')}`).join('; ')}`,
    height: 34 * rows.length + 100,
    option: (colours, narrow) => ({
      grid: { left: 8, right: 24, top: narrow ? 110 : 62, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      legend: legend(colours),
      xAxis: axis(colours, { type: 'value', max: 100, interval: narrow ? 50 : 20, axisLabel: { color: colours.soft, hideOverlap: true, formatter: (v) => `${v} %` } }),
      yAxis: plainAxis(colours, { type: 'category', inverse: true, data: rows.map(named), axisLabel: { color: colours.ink, width: narrow ? 165 : 250, overflow: 'truncate', fontSize: narrow ? 10 : 12 } }),
      tooltip: tooltip(colours, { formatter: ({ seriesName, dataIndex, value }) => tip(named(rows[dataIndex]), [seriesName, `${value.toPrecision(3)} %`]) }),
      series: present.map((part) => ({ name: part.short ?? part.name, type: 'bar', stack: 'step', barWidth: 16, itemStyle: { color: colours.part[part.key] }, data: rows.map((offer) => 100 * share(offer, part)) })),
    }),
  });
  return figure({ title: 'Shares of a step', body: box, wide: true,
    data: { columns: [{ name: 'Machines' }, ...present.map((part) => ({ name: part.name, number: true, text: percent }))], rows: rows.map((offer) => [named(offer), ...present.map((part) => share(offer, part))]) } });
}

// ---- what was left out, and what it leans on

const prunedTable = ({ pruned }) => pruned.length > 0 && table('Bounds', [{ name: 'Bound' }, { name: 'Variants' }, { name: 'Machines' }], pruned.map((p) => [sentence(p.bound).slice(0, -1), p.variants, p.machines.join(', ')]));

const leftOutTable = ({ left_out: reasons }) => reasons.length > 0 && [h('p', { class: 'between' }, 'Machines that are in no offer.'),
  table('Machines that are in no offer', [{ name: 'Why' }, { name: 'Machines' }, { name: 'Which' }], reasons.map((r) => [sentence(r.reason).slice(0, -1), r.machines.length, r.machines.join(', ')]))];

function assumptions({ best, sources }) {
  return [
    best && lines(best.leans_on.slice(0, 6).map(sentence)),
    best && best.leans_on.length > 6 && folded(`${best.leans_on.length - 6} more guesses that ${named(best)} leans on`, lines(best.leans_on.slice(6).map(sentence))),
    sources.length > 0 && folded(`What the catalog says of the machines and GPUs (${sources.length} entries)`,
      sources.map(({ id, text }) => h('details', {}, h('summary', {}, id), h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Sources of ${id}` }, h('pre', {}, text))))),
  ];
}
