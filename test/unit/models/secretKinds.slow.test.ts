import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskSecrets, secretRules, withoutSecrets } from '../../../src/models/secrecy/secrecy';
import { findSecrets } from '../../../src/models/secretlint/index';
import { ordinaryLines, otherKinds, reportedKinds, type SecretKind } from '../../support/secretKinds';

beforeAll(() => secretRules.from({ load: () => findSecrets, onFailure: (error) => expect.fail(String(error)) }));
afterAll(() => secretRules.from({ load: () => () => [], onFailure: () => undefined }));

/** Texts in which a telling part of the secret is left. */
function unmasked(kinds: readonly SecretKind[], mask: (text: string) => string): readonly string[] {
  return kinds
    .filter(({ text, secret }) =>
      mask(`first ${text}\nlast`).includes(secret.slice(0, Math.max(6, Math.ceil(secret.length / 2)))),
    )
    .map(({ text }) => text);
}

describe('the masker', () => {
  it('masks what an examination found, and other kinds', () => {
    expect(reportedKinds.length).toBeGreaterThanOrEqual(150);
    expect(unmasked(reportedKinds, maskSecrets)).toEqual([]);
    expect(unmasked(otherKinds, maskSecrets)).toEqual([]);
  });

  it('masks them in failures too', () => {
    expect(unmasked([...reportedKinds, ...otherKinds], (text) => withoutSecrets(text, null))).toEqual([]);
  });

  it('leaves lines of ordinary work readable', () => {
    expect(ordinaryLines.length).toBeGreaterThanOrEqual(94);
    expect(ordinaryLines.map((line) => [line, maskSecrets(line)]).filter(([line, masked]) => line !== masked)).toEqual(
      [],
    );
  });

  it('masks a text that is masked already no further', () => {
    const texts = [...reportedKinds, ...otherKinds].map(({ text }) => maskSecrets(text));
    expect(texts.filter((text) => maskSecrets(text) !== text)).toEqual([]);
  });
});
