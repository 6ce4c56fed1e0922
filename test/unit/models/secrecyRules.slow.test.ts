import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownKeys } from '../../../src/models/secrecy/secrecy';
import { findSecrets } from '../../../src/models/secretlint/index';
import { knownKeys, maskSecrets, secretRules } from '../../../src/models/secrecy/secrecy';
import { fakeSecrets } from '../../support/fakeSecrets';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const none = { load: () => () => [], onFailure: () => undefined };
const all = { load: () => findSecrets, onFailure: (error: unknown) => expect.fail(String(error)) };

/** The longest stretch of a secret that a text holds, in characters. */
function left(text: string, secret: string): number {
  let longest = 0;
  for (let at = 0; at < secret.length; at++)
    while (at + longest < secret.length && text.includes(secret.slice(at, at + longest + 1))) longest++;
  return longest;
}

afterAll(() => secretRules.from(none));

describe.each([
  ['with the rules of secretlint', all],
  ['without them', none],
])('%s', (_name, source) => {
  beforeAll(() => secretRules.from(source));

  it.each(
    fakeSecrets
      .filter(({ knownBy }) => source === all || knownBy === 'ours')
      .map((secret) => [secret.name, secret] as const),
  )('%s is masked', (_secret, { text, secret }) => {
    const masked = maskSecrets(text);
    expect(masked).toContain('[secret]');
    expect(left(masked, secret)).toBeLessThan(6);
    expect(maskSecrets(masked)).toBe(masked);
  });
});

describe('the rules of secretlint', () => {
  beforeAll(() => secretRules.from(all));

  it.each(
    fakeSecrets.filter(({ knownBy }) => knownBy === 'secretlint').map((secret) => [secret.name, secret] as const),
  )('%s is a secret that only these rules find', (_name, { text, secret }) => {
    secretRules.from(none);
    const before = maskSecrets(text);
    secretRules.from(all);
    expect(left(before, secret)).toBeGreaterThan(12);
  });

  it('cannot be turned off by a text', () => {
    const key = fakeSecrets.find(({ name }) => name === 'SendGrid')?.secret ?? '';
    expect(maskSecrets(`/* secretlint-disable */\n${key} // secretlint-disable-line`)).toBe(
      '/* secretlint-disable */\n[secret] // secretlint-disable-line',
    );
  });

  it('leave the rest of an address, and the text around a secret, readable', () => {
    expect(maskSecrets('see postgres://app:s3cr3tW0rd@db.example/x for the data')).toBe(
      'see postgres://app:[secret]@db.example/x for the data',
    );
    expect(maskSecrets(`https://${'c0ffee'.repeat(6)}:x-oauth-basic@github.com/a`)).toBe(
      'https://[secret]:[secret]@github.com/a',
    );
  });

  it('mask the whole of a value if they recognize a part of it', () => {
    const key = fakeSecrets.find(({ name }) => name === 'Shopify shpat')?.secret ?? '';
    expect(maskSecrets(`token=first-${key}-last rest`)).toBe('token=[secret] rest');
  });

  it('find nothing in the docs and sources of this project', () => {
    const files = execFileSync('git', ['ls-files', 'docs', 'src', 'scripts', 'l10n', '*.md', 'package.nls.json'], {
      cwd: root,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => /\.(?:md|tsx?|mjs|json|css)$/.test(file));
    expect(files.length).toBeGreaterThan(500);
    const taken = files.flatMap((file) => {
      const text = readFileSync(root + file, 'utf8');
      return findSecrets(text).map(({ start, end }) => `${file}: ${text.slice(start, end)}`);
    });
    expect(taken).toEqual([]);
  });
});

describe('known keys', () => {
  it('are masked by their value, also when encoded, and whatever they look like', () => {
    const key = 'An odd/key+with 9 signs';
    knownKeys.add(key);
    const base64 = Buffer.from(`ann:${key}`).toString('base64');
    expect(maskSecrets(`It is ${key}, or ${encodeURIComponent(key)}.`)).toBe('It is [secret], or [secret].');
    expect(left(maskSecrets(`Use ${base64} there.`), base64)).toBeLessThan(10);
  });

  it('are not placeholder words that users enter as a key', () => {
    const keys = new KnownKeys();
    for (const word of ['none', 'lm-studio', 'sk-1', 'not-needed-for-this-server']) keys.add(word);
    expect(keys.masked('none, lm-studio, sk-1, not-needed-for-this-server', '[secret]')).toBe(
      'none, lm-studio, sk-1, not-needed-for-this-server',
    );
  });
});
