/** npm run screenshots [-- folder] [--only state] [--all]: pictures of every state of the panel and the tabs from a real VS Code, key states (with --all: every state)
 *  in four themes and three widths. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

/** All pictures together: they are part of the repository. */
const maximumBytes = 5 * 1024 * 1024;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values, positionals } = parseArgs({
  options: { only: { type: 'string', default: '' }, all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { takePictures, pictureFolder } = await importTypeScript('test/screenshots/pictures.ts');
const folder = positionals[0] === undefined ? pictureFolder(root) : path.resolve(positionals[0]);
const { bytes, failed } = await takePictures({ folder, say: console.log, only: values.only, all: values.all });
console.log(`Pictures are in ${path.relative(process.cwd(), folder)}: ${Math.round(bytes / 1024)} KB`);
for (const scene of failed) console.error(`Not all pictures were taken. ${scene}`);
if (failed.length > 0) process.exitCode = 1;
if (bytes > maximumBytes) {
  console.error(`More than the ${maximumBytes / 1024 / 1024} MB they may have together`);
  process.exitCode = 1;
}
