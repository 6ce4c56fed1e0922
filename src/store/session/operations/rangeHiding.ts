import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { SqlValue } from '../../engine/sqlDatabase';
import { hiddenReasons, answerText, type Message } from '../../../transcript/message';
import type { HiddenRange, MarkedRows } from '../tables/activeRows';
import { countOf, readText } from '../tables/columns';
import type { BatchedWork } from '../tables/inBatches';
import { StorePart } from '../tables/storePart';
import { t } from '../../../base/translate';
import type { RewindSession, RewoundSession } from '../../conversations';
import { isContinuation } from '../../../transcript/continuation';
import { sentParts } from '../../../transcript/draftPart';
import { busy, refused } from '../tables/refusal';
import type { StoreOperations } from './storeOperations';

/** Hides a prompt and everything after it, batch by batch. */
export class Rewinding extends StorePart<StoreOperations> {
  rewinding(input: RewindSession): BatchedWork<HidingState<Message>, RewoundSession> {
    return this.store.ranges.hiding<Message, RewoundSession>(
      () => this.begin(input),
      (prompt, hidden) => {
        this.sessions.touch(prompt.sessionId, input.now);
        return {
          hidden,
          draft: isContinuation(prompt) ? '' : answerText(prompt.parts),
          draftParts: sentParts(prompt.parts),
        };
      },
    );
  }

  private begin({ sessionId, to }: RewindSession): { readonly begun: Message; readonly range: HiddenRange } {
    const { conversationId } = this.sessions.require(sessionId);
    const open = this.turns.openOf(conversationId);
    if (open !== null) throw busy(t('Hermes is answering in this session. Stop it first.'), open);
    const tip = this.sessions.tip(sessionId);
    this.store.ranges.settle(tip);
    const prompt = this.store.rows.inSegment(tip, to);
    if (prompt?.role !== 'user' || prompt.visibility.kind !== 'shown') {
      throw refused(
        t('This message is no longer in the open session. Nothing was changed.'),
        `message ${to} is no prompt shown in session ${tip}`,
      );
    }
    if (prompt.turnUid !== null && this.store.rows.startOfTurn(tip, prompt.turnUid) !== prompt.position) {
      throw refused(
        t('This was sent while Hermes was answering. Rewind to the prompt of that answer.'),
        `message ${to} is inside turn ${prompt.turnUid}`,
      );
    }
    // Rows hidden with a turn that was lost would count as damage.
    const version = prompt.turnUid === null || this.turns.find(prompt.turnUid) === null ? null : prompt.turnUid;
    return { begun: prompt, range: { sessionId: tip, from: prompt.position, reason: 'rewound', version } };
  }
}

/** Key of an unfinished change of many active rows, which is finished by showing rows. An unfinished hiding is
 *  undone; an unfinished showing continues. */
const unfinishedKey = (tip: string): string => `showing/${tip}`;
const unfinishedRows = v.object({ mark: v.string(), reasons: v.array(v.picklist(hiddenReasons)) });

export interface HidingState<B> {
  readonly begun: B;
  readonly range: HiddenRange;
  /** Position before which to continue. */
  readonly before: SqlValue;
  readonly uids: readonly string[];
  readonly total: number;
}

export interface ShowingState<B> {
  readonly begun: B;
  readonly exchange: Exchange;
  readonly phase: 'look' | 'carry' | 'hide' | 'show';
  /** Highest id among the rows examined so far. */
  readonly looked: number;
  readonly missing: readonly { readonly uid: string; readonly position: number }[];
  readonly before: SqlValue;
  readonly uids: readonly string[];
  readonly done: number;
  readonly total: number;
}

/** Rows that replace others. `between`: makes the changes that belong to the exchange, once after the first half,
 *  and returns the changed rows. */
export interface Exchange {
  readonly between: () => readonly string[];
  readonly hidden: HiddenRange & { readonly version: string };
  readonly shown: MarkedRows;
}

/** Hides and shows long ranges of a session in batches. The start of a change is recorded. After a failure or a
 *  crash the rows are restored as before, or, if the first half of an exchange was complete, completed. */
export class RangeHiding extends StorePart {
  /** Hides a range. `begin` validates and returns it; `finish` runs in the last transaction. A range without a
   *  mark cannot be distinguished from others, so it is hidden in one transaction. */
  hiding<B, R>(
    begin: () => { readonly begun: B; readonly range: HiddenRange } | { readonly answer: R },
    finish: (begun: B, uids: readonly string[]) => R,
  ): BatchedWork<HidingState<B>, R> {
    const step = (state: HidingState<B>): { readonly state: HidingState<B> } | { readonly answer: R } => {
      let { before, uids } = state;
      for (;;) {
        const batch = this.store.rows.hideBatch(state.range, before);
        uids = [...batch.uids, ...uids];
        if (batch.next === null) {
          this.forgetUnfinished(state.range.sessionId);
          return { answer: finish(state.begun, uids) };
        }
        before = batch.next;
        if (state.range.version !== null) return { state: { ...state, before, uids } };
      }
    };
    return {
      begin: () => {
        const begun = begin();
        if ('answer' in begun) return begun;
        return step({ ...begun, before: Number.MAX_SAFE_INTEGER, uids: [], total: this.rowsFrom(begun.range) });
      },
      step,
      suspend: ({ range }) => this.note(range.sessionId, hiddenBy(range)),
      progress: ({ uids, total }) => ({ done: Math.min(uids.length, total), total }),
      takeBack: ({ range }) => this.showUnfinished(range.sessionId),
    };
  }

