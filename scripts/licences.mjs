/**
 * `npm run licences`: prints the licenses of what is bundled and of what is installed for development, and fails on one
 * that is not allowed.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const lockFiles = ['package-lock.json', 'test/vscode/package-lock.json', 'lab/package-lock.json'];

/** Of what is shipped: MIT may include it if its text comes along. The C library is in programs of their own. */
const shippable = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'ISC',
  'LGPL-2.1-or-later',
  'MIT',
  'OFL-1.1',
  'blessing',
];

/** Of tools and data that are used and not passed on. */
const usable = [
  ...shippable,
  'Artistic-2.0',
  'BlueOak-1.0.0',
  'CC-BY-3.0',
  'CC-BY-SA-4.0',
  'CC0-1.0',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'WTFPL',
  'Zlib',
];

/** Packages for development whose manifest has no identifier, and what their repository says. */
const read = [
  // Contributions before the move to Apache-2.0 stay under MIT.
  { names: /^@modelcontextprotocol\/server-/, license: 'MIT AND Apache-2.0' },
  { names: /^httpolyglot$/, license: 'MIT' },
  // Microsoft's own terms: a tool that vsce carries to check signatures.
  { names: /^@vscode\/vsce-sign(-|$)/, license: 'LicenseRef-Microsoft' },
];
const ownTerms = ['LicenseRef-Microsoft'];

/**
 * @param {string} expression SPDX, with one kind of operator
 * @param {readonly string[]} allowed
 */
export function isAllowed(expression, allowed) {
  const parts = expression.replace(/^\(|\)$/g, '').split(/ (?:OR|AND) /);
  const one = (identifier) => allowed.includes(identifier);
  return / OR /.test(expression) ? parts.some(one) : parts.every(one);
}

/**
 * @param {Record<string, { license?: string, version?: string }>} packages of a lock file
 * @returns {{ name: string, version: string, license: string }[]}
 */
export function lockedPackages(packages) {
  return Object.entries(packages).flatMap(([place, { license, version = '' }]) => {
    if (place === '') return [];
    const name = place.replace(/^.*node_modules\//, '');
    return [{ name, version, license: read.find(({ names }) => names.test(name))?.license ?? license ?? 'none' }];
  });
}

/** Prints how many packages have which license, and returns those with one that is not allowed. */
function report(title, packages, allowed) {
  const names = new Map();
  for (const { name, license } of packages) names.set(license, (names.get(license) ?? new Set()).add(name));
  console.log(`\n${title}`);
  for (const [license, found] of [...names].sort(([a], [b]) => a.localeCompare(b))) {
    const few = found.size > 3 ? '' : `  ${[...found].join(', ')}`;
    console.log(`${String(found.size).padStart(5)}  ${license}${few}`);
  }
  return packages.filter(({ license }) => !isAllowed(license, allowed));
}

async function bundled() {
  const outdir = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-licenses-'));
  try {
    return await build({ production: true, outdir, say: () => undefined });
  } finally {
    fs.rmSync(outdir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const locked = lockFiles.flatMap((file) =>
    lockedPackages(JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).packages),
  );
  const refused = [
    ...report('In the package', await bundled(), shippable),
    ...report('Installed', locked, [...usable, ...ownTerms]),
  ];
  for (const { name, version, license } of refused)
    console.error(`${name} ${version ?? ''} has a license that is not allowed: ${license}`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}
