import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import * as v from 'valibot';
import { combined, erasedTail, headsDigest } from '../../store/headsDigest';
import type { ServerHeads } from '../../store/syncing';
import type {
  Connection,
  Erasing,
  Fetched,
  FetchQuery,
  LeaseAnswer,
  SendAnswer,
  SentChanges,
  ServerOverview,
  SyncServer,
} from '../syncServer';
import { erasedDocument } from '../syncServer';
import type { DatabaseAddress } from './connectionString';
import { count, PostgresConnection, rowsOf } from './postgresConnection';
import { prepareTables } from './postgresTables';
import { PostgresTurns } from './postgresTurns';
import { currentPerson as me } from './schema';

export interface PostgresServerDeps {
  readonly address: DatabaseAddress;
  /** Says which stores belong together. */
  readonly history: string;
  /** Milliseconds that an answer may take. Default: 60,000. */
  readonly timeoutMs?: number;
}

/** The most that one look brings; the next one brings the rest. */
const mostNews = 5000;
/** A machine remembers no more of them. */
const mostVersions = 32;

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
const headRow = v.object({ conversation: v.string(), version: count, tail: v.nullable(v.string()) });
const documentRow = v.object({ document: v.string(), version: count, body: v.nullable(v.string()) });
const versionRow = v.object({ version: count });
const fetchedRow = v.object({
  version: count,
  erased: v.boolean(),
  base: count,
  versions: v.array(count),
  tails: v.array(v.string()),
});
const conversationRow = v.object({
  version: count,
  fence: count,
  holder: v.nullable(v.string()),
  leased: v.boolean(),
  erased: v.boolean(),
  tail: v.nullable(v.string()),
});
const grantRow = v.object({ fence: count, version: count });
const sealRow = v.object({ description: v.string() });
const originRow = v.object({ origin: v.string() });
const nameRow = v.object({ name: v.string() });
const sizeRow = v.object({ conversations: count, documents: count, bytes: count });
const seenRow = v.object({ origin: v.string(), name: v.string(), seen: count, unerased: count });

/** Versions after the newest that a machine has in common with the server. */
const after = `FROM hermes_sync.versions v WHERE v.person = ${me} AND v.history = $1 AND v.conversation = $2
  AND v.version > shared.base ORDER BY v.version DESC LIMIT ${mostVersions}`;

const confirmation = `INSERT INTO hermes_sync.erasures (history, conversation, origin) VALUES ($1, $2, $3)
   ON CONFLICT (person, history, conversation, origin) DO NOTHING`;

/** A server that speaks PostgreSQL's protocol. Every method is one transaction or one statement, keeps nothing in the
 *  connection, and throws `SyncFailure`. */
export class PostgresServer implements SyncServer {
  private readonly connection: PostgresConnection;
  private prepared: Promise<void> | null = null;

  constructor(private readonly deps: PostgresServerDeps) {
    this.connection = new PostgresConnection(deps.address, deps.timeoutMs, () => (this.prepared = null));
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
    return new PostgresTurns(this.connection, this.deps.history, origin);
  }

  async connect(origin: string, machine: string): Promise<Connection> {
    await this.prepare();
    const { history } = this.deps;
    await this.connection.transaction('BEGIN', async (client) => {
      await client.query(
        `INSERT INTO hermes_sync.machines AS m (history, origin, name) VALUES ($1, $2, $3)
         ON CONFLICT (person, history, origin) DO UPDATE SET name = excluded.name, seen_at = now()`,
        [history, origin, machine],
      );
      const begun = await client.query(
        `INSERT INTO hermes_sync.histories (history, generation) VALUES ($1, $2)
         ON CONFLICT (person, history) DO NOTHING RETURNING generation`,
        [history, randomUUID()],
      );
      if (begun.rows.length > 0) await this.count(client);
    });
    return { origin };
  }