  /** Replaces rows with others. */
  exchanging<B, R>(
    begin: () => { readonly begun: B; readonly exchange: Exchange } | { readonly answer: R },
    finish: (begun: B, uids: readonly string[]) => R,
  ): BatchedWork<ShowingState<B>, R> {
    return {
      begin: () => {
        const begun = begin();
        if ('answer' in begun) return begun;
        const { exchange } = begun;
        const total =
          this.rowsFrom(exchange.hidden) +
          countOf(this.database, 'SELECT count(*) AS n FROM messages WHERE hidden_with = ?', [exchange.shown.mark]);
        return {
          state: {
            ...begun,
            phase: this.hasEarlierSegment(exchange.hidden.sessionId) ? 'look' : 'hide',
            looked: 0,
            missing: [],
            before: Number.MAX_SAFE_INTEGER,
            uids: [],
            done: 0,
            total,
          },
        };
      },
      step: (state) => this.exchangeStep(state, finish),
      suspend: ({ exchange: { hidden, shown }, phase }) =>
        this.note(hidden.sessionId, phase === 'show' ? shown : hiddenBy(hidden)),
      progress: ({ done, total }) => ({ done: Math.min(done, total), total }),
      takeBack: ({ exchange }) => this.showUnfinished(exchange.hidden.sessionId),
      canStop: ({ phase }) => phase !== 'show',
    };
  }

  /** Call before the rows of a segment are changed: finishes a change that a failure left incomplete, and restores
   *  counts lost to damage. */
  settle(tip: string): void {
    this.sessions.restoreCounts(tip);
    while (this.showUnfinished(tip));
  }

  /** Does the same for every segment with an unfinished change, after a crash. */
  settleAll(): void {
    for (const row of this.database.all(
      "SELECT substr(key, 9) AS tip FROM state_meta WHERE key >= 'showing/' AND key < 'showing0'",
    ))
      this.settle(readText(row, 'tip', ''));
  }

  private exchangeStep<B, R>(
    state: ShowingState<B>,
    finish: (begun: B, uids: readonly string[]) => R,
  ): { readonly state: ShowingState<B> } | { readonly answer: R } {
    const {
      exchange: { hidden, shown },
      phase,
    } = state;
    switch (phase) {
      case 'look': {
        const { missing, next } = this.store.rows.missingIn(hidden.sessionId, shown, state.looked);
        const found = [...state.missing, ...missing];
        if (next !== null) return { state: { ...state, missing: found, looked: next } };
        return { state: { ...state, missing: [...found].sort((a, b) => a.position - b.position), phase: 'carry' } };
      }
      case 'carry': {
        const left = this.store.rows.carryBatch(hidden.sessionId, state.missing);
        return { state: { ...state, missing: left, phase: left.length === 0 ? 'hide' : 'carry' } };
      }
      case 'hide': {
        const { uids, next } = this.store.rows.hideBatch(hidden, state.before);
        const after = { ...state, uids: [...uids, ...state.uids], done: state.done + uids.length };
        if (next !== null) return { state: { ...after, before: next } };
        return { state: { ...after, uids: [...state.exchange.between(), ...after.uids], phase: 'show' } };
      }
      case 'show': {
        const uids = this.store.rows.showBatch(shown);
        if (uids.length > 0)
          return { state: { ...state, uids: [...state.uids, ...uids], done: state.done + uids.length } };
        this.forgetUnfinished(hidden.sessionId);
        return { answer: finish(state.begun, state.uids) };
      }
      default:
        return phase satisfies never;
    }
  }

  /** Shows the next batch of rows recorded as unfinished for a segment. Returns true when there was one. */
  private showUnfinished(tip: string): boolean {
    const noted = this.store.meta.get(unfinishedKey(tip));
    if (noted === null) return false;
    const marked = parsedAs(unfinishedRows, noted);
    if (marked !== null && this.store.rows.showBatch(marked).length > 0) return true;
    this.forgetUnfinished(tip);
    return false;
  }

  private note(tip: string, marked: MarkedRows): void {
    this.store.meta.set(unfinishedKey(tip), JSON.stringify(marked));
  }

  private forgetUnfinished(tip: string): void {
    this.store.meta.delete(unfinishedKey(tip));
  }

  private rowsFrom({ sessionId, from }: HiddenRange): number {
    return countOf(this.database, 'SELECT count(*) AS n FROM messages WHERE session_id = ? AND position >= ?', [
      sessionId,
      from,
    ]);
  }

  private hasEarlierSegment(sessionId: string): boolean {
    return (
      this.database.get("SELECT 1 AS n FROM sessions WHERE id = ? AND parent_kind = 'compression'", [sessionId]) !==
      undefined
    );
  }
}

function hiddenBy({ version, reason }: HiddenRange): MarkedRows {
  return { mark: version ?? '', reasons: [reason] };
}
