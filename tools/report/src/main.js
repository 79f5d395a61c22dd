// Reads the data of the page and draws the page of its kind.
import { drawAll, forgetDrawings } from './chart.js';
import { comparisonPage } from './comparison.js';
import { controlPanel } from './live.js';
import { planPage } from './plan.js';
import { runPage } from './run.js';
import { shell } from './shell.js';
import { sweepPage } from './sweep.js';
import { validationPage } from './validation.js';

const pages = { run: runPage, comparison: comparisonPage, sweep: sweepPage, plan: planPage, validation: validationPage };

function draw(data) {
  forgetDrawings();
  document.getElementById('page').replaceWith(shell(pages[data.page](data)));
}

async function show() {
  const began = performance.now();
  const data = JSON.parse(document.getElementById('data').textContent);
  draw(data);
  if (data.controls)
    document.getElementById('page').before(controlPanel(data.controls, (answer) => { draw(answer); drawAll(); }));
  // Text on a canvas keeps the font it was drawn with: wait for ours, but not for long.
  await Promise.race([document.fonts.load("16px 'Report'"), new Promise((done) => { setTimeout(done, 300); })]);
  drawAll();
  document.documentElement.dataset.drawn = Math.round(performance.now() - began);
}

show();
