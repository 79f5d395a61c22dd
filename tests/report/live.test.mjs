// `clustersim serve` in a browser: a control is changed, the answer is drawn. Run by run.cmake beside pages.test.mjs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const require = createRequire(join(process.cwd(), 'node_modules', 'x.js'));
const { chromium } = require('playwright-core');

let browser, served, address, missing = false;
before(async () => {
  served = spawn(process.env.PROGRAM, ['serve', process.env.SCENARIO, '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = await new Promise((done) => {
    let text = '';
    served.stderr.on('data', (part) => { text += part; if (text.includes('/ (')) done(text); });
    served.on('exit', () => done(text));
  });
  address = /http:\/\/127\.0\.0\.1:\d+\//.exec(said)?.[0];
  missing = said.includes('built with cpp-httplib');
  assert.ok(address || missing, said);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
  served?.kill();
});

const answers = (page, count) => page.waitForFunction((n) => Number(document.documentElement.dataset.answers ?? 0) >= n, count);

test('a change is answered, a fault is said, reset goes back, and nothing else is asked', async (t) => {
  if (missing) return t.skip('built without cpp-httplib');
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.stack));
  page.on('console', (message) => message.text().includes('422') || faults.push(message.text()));
  page.on('request', (request) => request.url().startsWith(address) || /^(data|blob):/.test(request.url()) || faults.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' });
  const headline = () => page.textContent('#page .title p');
  const before = await headline();
  assert.match(before, /on 4 nodes/);

  await page.click('#controls summary:has-text("Nodes")');
  await page.fill('#controls label[title="/cluster/nodes"] input', '8');
  await answers(page, 1);
  assert.match(await headline(), /on 8 nodes/);
  assert.match(await page.textContent('#controls .status'), /1 change, answered in \d+ ms/);
  assert.ok(await page.locator('#page svg').count() > 2, 'charts of the new answer');
  await answers(page, 2); // the what-ifs
  assert.ok(await page.locator('figure[data-name="What would help"]').count() === 1);

  await page.fill('#controls label[title="/cluster/nodes"] input', '0');
  await page.waitForSelector('#controls .faults li');
  assert.match(await page.textContent('#controls .faults'), /a whole number from 1 to 100000/);
  assert.match(await headline(), /on 8 nodes/);

  await page.click('#controls button:has-text("Reset")');
  await page.waitForFunction((text) => document.querySelector('#page .title p').textContent === text, before);
  assert.equal(await page.locator('#controls .faults li').count(), 0);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  assert.deepEqual(faults, []);
});