  /** Counts what an earlier layout has of a history that begins. */
  private async count(client: PoolClient): Promise<void> {
    const key = [this.deps.history];
    const heads = await rowsOf(
      client,
      headRow,
      `UPDATE hermes_sync.conversations c SET change = n.change,
         tail = CASE WHEN c.erased_at IS NOT NULL THEN '${erasedTail}' ELSE (SELECT v.tail FROM hermes_sync.versions v
           WHERE v.person = c.person AND v.history = c.history AND v.conversation = c.conversation
             AND v.version = c.version) END
       FROM (SELECT conversation, row_number() OVER (ORDER BY conversation) AS change FROM hermes_sync.conversations
         WHERE person = ${me} AND history = $1 AND version > 0) n
       WHERE c.person = ${me} AND c.history = $1 AND c.conversation = n.conversation
       RETURNING c.conversation, c.version, c.tail`,
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
      [this.deps.history, after ?? 0],
    );
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

  async fetch(_connection: Connection, { conversationId, since, chain, documents }: FetchQuery): Promise<Fetched> {
    return this.connection.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ', async (client) => {
      const key = [this.deps.history, conversationId];
      const [conversation] = await rowsOf(
        client,
        fetchedRow,
        `SELECT c.version, c.erased_at IS NOT NULL AS erased, shared.base,
           ARRAY(SELECT v.version ${after}) AS versions, ARRAY(SELECT v.tail ${after}) AS tails
         FROM hermes_sync.conversations c, LATERAL (SELECT coalesce(max(v.version), 0) AS base
           FROM hermes_sync.versions v
           JOIN unnest($3::bigint[], $4::text[]) AS k (version, tail) ON k.version = v.version AND k.tail = v.tail
           WHERE v.person = ${me} AND v.history = $1 AND v.conversation = $2) shared
         WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2`,
        [...key, chain.map(({ version }) => version), chain.map(({ tail }) => tail)],
      );
      const base = conversation?.base ?? 0;
      const rows = await rowsOf(
        client,
        documentRow,
        `SELECT document, version, body FROM hermes_sync.documents
         WHERE person = ${me} AND history = $1 AND conversation = $2 AND (version > $3 OR document = ANY ($4::text[]))`,
        [...key, base === since ? since : 0, [...documents]],
      );
      const known = new Set(rows.map(({ document }) => document));
      const unknown = documents.filter((document) => !known.has(document));
      return {
        version: conversation?.version ?? 0,
        base,
        chain: (conversation?.versions ?? []).map((version, at) => ({
          version,
          tail: conversation?.tails[at] ?? '',
        })),
        isErased: conversation?.erased ?? false,
        documents: [...rows, ...unknown.map((document) => ({ document, version: 0, body: null }))],
      };
    });
  }

  async send({ origin }: Connection, sending: SentChanges): Promise<SendAnswer> {
    const { history } = this.deps;
    const { conversationId, base, baseTail, tail, fence } = sending;
    return this.connection.transaction('BEGIN', async (client) => {
      await client.query(
        `INSERT INTO hermes_sync.conversations (history, conversation) VALUES ($1, $2)
         ON CONFLICT (person, history, conversation) DO NOTHING`,
        [history, conversationId],
      );
      const [conversation] = await rowsOf(
        client,
        conversationRow,
        `SELECT version, fence, holder, coalesce(expires > now(), false) AS leased, erased_at IS NOT NULL AS erased,
           (SELECT v.tail FROM hermes_sync.versions v
            WHERE v.person = ${me} AND v.history = $1 AND v.conversation = $2 AND v.version = $3) AS tail
         FROM hermes_sync.conversations WHERE person = ${me} AND history = $1 AND conversation = $2 FOR UPDATE`,
        [history, conversationId, base],
      );
      if (conversation === undefined) throw new Error('The row of a conversation was just written and is missing.');
      const { holder, leased, erased } = conversation;
      if (erased) return { kind: 'erased' };
      if (leased && holder !== null && (holder !== origin || fence !== conversation.fence)) return { kind: 'leased' };
      if (conversation.version !== base || conversation.tail !== baseTail) return { kind: 'behind' };
      const version = base + 1;
      for await (const documents of sending.documents()) {
        if (documents.length === 0) continue;
        await client.query(
          // An array of long texts takes the server and us twice as long.
          `INSERT INTO hermes_sync.documents (history, conversation, version, document, body)
           VALUES ${documents.map((_, index) => `($1, $2, $3, $${2 * index + 4}, $${2 * index + 5})`).join(', ')}
           ON CONFLICT (person, history, conversation, document)
           DO UPDATE SET version = excluded.version, body = excluded.body, changed_at = now()`,
          [history, conversationId, version, ...documents.flatMap(({ document, body }) => [document, body])],
        );
      }
      await client.query(
        'INSERT INTO hermes_sync.versions (history, conversation, version, tail) VALUES ($1, $2, $3, $4)',
        [history, conversationId, version, tail],
      );
      await this.noteHead(client, origin, { conversationId, version: base, tail: baseTail }, { version, tail });
      return { kind: 'done', version };
    });
  }

  async erase({ origin }: Connection, { conversationId, proof }: Erasing): Promise<void> {
    const { history } = this.deps;
    await this.connection.transaction('BEGIN', async (client) => {
      await client.query(
        `INSERT INTO hermes_sync.conversations (history, conversation) VALUES ($1, $2)
         ON CONFLICT (person, history, conversation) DO NOTHING`,
        [history, conversationId],
      );
      const [before] = await rowsOf(
        client,
        headRow,
        `UPDATE hermes_sync.conversations SET erased_at = now(), holder = NULL, expires = NULL
         WHERE person = ${me} AND history = $1 AND conversation = $2 RETURNING conversation, version, tail`,
        [history, conversationId],
      );
      if (before === undefined) throw new Error('The row of a conversation was just written and is missing.');
      for (const table of ['documents', 'turns', 'versions'] as const)
        await client.query(
          `DELETE FROM hermes_sync.${table} WHERE person = ${me} AND history = $1 AND conversation = $2`,
          [history, conversationId],
        );
      const version = before.version + 1;
      if (proof !== undefined)
        await client.query(
          `INSERT INTO hermes_sync.documents (history, conversation, version, document, body)
           VALUES ($1, $2, $3, '${erasedDocument}', $4)`,
          [history, conversationId, version, proof],
        );
      await client.query(confirmation, [history, conversationId, origin]);
      await this.noteHead(client, origin, { ...before, conversationId }, { version, tail: erasedTail });
    });
  }

  async confirmErased({ origin }: Connection, conversationId: string): Promise<void> {
    await this.connection.change(originRow, `${confirmation} RETURNING origin`, [
      this.deps.history,
      conversationId,
      origin,
    ]);
  }

  async versionOf(_connection: Connection, conversationId: string, tail: string): Promise<number | null> {
    const [row] = await this.connection.all(
      versionRow,
      `SELECT version FROM hermes_sync.versions
       WHERE person = ${me} AND history = $1 AND conversation = $2 AND tail = $3`,
      [this.deps.history, conversationId, tail],
    );
    return row?.version ?? null;
  }

  async lease({ origin }: Connection, conversationId: string): Promise<LeaseAnswer> {
    const { history } = this.deps;
    return this.connection.transaction('BEGIN', async (client) => {
      await client.query(
        `INSERT INTO hermes_sync.conversations (history, conversation) VALUES ($1, $2)
         ON CONFLICT (person, history, conversation) DO NOTHING`,
        [history, conversationId],
      );
      const [granted] = await rowsOf(
        client,
        grantRow,
        `UPDATE hermes_sync.conversations SET fence = fence + 1, holder = $3, expires = now() + interval '60 seconds'
         WHERE person = ${me} AND history = $1 AND conversation = $2
           AND (holder IS NULL OR holder = $3 OR expires <= now())
         RETURNING fence, version`,
        [history, conversationId, origin],
      );
      if (granted !== undefined) return { kind: 'granted', ...granted };
      const [machine] = await rowsOf(
        client,
        nameRow,
        `SELECT m.name FROM hermes_sync.conversations c
         JOIN hermes_sync.machines m ON m.person = c.person AND m.history = c.history AND m.origin = c.holder
         WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2`,
        [history, conversationId],
      );
      return { kind: 'leased', holder: machine?.name ?? origin };
    });
  }

  async renew({ origin }: Connection, conversationId: string, fence: number): Promise<boolean> {
    const rows = await this.connection.change(
      grantRow,
      `UPDATE hermes_sync.conversations SET expires = now() + interval '60 seconds'
       WHERE person = ${me} AND history = $1 AND conversation = $2 AND holder = $3 AND fence = $4 AND expires > now()
       RETURNING fence, version`,
      [this.deps.history, conversationId, origin, fence],
    );
    return rows.length > 0;
  }

  async release({ origin }: Connection, conversationId: string, fence: number): Promise<void> {
    await this.connection.change(
      grantRow,
      `UPDATE hermes_sync.conversations SET holder = NULL, expires = NULL
       WHERE person = ${me} AND history = $1 AND conversation = $2 AND holder = $3 AND fence = $4
       RETURNING fence, version`,
      [this.deps.history, conversationId, origin, fence],
    );
  }

  async overview(): Promise<ServerOverview> {
    await this.prepare();
    const size = await this.connection.one(
      sizeRow,
      `SELECT count(DISTINCT conversation) AS conversations, count(*) AS documents,
         coalesce(sum(octet_length(body)), 0) AS bytes
       FROM hermes_sync.documents WHERE person = ${me} AND history = $1 AND body IS NOT NULL
         AND document <> '${erasedDocument}'`,
      [this.deps.history],
    );
    const machines = await this.connection.all(
      seenRow,
      `SELECT origin, name, floor(extract(epoch FROM seen_at))::bigint AS seen,
         (SELECT count(*) FROM hermes_sync.conversations c
          WHERE c.person = m.person AND c.history = m.history AND c.erased_at >= m.since
            AND NOT EXISTS (SELECT 1 FROM hermes_sync.erasures e WHERE e.person = m.person AND e.history = m.history
              AND e.conversation = c.conversation AND e.origin = m.origin)) AS unerased
       FROM hermes_sync.machines m WHERE m.person = ${me} AND m.history = $1 ORDER BY name, origin`,
      [this.deps.history],
    );
    return { ...size, machines: machines.map(({ seen, ...machine }) => ({ ...machine, seenAt: seen })) };
  }

  /** How the history is encrypted; null when it is not. */
  async sealDescription(): Promise<string | null> {
    await this.prepare();
    const [row] = await this.connection.all(
      sealRow,
      `SELECT description FROM hermes_sync.seals WHERE person = ${me} AND history = $1`,
      [this.deps.history],
    );
    return row?.description ?? null;
  }

  /** Keeps how the history is encrypted, unless another machine was first. Returns what is kept. */
  async keepSeal(description: string): Promise<string> {
    await this.prepare();
    await this.connection.all(
      sealRow,
      `INSERT INTO hermes_sync.seals (history, description) VALUES ($1, $2)
       ON CONFLICT (person, history) DO NOTHING RETURNING description`,
      [this.deps.history, description],
    );
    return (await this.sealDescription()) ?? description;
  }

  async dispose(): Promise<void> {
    await this.connection.dispose();
  }

  /** Gives the history's next number to a new head. It is the last statement: the number is that of a row which stays
   *  locked until the end, so that numbers appear in order. */
  private async noteHead(
    client: PoolClient,
    origin: string,
    before: { readonly conversationId: string; readonly version: number; readonly tail: string | null },
    { version, tail }: { readonly version: number; readonly tail: string },
  ): Promise<void> {
    const { conversationId } = before;
    await client.query(
      `WITH counted AS (UPDATE hermes_sync.histories SET changes = changes + 1, digest = digest # $6::bigint
         WHERE person = ${me} AND history = $1 RETURNING changes)
       UPDATE hermes_sync.conversations SET version = $3, tail = $4, origin = $5, changed_at = now(),
         change = (SELECT changes FROM counted)
       WHERE person = ${me} AND history = $1 AND conversation = $2`,
      [
        this.deps.history,
        conversationId,
        version,
        tail,
        origin,
        combined(headsDigest([before]), headsDigest([{ conversationId, version, tail }])),
      ],
    );
  }
}
