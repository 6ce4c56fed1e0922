import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build, notices } from '../../../scripts/build.mjs';
import { noticesText, shippedComponents } from '../../../scripts/notices.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-notices-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Packages of which something is in the bundles, as their source maps tell. */
function bundledPackages(outdir: string): ReadonlySet<string> {
  const maps = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.map'));
  const sources = maps.flatMap((map) => {
    const read: unknown = JSON.parse(readFileSync(join(outdir, map), 'utf8'));
    return typeof read === 'object' && read !== null && 'sources' in read && Array.isArray(read.sources)
      ? read.sources.filter((source) => typeof source === 'string')
      : [];
  });
  return new Set(sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []));
}

/** The text under each title, which is "name version (license)". */
function sections(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/={80}\n/).slice(1);
  return new Map(
    parts.flatMap((title, index) => (index % 2 === 0 ? [[title.trim(), parts[index + 1]?.trim() ?? ''] as const] : [])),
  );
}

test('every bundled or shipped package has its license in the notices', async () => {
  await build({ production: true, outdir: folder, say: () => undefined });
  const found = sections(readFileSync(join(folder, notices), 'utf8'));
  const names = new Set([...found.keys()].map((title) => title.replace(/ [\d.]+\S* \(.*$/, '')));
  // Parts of a package that is named in their place: a folder inside it, and rules from the repository of their preset, under its license.
  const isPart = (name: string): boolean =>
    name === '@modelcontextprotocol/core-internal' ||
    (/^@secretlint\/secretlint-rule-/.test(name) &&
      names.has('@secretlint/secretlint-rule-preset-recommend') &&
      !name.endsWith('preset-recommend'));
  const expected = [...bundledPackages(folder), '@vscode/codicons', 'sql.js'].filter((name) => !isPart(name));
  const short = [...found]
    .filter(([, text]) => text.length < 100 || !/licen[cs]e|permission|redistribution|public domain/i.test(text))
    .map(([title]) => title);
  // Some packages under the Apache License only refer to its text.
  const isWhole = [...found].every(
    ([title, text]) =>
      !title.endsWith('(Apache-2.0)') || text.includes('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION'),
  );
  const nameless = [...found.keys()].filter((title) => /undefined|\(\)/.test(title));
  // Fonts, data, and what programs and wasm contain: no package names them.
  const parts = ['KaTeX-fonts', 'SQLite', 'glibc', 'models.dev'];
  expect({
    count: expected.length > 40,
    isWhole,
    missing: expected.filter((name) => !names.has(name)),
    short,
    nameless,
    withoutNotice: parts.filter((part) => ![...found.keys()].some((title) => title.startsWith(part))),
    surplus: [...names].filter((name) => !expected.includes(name) && !parts.some((part) => name.startsWith(part))),
  }).toEqual({ count: true, isWhole: true, missing: [], short: [], nameless: [], withoutNotice: [], surplus: [] });
});

describe('the notices', () => {
  const noticesOf = (files: readonly string[]): string => noticesText(shippedComponents(folder, files));

  function installed(name: string, manifest: object, files: Readonly<Record<string, string>> = {}): string {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    for (const [file, text] of Object.entries({
      'package.json': JSON.stringify({ name, version: '1.0.0', ...manifest }),
      ...files,
    }))
      writeFileSync(join(folder, 'node_modules', name, file), text);
    return `node_modules/${name}/index.js`;
  }

  test('hold all license texts of a package, and none of our own files', () => {
    const file = installed(
      'both',
      { license: 'MIT' },
      { 'LICENSE-MIT': 'mit text', 'NOTICE.txt': 'notice text', 'licenses.js': 'no text' },
    );
    expect([...sections(noticesOf([file, 'src/a.ts', file]))]).toEqual([
      ['both 1.0.0 (MIT)', 'mit text\n\nnotice text'],
    ]);
  });

  test('name the packages that a package has bundled', () => {
    const file = installed(
      'outer',
      { license: 'MIT' },
      {
        LICENSE: 'outer text',
        'index.js.map': JSON.stringify({
          sources: ['../src/a.ts', '../node_modules/.store/inner@1/node_modules/inner/a.js'],
        }),
      },
    );
    installed('inner', { license: 'ISC' }, { LICENSE: 'inner text' });
    expect([...sections(noticesOf([file])).keys()]).toEqual(['inner 1.0.0 (ISC)', 'outer 1.0.0 (MIT)']);
  });

  test('use the standard license text with the author if a package has none; an unknown license fails the build', () => {
    expect(noticesOf([installed('plain', { license: 'ISC', author: { name: 'Ann' } })])).toContain(
      'Copyright (c) Ann\n\nPermission to use',
    );
    expect(() => noticesOf([installed('odd', { license: 'SEE ELSEWHERE', author: 'Ann' })])).toThrow(
      'odd is shipped and has no license text',
    );
    expect(() => noticesOf(['node_modules/gone/a.js'])).toThrow('gone is not installed');
  });
});
