/** Pictures of the webviews in every state, theme, width and zoom. See README.md. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importTypeScript } from '../../../scripts/typescriptModule.mjs';

const option = (name, otherwise) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const out = path.resolve(option('--out', path.join(os.tmpdir(), 'hermes-preview')));
const only = option('--only', '').split(',');
const widths = option('--widths', '300,450,900').split(',').map(Number);
const themes = option('--themes', 'dark,light,contrast,contrastLight').split(',');
const zooms = option('--zooms', '1').split(',').map(Number);
/** Pixels: VS Code makes no panel narrower. */
const narrowestPanel = 170;

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'));
const { states } = await importTypeScript('test/support/webviewPreview/states.ts');
const { axeFindings } = await importTypeScript('test/support/webviewPreview/audit.ts');
const { BrowserPreview } = await importTypeScript('test/support/webviewPreview/browserPreview.ts');

fs.mkdirSync(out, { recursive: true });
const preview = await BrowserPreview.start();
const problems = [];
const chosen = Object.keys(states).filter((name) => only.some((part) => name.includes(part)));
for (const [name, theme, width, zoom] of chosen.flatMap((name) =>
  themes.flatMap((theme) => widths.flatMap((width) => zooms.map((zoom) => [name, theme, width, zoom]))),
)) {
  const size = { width: Math.max(narrowestPanel, width / zoom), height: (width > 800 ? 760 : 820) / zoom };
  const shown = await preview.open(name, { theme, ...size });
  // What takes longer than a blink is announced; the picture shows it.
  await shown.page.waitForTimeout(350);
  const picture = `${name}-${theme}-${width}${zoom === 1 ? '' : `-zoom${zoom}`}`;
  await shown.page.screenshot({ path: path.join(out, `${picture}.png`) });
  const found = process.argv.includes('--axe') ? await axeFindings(shown.page) : [];
  await preview.leave(shown.page);
  problems.push(...[...shown.problems, ...found].map((problem) => `${picture}: ${problem}`));
}
await preview.close();
await BrowserPreview.end();
console.log(`Pictures are in ${out}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
