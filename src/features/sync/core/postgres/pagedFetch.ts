import * as v from 'valibot';
import type { ServerDocument } from '../../../../store/syncing';
import type { Fetched, FetchQuery } from '../syncServer';
import { goingOn, pageRows, pagesAtOnce, count, type PostgresConnection, type Statement } from './postgresConnection';
import { currentPerson as me } from './schema';

/** A machine remembers no more versions. */
const mostVersions = 32;
/** Looks after which a download that nobody asked for lets another one go on. */
const patientLooks = 3;

const headRow = v.object({
  version: count,
  tail: v.nullable(v.string()),
  erased: v.boolean(),
  base: count,
  versions: v.array(count),
  tails: v.array(v.string()),
  // True when it went through the head that the last page came with.
  grown: v.boolean(),
});
type Head = v.InferOutput<typeof headRow>;
const partRow = v.object({
  document: v.string(),
  version: count,
  // Of the whole body; null when it has none.
  bytes: v.nullable(count),
  part: v.nullable(v.string()),
});
type Part = v.InferOutput<typeof partRow>;

const conversation = `SELECT c.key, c.version, c.tail, c.erased_at IS NOT NULL AS erased,
    (SELECT coalesce(max(v.version), 0) FROM hermes_sync.tails v
     JOIN unnest($3::bigint[], $4::text[]) AS k (version, tail) ON k.version = v.version AND k.tail = v.tail
     WHERE v.person = ${me} AND v.key = c.key) AS base
  FROM hermes_sync.conversations c WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2`;
const ofIt = `v.person = ${me} AND v.key = c.key`;
/** Versions after the newest that a machine has in common with the server. */
const after = `FROM hermes_sync.tails v WHERE ${ofIt} AND v.version > c.base
  ORDER BY v.version DESC LIMIT ${mostVersions}`;

const headSql = `WITH c AS MATERIALIZED (${conversation})
  SELECT version, tail, erased, base, ARRAY(SELECT v.version ${after}) AS versions,
    ARRAY(SELECT v.tail ${after}) AS tails, (version = $5 AND tail IS NOT DISTINCT FROM $6::text)
      OR EXISTS (SELECT 1 FROM hermes_sync.tails v WHERE ${ofIt} AND v.version = $5 AND v.tail = $6::text) AS grown
  FROM c`;

const documents = `SELECT d.document, d.version, d.body FROM hermes_sync.bodies d
  WHERE d.person = ${me} AND d.key = (SELECT key FROM c)`;
const inOrder = `ORDER BY d.version, d.document LIMIT ${pageRows}`;
const isCut = 'document = $9::text AND version = $10::bigint';
/** Named documents that are not newer, then those that are, from where the last page ended. A body that has no room is
 *  cut. */
const pageSql = `WITH c AS MATERIALIZED (
    SELECT key, CASE WHEN base = $5 THEN $5::bigint ELSE 0 END AS since FROM (${conversation}) found),
  wanted AS (
    (${documents} AND d.version <= (SELECT since FROM c) AND d.document = ANY ($6::text[]) ${inOrder})
    UNION ALL
    (${documents} AND d.version > (SELECT since FROM c) AND (d.version, d.document) >= ($7::bigint, $8::text)
       AND NOT (d.version = $7 AND d.document = $8 AND $9::text IS NULL) ${inOrder})),
  sized AS (SELECT document, version, body, octet_length(body) AS bytes, CASE WHEN ${isCut} THEN $11::int ELSE 0 END AS at,
    coalesce(octet_length(body), 0) - CASE WHEN ${isCut} THEN $12::int ELSE 0 END AS rest FROM wanted),
  placed AS (SELECT *, $13::int - sum(rest) OVER (ORDER BY version, document) + rest AS room FROM sized)
  SELECT document, version, bytes,
    CASE WHEN at = 0 AND rest <= room THEN body ELSE substr(body, at + 1, room::int) END AS part
  FROM placed WHERE room > 0 ORDER BY version, document`;

interface Page {
  readonly statements: readonly [Statement<Head>, Statement<Part>];
  arrived(this: void, heads: readonly Head[], parts: readonly Part[]): Fetched | null;
}

/** What has arrived of a conversation. */
interface Arriving {
  /** Version after which everything is wanted. */
  readonly since: number;
  readonly documents: Map<string, ServerDocument>;
  /** Head of the conversation when the last page came. */
  readonly head: Pick<Head, 'version' | 'tail'>;
  /** The last document that is newer than `since`. */
  last: { readonly version: number; readonly document: string };
  /** The document that has not arrived as a whole, and how much of it has. */
  cut: { readonly document: string; readonly version: number; readonly chars: number; readonly bytes: number } | null;
  lookedAt: number;
}

/** Fetches conversations in pages. What has arrived is kept as long as the window lives, and fetched once. Versions
 *  only grow: what changes meanwhile comes again, with a later page, so that all pages together are of one moment, that
 *  of the last one. */
export class PagedFetch {
  private readonly arriving = new Map<string, Arriving>();
  private looks = 0;

  constructor(
    private readonly connection: PostgresConnection,
    private readonly history: string,
    private readonly pageBytes: number,
  ) {}

