// Reads the data of the page and draws the page of its kind.
import { drawAll } from './chart.js';
import { comparisonPage } from './comparison.js';
import { runPage } from './run.js';
import { shell } from './shell.js';
import { validationPage } from './validation.js';

const pages = { run: runPage, comparison: comparisonPage, validation: validationPage };

async function show() {
  const began = performance.now();
  const data = JSON.parse(document.getElementById('data').textContent);
  document.getElementById('page').replaceWith(shell(pages[data.page](data)));
  // Text on a canvas keeps the font it was drawn with: wait for ours, but not for long.
  await Promise.race([document.fonts.load("16px 'Report'"), new Promise((done) => { setTimeout(done, 300); })]);
  drawAll();
  document.documentElement.dataset.drawn = Math.round(performance.now() - began);
}

show();
