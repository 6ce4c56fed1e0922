/** Builds and packs hermes-vscode-<version>.vsix and its bill of materials, and looks into it
 *  (scripts/packageChecks.mjs). Built and packed in a folder of its own, so that two at a time do not take each other's
 *  files away. The same sources give the same bytes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, notices } from './build.mjs';
import { readIdentity } from './identity.mjs';
import { packageProblems } from './packageChecks.mjs';
import { sbomText } from './sbom.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Shipped beside the bundles, and what says so. */
const shipped = /^(package(\.nls(\.[\w-]+)?)?\.json|\.vscodeignore|README\.md|CHANGELOG\.md|LICENSE|media|l10n)$/;

/**
 * Midnight of 1 January 1980, the first time that a zip file can hold, in the time zone of this machine: zip files
 * store local times. vsce gives it to every file, and sorts them.
 */
const packedAt = new Date(1980, 0, 1).getTime() / 1000;

/**
 * The extension as its package holds it, built for production.
 * @param {string} folder where it is laid out; made if it does not exist
 * @param {(line: string) => void} [say]
 * @returns {Promise<import('./notices.d.mts').Component[]>} packages of which it contains something
 */
export async function layOut(folder, say = () => undefined) {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of fs.readdirSync(root).filter((each) => shipped.test(each)))
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  const components = await build({ production: true, outdir: path.join(folder, 'dist'), say });
  // Beside the license, where it is looked for.
  fs.renameSync(path.join(folder, 'dist', notices), path.join(folder, notices));
  setModes(folder);
  return components;
}

/**
 * Packs an extension that is laid out.
 * @param {string} folder @param {string} file
 */
export async function pack(folder, file) {
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const { repository } = readIdentity();
  process.env.SOURCE_DATE_EPOCH = String(packedAt);
  const { createVSIX } = await import('@vscode/vsce');
  await createVSIX({
    cwd: folder,
    packagePath: file,
    // Everything is bundled.
    dependencies: false,
    allowStarActivation: false,
    preRelease: isPreRelease(version),
    // Pages and pictures of this version: those of the newest may tell something else.
    baseContentUrl: `${repository}/blob/v${version}`,
    baseImagesUrl: `${repository}/raw/v${version}`,
    gitHubIssueLinking: false,
    gitLabIssueLinking: false,
  });
}

/** An odd minor number is a pre-release: the marketplace compares numbers only, so both channels need numbers of their
 *  own.
 *  @param {string} version */
export function isPreRelease(version) {
  return Number(version.split('.')[1]) % 2 === 1;
}

/**
 * @param {(line: string) => void} [say]
 * @param {string} [folder] where the package goes
 * @returns {Promise<{ file: string, sbom: string, bytes: number }>} the package and its bill of materials; rejects with
 * every problem
 */
export async function packageExtension(say = console.log, folder = root) {
  const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-package-'));
  try {
    const extension = path.join(stage, 'extension');
    const components = await layOut(extension, say);
    const { name, version, license } = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
    const [file, sbom] = ['vsix', 'cdx.json'].map((ending) => path.join(folder, `${name}-${version}.${ending}`));
    const packed = path.join(stage, path.basename(file));
    await pack(extension, packed);
    const problems = packageProblems(packed, { root, components });
    if (problems.length > 0) throw new Error(`${path.basename(file)} must not be published:\n${problems.join('\n')}`);
    const bill = path.join(stage, path.basename(sbom));
    fs.writeFileSync(bill, sbomText({ version, license, components, vsix: fs.readFileSync(packed) }));
    putInPlace(packed, file);
    putInPlace(bill, sbom);
    const { size: bytes } = fs.statSync(file);
    say(`${path.relative(root, file)}: ${bytes} bytes${isPreRelease(version) ? ', a pre-release' : ''}`);
    return { file, sbom, bytes };
  } finally {
    fs.rmSync(stage, { recursive: true, force: true });
  }
}

/** Modes of files are stored in the package; those of a clone depend on its owner's mask. Programs stay programs. */
function setModes(folder) {
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const isProgram = entry.name === 'apply-seccomp';
    fs.chmodSync(path.join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}

/** Renamed into place: whoever reads the old file goes on reading it. */
function putInPlace(packed, file) {
  const beside = `${file}.${process.pid}`;
  fs.copyFileSync(packed, beside);
  fs.renameSync(beside, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await packageExtension();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
