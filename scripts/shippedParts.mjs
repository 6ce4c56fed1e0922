/**
 * What the package ships and no npm package names: parts of other projects inside files of packages, and data. Each
 * comes with its license text in scripts/licenseTexts/.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const texts = path.join(path.dirname(fileURLToPath(import.meta.url)), 'licenseTexts');

/** The version in the data of a compiled SQLite. */
function sqliteVersion(file) {
  const [, version] = /[^\d.](3\.\d+\.\d+)\0/.exec(fs.readFileSync(file, 'latin1')) ?? [];
  if (version === undefined)
    throw new Error(`${file} does not hold the version of SQLite any more: see scripts/shippedParts.mjs`);
  return version;
}

/** The version in the package.json of the package that a file belongs to. */
function packageVersion(file) {
  const folder = /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '';
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
}

/**
 * `files`: the shipped files that contain the part, by their path in the project. `license`: an SPDX expression.
 * @type {readonly { name: string, license: string, files: RegExp, type: 'library' | 'data' | 'file', website: string,
 * version?: (file: string) => string }[]}
 */
const parts = [
  {
    name: 'KaTeX-fonts',
    license: 'OFL-1.1',
    files: /node_modules\/katex\/.*\.woff2$/,
    type: 'file',
    website: 'https://github.com/KaTeX/katex-fonts',
    version: packageVersion,
  },
  {
    name: 'SQLite',
    license: 'blessing',
    files: /node_modules\/sql\.js\/.*\.wasm$/,
    type: 'library',
    website: 'https://www.sqlite.org',
    version: sqliteVersion,
  },
  {
    name: 'glibc',
    license: 'LGPL-2.1-or-later',
    files: /node_modules\/@anthropic-ai\/sandbox-runtime\/vendor\/seccomp\//,
    type: 'library',
    website: 'https://sourceware.org/glibc/',
  },
  {
    name: 'models.dev',
    license: 'MIT',
    files: /^src\/models\/prices\/modelPrices\.json$/,
    type: 'data',
    website: 'https://models.dev',
    version: (file) => JSON.parse(fs.readFileSync(file, 'utf8')).date,
  },
];

/**
 * The parts of which a file is shipped.
 * @param {string} root
 * @param {readonly string[]} files
 * @returns {import('./notices.d.mts').Component[]}
 */
export function partsIn(root, files) {
  return parts.flatMap(({ name, license, files: pattern, type, website, version }) => {
    const file = files.find((each) => pattern.test(each));
    if (file === undefined) return [];
    const text = fs.readFileSync(path.join(texts, `${name}.txt`), 'utf8').trim();
    return [{ name, license, type, website, text, ...(version && { version: version(path.join(root, file)) }) }];
  });
}
