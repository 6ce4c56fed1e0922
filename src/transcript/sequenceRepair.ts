import { answeredCalls, sameCall } from './callIds';
import { closingResult } from './closingText';
import { isHandoff } from './handoff';
import { callsIn, joinAnswers, joinPrompts } from './joinedRows';
import { isContinuation } from './continuation';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from './message';
import type { ToolCallPart } from './part';
import { isSteering } from './steering';

/** Names of the rules (`rules/rules.ts`) that this repair mends. */
export type RepairReason = 'adjacentAnswers' | 'orphanResult' | 'repeatedResult' | 'unansweredCall' | 'missingAnswer';

/** Row that leaves the active transcript. It stays stored. */
interface HiddenRow {
  readonly uid: string;
  readonly reason: 'merged' | 'dropped';
  /** Row that replaces it; null when none does. */
  readonly absorbedInto: string | null;
  readonly why: Exclude<RepairReason, 'unansweredCall'>;
}

/** Result created for a call that has none. */
interface AnsweredCall {
  readonly message: ToolMessage;
  /** Row directly before it. */
  readonly after: string;
}

export interface SequenceRepair {
  /** Repaired rows in order. A created result has a position between its neighbors. */
  readonly messages: readonly Message[];
  /** Remaining rows with new content, under their own uids. */
  readonly rewritten: readonly Message[];
  readonly hidden: readonly HiddenRow[];
  readonly answered: readonly AnsweredCall[];
}

export interface RepairCircumstances {
  /** Open turn of the conversation. Its rows are still being written and stay unchanged; only its prompt may be
   *  joined to an earlier prompt. */
  readonly openTurnUid: string | null;
  /** Seconds since the epoch, for created rows. */
  readonly at: number;
}

/** Repairs a stored sequence so that every provider accepts it. Applies the rules of docs/sequence-repair.md in
 *  their order, repeatedly until none applies. Pure; its own result stays unchanged. Keeps all text of the user and
 *  all calls: a call that may have run gets a result that says so. */
export function repairSequence(stored: readonly Message[], circumstances: RepairCircumstances): SequenceRepair {
  const active = stored.filter((message) => message.visibility.kind !== 'hidden');
  const pass = new RepairPass(active, circumstances);
  while (pass.run());
  const before = new Set(active);
  const made = new Set(pass.answered.map(({ message }) => message.uid));
  return {
    messages: pass.rows,
    rewritten: pass.rows.filter((row) => !before.has(row) && !made.has(row.uid)),
    hidden: pass.hidden,
    answered: pass.answered,
  };
}

export function isSound(repair: SequenceRepair): boolean {
  return repair.rewritten.length === 0 && repair.hidden.length === 0 && repair.answered.length === 0;
}

/** True when a sequence may be split here and repaired in two parts: no rule looks past an answer without calls that
 *  a prompt follows. */
export function isRepairBorder(before: Message, next: Message): boolean {
  return (
    before.role === 'assistant' &&
    before.state === 'final' &&
    before.visibility.kind === 'shown' &&
    callsIn(before.parts).length === 0 &&
    next.role === 'user'
  );
}

/** Combines the repairs of the parts of a sequence, in order. */
export function joinedRepairs(repairs: readonly SequenceRepair[]): SequenceRepair {
  return {
    messages: repairs.flatMap(({ messages }) => messages),
    rewritten: repairs.flatMap(({ rewritten }) => rewritten),
    hidden: repairs.flatMap(({ hidden }) => hidden),
    answered: repairs.flatMap(({ answered }) => answered),
  };
}

class RepairPass {
  readonly hidden: HiddenRow[] = [];
  readonly answered: AnsweredCall[] = [];

  constructor(
    public rows: readonly Message[],
    private readonly circumstances: RepairCircumstances,
  ) {}

  /** Applies every rule once. Returns true when one of them changed something. */
  run(): boolean {
    const changes = this.hidden.length + this.answered.length;
    this.joinAdjacentAnswers();
    this.dropStrayResults();
    this.answerOpenCalls();
    this.joinAdjacentPrompts();
    return this.hidden.length + this.answered.length > changes;
  }

  private joinAdjacentAnswers(): void {
    const rows: Message[] = [];
    for (const [index, row] of this.rows.entries()) {
      const last = rows.at(-1);
      if (
        last === undefined ||
        !this.isJoinableAnswer(last) ||
        !this.isJoinableAnswer(row) ||
        this.lostItsResults(last, index)
      )
        rows.push(row);
      // A closing row replaces a missing answer. Next to an answer it is not needed, and its text is never shown.
      else if (last.visibility.kind === 'closing' && row.visibility.kind === 'shown')
        rows[rows.length - 1] = this.absorb(last, row, row, 'adjacentAnswers');
      else
        rows[rows.length - 1] = this.absorb(
          row,
          last,
          row.visibility.kind === 'closing' ? last : joinAnswers(last, row),
          'adjacentAnswers',
        );
    }
    this.rows = rows;
  }

