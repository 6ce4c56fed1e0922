import { randomUUID } from 'node:crypto';
import type { SentDocument } from '../../../../store/syncing';
import type { SentChanges } from '../syncServer';
import { goingOn, pageRows, pagesAtOnce, type PostgresConnection, type Sql } from './postgresConnection';
import { currentPerson as me } from './schema';

/** A document, or a part of one that is longer than a page. */
interface SentPart {
  readonly whole: SentDocument;
  readonly part: number;
  readonly body: string | null;
  /** Where it ends in the body; null when it is the last one. */
  readonly end: number | null;
}

export interface SentPage {
  readonly parts: readonly SentPart[];
  readonly isLast: boolean;
}

/** A sending of which the server has a part. */
export interface BegunSending {
  readonly id: string;
  readonly base: number;
  readonly baseTail: string | null;
  /** Documents that are there, and the changes that they contain. */
  readonly documents: Map<string, number>;
  /** The last one, of which not all is there, and how much is. What was encrypted again would be another one. */
  cut: { readonly whole: SentDocument; readonly part: number; readonly end: number } | null;
  /** Rows that are there. */
  rows: number;
}

const ofSending = `person = ${me} AND key = $1 AND sending = $2`;

/** Sends what is longer than a page piece by piece, as rows that no machine reads before all are there. What is there
 *  is known as long as the window lives, and sent once. */
export class PagedSending {
  private readonly sendings = new Map<string, BegunSending>();

  constructor(
    private readonly connection: PostgresConnection,
    private readonly pageBytes: number,
  ) {}

  /** Null for one that was not begun, or to another version. */
  begun({ conversationId, base, baseTail }: SentChanges): BegunSending | null {
    const begun = this.sendings.get(conversationId);
    return begun?.base === base && begun.baseTail === baseTail ? begun : null;
  }

  /** What is not there yet. */
  async *pages(sending: SentChanges): AsyncGenerator<SentPage, undefined> {
    const begun = this.begun(sending);
    let [parts, bytes] = [[] as SentPart[], 0];
    for await (const documents of sending.documents(begun?.documents))
      for (const one of documents) {
        if (one.change !== undefined && begun?.documents.get(one.document) === one.change) continue;
        for (const part of partsOf(one, begun?.cut ?? null, this.pageBytes)) {
          parts.push(part);
          bytes += Buffer.byteLength(part.body ?? '');
          if (bytes < this.pageBytes && parts.length < pageRows) continue;
          yield { parts, isLast: false };
          [parts, bytes] = [[], 0];
        }
      }
    yield { parts, isLast: true };
  }

  /** `key`: of the conversation. Null when more is to be sent. */
  async send(
    sending: SentChanges,
    key: number,
    first: SentPage,
    rest: AsyncGenerator<SentPage>,
  ): Promise<BegunSending | null> {
    const { conversationId, base, baseTail, changes = [] } = sending;
    const begun: BegunSending = this.begun(sending) ?? {
      id: randomUUID(),
      base,
      baseTail,
      documents: new Map(),
      cut: null,
      rows: 0,
    };
    this.sendings.set(conversationId, begun);
    const now = new Map(changes.map(({ document, change }) => [document, change]));
    const old = [...begun.documents].filter(([document, change]) => now.get(document) !== change);
    const { cut } = begun;
    if (cut !== null && now.get(cut.whole.document) !== cut.whole.change) begun.cut = null;
    await this.remove(key, begun, [
      ...old.map(([document]) => document),
      ...(begun.cut === cut || cut === null ? [] : [cut.whole.document]),
    ]);
    let page = first;
    for (let left = pagesAtOnce; ; left--) {
      const { parts, isLast } = page;
      if (parts.length > 0) await goingOn(() => this.write(key, begun, parts));
      if (isLast) return begun;
      const next = left === 1 ? null : await rest.next();
      if (next === null || next.done === true) return null;
      page = next.value;
    }
  }

  /** Begins again, as the server does not have what it should. */
  async drop(sending: SentChanges, key: number): Promise<void> {
    const begun = this.begun(sending);
    this.sendings.delete(sending.conversationId);
    if (begun !== null) await this.connection.change(...removal(key, begun.id, null));
  }

  private async write(key: number, begun: BegunSending, parts: readonly SentPart[]): Promise<void> {
    await this.connection.change(
      // What is forgotten meanwhile waits for the page, or keeps it out.
      `WITH kept AS MATERIALIZED (SELECT key FROM hermes_sync.conversations
         WHERE person = ${me} AND key = $1 AND erased_at IS NULL FOR SHARE)
       INSERT INTO hermes_sync.parts (key, sending, document, part, body)
       SELECT kept.key, $2, page.* FROM kept,
         (VALUES ${parts.map((_, at) => `($${3 * at + 3}::text, $${3 * at + 4}::int, $${3 * at + 5}::text)`).join(', ')}) page
       ON CONFLICT (person, key, sending, document, part) DO UPDATE SET body = excluded.body, sent_at = now()`,
      [key, begun.id, ...parts.flatMap(({ whole, part, body }) => [whole.document, part, body])],
    );
    begun.rows += parts.length;
    for (const { whole, part, end } of parts) {
      begun.cut = end === null ? null : { whole, part: part + 1, end };
      if (end === null) begun.documents.set(whole.document, whole.change ?? 0);
    }
  }

  private async remove(key: number, begun: BegunSending, documents: readonly string[]): Promise<void> {
    if (documents.length === 0) return;
    const removed = await this.connection.change(...removal(key, begun.id, documents));
    begun.rows -= removed.length;
    for (const document of documents) begun.documents.delete(document);
  }
}

function removal(key: number, id: string, documents: readonly string[] | null): readonly [string, readonly unknown[]] {
  const sql = `DELETE FROM hermes_sync.parts WHERE ${ofSending}${documents === null ? '' : ' AND document = ANY ($3)'}
    RETURNING part`;
  return [sql, [key, id, ...(documents === null ? [] : [documents])]];
}

/** Statements that make what was sent documents of a version. */
export function joined(key: number, version: number, { id }: BegunSending): readonly Sql[] {
  return [
    {
      sql: `INSERT INTO hermes_sync.bodies (key, document, version, body)
        SELECT key, document, $3, string_agg(body, '' ORDER BY part) FROM hermes_sync.parts
        WHERE ${ofSending} GROUP BY key, document
        ON CONFLICT (person, key, document)
        DO UPDATE SET version = excluded.version, body = excluded.body, changed_at = now()`,
      values: [key, id, version],
    },
    { sql: `DELETE FROM hermes_sync.parts WHERE ${ofSending}`, values: [key, id] },
  ];
}

/** Parts that follow what is there of a document. */
function* partsOf(one: SentDocument, cut: BegunSending['cut'], chars: number): Generator<SentPart> {
  const isCut = cut?.whole.document === one.document && cut.whole.change === one.change && one.change !== undefined;
  const whole = isCut ? cut.whole : one;
  const text = whole.body;
  if (text === null) return yield { whole, part: 0, body: null, end: null };
  let [part, from] = isCut ? [cut.part, cut.end] : [0, 0];
  do {
    let end = from + chars;
    // Two units of UTF-16 may be one character.
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end--;
    yield { whole, part: part++, body: text.slice(from, end), end: end < text.length ? end : null };
    from = end;
  } while (from < text.length);
}
