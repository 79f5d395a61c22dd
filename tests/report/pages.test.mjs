// Opens the pages of --report in a browser, as a reader does: offline, wide and narrow, light and dark, by keyboard.
// Run by run.cmake in a folder with node_modules and pages/: node --test pages.test.mjs
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = process.cwd();
const require = createRequire(join(folder, 'node_modules', 'x.js'));
const { chromium } = require('playwright-core');
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser.close());

// A page in a browser without a network, and all that went wrong in it.
async function open(name, { width = 1280, height = 900, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', offline: true, reducedMotion: 'reduce' });
  context.setDefaultTimeout(300_000); // a busy machine is no fault
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(error.stack));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || faults.push(`request: ${request.url()}`));
  await page.goto(pathToFileURL(join(folder, 'pages', `${name}.html`)).href);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' });
  return { page, faults, data: await page.evaluate(() => JSON.parse(document.getElementById('data').textContent)), close: () => context.close() };
}

// Every drawing: whose it is, how many data it was given, how much of it can be seen.
const drawings = (page) => page.evaluate(() => [...document.querySelectorAll('.chart, .picture svg, .bar')].map((box) => {
  const canvas = box.querySelector('canvas');
  let seen = box.matches('.bar') ? box.children.length : box.querySelectorAll('path, rect, text').length;
  if (canvas) {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    seen = data.reduce((n, value, i) => n + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
  }
  return { name: box.closest('figure')?.dataset.name ?? 'Parts of a step', points: Number(box.dataset.points), seen, label: (box.getAttribute('aria-label') ?? '').length };
}));

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function violations(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary?.split('\n').at(-1) ?? ''}`).join('; ')})`);
}

// What each page must draw: how many data, from the data in the page itself.
const runFigures = (data) => ({
  'Parts of a step': 6,
  'What would help': data.what_if.length,
  'Streams, buckets and links': data.timeline.slices.columns.track.length + Math.min(300, data.timeline.flows.length),
  'Load and heat': data.picture.vertices.length,
  'From an idle start to the steady state': undefined,
  ...(data.like.length > 0 ? { 'Predicted against measured': data.like.length + 6, 'Their errors': undefined } : {}),
});
const outlay = (offer) => offer.outlay;
// No other is as fast and cheaper, nor as cheap and faster; equals once. Of what is proven, where the answer is.
const frontOf = ({ offers, unproven, nearest, tried }) => {
  const proven = tried.filter((offer) => offer.proven || !(offers[0] ?? unproven[0] ?? nearest[0]).proven);
  return proven.filter((offer, i) => proven.every((other, k) => !(other.time_s <= offer.time_s && outlay(other) <= outlay(offer)) ||
    (other.time_s === offer.time_s && outlay(other) === outlay(offer) && i <= k)));
};
const figuresOf = {
  desktop: runFigures,
  'four-nodes': (data) => ({ ...runFigures(data), 'Load of the busiest links': undefined, 'What the run costs, of what': undefined, 'Own or rent, over the years': undefined }),
  thousand: runFigures,
  hostile: runFigures,
  comparison: (data) => ({ 'Time to train': data.runs.length, Energy: data.runs.length, 'Where a step goes': undefined,
    'The front of time and cost': data.offers.length + data.offers.filter((offer) => offer.on_front).length }),
  study: (data) => ({
    'The front of time and cost': data.front.length + ['cost_self_hosted', 'cost_cloud'].reduce((n, name) => n + data.rows.metrics[name].filter((cost) => cost !== null).length, 0),
    'Heat map': data.axes[0].labels.length * data.axes[1].labels.length,
    'Elasticity of time to train': data.sensitivities.filter((s) => s.metric === 'time_to_train' && s.elasticity !== null).length,
  }),
  plan: (data) => ({
    'Everything that ran': data.tried.length + frontOf(data).length + 1,
    'What they cost': Math.min(12, data.offers.length) + Math.min(12, data.offers.length),
    'Time by batch': data.offers[0].batches.length,
    'Shares of a step': undefined,
  }),
  'plan-impossible': (data) => ({ 'Everything that ran': data.tried.length + frontOf(data).length + 1, 'Shares of a step': undefined }),
  validation: (data) => ({ 'Predicted against measured': data.rows.filter((row) => row.predicted > 0 && row.measured > 0).length + 6, 'Errors of the scored rows': 20 }),
};

