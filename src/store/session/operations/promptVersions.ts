import { t } from '../../../base/translate';
import type { SqlRow } from '../../engine/sqlDatabase';
import type { PromptVersions, ShowVersion } from '../../conversations';
import type { Session } from '../../../transcript/session';
import type { HiddenRange } from '../tables/activeRows';
import { readText, hasRow } from '../tables/columns';
import type { BatchedWork } from '../tables/inBatches';
import { busy, invalid, refused } from '../tables/refusal';
import type { Exchange, ShowingState } from './rangeHiding';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from './storeOperations';

type VersionReason = 'retried' | 'edited';

/** Versions of a prompt: turns that replaced one another at the same position. One of them is shown; the rows of the
 *  others, and of everything after them, are hidden and marked with their turn. Everything before the position is
 *  the same for all versions, so the rows after it are always exchanged as a whole. Every method runs inside its
 *  caller's transaction. */
export class PromptVersionTable extends StorePart<StoreOperations> {
  /** The range to hide, as a version, when another turn replaces a settled one: its rows and everything after
   *  them. */
  rangeOf(turnUid: string, reason: VersionReason, session: Session): HiddenRange {
    const turn = this.turns.require(turnUid);
    this.store.ranges.settle(session.id);
    if (turn.state !== 'settled') throw invalid(`turn ${turnUid} is ${turn.state} and cannot be asked again`);
    if (this.sessions.require(turn.sessionId).conversationId !== session.conversationId)
      throw invalid(`turn ${turnUid} belongs to another conversation`);
    const start = this.store.rows.startOfTurn(session.id, turnUid);
    const prompt = this.messages.find(this.store.rows.nameInSegment(session.id, turn.userMessageUid))?.message;
    if (start === null || prompt?.sessionId !== session.id)
      throw refused(
        t('This message is no longer in the open session. Nothing was changed.'),
        `turn ${turnUid} has no rows shown in session ${session.id}`,
      );
    return { sessionId: session.id, from: start, reason, version: turnUid };
  }

  /** Called when the turn is hidden. Also removes its prompt from an earlier row to which it was joined. */
  replaced(turnUid: string, reason: VersionReason, segmentId: string): readonly string[] {
    return this.store.joined.takeBack(this.turns.require(turnUid), segmentId, reason);
  }

  of(sessionId: string): readonly PromptVersions[] {
    const { conversationId } = this.sessions.require(sessionId);
    const tip = this.sessions.tip(sessionId);
    return this.forks(conversationId)
      .flatMap((versions) => {
        const shown = versions.find((uid) => this.store.rows.startOfTurn(tip, uid) !== null);
        const reachable = versions.filter((uid) => uid === shown || this.isKept(uid));
        return shown === undefined || reachable.length < 2
          ? []
          : [{ turnUid: shown, versions: reachable, start: this.store.rows.startOfTurn(tip, shown) ?? 0 }];
      })
      .sort((a, b) => a.start - b.start)
      .map(({ turnUid, versions }) => ({ turnUid, versions }));
  }

  showing(input: ShowVersion): BatchedWork<ShowingState<string>, readonly string[]> {
    return this.store.ranges.exchanging<string, readonly string[]>(
      () => this.beginShowing(input),
      (tip, uids) => {
        this.sessions.touch(tip, input.now);
        return uids;
      },
    );
  }

  private beginShowing({
    sessionId,
    turnUid,
  }: ShowVersion): { readonly begun: string; readonly exchange: Exchange } | { readonly answer: readonly string[] } {
    const { conversationId } = this.sessions.require(sessionId);
    const open = this.turns.openOf(conversationId);
    if (open !== null) throw busy(t('This session is still answering. Stop it before you show another version.'), open);
    this.store.ranges.settle(this.sessions.tip(sessionId));
    const fork = this.of(sessionId).find(({ versions }) => versions.includes(turnUid));
    if (fork === undefined)
      throw refused(
        t('This message is no longer in the open session. Nothing was changed.'),
        `turn ${turnUid} is no version of a prompt shown`,
      );
    if (fork.turnUid === turnUid) return { answer: [] };
    const tip = this.sessions.tip(sessionId);
    const reason = this.reasonOf(turnUid);
    const hidden = {
      sessionId: tip,
      from: this.store.rows.startOfTurn(tip, fork.turnUid) ?? 0,
      reason,
      version: fork.turnUid,
    };
    const between = (): readonly string[] => this.replaced(fork.turnUid, reason, tip);
    return { begun: tip, exchange: { hidden, shown: { mark: turnUid, reasons: ['retried', 'edited'] }, between } };
  }

  /** False for a retried prompt of which nothing else is kept: a try without one word is no version. */
  private isKept(turnUid: string): boolean {
    const mark = this.markOf(turnUid);
    if (mark === undefined || mark['hidden_reason'] === 'edited') return mark !== undefined;
    const prompt = this.turns.require(turnUid).userMessageUid;
    return hasRow(
      this.database,
      `SELECT 1 FROM messages
         WHERE hidden_with = ? AND active = 0 AND uid <> ? AND display_kind IS NOT 'closing' LIMIT 1`,
      [turnUid, prompt],
    );
  }

  /** Hides the replaced version for the reason of the one that replaces it: two versions differ for one reason. */
  private reasonOf(turnUid: string): VersionReason {
    return this.markOf(turnUid)?.['hidden_reason'] === 'edited' ? 'edited' : 'retried';
  }

  private markOf(turnUid: string): SqlRow | undefined {
    return this.database.get(
      `SELECT hidden_reason FROM messages
       WHERE hidden_with = ? AND active = 0 AND hidden_reason IN ('retried', 'edited') LIMIT 1`,
      [turnUid],
    );
  }

  /** Groups of turns that replaced each other, directly or through others, oldest first. */
  private forks(conversationId: string): readonly (readonly string[])[] {
    const rows = this.database.all(
      'SELECT uid, supersedes FROM turns WHERE conversation_id = ? AND supersedes IS NOT NULL ORDER BY id',
      [conversationId],
    );
    const forks = new Map<string, string[]>();
    for (const row of rows) {
      const replaced = readText(row, 'supersedes', '');
      const fork = forks.get(replaced) ?? [replaced];
      fork.push(readText(row, 'uid', ''));
      for (const uid of fork) forks.set(uid, fork);
    }
    return [...new Set(forks.values())];
  }
}
