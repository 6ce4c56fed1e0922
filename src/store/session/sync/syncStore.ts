import { parsedJson, parsedAs } from '../../../transcript/json';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { newerSession } from '../../engine/sqlFailure';
import { StoreError } from '../../storeError';
import { schemaVersion } from '../../schema/migrations';
import { countOf, readNumber, readText, hasRow, texts, textIn } from '../tables/columns';
import type {
  ChainedVersion,
  ChangedDocument,
  Forgotten,
  ForgottenCopies,
  Incarnation,
  Outgoing,
  ReadState,
  Received,
  ReceiveOutcome,
  SentDocument,
  ServerDocument,
  ServerHeads,
  SyncedStore,
  WaitingChanges,
} from '../../syncing';
import { combined, erasedTail, headsDigest } from '../../headsDigest';
import { NewerBodies, newestStore } from './newerBodies';
import { noteDifferences, noteSame } from './syncComparison';
import { kindOf, receivedRows, SyncDocuments } from './syncDocuments';
import { SyncSplit } from './syncSplit';
import { noteKept, noteWanted } from '../tables/keptElsewhere';
import { beginSync, endSync, noteConversation } from './syncTables';
import { StorePart } from '../tables/storePart';
import type { ImportingStore } from '../import/copyToThisFolder';

const sentSchema = v.object({ tail: v.string(), changes: v.record(v.string(), v.number()) });
/** Versions of a conversation that are remembered: a server that lost more than the last ones is compared with in
 *  full. */
const chainLength = 32;

/** Keys of small values: sessions whose copies outside this store are still to be erased. They end in `!`, so that they
 *  are not deleted with the session. */
const copiesKey = 'copies-of:';
/** Milliseconds of one `noteMore`. */
const noteMs = 20;
/** Conversations with changes that can be sent now. */
const sendable = `FROM (SELECT conversation_id, min(at) AS at, min(change) AS first
  FROM sync_changes GROUP BY conversation_id) c
  WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.conversation_id = c.conversation_id)
    AND NOT EXISTS (SELECT 1 FROM sync_unnoted u WHERE u.conversation_id = c.conversation_id)
    AND NOT EXISTS (SELECT 1 FROM sync_newer n WHERE n.conversation_id = c.conversation_id)
    AND NOT EXISTS (SELECT 1 FROM sessions s
      WHERE s.conversation_id = c.conversation_id AND (s.private = 1 OR s.pending IS NOT NULL))
    AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.conversation_id = c.conversation_id AND t.state <> 'settled')`;
const isTranscript = (document: string): boolean => kindOf(document) !== 'marks';
const isOfTurn = (document: string): boolean => kindOf(document) === 'turn' || kindOf(document) === 'message';

function idFrom(...texts: readonly string[]): string {
  const digits = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-');
}

/** The store's side of the exchange with a server. Each call is one transaction. */
export class SyncStore extends StorePart<ImportingStore> implements SyncedStore {
  private readonly documents = new SyncDocuments(this.store);
  private readonly splitting = new SyncSplit(this.store);
  private readonly newer = new NewerBodies(this.store);

  /** `erase`: erases a conversation and all that belongs to it. Throws `conversation-busy` while a turn is open. */
  constructor(
    store: ImportingStore,
    private readonly erase: (conversationId: string) => void,
  ) {
    super(store);
  }

  begin(): void {
    this.write(() => beginSync(this.database));
  }

  noteMore(): boolean {
    const readable = this.newer.readable();
    if (readable !== null) {
      this.takeIn(readable);
      return true;
    }
    const until = this.store.transactions.monotonicMs() + noteMs;
    return this.write(() => {
      do {
        const row = this.database.get('SELECT conversation_id FROM sync_unnoted LIMIT 1');
        if (row === undefined) return false;
        noteConversation(this.database, readText(row, 'conversation_id', ''));
      } while (this.store.transactions.monotonicMs() < until);
      return true;
    });
  }

