import { expect, it, vi } from 'vitest';
import { parseConnectionString } from '../../../../../src/features/sync/core/postgres/connectionString';
import { PagedFetch } from '../../../../../src/features/sync/core/postgres/pagedFetch';
import { PostgresConnection } from '../../../../../src/features/sync/core/postgres/postgresConnection';
import { PostgresServer } from '../../../../../src/features/sync/core/postgres/postgresServer';

const pageBytes = 10;

interface Stored {
  readonly document: string;
  readonly version: number;
  readonly body: string;
}

/** Answers as the server does: first named documents that are not newer, then newer ones. */
function serverOf(stored: readonly Stored[]): PostgresConnection {
  const together = (_begin: string, ...statements: readonly { readonly values: readonly unknown[] }[]) => {
    const [, , , , since, named, version, document, cutDocument, cutVersion, chars] = (statements[1]?.values ?? []) as [
      ...[unknown, unknown, unknown, unknown, number, readonly string[], number, string, string | null, number, number],
    ];
    const isPast = (one: Stored): boolean =>
      one.version < version ||
      (one.version === version && (one.document < document || (one.document === document && cutDocument === null)));
    const wanted = [
      ...stored.filter((one) => one.version <= since && named.includes(one.document)),
      ...stored.filter((one) => one.version > since && !isPast(one)),
    ];
    let room = pageBytes;
    const parts = wanted.flatMap((one) => {
      if (room <= 0) return [];
      const at = one.document === cutDocument && one.version === cutVersion ? chars : 0;
      const part = one.body.slice(at, at + room);
      room -= part.length;
      return [{ document: one.document, version: one.version, bytes: one.body.length, part }];
    });
    const head = { version: 2, tail: 'tail 2', erased: false, base: 1, versions: [2], tails: ['tail 2'], grown: true };
    return Promise.resolve([[head], parts]);
  };
  return { together } as unknown as PostgresConnection;
}

it.each([
  ['short', 'x'],
  ['longer than a page', 'x'.repeat(25)],
])('gives a cut document as it is there when one that is %s changes here meanwhile', async (_name, body) => {
  const stored = [
    { document: 'marks/c', version: 1, body },
    { document: 'turn/t', version: 2, body: 'abcdefghijklmnopqrstuvwxyz'.repeat(3) },
    { document: 'turn/u', version: 2, body: 'short' },
  ];
  const fetching = new PagedFetch(serverOf(stored), 'h', pageBytes);
  const query = { conversationId: 'c', since: 1, chain: [{ version: 1, tail: 'tail 1' }], documents: [] };
  expect(await fetching.fetch(query)).toBeNull();
  for (let pages = 0; pages < 20; pages++) {
    const fetched = await fetching.fetch({ ...query, documents: ['marks/c'] });
    if (fetched === null) continue;
    expect([...fetched.documents].sort((one, other) => (one.document < other.document ? -1 : 1))).toEqual(stored);
    return;
  }
  expect.fail('It never arrived.');
});

it('gives all of a session at once while another one arrives in pages', async () => {
  const stored = [{ document: 'turn/t', version: 2, body: 'x'.repeat(pageBytes * 7 + 5) }];
  const { together } = serverOf(stored);
  const spied = vi.spyOn(PostgresConnection.prototype, 'together').mockImplementation(together);
  const server = new PostgresServer({
    address: parseConnectionString('postgresql://u:p@localhost/d'),
    history: 'h',
    pageBytes,
  });
  const query = { since: 1, chain: [], documents: [] };
  const fetched = async (conversationId: string, isWhole: boolean) =>
    (await server.fetch({ origin: 'a' }, { ...query, conversationId, isWhole }))?.documents ?? null;
  expect(await fetched('c', false)).toBeNull();
  expect(await fetched('d', true)).toEqual(stored);
  expect([await fetched('e', false), await fetched('e', false), await fetched('c', false)]).toEqual([
    null,
    null,
    stored,
  ]);
  spied.mockRestore();
});
