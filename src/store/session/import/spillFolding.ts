import type { SqlDatabase } from '../../engine/sqlDatabase';
import type { FoldedSpill, SpilledRequest, SpilledTurn } from '../../sessionStore';
import { isUnknownOutcome, StoreError } from '../../storeError';
import type { Message } from '../../../transcript/message';
import type { Session } from '../../../transcript/session';
import type { Turn } from '../../../transcript/turn';
import { keepsDelivered } from '../tables/chunkFolding';
import { textOr } from '../tables/columns';
import type { MessageTable } from '../tables/messageTable';
import type { SessionTable } from '../tables/sessionTable';
import { isOfOtherStore } from '../tables/storeUid';
import type { TranscriptRewriting } from '../operations/transcriptRewriting';
import type { TurnLifecycle } from '../operations/turnLifecycle';
import { insertRunningTurn } from '../operations/turnSeed';
import type { TurnTable } from '../tables/turnTable';

/** Applies the requests of a spill file, inside its caller's transaction. The number of applied requests is stored
 *  in the same transaction, so a file that could not be removed, or exists twice, is folded once. */
export class SpillFolding {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
    private readonly messages: MessageTable,
    private readonly turns: TurnTable,
    private readonly turnLifecycle: TurnLifecycle,
    private readonly rewriting: TranscriptRewriting,
    private readonly now: () => number,
  ) {}

  fold(spill: SpilledTurn): FoldedSpill {
    if (isOfOtherStore(spill.storeUid, (key) => this.meta(key))) return { kind: 'otherStore' };
    const done = Number(this.meta(markOf(spill)) ?? '-1');
    if (done >= spill.requests.length) return { kind: 'folded', refused: [] };
    this.restore(spill);
    const refused = spill.requests.slice(Math.max(done, 0)).flatMap((request) => this.attempt(spill, request));
    this.keepTogether(spill);
    this.database.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', [
      markOf(spill),
      String(spill.requests.length),
    ]);
    return { kind: 'folded', refused };
  }

  /** Restores the rows that the turn depends on if this store lost them or settled the turn: the file was damaged,
   *  an older copy was restored, or another owner settled the turn as a crash. */
  private restore(spill: SpilledTurn): void {
    for (const session of spill.sessions) if (this.sessions.find(session.id) === null) this.createSession(session);
    const turn = this.turns.find(spill.turn.uid);
    if (turn === null) insertRunningTurn(this.database, spill.turn, this.sessions.require(spill.turn.sessionId));
    else if (turn.state === 'settled' && turn.stopReason === 'crash') this.reopen(turn);
    for (const row of spill.rows) this.restoreRow(row);
  }

  private createSession(session: Session): void {
    const { id, startedAt, parentSessionId, parentKind, model, folder, title, titleSource } = session;
    const hasParent = parentSessionId !== null && this.sessions.find(parentSessionId) !== null;
    this.sessions.create({
      id,
      startedAt,
      model,
      folder,
      title,
      titleSource,
      ...(hasParent ? { parentSessionId, parentKind } : {}),
    });
  }

  /** Removes the rows that settling it as a crash added: the closing row and the results of calls that were still
   *  open. */
  private reopen(turn: Turn): void {
    this.database.run(
      `UPDATE turns SET state = 'running', outcome = NULL, stop_reason = NULL, failure = NULL, settled_at = NULL
       WHERE uid = ?`,
      [turn.uid],
    );
    for (const row of this.messages.ofTurn(turn.uid)) {
      const isSynthetic =
        row.visibility.kind === 'closing' ||
        (row.role === 'tool' && row.uid.endsWith(`/result/${row.parts[0].callId}`));
      if (isSynthetic) this.messages.remove(row.uid);
    }
  }

  private restoreRow(row: Message): void {
    const stored = this.messages.find(row.uid);
    if (stored === null) this.messages.insert(row, this.messages.endPosition(row.sessionId));
    // A write whose outcome was unknown may have stored more than this process knows.
    else if (isOlder(stored.message, row)) this.messages.upsert(row, () => row.position);
  }

  /** Applies a request. Returns the reason when it is refused, else nothing. A refused request leaves no trace; a
   *  disk failure rolls back the whole folding. */
  private attempt(spill: SpilledTurn, request: SpilledRequest): readonly string[] {
    this.database.run('SAVEPOINT spilled');
    try {
      this.perform(spill, request);
      this.database.run('RELEASE spilled');
      return [];
    } catch (error) {
      if (!(error instanceof StoreError) || isUnknownOutcome(error)) throw error;
      this.database.run('ROLLBACK TO spilled');
      this.database.run('RELEASE spilled');
      return [`${request.method}: ${error.technical}`];
    }
  }

  private perform(spill: SpilledTurn, request: SpilledRequest): void {
    switch (request.method) {
      case 'appendChunks':
        // Reopens an answer that was settled as a crash.
        for (const { messageUid, seq } of request.args[0].chunks) {
          this.database.run(
            "UPDATE messages SET state = 'streaming' WHERE uid = ? AND state = 'final' AND last_seq < ?",
            [messageUid, seq],
          );
        }
        return this.turnLifecycle.append(request.args[0]);
      case 'putMessages':
        return void this.turnLifecycle.put(request.args[0]);
      case 'repairTranscript':
        return void this.rewriting.repair(request.args[0], this.now());
      case 'addUsage':
        return this.turnLifecycle.addUsage(...request.args);
      case 'settleTurn':
        this.keepTogether(spill);
        return void this.turnLifecycle.settle(request.args[0]);
      default:
        return request satisfies never;
    }
  }

  /** Moves the turn's rows that were stored after those of a later turn, begun in another window meanwhile, back to
   *  their turn. */
  private keepTogether({ turn }: SpilledTurn): void {
    const rows = this.messages.ofTurn(turn.uid).filter((row) => row.carriedFrom === null);
    rows.forEach((row, index) => {
      const before = rows[index - 1];
      if (
        before === undefined ||
        before.sessionId !== row.sessionId ||
        !this.isLaterTurnBetween(turn.uid, before.uid, row.uid)
      )
        return;
      this.messages.move(row.uid, this.messages.positionAfter(row.sessionId, before.uid));
    });
  }

  private isLaterTurnBetween(turnUid: string, first: string, second: string): boolean {
    const between = this.database.get(
      `SELECT 1 AS n FROM messages m JOIN turns t ON t.uid = m.turn_uid, messages a, messages b
       WHERE a.uid = ? AND b.uid = ? AND m.session_id = a.session_id AND m.position > a.position
       AND m.position < b.position
         AND t.id > (SELECT id FROM turns WHERE uid = ?) LIMIT 1`,
      [first, second, turnUid],
    );
    return between !== undefined;
  }

  private meta(key: string): string | null {
    const row = this.database.get('SELECT value FROM state_meta WHERE key = ?', [key]);
    return row === undefined ? null : textOr(row, 'value', null);
  }
}

function markOf({ spillUid }: SpilledTurn): string {
  return `spill/${spillUid}`;
}

/** True when the store holds less of this answer than this process knows to be stored. */
function isOlder(stored: Message, known: Message): boolean {
  if (stored.role !== 'assistant' || known.role !== 'assistant' || stored.state === 'final') return false;
  return (known.state === 'final' || stored.lastSeq < known.lastSeq) && keepsDelivered(stored.parts, known.parts);
}