  connecting(origin: string, next: string): Incarnation {
    return this.write(() => {
      this.database.run('DELETE FROM sync_self WHERE origin <> ?', [origin]);
      const row = this.database.get('SELECT noted, next_one FROM sync_self WHERE origin = ?', [origin]) ?? {};
      const before = readText(row, 'noted', null);
      // Their numbers tell a server that was put back from a copy of this store. They are compared as text.
      const number = String(Number.parseInt(/^\d{9}(?=\.)/.exec(before ?? '')?.[0] ?? '0', 10) + 1).padStart(9, '0');
      const now = readText(row, 'next_one', `${number}.${next}`);
      this.database.run('INSERT OR REPLACE INTO sync_self (origin, noted, next_one) VALUES (?, ?, ?)', [
        origin,
        before,
        now,
      ]);
      return { before, now };
    });
  }

  connected(origin: string, noted: string): void {
    const sql = 'UPDATE sync_self SET noted = next_one, next_one = NULL WHERE origin = ? AND next_one = ?';
    this.write(() => this.database.run(sql, [origin, noted]));
  }

  end(): void {
    this.write(() => endSync(this.database));
  }

  pending(): readonly string[] {
    return this.store.transactions.read(() =>
      this.names(`SELECT c.conversation_id AS name ${sendable} ORDER BY c.first`),
    );
  }

  outgoing(conversationId: string): Outgoing | null {
    return this.store.transactions.read(() => {
      if (this.isBusy(conversationId) || this.isUnnoted(conversationId) || this.newer.has(conversationId)) return null;
      const documents = this.database
        .all('SELECT change, document FROM sync_changes WHERE conversation_id = ? ORDER BY change', [conversationId])
        .map((row): ChangedDocument => ({
          document: readText(row, 'document', ''),
          change: readNumber(row, 'change', 0),
        }));
      const base = this.version(conversationId);
      const baseTail = this.chain(conversationId).find(({ version }) => version === base)?.tail ?? null;
      return documents.length === 0 ? null : { base, baseTail, documents };
    });
  }

  bodies(conversationId: string, documents: readonly string[]): readonly SentDocument[] | null {
    return this.store.transactions.read(() =>
      this.isBusy(conversationId) ? null : this.documents.read(conversationId, documents),
    );
  }

  status(): WaitingChanges {
    return this.store.transactions.read(() => {
      const row = this.database.get(`SELECT count(*) AS n, min(c.at) AS at ${sendable}`);
      const forgotten = countOf(this.database, 'SELECT count(*) AS n FROM sync_forgotten');
      return {
        conversations: readNumber(row ?? {}, 'n', 0) + forgotten,
        oldestAt: readNumber(row ?? {}, 'at', null),
        newer: this.newer.all(),
      };
    });
  }

  version(conversationId: string): number {
    const row = this.database.get('SELECT version FROM sync_conversations WHERE conversation_id = ?', [conversationId]);
    return row === undefined ? 0 : readNumber(row, 'version', 0);
  }

  chain(conversationId: string): readonly ChainedVersion[] {
    return this.database
      .all('SELECT version, tail FROM sync_chain WHERE conversation_id = ? ORDER BY version DESC', [conversationId])
      .map((row) => ({ version: readNumber(row, 'version', 0), tail: readText(row, 'tail', '') }));
  }

  changed(conversationId: string): readonly string[] {
    this.noteNow(conversationId);
    return this.names(
      'SELECT document AS name FROM sync_changes WHERE conversation_id = ? ORDER BY name',
      conversationId,
    );
  }

  transcriptDocuments(conversationId: string): readonly string[] {
    return this.names(
      `SELECT 'turn/' || uid AS name FROM turns WHERE conversation_id = ?1
       UNION ALL SELECT 'message/' || m.uid FROM messages m JOIN sessions s ON s.id = m.session_id
       WHERE s.conversation_id = ?1 AND m.turn_uid IS NULL`,
      conversationId,
    );
  }

