import { describe, expect, it } from 'vitest';
import { erasedTail, headsDigest } from '../../src/store/headsDigest';
import type { ChainedVersion } from '../../src/store/syncing';
import { syncFailureIn } from '../../src/features/sync/core/syncFailure';
import {
  fetchWhole,
  type Connection,
  type SentChanges,
  type SyncServer,
} from '../../src/features/sync/core/syncServer';

/** Documents as `send` takes them. */
export const pieces = (...documents: readonly { readonly document: string; readonly body: string | null }[]) =>
  async function* () {
    yield await Promise.resolve(documents);
  };

const change = (base: number, body: string | null, more: Partial<SentChanges> = {}): SentChanges => ({
  conversationId: 'c1',
  base,
  baseTail: base === 0 ? null : `tail ${base}`,
  tail: `tail ${base + 1}`,
  fence: null,
  documents: pieces({ document: 'turn/t1', body }),
  ...more,
});
const nothing = { version: 0, base: 0, chain: [], documents: [], isErased: false };
/** What belongs to a sending that makes the first version, and the second. */
export const first = { base: 0, baseTail: null, tail: 'tail 1' };
export const second = { base: 1, baseTail: 'tail 1', tail: 'tail 2' };
/** The first version of a conversation, with one document. */
export const firstSending = (conversationId: string, body = '1'): SentChanges => ({
  ...change(0, body, { conversationId }),
  documents: pieces({ document: 'turn/t', body }),
});
/** The versions that `change` makes. */
const tailOf = (version: number): ChainedVersion => ({ version, tail: `tail ${version}` });
const all = { conversationId: 'c1', since: 0, chain: [], documents: [] };

