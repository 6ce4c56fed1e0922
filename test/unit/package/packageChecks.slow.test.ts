import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { readIdentity } from '../../../scripts/identity.mjs';
import type { Component } from '../../../scripts/notices.mjs';
import { noticesText } from '../../../scripts/notices.mjs';
import { isPreRelease } from '../../../scripts/package.mjs';
import {
  changelogProblems,
  linkProblems,
  manifestProblems,
  noticeProblems,
  sizeProblems,
} from '../../../scripts/packageChecks.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const manifest = v.parse(v.record(v.string(), v.unknown()), JSON.parse(readFileSync(`${root}package.json`, 'utf8')));
const { repository } = readIdentity();

describe('a package', () => {
  it('has a manifest that says all a marketplace shows', () => {
    const { repository: _, ...without } = manifest;
    expect([
      manifestProblems(manifest, () => true),
      manifestProblems({ ...without, qna: 'no', keywords: [], sponsor: { url: 'https://a.test' } }, () => true),
      manifestProblems(manifest, (name) => !name.endsWith('.png')),
    ]).toEqual([
      [],
      [
        'package.json: repository is undefined',
        'package.json: keywords is []',
        'package.json: qna is "no"',
        'package.json: sponsor is {"url":"https://a.test"}',
      ],
      ['media/icon.png is not in it'],
    ]);
  });

  it.each([
    ['a picture of this version', `![a](${repository}/raw/v1.0.0/media/icon.png)`, []],
    ['a page and a heading of this version', `[a](${repository}/blob/v1.0.0/docs/api.md#usage), [b](#c)`, []],
    ['an address elsewhere', '[a](https://a.test/b)', []],
    ['a relative picture', '![a](media/icon.png)', ['P: media/icon.png does not resolve in a marketplace']],
    [
      'a picture without TLS',
      '![a](http://a.test/a.png)',
      ['P: http://a.test/a.png does not resolve in a marketplace'],
    ],
    ['an SVG', '<img src="https://a.test/a.svg">', ['P: https://a.test/a.svg is an SVG, which a marketplace refuses']],
    [
      'a picture that does not exist',
      `![a](${repository}/raw/v1.0.0/media/none.png)`,
      [`P: ${repository}/raw/v1.0.0/media/none.png leads to media/none.png, which does not exist`],
    ],
    [
      'a picture of the newest version',
      `![a](${repository}/raw/HEAD/media/icon.png)`,
      [
        `P: ${repository}/raw/HEAD/media/icon.png is not of this version: it does not begin with ${repository}/raw/v1.0.0/`,
      ],
    ],
  ])('is checked for %s', (_, text, problems) => {
    expect(linkProblems('P', text, root, '1.0.0')).toEqual(problems);
  });

  it('has a heading for its version in the change log', () => {
    expect(
      ['## 1.2.3', '## [1.2.3] - 2026-01-01', '## 1.2.30', '1.2.3'].map(
        (text) => changelogProblems(text, '1.2.3').length,
      ),
    ).toEqual([0, 0, 1, 1]);
  });

  it('has notices of exactly the packages in it', () => {
    const aComponent = (name: string): Component => ({
      name,
      version: '1.0.0',
      license: 'MIT',
      type: 'library',
      text: 'text',
    });
    const text = noticesText([aComponent('a'), aComponent('b')]);
    expect([
      noticeProblems(text, [aComponent('a'), aComponent('b')]),
      noticeProblems(text, [aComponent('b'), aComponent('c')]),
    ]).toEqual([
      [],
      [
        'THIRD-PARTY-NOTICES.txt has no license of c 1.0.0 (MIT)',
        'THIRD-PARTY-NOTICES.txt names a 1.0.0 (MIT), which is not in it',
      ],
    ]);
  });

  it('is a pre-release if its minor number is odd', () => {
    expect(['0.1.0', '0.2.0', '1.0.7', '1.13.0'].map(isPreRelease)).toEqual([true, false, false, true]);
  });
});

it('a program that outgrew its budget is named with its size', () => {
  expect(sizeProblems((name) => (name === 'dist/extension.js' ? 8_001 : 1))).toEqual([
    'budget “bytes of dist/extension.js”: 8001, allowed 8000',
  ]);
});
