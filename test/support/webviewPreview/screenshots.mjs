/** Pictures of the webviews in every state, theme and width. See README.md. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { ensureChromium } from '../../../scripts/chromiumInstall.mjs';
import { importTypeScript } from '../../../scripts/typescriptModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const option = (name, otherwise) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise);
const out = path.resolve(option('--out', path.join(os.tmpdir(), 'hermes-preview')));
const only = option('--only', '');
const widths = option('--widths', '300,450,900').split(',').map(Number);
const wantedThemes = option('--themes', 'dark,light,contrast').split(',');

const { states } = await importTypeScript('test/support/webviewPreview/states.ts');
const { webviewHtml } = await importTypeScript('src/host/webviewHtml.ts');

const origin = 'http://preview.test';
const files = new Map();

async function bundle(name, entry) {
  const result = await build({
    entryPoints: [path.join(root, entry)],
    outdir: '/',
    entryNames: name,
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'es2022',
    logLevel: 'warning',
  });
  for (const file of result.outputFiles) files.set(`/${path.basename(file.path)}`, Buffer.from(file.contents));
}

await bundle('page', 'test/support/webviewPreview/page.ts');
await bundle('chat', 'src/webview/chat/main.tsx');
await bundle('transcript', 'src/webview/transcript/main.tsx');
for (const name of ['codicon.css', 'codicon.ttf']) files.set(`/${name}`, fs.readFileSync(path.join(root, 'node_modules/@vscode/codicons/dist', name)));

const types = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

function html(view) {
  const page = webviewHtml({ title: 'Hermes', language: 'en', script: `/${view}.js`, styles: ['/codicon.css', `/${view}.css`], cspSource: origin, nonce: 'preview' });
  return page.replace('<script nonce="preview"', '<script nonce="preview" src="/page.js"></script>\n  <script nonce="preview"');
}

async function serve(route) {
  const { pathname } = new URL(route.request().url());
  const file = files.get(pathname);
  if (pathname.startsWith('/view/')) await route.fulfill({ contentType: 'text/html', body: html(pathname.slice('/view/'.length)) });
  else if (file !== undefined) await route.fulfill({ contentType: types[path.extname(pathname)], body: file });
  else await route.abort();
}

async function look(browser, name, theme, width) {
  const state = states[name];
  const page = await browser.newPage({ viewport: { width, height: width > 800 ? 760 : 820 } });
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.route('**/*', serve);
  await page.goto(`${origin}/view/${state.view}?state=${name}&theme=${theme}`);
  await page.getByRole('main').waitFor();
  for (const button of state.press ?? []) await page.getByRole(button === 'Model' ? 'combobox' : 'button', { name: button }).or(page.getByRole('group', { name: button }).getByRole('button')).first().click();
  if (state.type) await page.getByRole('textbox', { name: 'Message' }).fill(state.type);
  if (state.hover) await page.getByRole('article', { name: state.hover }).last().hover();
  await page.waitForTimeout(350);
  await page.screenshot({ path: path.join(out, `${name}-${theme}-${width}.png`) });
  await page.close();
  return problems.map((problem) => `${name}, ${theme}, ${width}: ${problem}`);
}

fs.mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] });
const problems = [];
for (const name of Object.keys(states).filter((candidate) => candidate.includes(only))) {
  for (const theme of wantedThemes) for (const width of widths) problems.push(...(await look(browser, name, theme, width)));
}
await browser.close();
console.log(`Pictures are in ${out}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