  beginSending(conversationId: string, documents: readonly ChangedDocument[], tail: string): void {
    const changes = Object.fromEntries(documents.map(({ document, change }) => [document, change]));
    this.write(() => {
      this.database.run(
        `INSERT INTO sync_conversations (conversation_id, sent_changes) VALUES (?1, ?2)
         ON CONFLICT (conversation_id) DO UPDATE SET sent_changes = ?2`,
        [conversationId, JSON.stringify({ tail, changes })],
      );
      this.store.broughtBack.sending(conversationId, tail);
    });
  }

  sending(conversationId: string): string | null {
    return this.sentChanges(conversationId)?.tail ?? null;
  }

  sent(conversationId: string, version: number): void {
    this.write(() => {
      const sent = this.sentChanges(conversationId);
      for (const [document, change] of Object.entries(sent?.changes ?? {})) {
        this.database.run('DELETE FROM sync_changes WHERE document = ? AND change = ?', [document, change]);
        if (!isTranscript(document))
          this.database.run('DELETE FROM sync_marks WHERE conversation_id = ? AND change <= ?', [
            conversationId,
            change,
          ]);
      }
      if (sent !== null) {
        this.noteChain(conversationId, version, [{ version, tail: sent.tail }]);
        this.store.broughtBack.sent(conversationId, version, sent.tail);
      }
      this.database.run('UPDATE sync_conversations SET version = ?, sent_changes = NULL WHERE conversation_id = ?', [
        version,
        conversationId,
      ]);
      this.database.run('UPDATE sync_heads SET machine = NULL WHERE conversation_id = ?', [conversationId]);
    });
  }

  notSent(conversationId: string): void {
    this.write(() =>
      this.database.run('UPDATE sync_conversations SET sent_changes = NULL WHERE conversation_id = ?', [
        conversationId,
      ]),
    );
  }

  read(): ReadState | null {
    const row = this.database.get('SELECT generation, changes, digest FROM sync_read');
    if (row === undefined) return null;
    return {
      generation: readText(row, 'generation', ''),
      changes: readNumber(row, 'changes', 0),
      digest: readNumber(row, 'digest', null),
    };
  }

  noteHeads({ generation, changes, digest, heads }: ServerHeads, origin: string, isAll: boolean): boolean {
    return this.write(() => {
      if (isAll)
        this.database.run('DELETE FROM sync_heads WHERE conversation_id NOT IN (SELECT value FROM json_each(?))', [
          JSON.stringify(heads.map(({ conversationId }) => conversationId)),
        ]);
      const before = this.database.get('SELECT digest FROM sync_read') ?? {};
      let known = readNumber(before, 'digest', 0);
      for (const head of heads) {
        const { conversationId, version, tail, machine } = head;
        const row = this.database.get('SELECT version, tail FROM sync_heads WHERE conversation_id = ?', [
          conversationId,
        ]);
        const old = {
          conversationId,
          version: readNumber(row ?? {}, 'version', 0),
          tail: readText(row ?? {}, 'tail', null),
        };
        known = combined(known, headsDigest([old, head]));
        this.database.run(
          `INSERT INTO sync_heads (conversation_id, version, tail, machine) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (conversation_id) DO UPDATE SET version = ?2, tail = ?3, machine = ?4,
             is_left = is_left AND version = ?2 AND tail IS ?3`,
          [conversationId, version, tail, head.origin === origin ? null : machine],
        );
      }
      if (!isAll && digest !== null && digest !== known) return false;
      this.database.run(
        'INSERT OR REPLACE INTO sync_read (only_row, generation, changes, digest) VALUES (1, ?, ?, ?)',
        [generation, changes, digest ?? known],
      );
      return true;
    });
  }