// Themes in which axe looks at a page; those left out have nothing that these have not.
const readIn = { 'four-nodes': ['light', 'dark'], comparison: ['dark'], study: ['light'], plan: ['light', 'dark'], 'plan-impossible': ['dark'], validation: ['dark'] };

for (const [name, expected] of Object.entries(figuresOf))
  test(`${name} is drawn whole, without a fault, wide and narrow, for every reader, in less than 3 MB`, async (t) => {
    const { page, faults, data, close } = await open(name);
    const drawn = await drawings(page);
    for (const [figure, points] of Object.entries(expected(data))) {
      const found = drawn.find((drawing) => drawing.name === figure);
      assert.ok(found, `no figure "${figure}"`);
      if (points !== undefined) assert.equal(found.points, points, figure);
    }
    for (const drawing of drawn) {
      assert.ok(drawing.points > 0, `${drawing.name} has no data`);
      assert.ok(drawing.seen >= (drawing.name === 'Parts of a step' ? 1 : 5), `${drawing.name} is empty`);
      assert.ok(drawing.label > 20, `${drawing.name} is not described`);
    }
    assert.equal(await overflow(page), 0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    assert.equal(await overflow(page), 0, 'on a phone');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = !(details.dataset.rows > 100); }));
    for (const theme of readIn[name] ?? []) {
      await page.evaluate((chosen) => { document.documentElement.dataset.theme = chosen; }, theme);
      assert.deepEqual(await violations(page), [], theme);
    }
    assert.deepEqual(faults, []);
    const { size } = await stat(join(folder, 'pages', `${name}.html`));
    assert.ok(size < 3e6, `${size} bytes`);
    t.diagnostic(`${name}: ${(size / 1e3).toFixed(0)} kB, drawn in ${await page.evaluate(() => document.documentElement.dataset.drawn)} ms`);
    await close();
  });

