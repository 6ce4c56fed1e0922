/** npm run screenshots [-- folder]: pictures of every state of the panel and the transcript tab, in four themes and three widths, from a real VS Code. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importTypeScript } from './typescriptModule.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { takePictures, pictureFolder } = await importTypeScript('test/screenshots/pictures.ts');
const folder = process.argv[2] === undefined ? pictureFolder(root) : path.resolve(process.argv[2]);
await takePictures({ folder, say: console.log });
console.log(`Pictures are in ${path.relative(process.cwd(), folder)}`);
