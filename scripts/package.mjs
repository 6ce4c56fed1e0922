/** Builds and packs hermes-vscode-<version>.vsix, and looks into it: only what belongs there may be there. Built and packed in a folder of its
 *  own, so that two at a time do not take each other's files away. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, notices } from './build.mjs';
import { languages } from './translations.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** What a .vsix of ours holds, and nothing else, by path inside `extension/`. vsce writes README.md, CHANGELOG.md and LICENSE.txt in its own spelling. */
const expected = [
  /^package\.json$/,
  /^package\.nls(\.[\w-]+)?\.json$/,
  /^l10n\/[\w.-]+\.json$/,
  /^readme\.md$/i,
  /^changelog\.md$/i,
  /^license(\.txt|\.md)?$/i,
  /^THIRD-PARTY-NOTICES\.txt$/,
  /^media\/[\w./-]+\.(png|svg|jpg|gif|md)$/,
  /^dist\/(webview\/)?[\w.-]+\.(js|css|wasm|ttf|woff2)$/,
  /^dist\/hermes\.d\.ts$/,
  /^dist\/modelPrices\.json$/,
  /^dist\/seccomp\/(x64|arm64)\/apply-seccomp$/,
];

/** Largest package. A fifth of it are two programs, one per processor type, that keep sockets out of reach of a sandboxed command;
 *  a sixth are the twelve translations, a tenth is KaTeX with its fonts. */
const maximumBytes = 4 * 1024 * 1024;

/** How vsce packs: everything is bundled, and links of the README stay as they are. */
export const packing = {
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
  allowStarActivation: false,
};

/** What is shipped beside the bundles, and what says so. */
const shipped = [
  'package.json',
  'package.nls.json',
  ...languages.map((language) => `package.nls.${language}.json`),
  '.vscodeignore',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'media',
  'l10n',
];

/**
 * The extension as its package holds it, built for production.
 * @param {string} folder where it is laid out; made if it does not exist
 * @param {(line: string) => void} [say]
 */
export async function layOut(folder, say = () => undefined) {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of shipped) {
    const source = path.join(root, name);
    if (fs.existsSync(source)) fs.cpSync(source, path.join(folder, name), { recursive: true });
  }
  await build({ production: true, outdir: path.join(folder, 'dist'), say });
  // Beside the license, where it is looked for.
  fs.renameSync(path.join(folder, 'dist', notices), path.join(folder, notices));
}

/**
 * @param {(line: string) => void} [say]
 * @param {string} [folder] where the package goes
 * @returns {Promise<{ file: string, bytes: number }>} the package
 */
export async function packageExtension(say = console.log, folder = root) {
  const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-package-'));
  try {
    const extension = path.join(stage, 'extension');
    await layOut(extension, say);
    const packed = path.join(stage, 'extension.vsix');
    const { createVSIX } = await import('@vscode/vsce');
    await createVSIX({ ...packing, cwd: extension, packagePath: packed });
    const { name, version } = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
    const file = path.join(folder, `${name}-${version}.vsix`);
    const bytes = inspected(packed, path.basename(file));
    putInPlace(packed, file);
    say(`${path.relative(root, file)}: ${bytes} bytes`);
    return { file, bytes };
  } finally {
    fs.rmSync(stage, { recursive: true, force: true });
  }
}

/** @returns {number} the package's size; throws when it lacks what must be shipped, holds what must not, or is too large */
function inspected(file, name) {
  const bytes = fs.statSync(file).size;
  const entries = entriesOf(file);
  const missing = expected.filter(
    (pattern) => !entries.some((entry) => pattern.test(entry.slice('extension/'.length))),
  );
  if (missing.length > 0) throw new Error(`${name} holds nothing of what is expected as ${missing.join(', ')}`);
  const strays = entries.filter((entry) => !belongs(entry));
  if (strays.length > 0) throw new Error(`${name} holds what must not be shipped: ${strays.join(', ')}`);
  if (bytes > maximumBytes) throw new Error(`${name} has ${bytes} bytes, more than the ${maximumBytes} allowed`);
  return bytes;
}

/** Renamed into place: whoever reads the old package goes on reading it. */
function putInPlace(packed, file) {
  const beside = `${file}.${process.pid}`;
  fs.copyFileSync(packed, beside);
  fs.renameSync(beside, file);
}

function belongs(entry) {
  if (entry === '[Content_Types].xml' || entry === 'extension.vsixmanifest' || entry.endsWith('/')) return true;
  return entry.startsWith('extension/') && expected.some((pattern) => pattern.test(entry.slice('extension/'.length)));
}

/**
 * The names in a zip file, read from its central directory (APPNOTE.TXT 4.3.12 and 4.3.16).
 * @param {string} file
 * @returns {string[]}
 */
export function entriesOf(file) {
  const zip = fs.readFileSync(file);
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error(`${file} is no zip file`);
  const names = [];
  let offset = zip.readUInt32LE(end + 16);
  for (let index = 0; index < zip.readUInt16LE(end + 10); index += 1) {
    const nameLength = zip.readUInt16LE(offset + 28);
    names.push(zip.toString('utf8', offset + 46, offset + 46 + nameLength));
    offset += 46 + nameLength + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
  }
  return names;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await packageExtension();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