  /** True when an answer has calls but no result for them follows the answers at `index`. Then the results are
   *  missing: they are created between the two, and text after the calls stays after them. */
  private lostItsResults(last: AssistantMessage, index: number): boolean {
    const calls = callsIn(last.parts);
    if (calls.length === 0) return false;
    let after = index;
    while (this.rows[after]?.role === 'assistant') after++;
    for (let next = this.rows[after]; next?.role === 'tool'; next = this.rows[++after]) {
      const { callId } = next.parts[0];
      if (calls.some((call) => sameCall(call.callId, callId))) return false;
    }
    return true;
  }

  private isJoinableAnswer(row: Message): row is AssistantMessage {
    return row.role === 'assistant' && row.state === 'final' && row.carriedFrom === null && !this.isOfOpenTurn(row);
  }

  /** Drops results that are not directly after the answer with their call, and all but the first result of each
   *  call. */
  private dropStrayResults(): void {
    let calls: readonly ToolCallPart[] = [];
    let answers = new Map<ToolCallPart, string>();
    this.rows = this.rows.filter((row) => {
      if (row.role !== 'tool') {
        calls = row.role === 'assistant' ? callsIn(row.parts) : [];
        answers = new Map();
        return true;
      }
      const { callId } = row.parts[0];
      const candidates = calls.filter((call) => sameCall(call.callId, callId));
      const open = candidates.find((call) => !answers.has(call));
      if (open !== undefined) answers.set(open, row.uid);
      if (open !== undefined || this.isOfOpenTurn(row)) return true;
      const first = candidates[0] === undefined ? null : (answers.get(candidates[0]) ?? null);
      this.hidden.push({
        uid: row.uid,
        reason: 'dropped',
        absorbedInto: first,
        why: first === null ? 'orphanResult' : 'repeatedResult',
      });
      return false;
    });
  }

  private answerOpenCalls(): void {
    const rows: Message[] = [];
    for (let index = 0; index < this.rows.length;) {
      const row = this.rows[index++];
      if (row === undefined) break;
      rows.push(row);
      if (row.role !== 'assistant') continue;
      const results: ToolMessage[] = [];
      for (let next = this.rows[index]; next?.role === 'tool'; next = this.rows[++index]) results.push(next);
      rows.push(...results);
      if (row.state === 'final' && !this.isOfOpenTurn(row))
        rows.push(...this.missingResults(row, results, this.rows[index]));
    }
    this.rows = rows;
  }

  private missingResults(
    row: AssistantMessage,
    results: readonly ToolMessage[],
    next: Message | undefined,
  ): readonly Message[] {
    const { calls, answers } = answeredCalls(
      callsIn(row.parts),
      results.map((result) => result.parts[0]),
    );
    let after: Message = results.at(-1) ?? row;
    return calls
      .filter((call) => !answers.has(call))
      .map((call) => {
        const message: ToolMessage = {
          ...closingResult(row, call, 'interrupted', this.circumstances.at),
          position: next === undefined ? after.position + 1 : (after.position + next.position) / 2,
        };
        this.answered.push({ message, after: after.uid });
        after = message;
        return message;
      });
  }

  private joinAdjacentPrompts(): void {
    const rows: Message[] = [];
    for (const row of this.rows) {
      const last = rows.at(-1);
      // The prompt of the open turn may be joined to an earlier row, but nothing may be joined to a row of the open
      // turn.
      if (
        last !== undefined &&
        isJoinablePrompt(last) &&
        isJoinablePrompt(row) &&
        !this.isOfOpenTurn(last) &&
        !standsApart(rows, row)
      ) {
        rows[rows.length - 1] = this.absorb(row, last, joinPrompts(last, row), 'missingAnswer');
      } else {
        rows.push(row);
      }
    }
    this.rows = rows;
  }

  private absorb(absorbed: Message, into: Message, survivor: Message, why: HiddenRow['why']): Message {
    this.hidden.push({ uid: absorbed.uid, reason: 'merged', absorbedInto: into.uid, why });
    return survivor;
  }

  private isOfOpenTurn(row: Message): boolean {
    return row.turnUid !== null && row.turnUid === this.circumstances.openTurnUid;
  }
}

/** Steering is sent with the results before it, so it is not adjacent to a prompt. */
function standsApart(rows: readonly Message[], row: Message): boolean {
  return isSteering(rows, rows.length - 1) || isSteering([...rows, row], rows.length);
}

/** True when a row may be joined. Prompts with images or attachments keep their rows. A handoff or a continuation is
 *  not a prompt. A carried row is shown at its original place, so text joined to it would not be visible. The wire
 *  copy joins the rows that stay separate here. */
function isJoinablePrompt(row: Message): row is UserMessage {
  return (
    row.role === 'user' &&
    row.carriedFrom === null &&
    !isHandoff(row) &&
    !isContinuation(row) &&
    row.parts.every((part) => part.kind === 'text')
  );
}