/** What every server must do. `serve` makes an empty one, and gives ways to it. */
export function syncContract(serve: () => Promise<() => SyncServer>): void {
  const two = async (): Promise<readonly [SyncServer, Connection, Connection]> => {
    const way = (await serve())();
    return [way, await way.connect('a', 'Laptop'), await way.connect('b', 'Desk')];
  };

  describe('a server', () => {
    it('counts versions, and takes changes only to the newest', async () => {
      const [way, a, b] = await two();
      const answers = [
        await way.send(a, change(0, '{"n":1}')),
        await way.send(b, change(0, '{"n":2}')),
        await way.send(b, change(1, '{"n":2}')),
      ];
      expect(answers).toEqual([{ kind: 'done', version: 1 }, { kind: 'behind' }, { kind: 'done', version: 2 }]);
      expect(await fetchWhole(way, a, all)).toEqual({
        version: 2,
        base: 0,
        chain: [tailOf(2), tailOf(1)],
        documents: [{ document: 'turn/t1', version: 2, body: '{"n":2}' }],
        isErased: false,
      });
    });

    it('gives what is newer, and what was asked for by name, also what it does not know', async () => {
      const [way, a] = await two();
      await way.send(
        a,
        change(0, '1', { documents: pieces({ document: 'x', body: '1' }, { document: 'y', body: '1' }) }),
      );
      await way.send(
        a,
        change(1, '2', { documents: pieces({ document: 'y', body: '2' }, { document: 'z', body: null }) }),
      );
      const { documents } = await fetchWhole(way, a, { ...all, since: 1, chain: [tailOf(1)], documents: ['x', 'w'] });
      expect([...documents].sort((one, other) => one.document.localeCompare(other.document))).toEqual([
        { document: 'w', version: 0, body: null },
        { document: 'x', version: 1, body: '1' },
        { document: 'y', version: 2, body: '2' },
        { document: 'z', version: 2, body: null },
      ]);
      expect(await fetchWhole(way, a, { ...all, conversationId: 'unknown' })).toEqual(nothing);
    });

    it('gives everything to a machine whose version it does not have, and says which was the last that both had', async () => {
      const [way, a, b] = await two();
      await way.send(a, change(0, '1', { documents: pieces({ document: 'x', body: '1' }) }));
      await way.send(a, change(1, '2', { documents: pieces({ document: 'y', body: '2' }) }));
      const fetched = async (since: number, chain: readonly ChainedVersion[]) => {
        const { base, chain: after, documents } = await fetchWhole(way, b, { ...all, since, chain });
        return [base, after.map(({ version }) => version), documents.map(({ document }) => document).sort()];
      };
      const other = (version: number) => ({ version, tail: 'of another machine' });
      expect([
        await fetched(1, [tailOf(1)]),
        await fetched(2, [tailOf(2), tailOf(1)]),
        await fetched(2, [other(2), tailOf(1)]),
        await fetched(5, [other(5), other(4)]),
      ]).toEqual([
        [1, [2], ['y']],
        [2, [], []],
        [1, [2], ['x', 'y']],
        [0, [2, 1], ['x', 'y']],
      ]);
    });

    it('takes no change to a version that only has the same number', async () => {
      const [way, a, b] = await two();
      await way.send(a, change(0, '1'));
      expect([
        await way.send(b, change(1, '2', { baseTail: 'of another machine' })),
        await way.send(b, change(1, '2', { baseTail: null })),
        await way.send(b, change(1, '2')),
      ]).toEqual([{ kind: 'behind' }, { kind: 'behind' }, { kind: 'done', version: 2 }]);
    });

    it('refuses a store when another one was made known under its id since, and leases of it', async () => {
      const way = (await serve())();
      const kindOf = (work: Promise<unknown>): Promise<unknown> =>
        work.then(
          () => 'none',
          (error: unknown) => syncFailureIn(error)?.kind,
        );
      const laptop = await way.connect('a', 'Laptop', { before: null, now: '1' });
      const again = await way.connect('a', 'Laptop', { before: null, now: '1' });
      const copy = await way.connect('a', 'Copy', { before: '1', now: '2' });
      expect([laptop, again, copy]).toEqual([
        { origin: 'a', incarnation: '1', isRepeated: false },
        { origin: 'a', incarnation: '1', isRepeated: true },
        { origin: 'a', incarnation: '2', isRepeated: false },
      ]);
      expect([
        await kindOf(way.connect('a', 'Laptop', { before: '1', now: '3' })),
        await kindOf(way.lease(laptop, 'c1')),
        (await way.lease(copy, 'c1')).kind,
      ]).toEqual(['twin', 'twin', 'granted']);
    });

    it('knows a store that is further than the server, which was put back', async () => {
      const way = (await serve())();
      const [older, newer, next] = ['000000009.a', '000000010.b', '000000011.c'];
      await way.connect('a', 'Laptop', { before: null, now: older });
      expect(await way.connect('a', 'Laptop', { before: newer, now: next })).toEqual({
        origin: 'a',
        incarnation: next,
        isRepeated: false,
      });
    });

    it('gives the heads that changed after a number, whoever changed them, erased ones too', async () => {
      const [way, a, b] = await two();
      const [none] = [await way.news(b, 0)];
      await way.send(a, change(0, '1'));
      await way.send(b, change(0, '1', { conversationId: 'c2' }));
      await way.send(a, change(1, '2'));
      await way.erase(a, { conversationId: 'c2' });
      const [c1, c2] = [
        { conversationId: 'c1', ...tailOf(2), origin: 'a', machine: 'Laptop' },
        { conversationId: 'c2', version: 2, tail: erasedTail, origin: 'a', machine: 'Laptop' },
      ];
      const answer = { generation: none.generation, changes: 4, digest: headsDigest([c1, c2]) };
      expect(none).toEqual({ ...answer, changes: 0, digest: 0, heads: [] });
      expect(await way.news(b, 0)).toEqual({ ...answer, heads: [c1, c2] });
      expect(await way.news(a, null)).toEqual({ ...answer, heads: [c1, c2] });
      expect(await way.news(a, 3)).toEqual({ ...answer, heads: [c2] });
      expect(await way.news(a, 4)).toEqual({ ...answer, heads: [] });
    });

    it('says which version a tail is of', async () => {
      const [way, a] = await two();
      await way.send(a, change(0, '1'));
      await way.send(a, change(1, '2'));
      const versions = ['tail 1', 'tail 2', 'tail 3'].map((tail) => way.versionOf(a, 'c1', tail));
      expect(await Promise.all([...versions, way.versionOf(a, 'c2', 'tail 1')])).toEqual([1, 2, null, null]);
    });

    it('keeps every text as it is', async () => {
      const [way, a] = await two();
      const odd = JSON.stringify({ text: 'nul \u0000, lone \ud800, "quotes" {braces} \\ \', ümlaut, 😀, NULL, \n\t' });
      await way.send(a, change(0, odd));
      expect((await fetchWhole(way, a, all)).documents[0]?.body).toBe(odd);
    });

    it('sends nothing when what is sent cannot be read', async () => {
      const [way, a] = await two();
      class TurnBegan extends Error {
        override readonly name = 'TurnBegan';
      }
      async function* broken() {
        yield [{ document: 'x', body: '1' }];
        await Promise.resolve();
        throw new TurnBegan('not now');
      }
      await expect(way.send(a, change(0, '', { documents: broken }))).rejects.toThrow('not now');
      expect(await fetchWhole(way, a, all)).toEqual(nothing);
      expect(await way.send(a, change(0, '1'))).toEqual({ kind: 'done', version: 1 });
    });

    it('gives a lease to one machine, whose changes alone it takes until it is given back', async () => {
      const [way, a, b] = await two();
      const lease = await way.lease(a, 'c1');
      expect([lease, await way.lease(b, 'c1')]).toEqual([
        { kind: 'granted', fence: 1, version: 0 },
        { kind: 'leased', holder: 'Laptop' },
      ]);
      expect([
        await way.send(b, change(0, '1')),
        await way.send(a, change(0, '1')),
        await way.send(a, change(0, '1', { fence: 1 })),
      ]).toEqual([{ kind: 'leased' }, { kind: 'leased' }, { kind: 'done', version: 1 }]);
      expect([await way.renew(a, 'c1', 1), await way.renew(a, 'c1', 2), await way.renew(b, 'c1', 1)]).toEqual([
        true,
        false,
        false,
      ]);
      await way.release(b, 'c1', 1);
      expect((await way.lease(b, 'c1')).kind).toBe('leased');
      await way.release(a, 'c1', 1);
      expect(await way.lease(b, 'c1')).toEqual({ kind: 'granted', fence: 2, version: 1 });
      expect(await way.send(a, change(1, '2', { fence: 1 }))).toEqual({ kind: 'leased' });
    });

    it('erases a conversation for all, tells them, and takes nothing for it any more', async () => {
      const [way, a, b] = await two();
      await way.send(a, change(0, 'words'));
      await way.lease(b, 'c1');

      await way.erase(a, { conversationId: 'c1' });
      expect(await fetchWhole(way, b, all)).toEqual({ ...nothing, version: 2, isErased: true });
      expect([await way.send(b, change(2, 'more')), (await way.overview()).bytes]).toEqual([{ kind: 'erased' }, 0]);
    });

    it('says which machines have not erased what was forgotten', async () => {
      const [way, a, b] = await two();
      await way.send(a, change(0, 'words'));
      const unerased = async () =>
        (await way.overview()).machines.map(({ name, unerased: n }) => `${name} ${n}`).sort();
      await way.erase(a, { conversationId: 'c1' });
      const before = await unerased();
      await way.confirmErased(b, 'c1');
      await way.confirmErased(b, 'c1');
      expect([before, await unerased()]).toEqual([
        ['Desk 1', 'Laptop 0'],
        ['Desk 0', 'Laptop 0'],
      ]);
    });

    it('says what it has', async () => {
      const [way, a] = await two();
      await way.send(
        a,
        change(0, 'four', { documents: pieces({ document: 'x', body: 'four' }, { document: 'y', body: null }) }),
      );
      const { machines, ...size } = await way.overview();
      expect(size).toEqual({ conversations: 1, documents: 1, bytes: 4 });
      expect(machines.map(({ origin, name }) => [origin, name]).sort()).toEqual([
        ['a', 'Laptop'],
        ['b', 'Desk'],
      ]);
    });
  });
}