  /** Called after each look at the server. */
  looked(): void {
    this.looks++;
  }

  /** Null when more is to come. */
  async fetch(query: FetchQuery): Promise<Fetched | null> {
    for (let pages = this.pagesFor(query.conversationId); pages > 0; pages--) {
      const fetched = await goingOn(async () => {
        const { statements, arrived } = this.page(query);
        return arrived(...(await this.connection.together('BEGIN ISOLATION LEVEL REPEATABLE READ', ...statements)));
      });
      if (fetched !== null) return fetched;
    }
    return null;
  }

  /** The next page: its statements, which must see the same, and what to do with their rows. That returns null when
   *  more is to come. */
  page(query: FetchQuery): Page {
    const { conversationId, since, chain, documents } = query;
    const before = this.arriving.get(conversationId);
    const { documents: here, head, last, cut } = before ?? begun(0);
    const values = [this.history, conversationId, chain.map(({ version }) => version), chain.map(({ tail }) => tail)];
    const named = documents.filter((document) => !here.has(document) || document === cut?.document);
    const place = [last.version, last.document, cut?.document ?? null, cut?.version ?? null];
    const room = [cut?.chars ?? 0, cut?.bytes ?? 0, this.pageBytes];
    return {
      statements: [
        { rows: headRow, sql: headSql, values: [...values, head.version, head.tail] },
        { rows: partRow, sql: pageSql, values: [...values, since, named, ...place, ...room] },
      ],
      arrived: ([newest], parts) => {
        const known = this.arriving.get(conversationId);
        // Another call was faster.
        if (before !== undefined && (known !== before || before.last !== last || before.cut !== cut)) return null;
        return this.arrived(query, before, newest, parts);
      },
    };
  }

  private arrived(
    { conversationId, since, documents }: FetchQuery,
    before: Arriving | undefined,
    head: Head | undefined,
    parts: readonly Part[],
  ): Fetched | null {
    const from = head?.base === since ? since : 0;
    const isOther = head === undefined || head.erased || !head.grown || before?.since !== from;
    // What has arrived is of a version that the server lost, or this store went on.
    if (before !== undefined && isOther) {
      this.arriving.delete(conversationId);
      return null;
    }
    const arriving = before ?? begun(from);
    const begin = arriving.cut;
    const bytes = parts.reduce((sum, part) => sum + added(arriving, begin, part), 0);
    // One that is changed here since came before the rest of another, and is cut too: only one can go on.
    const isOvertaken = begin !== null && !parts.some(({ document }) => document === begin.document);
    if (isOvertaken && arriving.cut !== begin && (arriving.cut?.version ?? Infinity) <= from) {
      this.arriving.delete(conversationId);
      return null;
    }
    if (head !== undefined && (bytes >= this.pageBytes || parts.length >= pageRows)) {
      this.arriving.set(conversationId, Object.assign(arriving, { head, lookedAt: this.looks }));
      return null;
    }
    this.arriving.delete(conversationId);
    const { documents: here } = arriving;
    return {
      version: head?.version ?? 0,
      base: head?.base ?? 0,
      chain: (head?.versions ?? []).map((version, at) => ({ version, tail: head?.tails[at] ?? '' })),
      isErased: head?.erased ?? false,
      documents: [
        ...here.values(),
        ...documents.filter((one) => !here.has(one)).map((document) => ({ document, version: 0, body: null })),
      ],
    };
  }

  /** Only one of several long ones goes on at a time: they take memory. */
  private pagesFor(conversationId: string): number {
    const own = this.arriving.get(conversationId);
    if (own !== undefined) own.lookedAt = this.looks;
    for (const [id, { lookedAt }] of this.arriving)
      if (id === conversationId) return pagesAtOnce;
      else if (this.looks - lookedAt > patientLooks) this.arriving.delete(id);
      else return own === undefined ? 1 : 0;
    return pagesAtOnce;
  }
}

function begun(since: number): Arriving {
  const none = { version: 0, document: '' };
  return { since, documents: new Map(), head: { version: 0, tail: null }, last: none, cut: null, lookedAt: 0 };
}

/** Returns the bytes that a part adds. `begin`: what was cut when the page was asked for. */
function added(arriving: Arriving, begin: Arriving['cut'], { document, version, bytes, part }: Part): number {
  const before = begin?.document === document && begin.version === version ? begin : null;
  const start = before === null ? '' : (arriving.documents.get(document)?.body ?? '');
  arriving.documents.set(document, { document, version, body: part === null ? null : start + part });
  const isNewer = version > arriving.since;
  if (isNewer) arriving.last = { version, document };
  const more = Buffer.byteLength(part ?? '');
  const here = (before?.bytes ?? 0) + more;
  // The server counts characters, not units of UTF-16.
  const chars = (before?.chars ?? 0) + [...(part ?? '')].length;
  if (bytes !== null && here < bytes) arriving.cut = { document, version, chars, bytes: here };
  // A named document comes before the rest of one that is newer.
  else if (isNewer || document === begin?.document) arriving.cut = null;
  return more;
}
