/** npm run screenshots [-- folder] [--only state] [--all] [--readme]: pictures of every state of the panel and the tabs
 *  from a real VS Code, key states (with --all: every state) in four themes and three widths; and those of
 *  the README (with --readme: only these).
 *  npm run screenshots -- --language de [folder] [--only state] [--all]: pictures of the views in a language. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureFonts } from './fontsInstall.mjs';
import { languages } from './translations.mjs';
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
    readme: { type: 'boolean', default: false },
    language: { type: 'string' },
  },
  allowPositionals: true,
});
const named = positionals[0] === undefined ? undefined : path.resolve(positionals[0]);
if (values.language === undefined) await documentation(named);
else await ofLanguage(values.language, named);

/** @param {string | undefined} wanted the folder */
async function documentation(wanted) {
  const { takePictures, pictureFolder } = await importTypeScript('test/screenshots/pictures.ts');
  const { recordMovingPicture } = await importTypeScript('test/screenshots/movingPicture.ts');
  const { takeComposedPictures } = await importTypeScript('test/screenshots/composedPictures.ts');
  const folder = wanted ?? pictureFolder(root);
  if (!values.readme) {
    const { bytes, failed } = await takePictures({ folder, say: console.log, only: values.only, all: values.all });
    console.log(`Pictures are in ${path.relative(process.cwd(), folder)}: ${Math.round(bytes / 1024)} KB`);
    for (const scene of failed) console.error(`Not all pictures were taken. ${scene}`);
    if (failed.length > 0) process.exitCode = 1;
    refuseMore(bytes, maximumBytes, 'The pictures together');
  }
  if (values.only === '') {
    const { bytes } = await recordMovingPicture({ folder, say: console.log });
    refuseMore(bytes, maximumMovingBytes, 'The moving picture');
    await takeComposedPictures({ folder, say: console.log });
  }
}

/** @param {string} language @param {string | undefined} folder */
async function ofLanguage(language, folder) {
  if (!languages.includes(language)) {
    console.error(`There is no translation into “${language}”. There are ${languages.join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  ensureFonts();
  process.chdir(root);
  const { takeLanguagePictures } = await importTypeScript('test/screenshots/languagePictures.ts');
  const { only, all } = values;
  const { problems } = await takeLanguagePictures({ language, folder, say: console.log, only, all });
  for (const problem of problems) console.error(`This picture may lack a part. ${problem}`);
}

/** @param {number} bytes @param {number} maximum @param {string} subject */
function refuseMore(bytes, maximum, subject) {
  if (bytes <= maximum) return;
  console.error(`${subject} may have ${maximum / 1024 / 1024} MB at most`);
  process.exitCode = 1;
}
