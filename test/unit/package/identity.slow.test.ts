import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkIdentity, readIdentity } from '../../../scripts/identity.mjs';

const project = fileURLToPath(new URL('../../../', import.meta.url));
/** Files that hold a value of the identity, and two that do not. */
const files = [
  'package.json',
  'package-lock.json',
  'package.nls.json',
  'README.md',
  'scripts/identity.json',
  'scripts/openChat/package.json',
  'src/features/api/core/hermes.d.ts',
  'src/extension.ts',
  'docs/api.md',
  'test/support/extensions/memory-log/extension.js',
  'test/support/vscode/README.md',
  '.github/ISSUE_TEMPLATE/config.yml',
];
const owner = {
  isPlaceholder: false,
  publisher: 'ann',
  name: 'hermes-by-ann',
  displayName: 'Hermes by Ann',
  repository: 'https://github.com/ann/hermes',
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'hermes-identity-'));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    cpSync(path.join(project, file), path.join(root, file));
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (file: string, text: string): void => writeFileSync(path.join(root, file), text);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('the identity', () => {
  it('is the same everywhere in the project', () => {
    expect(checkIdentity({ root: project }).problems).toEqual([]);
  });

  it('is changed everywhere by one edit of its file', () => {
    write('scripts/identity.json', JSON.stringify(owner));
    const before = checkIdentity({ root }).problems.length;
    const { changed, problems } = checkIdentity({ root, write: true });
    expect({
      before: before > 8,
      changed: [...changed].sort(),
      problems,
      after: checkIdentity({ root }).problems,
      types: read('src/features/api/core/hermes.d.ts').includes("getExtension<HermesExtension>('ann.hermes-by-ann')"),
      manifest: /"url": "https:\/\/github\.com\/ann\/hermes\/issues"/.test(read('package.json')),
    }).toEqual({
      before: true,
      changed: files
        .filter((file) => !/README|identity|extension\.ts/.test(file) || /vscode\/README/.test(file))
        .sort(),
      problems: [],
      after: [],
      types: true,
      manifest: true,
    });
  });

  it('may not be repeated in a file that is not a known place', () => {
    const { publisher, name, repository } = readIdentity(root);
    write('docs/new.md', `Install ${publisher}.${name} from ${repository}.`);
    expect(checkIdentity({ root }).problems).toEqual([
      `docs/new.md repeats ${publisher}.${name}: import scripts/identity.json, or name the place in scripts/identity.mjs`,
      `docs/new.md repeats ${repository}: import scripts/identity.json, or name the place in scripts/identity.mjs`,
    ]);
  });

  it('is missed where its place has changed', () => {
    write('docs/api.md', '# Another page');
    expect(checkIdentity({ root }).problems).toEqual([expect.stringMatching(/^docs\/api\.md holds nothing like /)]);
  });

  it('is not read when a value is of no use', () => {
    write('scripts/identity.json', JSON.stringify({ ...owner, publisher: 'Ann B', repository: 'github.com/ann' }));
    expect(() => readIdentity(root)).toThrow('scripts/identity.json has no valid publisher, repository');
  });
});
