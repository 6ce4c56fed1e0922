import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecoveryKey, recoveryKey } from '../../../../../../src/features/sync/core/encryption/recoveryKey';
import {
  checkKey,
  createCipher,
  describeKey,
  openCipher,
} from '../../../../../../src/features/sync/core/encryption/cipherDescription';

const cheap = { n: 16, r: 1, p: 1 };
const problem = (kind: string) => ({ problem: { kind } });

describe('the description of a key', () => {
  it('gives the key for its passphrase, however its letters are composed, and for no other', async () => {
    const { description, key } = await createCipher('caf\u00e9 noir', cheap);
    expect(await openCipher(description, 'cafe\u0301 noir')).toEqual(key);
    await expect(openCipher(description, 'cafe noir')).rejects.toMatchObject(problem('wrongPassphrase'));
    expect(description).not.toContain(Buffer.from(key).toString('base64url'));
  });

  it('keeps the key when the passphrase changes', async () => {
    const { key } = await createCipher('old', cheap);
    const description = await describeKey(key, 'new', { cost: cheap });
    expect(await openCipher(description, 'new')).toEqual(key);
    await expect(openCipher(description, 'old')).rejects.toMatchObject(problem('wrongPassphrase'));
  });

  it('is refused when it is damaged or newer', async () => {
    const { description } = await createCipher('words', cheap);
    const other = await createCipher('words', cheap);
    const changed = (change: object): string => JSON.stringify({ ...JSON.parse(description), ...change });
    for (const text of ['', '{', '[]', changed({ wrappedKey: 'AAAA' }), changed({ kdf: {} }), description.slice(0, -2)])
      await expect(openCipher(text, 'words')).rejects.toMatchObject(problem('damagedDescription'));
    await expect(openCipher(changed({ version: 2 }), 'words')).rejects.toMatchObject(problem('newerVersion'));
    await expect(checkKey(description, other.key)).rejects.toMatchObject(problem('wrongRecoveryKey'));
  });
});

describe('a description that a server made to cost time and memory', () => {
  it.each([
    [2 ** 20, 16, 1],
    [2 ** 20, 8, 1],
    [2 ** 19, 8, 1],
    [2 ** 18, 16, 1],
    [2 ** 17, 16, 4],
    [2 ** 10, 4096, 1],
    [2, 2 ** 20, 1],
    [2 ** 17, 8, 4],
    [2 ** 10, 8, 1024],
    [2 ** 31, 1, 1],
    [1, 8, 1],
    [3 * 2 ** 14, 8, 1],
    [2 ** 17, 0, 1],
    [2 ** 17, 8, 0],
    [-(2 ** 17), 8, 1],
    [2 ** 17, 8.5, 1],
  ])('is refused before anything is computed: N %i, r %i, p %i', async (n, r, p) => {
    const { description } = await createCipher('words', cheap);
    const { kdf, ...rest } = JSON.parse(description);
    const costly = JSON.stringify({ ...rest, kdf: { ...kdf, n, r, p } });
    await expect(openCipher(costly, 'words')).rejects.toMatchObject(problem('damagedDescription'));
  });

  it('is read when it costs what our own does', async () => {
    const { description, key } = await createCipher('words');
    expect(await openCipher(description, 'words')).toEqual(key);
  });
});

describe('a recovery key', () => {
  const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it('is read back as people type it', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const written = recoveryKey(key);
        expect(written).toMatch(/^(.{4}-){13}.$/);
        const typed = written.toLowerCase().replaceAll('-', '  ').replaceAll('0', 'o').replaceAll('1', 'l');
        expect([...readRecoveryKey(typed)]).toEqual([...key]);
      }),
    );
  });

  it('is refused with one wrong character, or one too few', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(51), fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'), (key, index, symbol) => {
        const typed = recoveryKey(key).replaceAll('-', '');
        fc.pre(typed[index] !== symbol);
        expect(() => readRecoveryKey(typed.slice(0, index) + symbol + typed.slice(index + 1))).toThrow('recovery key');
        expect(() => readRecoveryKey(typed.slice(1))).toThrow('recovery key');
      }),
    );
  });
});
