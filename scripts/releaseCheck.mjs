/**
 * Checks that a tag may be released: `node scripts/releaseCheck.mjs v0.2.0`. With `--channel` it prints the channel of
 * the version instead.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIdentity } from './identity.mjs';
import { isPreRelease } from './package.mjs';
import { changelogProblems } from './packageChecks.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * @param {string} tag
 * @param {{ version: string, changelog: string, isPlaceholder: boolean }} project
 * @returns {string[]} one sentence per reason not to release
 */
export function releaseProblems(tag, { version, changelog, isPlaceholder }) {
  return [
    ...(tag === `v${version}` ? [] : [`The tag is ${tag}, and package.json has version ${version}.`]),
    ...(isPlaceholder
      ? ['scripts/identity.json holds placeholders: docs/publishing.md says what an owner decides.']
      : []),
    ...changelogProblems(changelog, version).map((problem) => `${problem}.`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  const [argument] = process.argv.slice(2);
  if (argument === '--channel') console.log(isPreRelease(version) ? 'pre-release' : 'release');
  else {
    const problems = releaseProblems(argument ?? '', { version, changelog: read('CHANGELOG.md'), ...readIdentity() });
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length > 0 ? 1 : 0;
  }
}
