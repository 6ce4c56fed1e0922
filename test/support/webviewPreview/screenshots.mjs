/** Pictures of the webviews in every state, theme and width. See README.md. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importTypeScript } from '../../../scripts/typescriptModule.mjs';

const option = (name, otherwise) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const out = path.resolve(option('--out', path.join(os.tmpdir(), 'hermes-preview')));
const only = option('--only', '');
const widths = option('--widths', '300,450,900').split(',').map(Number);
const themes = option('--themes', 'dark,light,contrast').split(',');

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'));
const { states } = await importTypeScript('test/support/webviewPreview/states.ts');
const { BrowserPreview } = await importTypeScript('test/support/webviewPreview/browserPreview.ts');

fs.mkdirSync(out, { recursive: true });
const preview = await BrowserPreview.start();
const problems = [];
for (const name of Object.keys(states).filter((candidate) => candidate.includes(only))) {
  for (const theme of themes) {
    for (const width of widths) {
      const shown = await preview.open(name, { theme, width, height: width > 800 ? 760 : 820 });
      // What takes longer than a blink is announced; the picture shows it.
      await shown.page.waitForTimeout(350);
      await shown.page.screenshot({ path: path.join(out, `${name}-${theme}-${width}.png`) });
      await shown.page.close();
      problems.push(...shown.problems.map((problem) => `${name}, ${theme}, ${width}: ${problem}`));
    }
  }
}
await preview.close();
await BrowserPreview.end();
console.log(`Pictures are in ${out}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
