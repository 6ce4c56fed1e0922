import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encryptBytes } from '../../../../../../src/features/sync/core/encryption/cipher';
import { Cipher, type Place } from '../../../../../../src/features/sync/core/encryption/cipher';
import { encryptedServer } from '../../../../../../src/features/sync/core/encryption/encryptedServer';
import { fetchWhole } from '../../../../../../src/features/sync/core/syncServer';
import { SimulatedNetwork, SimulatedServer } from '../../../../../support/simulatedServer';
import { first, pieces } from '../../../../../support/syncContract';

const key = new Uint8Array(32).fill(3);
const cipher = new Cipher(key, 'git:one');
const place: Place = { conversationId: 's1', document: 'turn/t1', version: 4 };
const damaged = { problem: { kind: 'damagedRow', conversationId: 's1', document: 'turn/t1' } };

describe('a sealed body', () => {
  it('is read back whatever it holds', async () => {
    const body = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.json(),
      fc.nat(5000).map((n) => 'again '.repeat(n)),
    );
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        expect(await cipher.open(await cipher.encrypt(text, place), place)).toBe(text);
      }),
    );
  });

  it('is refused when any bit of it changed', async () => {
    const sealed = await cipher.encrypt('The parser is here.', place);
    const bytes = Buffer.from(sealed.slice('hermes1:'.length), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(cipher.open(`hermes1:${changed.toString('base64url')}`, place)).rejects.toMatchObject(damaged);
    }
    await expect(cipher.open(`${sealed}!`, place)).rejects.toMatchObject(damaged);
    await expect(cipher.open(sealed.slice(0, -4), place)).rejects.toMatchObject(damaged);
  });

  it('is refused in another conversation, document, version or history, and with another key', async () => {
    const sealed = await cipher.encrypt('The parser is here.', place);
    for (const moved of [{ conversationId: 's2' }, { document: 'turn/t2' }, { version: 5 }])
      await expect(cipher.open(sealed, { ...place, ...moved })).rejects.toMatchObject({
        problem: { kind: 'damagedRow' },
      });
    await expect(new Cipher(key, 'git:two').open(sealed, place)).rejects.toMatchObject(damaged);
    await expect(new Cipher(new Uint8Array(32), 'git:one').open(sealed, place)).rejects.toMatchObject(damaged);
  });

  it('never has the same form twice, and is smaller than a long text', async () => {
    const text = 'The parser is here. '.repeat(500);
    const [one, two] = [await cipher.encrypt(text, place), await cipher.encrypt(text, place)];
    expect([one === two, one.length < text.length / 5]).toEqual([false, true]);
  });

  it('is refused when a machine sealed it that wants to fill the memory', async () => {
    const about = JSON.stringify(['git:one', 's1', 'turn/t1', 4]);
    const bomb = new Uint8Array(Buffer.concat([Buffer.from([1]), deflateRawSync(Buffer.alloc(2 ** 28 + 1))]));
    const sealed = `hermes1:${Buffer.from(await encryptBytes(key, bomb, about)).toString('base64url')}`;
    await expect(cipher.open(sealed, place).then((text) => text.length)).rejects.toMatchObject(damaged);
  });

  it('is refused when it is plain, and when a newer version wrote it', async () => {
    await expect(cipher.open('{"turns":[]}', place)).rejects.toMatchObject({ problem: { kind: 'unsealedRow' } });
    await expect(cipher.open('hermes2:AAAA', place)).rejects.toMatchObject({ problem: { kind: 'newerVersion' } });
  });
});

describe('a sealed server', () => {
  it('holds encrypted bodies, keeps erased documents erased, and notices a body that it exchanged', async () => {
    const held = new SimulatedServer();
    const server = encryptedServer(new SimulatedNetwork(held, () => 'done').wayOf(), cipher);
    const connection = await server.connect('one', 'One');
    const documents = [
      { document: 'turn/t1', body: 'first' },
      { document: 'turn/t2', body: 'second' },
      { document: 'turn/t3', body: null },
    ];
    await server.send(connection, {
      conversationId: 's1',
      ...first,
      fence: null,
      documents: pieces(...documents),
    });
    const query = { conversationId: 's1', since: 0, chain: [], documents: ['turn/t4'] };
    const fetched = await fetchWhole(server, connection, query);
    expect(fetched.documents.map(({ document, body }) => [document, body])).toEqual([
      ['turn/t4', null],
      ['turn/t1', 'first'],
      ['turn/t2', 'second'],
      ['turn/t3', null],
    ]);
    const stored = held.conversations.get('s1')?.documents;
    expect([...(stored?.values() ?? [])].every(({ body }) => body?.startsWith('hermes1:') === true)).toBe(true);
    const second = stored?.get('turn/t2');
    if (second === undefined) throw new Error('not sent');
    stored?.set('turn/t1', second);
    await expect(server.fetch(connection, query)).rejects.toMatchObject(damaged);
  });

  it.each([
    ['one body', ['turn/t1'], ['turn/t2', 'turn/t3']],
    ['every body', ['turn/t1', 'turn/t2', 'turn/t3'], []],
    ['the mark of a removed document', ['turn/t3'], ['turn/t1', 'turn/t2']],
  ])('cannot remove a document by leaving out %s: it is as if it had not sent it', async (_what, left, told) => {
    const held = new SimulatedServer();
    const server = encryptedServer(new SimulatedNetwork(held, () => 'done').wayOf(), cipher);
    const connection = await server.connect('one', 'One');
    const sending = { conversationId: 's1', number: 1, ...first, fence: null };
    const documents = [
      { document: 'turn/t1', body: 'first' },
      { document: 'turn/t2', body: 'second' },
      { document: 'turn/t3', body: null },
    ];
    await server.send(connection, { ...sending, documents: pieces(...documents) });
    const stored = held.conversations.get('s1')?.documents;
    for (const document of left) stored?.set(document, { version: 1, body: null });
    const fetch = async (asked: readonly string[]) =>
      (await fetchWhole(server, connection, { conversationId: 's1', since: 0, chain: [], documents: asked })).documents;
    expect((await fetch([])).map(({ document }) => document)).toEqual(told);
    // Asked for because it changed here: what is here stays, and is sent.
    expect((await fetch(left)).filter(({ version }) => version === 0).map(({ document }) => document)).toEqual(left);
  });
});
