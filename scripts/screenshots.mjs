/** npm run screenshots [-- folder] [--only state] [--all] [--moving]: pictures of every state of the panel and the tabs from a real VS Code, key states (with
 *  --all: every state) in four themes and three widths; and the README's moving picture (with --moving: only that one). */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importTypeScript } from './typescriptModule.mjs';

/** All pictures together: they are part of the repository. */
const maximumBytes = 5 * 1024 * 1024;
/** The moving picture: every reader of the README loads it. */
const maximumMovingBytes = 2 * 1024 * 1024;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    moving: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const { takePictures, pictureFolder } = await importTypeScript('test/screenshots/pictures.ts');
const { recordMovingPicture } = await importTypeScript('test/screenshots/movingPicture.ts');
const folder = positionals[0] === undefined ? pictureFolder(root) : path.resolve(positionals[0]);

if (!values.moving) {
  const { bytes, failed } = await takePictures({ folder, say: console.log, only: values.only, all: values.all });
  console.log(`Pictures are in ${path.relative(process.cwd(), folder)}: ${Math.round(bytes / 1024)} KB`);
  for (const scene of failed) console.error(`Not all pictures were taken. ${scene}`);
  if (failed.length > 0) process.exitCode = 1;
  refuseMore(bytes, maximumBytes, 'The pictures together');
}
if (values.only === '') {
  const { bytes } = await recordMovingPicture({ folder, say: console.log });
  refuseMore(bytes, maximumMovingBytes, 'The moving picture');
}

/** @param {number} bytes @param {number} maximum @param {string} subject */
function refuseMore(bytes, maximum, subject) {
  if (bytes <= maximum) return;
  console.error(`${subject} may have ${maximum / 1024 / 1024} MB at most`);
  process.exitCode = 1;
}
