// Bundles src/ and its libraries into one page template: node build.mjs OUT.html
// Run from the folder that holds node_modules; the sources stay where this file is.
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const out = process.argv[2];
if (!out) throw new Error('usage: node build.mjs OUT.html');
const here = dirname(fileURLToPath(import.meta.url));
const installed = join(process.cwd(), 'node_modules');
const { build } = await import(pathToFileURL(createRequire(join(installed, 'x.js')).resolve('esbuild')));

const result = await build({
  entryPoints: [join(here, 'src/main.js'), join(here, 'src/style.css')],
  bundle: true,
  write: false,
  outdir: 'bundle',
  minify: true,
  format: 'iife',
  target: ['es2020', 'chrome100', 'firefox100', 'safari15'],
  charset: 'utf8',
  legalComments: 'none',
  loader: { '.woff2': 'dataurl' },
  nodePaths: [installed],
});
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text;
// A script may not hold what would end its element.
const script = text('main.js').replaceAll('</script', '<\\/script');
const hash = createHash('sha256').update(script).digest('base64');

// Replacements are functions: a "$" in the bundle is no pattern.
const page = (await readFile(join(here, 'page.html'), 'utf8'))
  .replace('@SCRIPT_HASH@', () => `sha256-${hash}`)
  .replace('@STYLE@', () => text('style.css'))
  .replace('@SCRIPT@', () => script);
await writeFile(`${out}.part`, page);
await rename(`${out}.part`, out);