  due(): readonly string[] {
    return this.names(
      `SELECT h.conversation_id AS name FROM sync_heads h
           LEFT JOIN sync_conversations c ON c.conversation_id = h.conversation_id
           LEFT JOIN sync_chain k ON k.conversation_id = h.conversation_id AND k.version = c.version
           LEFT JOIN sync_erased e ON e.conversation_id = h.conversation_id
         WHERE NOT (c.version IS h.version AND k.tail IS h.tail)
           -- Until a look shows that it is erased there, the server may lose that.
           AND (h.is_left = 0 OR e.conversation_id IS NOT NULL)
           AND NOT (h.tail IS '${erasedTail}' AND e.conversation_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.conversation_id = h.conversation_id))
         UNION SELECT c.conversation_id FROM sync_conversations c WHERE c.version > 0
           AND NOT EXISTS (SELECT 1 FROM sync_heads h WHERE h.conversation_id = c.conversation_id)
         ORDER BY 1`,
    );
  }

  forgotten(): readonly Forgotten[] {
    return this.names('SELECT conversation_id AS name FROM sync_forgotten ORDER BY name').map((conversationId) => ({
      conversationId,
      known: JSON.stringify(this.chain(conversationId)[0] ?? {}),
    }));
  }

  forgottenThere(conversationId: string): void {
    this.write(() => {
      this.leave(conversationId);
      this.database.run('INSERT OR IGNORE INTO sync_erased (conversation_id) VALUES (?)', [conversationId]);
      this.database.run('DELETE FROM sync_kept WHERE conversation_id = ?', [conversationId]);
    });
  }

  isErased(conversationId: string): boolean {
    return this.finds(
      `SELECT 1 AS n FROM sync_erased WHERE conversation_id = ?1
       UNION ALL SELECT 1 FROM sync_forgotten WHERE conversation_id = ?1`,
      conversationId,
    );
  }

  forget(conversationId: string, known: string | null): boolean {
    const kept = this.write(() =>
      this.isBusy(conversationId) ? 'later' : this.store.broughtBack.keep(conversationId, known),
    );
    if (kept === 'later') return false;
    try {
      if (this.exists(conversationId)) {
        // Before the rows go: after a crash it is still to be done.
        const ids = JSON.stringify(this.store.forgetting.belonging(conversationId));
        if (kept === 'none') this.write(() => this.store.meta.set(`${copiesKey}${conversationId}!`, ids));
        this.erase(conversationId);
      }
    } catch (error) {
      if (error instanceof StoreError && error.causeClass === 'conversation-busy') return false;
      throw error;
    }
    // The erasing noted it as to be erased on the server, where it came from.
    this.write(() => this.database.run('DELETE FROM sync_forgotten WHERE conversation_id = ?', [conversationId]));
    return true;
  }

  copies(): readonly ForgottenCopies[] {
    return this.database
      .all(`SELECT key, value FROM state_meta WHERE key >= '${copiesKey}' AND key < '${copiesKey}~' ORDER BY key`)
      .map((row) => ({
        conversationId: readText(row, 'key', '').slice(copiesKey.length, -1),
        sessionIds: v.parse(v.fallback(v.array(v.string()), []), parsedJson(readText(row, 'value', ''))),
      }));
  }

  copiesForgotten(conversationId: string): void {
    this.write(() => this.store.meta.delete(`${copiesKey}${conversationId}!`));
  }

  trashForgotten(conversationId: string, known: string | null): 'trashed' | 'kept' | 'gone' | 'busy' {
    const kept = this.write(() => {
      if (this.isBusy(conversationId)) return 'later';
      const found = this.store.broughtBack.keep(conversationId, known);
      // What nobody has proven is removed here only.
      if (found === 'kept')
        noteKept(this.database, conversationId, JSON.stringify(this.store.forgetting.belonging(conversationId)));
      return found;
    });
    if (kept === 'later') return 'busy';
    if (kept === 'kept') this.erase(conversationId);
    return this.write(() => {
      const isNew = !this.isPrivate(conversationId);
      if (isNew) this.keepInTrash(conversationId);
      this.leave(conversationId);
      if (!this.exists(conversationId)) return 'gone';
      return isNew ? 'trashed' : 'kept';
    });
  }