test('numbers are those of the program', async () => {
  const { page, close } = await open('four-nodes');
  const table = (await readFile(join(folder, 'pages', 'four-nodes.txt'), 'utf8')).replace(/\s+/g, ' ');
  const values = await page.evaluate(() => [...document.querySelectorAll('#numbers tbody tr')].map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
  assert.ok(values.length > 20);
  for (const [name, value] of values) {
    const printed = value.replace('µ', 'u').replace('°C', 'degC');
    assert.ok(table.includes(` ${printed} `), `${name}: ${printed} is not what the table says`);
  }
  await close();
});

test('no name of a scenario is run', async () => {
  const { page, faults, data, close } = await open('hostile');
  assert.match(data.report.scenario, /<script>/);
  assert.equal(await page.textContent('h1'), data.report.scenario);
  for (const box of await page.$$('.chart')) { // tooltips too
    await box.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await box.boundingBox();
    for (const at of [0.3, 0.5, 0.7]) await page.mouse.move(x + width * at, y + height * at);
  }
  assert.equal(await page.evaluate(() => window.hostile), undefined);
  assert.deepEqual(faults, []);
  await close();
});

test('a chart has a table, and the table a CSV', async () => {
  const { page, data, close } = await open('four-nodes');
  const details = page.locator('figure[data-name="What would help"] details');
  await details.locator('summary').focus();
  await page.keyboard.press('Enter');
  await details.locator('button').waitFor();
  assert.equal(await details.locator('tbody tr').count(), data.what_if.length);
  const [download] = await Promise.all([page.waitForEvent('download'), details.locator('button').click()]);
  assert.equal(download.suggestedFilename(), 'what-would-help.csv');
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  assert.equal(lines[0], 'Change,Step time [s],Against today');
  assert.deepEqual(lines.slice(1).map((line) => Number(line.split(',')[1])), [...data.what_if].sort((a, b) => a.step_s - b.step_s).map((change) => change.step_s));
  await close();
});

test('the keyboard reaches the theme and the timeline', async () => {
  const { page, faults, close } = await open('four-nodes');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the answer');
  await page.keyboard.press('Tab');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.keyboard.press('Enter');
  assert.notEqual(await background(), light);
  const pixels = () => page.evaluate(() => document.querySelector('figure[data-name="Streams, buckets and links"] canvas').toDataURL());
  const whole = await pixels();
  await page.getByRole('button', { name: 'Zoom in' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForTimeout(100);
  assert.notEqual(await pixels(), whole);
  assert.deepEqual(faults, []);
  await close();
});

test('the heat map shows what is chosen', async () => {
  const { page, faults, data, close } = await open('study');
  const figure = page.locator('figure[data-name="Heat map"]');
  const texts = () => figure.locator('svg text').allTextContents();
  const before = await texts();
  await figure.locator('select').first().selectOption('time_to_train');
  assert.notDeepEqual(await texts(), before);
  await figure.locator('select').last().selectOption({ label: data.axes[2].name.replaceAll('_', ' ') });
  for (const label of data.axes[2].labels) assert.ok((await texts()).includes(label), label);
  assert.deepEqual(faults, []);
  await close();
});

test('a plan answers first, draws its limits, and its table is what it draws', async () => {
  const { page, faults, data, close } = await open('plan');
  const best = data.offers[0];
  const lede = await page.textContent('.lede');
  assert.ok(lede.includes(`${best.count} x ${best.machine}`), lede);
  const figure = page.locator('figure[data-name="Everything that ran"]');
  const words = await figure.locator('svg text').allTextContents();
  for (const word of ['deadline', 'budget', 'the answer']) assert.ok(words.includes(word), word);
  await figure.locator('summary').click();
  const [download] = await Promise.all([page.waitForEvent('download'), figure.locator('button').click()]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  assert.equal(lines.length, data.tried.length + 1);
  for (const column of ['Machine', 'Time [s]', 'To spend [USD]', 'In time', 'In budget']) assert.ok(lines[0].split(',').includes(column), column);
  const rows = await page.locator('#rivals table tbody').last().locator('tr').count();
  assert.equal(rows, data.offers.length);
  for (const { bound } of data.pruned) assert.ok((await page.textContent('#left-out')).includes(bound.slice(1)), bound);
  assert.deepEqual(faults, []);
  await close();
});

test('a plan without an answer says what comes nearest and what it misses', async () => {
  const { page, data, close } = await open('plan-impossible');
  assert.equal(data.offers.length + data.unproven.length, 0);
  assert.match(await page.textContent('.lede'), /Nothing keeps .* Nearest is .*(late by|over the budget by)/);
  assert.equal(await page.locator('#nearest tbody tr').count(), data.nearest.length);
  await close();
});

test('own or rent: the share in use moves the crossing to where both cost the same', async () => {
  const { page, data, close } = await open('four-nodes');
  const figure = page.locator('figure[data-name="Own or rent, over the years"]');
  const prices = data.money.own_or_rent;
  for (const use of [0.6, 0.9]) {
    await figure.locator('input').fill(String(Math.round(use * 100)));
    // purchase + t (fixed + electricity h use) = t rent h use, with h = 8760 hours a year
    const years = prices.purchase / (8760 * use * (prices.rented_per_hour - prices.electricity_per_hour) - prices.fixed_per_year);
    assert.match(await figure.locator('.verdict').textContent(), new RegExp(`At ${use * 100} % use owning has cost less than renting from month ${Math.ceil(years * 12)} on`));
  }
  await close();
});

test('paper shows the light page, every figure and the assumptions', async () => {
  const { page, faults, close } = await open('four-nodes', { dark: true });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  for (const drawing of await drawings(page)) assert.ok(drawing.seen > 0, drawing.name);
  assert.ok(await page.locator('#assumptions details[open] table').count() > 0);
  assert.deepEqual(faults, []);
  await close();
});

if (process.env.PICTURES)
  test('pictures for the documentation', async () => {
    const { page, close } = await open('four-nodes', { width: 1180, height: 1010 });
    await page.screenshot({ path: join(process.env.PICTURES, 'report.png') });
    await page.locator('#timeline figure').first().screenshot({ path: join(process.env.PICTURES, 'timeline.png') });
    await close();
  });
