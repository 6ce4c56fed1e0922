import { randomInt, randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import * as v from 'valibot';
import { combined, erasedTail, headsDigest } from '../../../../store/headsDigest';
import type { Incarnation, ServerHeads } from '../../../../store/syncing';
import {
  type Connection,
  type Erasing,
  type Fetched,
  type FetchQuery,
  type LeaseAnswer,
  type SendAnswer,
  type SentChanges,
  type ServerOverview,
  type SyncServer,
  erasedDocument,
  sealedBody,
} from '../syncServer';
import { needsKey, twinFailure } from '../syncFailure';
import type { Place } from '../encryption/cipher';
import { EncryptionError } from '../encryption/encryptionError';
import type { DatabaseAddress } from './connectionString';
import { PagedFetch } from './pagedFetch';
import { pageBytes, count, PostgresConnection, rowsOf, type Sql, type Statement } from './postgresConnection';
import { joined, PagedSending, type BegunSending, type SentPage } from './pagedSending';
import { prepareTables } from './postgresTables';
import { PostgresTurns } from './postgresTurns';
import { currentPerson as me, mostKeys, mostTails } from './schema';

export interface PostgresServerOptions {
  readonly address: DatabaseAddress;
  /** Says which stores belong together. */
  readonly history: string;
  /** Milliseconds that an answer may take. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Bytes that are sent or received in one piece. Default: half a megabyte. */
  readonly pageBytes?: number;
}

/** A body that is encrypted, and where it belongs. */
export interface SealedBody extends Place {
  readonly body: string;
}

/** The most that one look brings; the next one brings the rest. */
const mostNews = 5000;

const newsRow = v.object({
  generation: v.string(),
  changes: count,
  digest: count,
  // Null when nothing is newer.
  conversation: v.nullable(v.string()),
  version: v.nullable(count),
  tail: v.nullable(v.string()),
  change: v.nullable(count),
  origin: v.nullable(v.string()),
  name: v.nullable(v.string()),
});
const headRow = v.object({ conversation: v.string(), key: count, version: count, tail: v.nullable(v.string()) });
const knownRow = v.object({ generation: v.nullable(v.string()), incarnation: v.nullable(v.string()) });
const versionRow = v.object({ version: count });
const conversationRow = v.object({
  key: count,
  version: count,
  // Of the sending.
  parts: count,
  fence: count,
  holder: v.nullable(v.string()),
  leased: v.boolean(),
  erased: v.boolean(),
  tail: v.nullable(v.string()),
  description: v.nullable(v.string()),
  sealed: v.nullable(v.boolean()),
});
const sealedRow = v.object({ conversationId: v.string(), document: v.string(), version: count, body: v.string() });
const grantRow = v.object({
  fence: count,
  version: count,
  granted: v.boolean(),
  newest: v.boolean(),
  holder: v.nullable(v.string()),
});
const sealRow = v.object({ description: v.string() });
const originRow = v.object({ origin: v.string() });
const sizeRow = v.object({ conversations: count, documents: count, bytes: count });
const seenRow = v.object({ origin: v.string(), name: v.string(), seen: count, unerased: count });

/** In an encrypted history all bodies are encrypted. What is left of a forgotten conversation has no version. */
const anyBody = `(SELECT c.conversation, b.document, b.version, b.body FROM hermes_sync.conversations c
  JOIN hermes_sync.bodies b ON b.person = c.person AND b.key = c.key
  WHERE c.person = ${me} AND c.history = $1 AND b.body IS NOT NULL AND b.document <> '${erasedDocument}'
  LIMIT 1) any_body`;
const descriptionHere = `(SELECT s.description FROM hermes_sync.seals s WHERE s.person = ${me} AND s.history = $1)`;
const keptDescription = `INSERT INTO hermes_sync.seals (history, description) VALUES ($1, $2)
   ON CONFLICT (person, history) DO NOTHING`;

const confirmation = `INSERT INTO hermes_sync.erasures (history, conversation, origin) VALUES ($1, $2, $3)
   ON CONFLICT (person, history, conversation, origin) DO NOTHING`;

/** A server that speaks PostgreSQL's protocol. Every method is one transaction or one statement, keeps nothing in the
 *  connection, and throws `SyncFailure`. */
export class PostgresServer implements SyncServer {
  private readonly connection: PostgresConnection;
  private readonly fetching: PagedFetch;
  private readonly sending: PagedSending;
  private prepared: Promise<void> | null = null;

  constructor(private readonly options: PostgresServerOptions) {
    this.connection = new PostgresConnection(options.address, options.timeoutMs, () => (this.prepared = null));
    this.fetching = this.newFetching();
    this.sending = new PagedSending(this.connection, options.pageBytes ?? pageBytes);
  }

  /** Makes the tables where they are missing. */
  prepare(): Promise<void> {
    this.prepared ??= prepareTables(this.connection).catch((error: unknown) => {
      this.prepared = null;
      throw error;
    });
    return this.prepared;
  }

  /** Running turns, as the machine `origin` shows and watches them. */
  turns(origin: string): PostgresTurns {
    return new PostgresTurns(this.connection, this.options.history, origin);
  }

  async connect(origin: string, machine: string, incarnation?: Incarnation): Promise<Connection> {
    await this.prepare();
    const { history } = this.options;
    const [[noted], , [known]] = await this.connection.together(
      'BEGIN',
      {
        rows: originRow,
        sql: `INSERT INTO hermes_sync.machines AS m (history, origin, name, incarnation) VALUES ($1, $2, $3, $4)
          ON CONFLICT (person, history, origin) DO UPDATE SET name = excluded.name, seen_at = now(),
            incarnation = excluded.incarnation
          WHERE m.incarnation IS NULL OR m.incarnation = $5
            OR split_part(m.incarnation, '.', 1) < split_part($5, '.', 1) COLLATE "C" RETURNING origin`,
        values: [history, origin, machine, incarnation?.now ?? null, incarnation?.before ?? null],
      },
      // Of windows that did not come back.
      {
        rows: v.unknown(),
        sql: `DELETE FROM hermes_sync.parts WHERE person = ${me} AND sent_at < now() - interval '7 days'`,
        values: [],
      },
      {
        rows: knownRow,
        sql: `SELECT (SELECT generation FROM hermes_sync.histories WHERE person = ${me} AND history = $1) AS generation,
            (SELECT incarnation FROM hermes_sync.machines WHERE person = ${me} AND history = $1 AND origin = $2)
              AS incarnation`,
        values: [history, origin],
      },
    );
    const now = incarnation?.now ?? null;
    if (noted === undefined && known?.incarnation !== now) throw twinFailure(origin);
    if ((known?.generation ?? null) === null) await this.beginHistory();
    return now === null ? { origin } : { origin, incarnation: now, isRepeated: noted === undefined };
  }

  private async beginHistory(): Promise<void> {
    await this.connection.transaction('BEGIN', async ({ client }) => {
      const begun = await client.query(
        `INSERT INTO hermes_sync.histories (history, generation) VALUES ($1, $2)
         ON CONFLICT (person, history) DO NOTHING RETURNING generation`,
        [this.options.history, randomUUID()],
      );
      if (begun.rows.length > 0) await this.count(client);
    });
  }

  /** Counts what an earlier layout has of a history that begins. */
  private async count(client: PoolClient): Promise<void> {
    const key = [this.options.history];
    const heads = await rowsOf(
      client,
      headRow,
      `UPDATE hermes_sync.conversations c SET change = n.change,
         tail = CASE WHEN c.erased_at IS NOT NULL THEN '${erasedTail}' ELSE (SELECT v.tail FROM hermes_sync.tails v
           WHERE v.person = c.person AND v.key = c.key AND v.version = c.version) END
       FROM (SELECT conversation, row_number() OVER (ORDER BY conversation) AS change FROM hermes_sync.conversations
         WHERE person = ${me} AND history = $1 AND version > 0) n
       WHERE c.person = ${me} AND c.history = $1 AND c.conversation = n.conversation
       RETURNING c.conversation, c.key, c.version, c.tail`,
      key,
    );
    const digest = headsDigest(heads.map(({ conversation, ...head }) => ({ conversationId: conversation, ...head })));
    await client.query(
      `UPDATE hermes_sync.histories SET changes = $2, digest = $3 WHERE person = ${me} AND history = $1`,
      [...key, heads.length, digest],
    );
  }

  async news(_connection: Connection, after: number | null): Promise<ServerHeads> {
    const rows = await this.connection.all(
      newsRow,
      `SELECT h.generation, h.changes, h.digest, c.conversation, c.version, c.tail, c.change, c.origin, m.name
       FROM hermes_sync.histories h
       LEFT JOIN hermes_sync.conversations c ON c.person = h.person AND c.history = h.history AND c.change > $2
       LEFT JOIN hermes_sync.machines m ON m.person = c.person AND m.history = c.history AND m.origin = c.origin
       WHERE h.person = ${me} AND h.history = $1 ORDER BY c.change ${after === null ? '' : `LIMIT ${mostNews}`}`,
      [this.options.history, after ?? 0],
    );
    this.fetching.looked();
    const [first] = rows;
    const isWhole = after === null || rows.length < mostNews;
    return {
      generation: first?.generation ?? '',
      changes: (isWhole ? first?.changes : rows.at(-1)?.change) ?? 0,
      digest: isWhole ? (first?.digest ?? 0) : null,
      heads: rows.flatMap(({ conversation, version, tail, origin, name }) =>
        conversation === null
          ? []
          : [{ conversationId: conversation, version: version ?? 0, tail, origin, machine: name }],
      ),
    };
  }

  async fetch(_connection: Connection, query: FetchQuery): Promise<Fetched | null> {
    if (query.isWhole !== true) return this.fetching.fetch(query);
    const fetching = this.newFetching();
    let fetched: Fetched | null = null;
    while (fetched === null) fetched = await fetching.fetch(query);
    return fetched;
  }

  private newFetching(): PagedFetch {
    return new PagedFetch(this.connection, this.options.history, this.options.pageBytes ?? pageBytes);
  }

  async send({ origin }: Connection, changes: SentChanges): Promise<SendAnswer> {
    const pages = this.sending.pages(changes);
    const first = await pages.next();
    if (first.done === true) throw new Error('A sending ends with its last page.');
    if (first.value.isLast && this.sending.begun(changes) === null)
      return this.take(origin, changes, (key) => documentsOf(key, changes.base + 1, first.value));
    let key = 0;
    // Before much is sent in vain.
    const seen = await this.take(origin, changes, (found) => {
      key = found;
      return null;
    });
    if (seen.kind !== 'more') return this.notTaken(changes, key, seen);
    const begun = await this.sending.send(changes, key, first.value, pages);
    await pages.return(undefined);
    if (begun === null) return { kind: 'more' };
    return this.notTaken(
      changes,
      key,
      await this.take(origin, changes, () => joined(key, changes.base + 1, begun), begun),
    );
  }

  /** A turn that runs elsewhere ends; any other answer ends the sending. */
  private async notTaken(changes: SentChanges, key: number, answer: SendAnswer): Promise<SendAnswer> {
    if (answer.kind !== 'leased') await this.sending.drop(changes, key);
    return answer;
  }

  /** Makes what `written` writes the next version, if it may become that. `written` is called with the key of the
   *  conversation. more: nothing is to be written yet, or a part of what was sent is missing. */
  private async take(
    origin: string,
    { conversationId, base, baseTail, tail, fence, sealedWith }: SentChanges,
    written: (key: number) => readonly Sql[] | null,
    begun: BegunSending | null = null,
  ): Promise<SendAnswer> {
    return this.connection.transaction('BEGIN', async ({ client, last }) => {
      const made = this.made(conversationId);
      const [, [row]] = await Promise.all([
        client.query(made.sql, [...made.values]),
        rowsOf(
          client,
          conversationRow,
          `SELECT key, version, fence, holder, coalesce(expires > now(), false) AS leased, erased_at IS NOT NULL AS erased,
             (SELECT v.tail FROM hermes_sync.tails v
              WHERE v.person = ${me} AND v.key = c.key AND v.version = $3) AS tail,
             (SELECT count(*) FROM hermes_sync.parts p
              WHERE p.person = ${me} AND p.key = c.key AND p.sending = $4) AS parts,
             ${descriptionHere} AS description, (SELECT body ~ '${sealedBody.source}' FROM ${anyBody}) AS sealed
           FROM hermes_sync.conversations c WHERE person = ${me} AND history = $1 AND conversation = $2 FOR UPDATE`,
          [this.options.history, conversationId, base, begun?.id ?? ''],
        ),
      ]);
      const conversation = madeRow(row);
      const { key, holder, leased, erased, description } = conversation;
      // An encrypted history never gets a plain row, also where its description was lost.
      if (sealedWith === undefined && (description !== null || conversation.sealed === true))
        throw needsKey('a plain sending to an encrypted history');
      if (typeof sealedWith === 'string' && description !== null && description !== sealedWith)
        throw new EncryptionError({ kind: 'changedMeanwhile' });
      const documents = written(key);
      if (erased) return { kind: 'erased' };
      if (leased && holder !== null && (holder !== origin || fence !== conversation.fence)) return { kind: 'leased' };
      if (conversation.version !== base || conversation.tail !== baseTail) return { kind: 'behind' };
      if (documents === null || (begun !== null && begun.rows !== conversation.parts)) return { kind: 'more' };
      const version = base + 1;
      const isKept = description !== null || typeof sealedWith !== 'string' || conversation.sealed === false;
      await last(
        [
          ...documents,
          ...(isKept ? [] : [{ sql: keptDescription, values: [this.options.history, sealedWith] }]),
          {
            sql: `WITH pruned AS (DELETE FROM hermes_sync.tails WHERE person = ${me} AND key = $1 AND version <= $4)
            INSERT INTO hermes_sync.tails (key, version, tail) VALUES ($1, $2, $3)`,
            values: [key, version, tail, version - mostTails],
          },
          this.newHead(origin, { conversationId, version: base, tail: baseTail }, { version, tail }),
        ],
        begun !== null,
      );
      return { kind: 'done', version };
    });
  }

  /** Makes the row of a conversation where it is missing. */
  private made(conversationId: string): Statement<unknown> {
    return {
      rows: v.unknown(),
      sql: `INSERT INTO hermes_sync.conversations (history, conversation, key) VALUES ($1, $2, $3)
        ON CONFLICT (person, history, conversation) DO NOTHING`,
      values: [this.options.history, conversationId, randomInt(mostKeys - 1)],
    };
  }

  async erase({ origin }: Connection, { conversationId, proof }: Erasing): Promise<void> {
    const { history } = this.options;
    await this.connection.transaction('BEGIN', async ({ client, last }) => {
      const made = this.made(conversationId);
      const [, [row]] = await Promise.all([
        client.query(made.sql, [...made.values]),
        rowsOf(
          client,
          headRow,
          `UPDATE hermes_sync.conversations SET erased_at = now(), holder = NULL, expires = NULL
           WHERE person = ${me} AND history = $1 AND conversation = $2 RETURNING conversation, key, version, tail`,
          [history, conversationId],
        ),
      ]);
      const before = madeRow(row);
      const { key } = before;
      const version = before.version + 1;
      await last([
        ...(['bodies', 'tails', 'parts'] as const).map((table) => ({
          sql: `DELETE FROM hermes_sync.${table} WHERE person = ${me} AND key = $1`,
          values: [key],
        })),
        {
          sql: `DELETE FROM hermes_sync.turns WHERE person = ${me} AND history = $1 AND conversation = $2`,
          values: [history, conversationId],
        },
        ...(proof === undefined
          ? []
          : [
              {
                sql: `INSERT INTO hermes_sync.bodies (key, version, document, body)
                  VALUES ($1, $2, '${erasedDocument}', $3)`,
                values: [key, version, proof],
              },
            ]),
        { sql: confirmation, values: [history, conversationId, origin] },
        this.newHead(origin, { ...before, conversationId }, { version, tail: erasedTail }),
      ]);
    });
  }

  async confirmErased({ origin }: Connection, conversationId: string): Promise<void> {
    await this.connection.change(confirmation, [this.options.history, conversationId, origin]);
  }

  async versionOf(_connection: Connection, conversationId: string, tail: string): Promise<number | null> {
    const [row] = await this.connection.all(
      versionRow,
      `SELECT t.version FROM hermes_sync.conversations c
       JOIN hermes_sync.tails t ON t.person = c.person AND t.key = c.key AND t.tail = $3
       WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2`,
      [this.options.history, conversationId, tail],
    );
    return row?.version ?? null;
  }

  /** In one trip: the row stays locked until what is wanted along was read. */
  async lease({ origin, incarnation }: Connection, conversationId: string, query?: FetchQuery): Promise<LeaseAnswer> {
    const { history } = this.options;
    const values = [history, conversationId, origin, incarnation ?? null];
    const isNewest = `EXISTS (SELECT 1 FROM hermes_sync.machines o WHERE o.person = ${me} AND o.history = $1
      AND o.origin = $3 AND o.incarnation IS NOT DISTINCT FROM $4)`;
    const asking = [
      this.made(conversationId),
      {
        rows: v.unknown(),
        sql: `UPDATE hermes_sync.conversations SET fence = fence + 1, holder = $3, expires = now() + interval '60 seconds'
          WHERE person = ${me} AND history = $1 AND conversation = $2
            AND (holder IS NULL OR holder = $3 OR expires <= now()) AND ${isNewest}`,
        values,
      },
      {
        rows: grantRow,
        sql: `SELECT c.fence, c.version, coalesce(c.holder = $3, false) AS granted, ${isNewest} AS newest,
            m.name AS holder FROM hermes_sync.conversations c
          LEFT JOIN hermes_sync.machines m ON m.person = c.person AND m.history = c.history AND m.origin = c.holder
          WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2`,
        values,
      },
    ] as const;
    const page = query === undefined ? null : this.fetching.page(query);
    const [, , [row], heads, parts] = await (page === null
      ? this.connection.together('BEGIN', ...asking)
      : this.connection.together('BEGIN', ...asking, ...page.statements));
    const lease = madeRow(row);
    if (!lease.newest) throw twinFailure(origin);
    if (!lease.granted) return { kind: 'leased', holder: lease.holder ?? origin };
    const granted = { kind: 'granted', fence: lease.fence, version: lease.version } as const;
    if (page === null || heads === undefined || parts === undefined) return granted;
    return { ...granted, fetched: page.arrived(heads, parts) };
  }

  async renew({ origin }: Connection, conversationId: string, fence: number): Promise<boolean> {
    const rows = await this.connection.change(
      `UPDATE hermes_sync.conversations SET expires = now() + interval '60 seconds'
       WHERE person = ${me} AND history = $1 AND conversation = $2 AND holder = $3 AND fence = $4 AND expires > now()
       RETURNING fence`,
      [this.options.history, conversationId, origin, fence],
    );
    return rows.length > 0;
  }

  async release({ origin }: Connection, conversationId: string, fence: number): Promise<void> {
    await this.connection.change(
      `UPDATE hermes_sync.conversations SET holder = NULL, expires = NULL
       WHERE person = ${me} AND history = $1 AND conversation = $2 AND holder = $3 AND fence = $4`,
      [this.options.history, conversationId, origin, fence],
    );
  }

  async overview(): Promise<ServerOverview> {
    await this.prepare();
    const size = await this.connection.one(
      sizeRow,
      `SELECT count(DISTINCT c.key) AS conversations, count(*) AS documents,
         coalesce(sum(octet_length(d.body)), 0) AS bytes
       FROM hermes_sync.conversations c JOIN hermes_sync.bodies d ON d.person = c.person AND d.key = c.key
       WHERE c.person = ${me} AND c.history = $1 AND d.body IS NOT NULL AND d.document <> '${erasedDocument}'`,
      [this.options.history],
    );
    const machines = await this.connection.all(
      seenRow,
      `SELECT origin, name, floor(extract(epoch FROM seen_at))::bigint AS seen,
         (SELECT count(*) FROM hermes_sync.conversations c
          WHERE c.person = m.person AND c.history = m.history AND c.erased_at >= m.since
            AND NOT EXISTS (SELECT 1 FROM hermes_sync.erasures e WHERE e.person = m.person AND e.history = m.history
              AND e.conversation = c.conversation AND e.origin = m.origin)) AS unerased
       FROM hermes_sync.machines m WHERE m.person = ${me} AND m.history = $1 ORDER BY name, origin`,
      [this.options.history],
    );
    return { ...size, machines: machines.map(({ seen, ...machine }) => ({ ...machine, seenAt: seen })) };
  }

  /** How the history is encrypted; null when it is not. */
  async sealDescription(): Promise<string | null> {
    await this.prepare();
    const [row] = await this.connection.all(
      sealRow,
      `SELECT description FROM hermes_sync.seals WHERE person = ${me} AND history = $1`,
      [this.options.history],
    );
    return row?.description ?? null;
  }

  /** Keeps how the history is encrypted, unless another machine was first. Returns what is kept. */
  async keepSeal(description: string): Promise<string> {
    await this.prepare();
    await this.connection.all(sealRow, `${keptDescription} RETURNING description`, [this.options.history, description]);
    return (await this.sealDescription()) ?? description;
  }

  /** Exchanges the description of the key. False when another machine changed it meanwhile. */
  async changeSeal(before: string, description: string): Promise<boolean> {
    await this.prepare();
    const changed = await this.connection.change(
      `UPDATE hermes_sync.seals SET description = $3 WHERE person = ${me} AND history = $1 AND description = $2
       RETURNING description`,
      [this.options.history, before, description],
    );
    return changed.length > 0;
  }

  /** An encrypted body of the history, and its place; null when it is not encrypted, or has none. */
  async sealedBody(): Promise<SealedBody | null> {
    await this.prepare();
    const [row] = await this.connection.all(
      sealedRow,
      `SELECT conversation AS "conversationId", document, version, body FROM ${anyBody}`,
      [this.options.history],
    );
    return row !== undefined && sealedBody.test(row.body) ? row : null;
  }

  async dispose(): Promise<void> {
    await this.connection.dispose();
  }

  /** Gives the history's next number to a new head. It is the last statement: the number is that of a row which stays
   *  locked until the end, so that numbers appear in order. */
  private newHead(
    origin: string,
    before: { readonly conversationId: string; readonly version: number; readonly tail: string | null },
    { version, tail }: { readonly version: number; readonly tail: string },
  ): Sql {
    const { conversationId } = before;
    const change = combined(headsDigest([before]), headsDigest([{ conversationId, version, tail }]));
    return {
      sql: `WITH counted AS (UPDATE hermes_sync.histories SET changes = changes + 1, digest = digest # $6::bigint
          WHERE person = ${me} AND history = $1 RETURNING changes)
        UPDATE hermes_sync.conversations SET version = $3, tail = $4, origin = $5, changed_at = now(),
          change = (SELECT changes FROM counted)
        WHERE person = ${me} AND history = $1 AND conversation = $2`,
      values: [this.options.history, conversationId, version, tail, origin, change],
    };
  }
}

/** Writes documents that are there as a whole. */
function documentsOf(key: number, version: number, { parts }: SentPage): readonly Sql[] {
  if (parts.length === 0) return [];
  return [
    {
      // An array of long texts takes the server and us twice as long.
      sql: `INSERT INTO hermes_sync.bodies (key, version, document, body)
        VALUES ${parts.map((_, index) => `($1, $2, $${2 * index + 3}, $${2 * index + 4})`).join(', ')}
        ON CONFLICT (person, key, document)
        DO UPDATE SET version = excluded.version, body = excluded.body, changed_at = now()`,
      values: [key, version, ...parts.flatMap(({ whole: { document, body } }) => [document, body])],
    },
  ];
}

/** The row of a conversation, which the statement before has made. */
function madeRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('The row of a conversation was just written and is missing.');
  return row;
}