  receive(input: Received): ReceiveOutcome {
    const { conversationId, documents } = input;
    const store = newestStore(documents);
    try {
      return this.write(() => this.received(input));
    } catch (error) {
      if (store <= schemaVersion || !(error instanceof StoreError) || error.causeClass !== 'invalid') throw error;
      // A value that this build cannot store. What is here stays as it is, and waits.
      this.write(() => this.newer.hold(conversationId, store));
      throw newerSession(error.technical);
    }
  }

  /** Writes what a newer build sent, now that this one is as new. */
  private takeIn(conversationId: string): void {
    try {
      this.write(() => {
        const bodies = this.newer.bodies(conversationId);
        const lastChange = this.lastChange();
        const changed = new Set(this.changed(conversationId));
        const merged = bodies.flatMap((one) =>
          !isTranscript(one.document) && changed.has(one.document) ? this.mergedMarks(conversationId, one) : [],
        );
        this.newer.drop(conversationId);
        // What the server lost is still to be sent, and so are marks that were merged: they are written last.
        this.writeServers(conversationId, [...bodies, ...merged], { kept: changed, lastChange });
      });
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'invalid') throw error;
      // The server gives all of it again.
      this.write(() => {
        this.newer.drop(conversationId);
        for (const table of ['sync_conversations', 'sync_chain'])
          this.database.run(`DELETE FROM ${table} WHERE conversation_id = ?`, [conversationId]);
      });
    }
  }

  private received(input: Received): ReceiveOutcome {
    const { conversationId, version, base, documents, machine } = input;
    if (this.isBusy(conversationId)) return 'busy';
    if (this.isPrivate(conversationId) || this.staysAway(input)) {
      this.leave(conversationId);
      return 'received';
    }
    const own = this.version(conversationId);
    if (base > own) return 'again';
    if (base === own && version === own) return this.finished(input);
    if (this.isUnnoted(conversationId)) noteConversation(this.database, conversationId);
    const same =
      base === own
        ? noteSame(this.database, this.documents, input)
        : noteDifferences(this.database, this.documents, input);
    const changed = this.changed(conversationId);
    const byName = new Map<string, ServerDocument>(documents.map((one) => [one.document, one]));
    // The server gave all that it has.
    if (base !== own)
      for (const document of changed)
        if (!byName.has(document)) byName.set(document, { document, version: 0, body: null });
    // A change that was made while the documents were on their way.
    if (changed.some((document) => !byName.has(document))) return 'again';
    const lastChange = this.lastChange();
    const isNewer = this.newer.has(conversationId);
    this.newer.release(conversationId);
    const news = documents.filter((one) => one.version > base && !same.has(one.document));
    const isDivided = changed.some(isTranscript) && news.some(({ document }) => isTranscript(document));
    const kept = new Set(isDivided ? changed.filter((document) => !isTranscript(document)) : changed);
    let hasBranch = false;
    // Other machines may have had what the server lost, and make a branch of it too: it is the same one.
    const branchId = base === own ? input.branchId : idFrom(conversationId, ...changed.filter(isOfTurn));
    if (isDivided) {
      const unknown = new Set(changed.filter((document) => byName.get(document)?.body === null));
      hasBranch = changed.some(
        (document) =>
          isOfTurn(document) && this.documents.hasMore(conversationId, document, byName.get(document)?.body ?? null),
      );
      // The branch would lack what this build does not know.
      if (hasBranch && isNewer) throw newerSession(`${conversationId} is divided`);
      // Only hidden or shown here: nothing that the other machine does not have.
      if (hasBranch) this.splitting.split({ conversationId, branchId, machine, changed, unknown, now: this.now() });
    }
    const marks = documents.find(({ document, version: at }) => !isTranscript(document) && at > base);
    const merged = marks !== undefined && kept.has(marks.document) ? this.mergedMarks(conversationId, marks) : [];
    const written = [...byName.values()].filter(
      (one) =>
        !kept.has(one.document) &&
        !same.has(one.document) &&
        (one.version > base || (isDivided && changed.includes(one.document))),
    );
    const keptId = input.isProven ? null : this.keepRemoved(input, written);
    this.writeServers(conversationId, [...written, ...merged], { kept, lastChange });
    if (hasBranch) this.recount(branchId);
    this.newer.keep(conversationId, documents, base === own ? null : kept);
    this.finished(input);
    if (keptId !== null) return { keptId };
    return hasBranch ? { branchId } : 'received';
  }

  /** Writes documents from the server: they are no changes of this machine. `kept`: documents whose changes are still
   *  to be sent. `lastChange`: the last one of this machine. */
  private writeServers(
    conversationId: string,
    documents: readonly SentDocument[],
    { kept, lastChange }: { readonly kept: Iterable<string>; readonly lastChange: number },
  ): void {
    this.documents.write(conversationId, documents);
    this.documents.shareMarks(conversationId);
    this.recount(conversationId);
    this.database.run('DELETE FROM sync_changes WHERE conversation_id = ? AND change > ?', [
      conversationId,
      lastChange,
    ]);
    for (const document of kept)
      this.database.run('INSERT OR IGNORE INTO sync_changes (document, conversation_id) VALUES (?, ?)', [
        document,
        conversationId,
      ]);
  }

  private lastChange(): number {
    return readNumber(this.database.get('SELECT max(change) AS n FROM sync_changes') ?? {}, 'n', 0);
  }

  /** True for a conversation that was removed here only, as long as it is in the trash and nobody goes on in it. */
  private staysAway({ conversationId, version, documents }: Received): boolean {
    const row = this.database.get('SELECT root, version FROM sync_kept WHERE conversation_id = ?', [conversationId]);
    if (row === undefined) return false;
    const marks = documents.find(({ document }) => !isTranscript(document));
    const body = marks?.body ?? null;
    const there = marks === undefined || body === null ? null : receivedRows(marks.document, body).sessions?.[0];
    const isOlder = documents.every(
      (one) => !isOfTurn(one.document) || one.body === null || one.version <= readNumber(row, 'version', 0),
    );
    const isSubAgent = readText(row, 'root', '') !== conversationId;
    if (!this.exists(conversationId) && isOlder && (isSubAgent || (there?.['trashed_at'] ?? null) !== null)) {
      this.database.run('UPDATE sync_kept SET version = ? WHERE conversation_id = ?', [version, conversationId]);
      return true;
    }
    noteWanted(this.database, conversationId);
    return false;
  }

  /** The server's marks with those that were changed here. None when it is not known which were: all are kept. */
  private mergedMarks(conversationId: string, there: SentDocument): readonly SentDocument[] {
    const changed = this.names('SELECT mark AS name FROM sync_marks WHERE conversation_id = ?', conversationId);
    const [here] = this.documents.read(conversationId, [there.document]);
    const [own, other] = [here?.body ?? null, there.body].map((body) =>
      body === null ? undefined : receivedRows(there.document, body).sessions?.[0],
    );
    if (changed.length === 0 || own === undefined || other === undefined) return [];
    const row = { ...other, ...Object.fromEntries(changed.map((mark) => [mark, own[mark] ?? null])) };
    return [{ document: there.document, body: JSON.stringify({ sessions: [row] }) }];
  }

  /** Keeps in the trash what these documents would remove here. Returns the id of that session; null for nothing. */
  private keepRemoved({ conversationId, machine }: Received, written: readonly ServerDocument[]): string | null {
    const removed = written.filter(
      ({ document, body }) => isOfTurn(document) && this.documents.hasMore(conversationId, document, body),
    );
    if (removed.length === 0) return null;
    const changed = removed.map(({ document }) => document);
    const keptId = idFrom(
      conversationId,
      'kept',
      ...removed.flatMap(({ document, version }) => [document, String(version)]),
    );
    this.splitting.keep({
      conversationId,
      branchId: keptId,
      machine,
      changed,
      unknown: new Set(),
      now: this.now(),
    });
    this.recount(keptId);
    this.keepInTrash(keptId);
    return keptId;
  }

  /** Nothing is known of the server's form any more: what is erased here later is not erased there. */
  private leave(conversationId: string): void {
    for (const table of ['sync_forgotten', 'sync_conversations', 'sync_chain'])
      this.database.run(`DELETE FROM ${table} WHERE conversation_id = ?`, [conversationId]);
    this.newer.drop(conversationId);
    this.database.run('UPDATE sync_heads SET is_left = 1 WHERE conversation_id = ?', [conversationId]);
  }

  /** Private: nothing of it is sent. */
  private keepInTrash(conversationId: string): void {
    this.database.run(
      'UPDATE sessions SET private = 1, trashed_at = coalesce(trashed_at, ?2) WHERE conversation_id = ?1',
      [conversationId, this.now()],
    );
    for (const table of ['sync_changes', 'sync_unnoted'])
      this.database.run(`DELETE FROM ${table} WHERE conversation_id = ?`, [conversationId]);
  }

  private finished({ conversationId, version, base, chain }: Received): ReceiveOutcome {
    this.database.run('DELETE FROM sync_chain WHERE conversation_id = ? AND version > ?', [conversationId, base]);
    this.noteChain(conversationId, version, chain);
    this.database.run(
      `INSERT INTO sync_conversations (conversation_id, version) VALUES (?1, ?2)
       ON CONFLICT (conversation_id) DO UPDATE SET version = ?2`,
      [conversationId, version],
    );
    this.store.broughtBack.compared(conversationId, base);
    return 'received';
  }

  /** `newest`: the conversation's version now. */
  private noteChain(conversationId: string, newest: number, versions: readonly ChainedVersion[]): void {
    for (const { version, tail } of versions)
      this.database.run('INSERT OR REPLACE INTO sync_chain (conversation_id, version, tail) VALUES (?, ?, ?)', [
        conversationId,
        version,
        tail,
      ]);
    this.database.run('DELETE FROM sync_chain WHERE conversation_id = ? AND version <= ?', [
      conversationId,
      newest - chainLength,
    ]);
  }

  private sentChanges(conversationId: string): v.InferOutput<typeof sentSchema> | null {
    const sql = 'SELECT sent_changes FROM sync_conversations WHERE conversation_id = ?';
    return parsedAs(sentSchema, textIn(this.database, sql, [conversationId]));
  }

  private recount(conversationId: string): void {
    this.database.run(
      `UPDATE sessions SET turn_count = (SELECT count(*) FROM turns t WHERE t.session_id = sessions.id
         AND EXISTS (SELECT 1 FROM messages m WHERE m.turn_uid = t.uid AND m.active = 1)) WHERE conversation_id = ?`,
      [conversationId],
    );
  }

  private exists(conversationId: string): boolean {
    return this.finds('SELECT 1 AS n FROM sessions WHERE conversation_id = ?', conversationId);
  }

  private isPrivate(conversationId: string): boolean {
    return this.finds('SELECT 1 AS n FROM sessions WHERE conversation_id = ? AND private = 1', conversationId);
  }

  private isUnnoted(conversationId: string): boolean {
    return this.finds('SELECT 1 AS n FROM sync_unnoted WHERE conversation_id = ?', conversationId);
  }

  private noteNow(conversationId: string): void {
    if (this.isUnnoted(conversationId)) this.write(() => noteConversation(this.database, conversationId));
  }

  private write<T>(work: () => T): T {
    return this.store.transactions.write(work);
  }

  /** True while a turn is open, and while its rows are erased or made, batch by batch. */
  private isBusy(conversationId: string): boolean {
    return this.finds(
      `SELECT 1 AS n FROM turns WHERE conversation_id = ?1 AND state <> 'settled'
       UNION ALL SELECT 1 FROM sessions WHERE conversation_id = ?1 AND pending IS NOT NULL`,
      conversationId,
    );
  }

  private finds(sql: string, conversationId: string): boolean {
    return hasRow(this.database, sql, [conversationId]);
  }

  /** The texts in the column `name`. */
  private names(sql: string, ...values: readonly string[]): readonly string[] {
    return texts(this.database, sql, values);
  }
}
