import type { PoolClient } from 'pg';
import * as v from 'valibot';
import type {
  Connected,
  Connection,
  Erasing,
  Fetched,
  FetchQuery,
  LastSent,
  LeaseAnswer,
  NewsAnswer,
  SendAnswer,
  SentChanges,
  ServerOverview,
  SummaryRow,
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
  readonly patienceMs?: number;
}

/** The most that one look brings; the next one brings the rest. */
const mostNews = 5000;
/** A machine remembers no more of them. */
const mostVersions = 32;

const machineRow = v.object({ writer: count, last: count });
const newsRow = v.object({
  origin: v.string(),
  // Null for a machine of which the server has less than was read.
  name: v.nullable(v.string()),
  number: count,
  version: count,
  conversation: v.string(),
});
const summaryRow = v.object({ conversation: v.string(), version: count, tail: v.nullable(v.string()) });
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
const sentRow = v.object({ number: count, version: count });
const grantRow = v.object({ fence: count, version: count });
const sealRow = v.object({ description: v.string() });
const originRow = v.object({ origin: v.string() });
const nameRow = v.object({ name: v.string() });
const sizeRow = v.object({ conversations: count, documents: count, bytes: count });
const seenRow = v.object({ origin: v.string(), name: v.string(), last: count, seen: count, unerased: count });

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
    this.connection = new PostgresConnection(deps.address, deps.patienceMs, () => (this.prepared = null));
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

  async connect(origin: string, machine: string): Promise<Connected> {
    await this.prepare();
    const [row] = await this.connection.change(
      machineRow,
      `INSERT INTO hermes_sync.machines AS m (history, origin, name, writer) VALUES ($1, $2, $3, 1)
       ON CONFLICT (person, history, origin) DO UPDATE SET writer = m.writer + 1, name = excluded.name, seen_at = now()
       RETURNING writer, last`,
      [this.deps.history, origin, machine],
    );
    return { origin, writer: 0, last: 0, ...row };
  }

  async news({ origin }: Connection, positions: ReadonlyMap<string, number>): Promise<NewsAnswer> {
    const rows = await this.connection.all(
      newsRow,
      `SELECT p.origin, NULL AS name, coalesce(m.last, 0) AS number, 0 AS version, '' AS conversation
       FROM unnest($3::text[], $4::bigint[]) AS p (origin, position)
       LEFT JOIN hermes_sync.machines m ON m.person = ${me} AND m.history = $1 AND m.origin = p.origin
       WHERE coalesce(m.last, 0) < p.position
       UNION ALL
       (SELECT s.origin, m.name, s.number, s.version, s.conversation FROM hermes_sync.machines m
        LEFT JOIN unnest($3::text[], $4::bigint[]) AS p (origin, position) ON p.origin = m.origin
        JOIN hermes_sync.sendings s ON s.person = m.person AND s.history = m.history AND s.origin = m.origin
          AND s.number > coalesce(p.position, 0)
        WHERE m.person = ${me} AND m.history = $1 AND m.origin <> $2 AND m.last > coalesce(p.position, 0)
        ORDER BY s.origin, s.number LIMIT ${mostNews})`,
      [this.deps.history, origin, [...positions.keys()], [...positions.values()]],
    );
    const lost = new Map<string, number>();
    const news = rows.flatMap(({ origin: of, name, number, version, conversation }) => {
      if (name !== null)
        return [{ origin: of, machine: name, version, position: number, conversationId: conversation }];
      lost.set(of, number);
      return [];
    });
    return { news, lost };
  }

  async summary(): Promise<readonly SummaryRow[]> {
    const rows = await this.connection.all(
      summaryRow,
      `SELECT c.conversation, c.version, v.tail FROM hermes_sync.conversations c
       LEFT JOIN hermes_sync.versions v
         ON v.person = c.person AND v.history = c.history AND v.conversation = c.conversation AND v.version = c.version
       WHERE c.person = ${me} AND c.history = $1`,
      [this.deps.history],
    );
    return rows.map(({ conversation, version, tail }) => ({ conversationId: conversation, version, tail }));
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

  async send({ origin, writer }: Connection, sending: SentChanges): Promise<SendAnswer> {
    const { history } = this.deps;
    const { conversationId, number, base, baseTail, tail, fence } = sending;
    return this.connection.transaction('BEGIN', async (client) => {
      if (!(await this.isNewest(client, origin, writer, sending))) return { kind: 'closed' };
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
        `WITH made AS (INSERT INTO hermes_sync.versions (history, conversation, version, tail) VALUES ($1, $2, $3, $4))
         UPDATE hermes_sync.conversations SET version = $3 WHERE person = ${me} AND history = $1 AND conversation = $2`,
        [history, conversationId, version, tail],
      );
      await this.noteSent(client, origin, conversationId, number, version);
      return { kind: 'done', version };
    });
  }

  async erase({ origin, writer }: Connection, erasing: Erasing): Promise<boolean> {
    const { history } = this.deps;
    const { conversationId, number } = erasing;
    return this.connection.transaction('BEGIN', async (client) => {
      if (!(await this.isNewest(client, origin, writer, erasing))) return false;
      const [erased] = await rowsOf(
        client,
        versionRow,
        `INSERT INTO hermes_sync.conversations AS c (history, conversation, version, erased_at)
         VALUES ($1, $2, 1, now())
         ON CONFLICT (person, history, conversation)
         DO UPDATE SET version = c.version + 1, erased_at = now(), holder = NULL, expires = NULL
         RETURNING version`,
        [history, conversationId],
      );
      for (const table of ['documents', 'turns', 'versions'] as const)
        await client.query(
          `DELETE FROM hermes_sync.${table} WHERE person = ${me} AND history = $1 AND conversation = $2`,
          [history, conversationId],
        );
      if (erasing.proof !== undefined)
        await client.query(
          `INSERT INTO hermes_sync.documents (history, conversation, version, document, body)
           VALUES ($1, $2, $3, '${erasedDocument}', $4)`,
          [history, conversationId, erased?.version ?? 0, erasing.proof],
        );
      await this.noteSent(client, origin, conversationId, number, erased?.version ?? 0);
      await client.query(confirmation, [history, conversationId, origin]);
      return true;
    });
  }

  async confirmErased({ origin }: Connection, conversationId: string): Promise<void> {
    await this.connection.change(originRow, `${confirmation} RETURNING origin`, [
      this.deps.history,
      conversationId,
      origin,
    ]);
  }

  async lastSent({ origin }: Connection, conversationId: string): Promise<LastSent | null> {
    const [row] = await this.connection.all(
      sentRow,
      `SELECT number, version FROM hermes_sync.sendings
       WHERE person = ${me} AND history = $1 AND origin = $2 AND conversation = $3`,
      [this.deps.history, origin, conversationId],
    );
    return row ?? null;
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
      `SELECT origin, name, last, floor(extract(epoch FROM seen_at))::bigint AS seen,
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

  /** True for the machine's newest connection and newest sending, on a server that has what was confirmed over it.
   *  Locks the machine's row until the end: its numbers appear in order. A sending that arrives late is refused,
   *  because others have read past its number. */
  private async isNewest(
    client: PoolClient,
    origin: string,
    writer: number,
    { number, confirmed }: Pick<Erasing, 'number' | 'confirmed'>,
  ): Promise<boolean> {
    const [machine] = await rowsOf(
      client,
      machineRow,
      `SELECT writer, last FROM hermes_sync.machines WHERE person = ${me} AND history = $1 AND origin = $2 FOR UPDATE`,
      [this.deps.history, origin],
    );
    return machine?.writer === writer && machine.last >= confirmed && machine.last < number;
  }

  private async noteSent(
    client: PoolClient,
    origin: string,
    conversationId: string,
    number: number,
    version: number,
  ): Promise<void> {
    const { history } = this.deps;
    await client.query(
      `INSERT INTO hermes_sync.sendings (history, origin, conversation, number, version) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (person, history, origin, conversation)
       DO UPDATE SET number = excluded.number, version = excluded.version, sent_at = now()`,
      [history, origin, conversationId, number, version],
    );
    await client.query(
      `UPDATE hermes_sync.machines SET last = greatest(last, $3), seen_at = now()
       WHERE person = ${me} AND history = $1 AND origin = $2`,
      [history, origin, number],
    );
  }
}
