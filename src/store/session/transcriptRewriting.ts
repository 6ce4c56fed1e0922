import type { TranscriptRepair } from '../sessionStore';
import type { HiddenReason, Message, NewMessage, UserMessage } from '../../transcript/message';
import { separatePrompts } from '../../transcript/joinedRows';
import { repairSequence, type SequenceRepair } from '../../transcript/sequenceRepair';
import type { Turn } from '../../transcript/turn';
import { messageValues } from './messageRow';
import type { MessageTable } from './messageTable';
import { invalid } from './refusal';
import type { SessionTable } from './sessionTable';
import type { TranscriptReading } from './transcriptReading';
import type { TurnTable } from './turnTable';

/** Changes to the active transcript of a session as a whole. Nothing that stood there is lost: a rewritten row leaves a revision, a row that
 *  goes is hidden. Every method runs inside its caller's transaction. */
export class TranscriptRewriting {
  constructor(
    private readonly sessions: SessionTable,
    private readonly messages: MessageTable,
    private readonly turns: TurnTable,
    private readonly reading: TranscriptReading,
  ) {}

  repair(sessionId: string, at: number): TranscriptRepair {
    const openTurnUid = this.openTurnOf(sessionId)?.uid ?? null;
    const repair = repairSequence(this.reading.active(sessionId), { openTurnUid, at });
    for (const message of repair.rewritten) this.messages.upsert(message, () => refuseUnknown(message.uid));
    const made = this.insertResults(sessionId, repair);
    for (const { uid, reason, absorbedInto } of repair.hidden) this.messages.hide(uid, reason, absorbedInto);
    const touched = [...repair.rewritten.map(({ uid }) => uid), ...made, ...repair.hidden.map(({ uid }) => uid)];
    return {
      messages: touched.flatMap((uid) => this.messages.find(uid)?.message ?? []),
      reasons: [...repair.hidden.map(({ why }) => why), ...repair.answered.map(() => 'unansweredCall' as const)],
    };
  }

  private insertResults(sessionId: string, repair: SequenceRepair): readonly string[] {
    const storedUids = new Map<string, string>();
    for (const { message, behind } of repair.answered) {
      const uid = this.freeUid(message.uid);
      storedUids.set(message.uid, uid);
      this.messages.insert(
        { ...message, uid },
        this.messages.positionAfter(sessionId, storedUids.get(behind) ?? behind),
      );
    }
    return [...storedUids.values()];
  }

  /** The uid itself, or with a number where a hidden row has it: a result that was made once and left out since. */
  private freeUid(uid: string): string {
    let free = uid;
    for (let count = 2; this.messages.find(free) !== null; count++) free = `${uid}/${count}`;
    return free;
  }

  replace(sessionId: string, messages: readonly NewMessage[], reason: HiddenReason): readonly Message[] {
    const current = this.reading.active(sessionId);
    const openTurnUid = this.openTurnOf(sessionId)?.uid ?? null;
    refuseUnfit(sessionId, messages, openTurnUid);
    const kept = equalPrefix(current, messages);
    const stays = new Set(messages.map(({ uid }) => uid));
    for (const row of current.slice(kept)) {
      if (stays.has(row.uid)) continue;
      refuseOpenTurn(row, openTurnUid);
      this.messages.hide(row.uid, reason, null);
    }
    let behind = current[kept - 1] ?? null;
    for (const message of messages.slice(kept)) behind = this.place(message, behind, openTurnUid);
    return this.reading.active(sessionId);
  }

  /** Stores a message behind another one, or before all where there is none. Returns it as it stands. */
  private place(message: NewMessage, behind: Message | null, openTurnUid: string | null): Message {
    const stored = this.messages.find(message.uid)?.message ?? null;
    if (stored === null || !isSame(stored, message)) refuseOpenTurn(message, openTurnUid);
    if (message.turnUid !== null) this.turns.require(message.turnUid);
    const freePosition = (): number =>
      behind === null
        ? this.messages.positionBefore(message.sessionId)
        : this.messages.positionAfter(message.sessionId, behind.uid);
    this.messages.upsert(message, freePosition);
    // Making room may have numbered the session anew, so both places are read again.
    if (stored !== null && behind !== null && this.require(message.uid).position < this.require(behind.uid).position) {
      this.messages.move(message.uid, freePosition());
    }
    return this.require(message.uid);
  }

  private require(uid: string): Message {
    return this.messages.find(uid)?.message ?? refuseUnknown(uid);
  }

  /** Takes the prompt of a turn that is asked again out of the prompt it was joined to: otherwise it would stand there twice. From then on it
   *  is hidden for `reason`, as the rest of that version is. */
  takeBackPrompt(turn: Turn, reason: 'retried' | 'edited'): void {
    const prompt = this.messages.find(turn.userMessageUid)?.message;
    if (prompt?.role !== 'user' || prompt.visibility.kind !== 'hidden' || prompt.visibility.absorbedInto === null)
      return;
    const survivor = this.messages.find(prompt.visibility.absorbedInto);
    if (survivor?.message.role !== 'user' || survivor.message.visibility.kind === 'hidden') return;
    const separated: UserMessage | null = separatePrompts(survivor.message, prompt);
    if (separated === null) return;
    this.messages.write(survivor, separated);
    this.messages.hide(prompt.uid, reason, null, turn.uid);
  }

  private openTurnOf(sessionId: string): Turn | null {
    return this.turns.openOf(this.sessions.require(sessionId).conversationId);
  }
}

function refuseUnfit(sessionId: string, messages: readonly NewMessage[], openTurnUid: string | null): void {
  const uids = new Set<string>();
  for (const { uid, ...message } of messages) {
    if (message.sessionId !== sessionId) throw invalid(`message ${uid} belongs to another session than ${sessionId}`);
    if (message.visibility.kind === 'hidden')
      throw invalid(`message ${uid} is hidden and cannot be part of the active transcript`);
    if (message.role === 'assistant' && message.state === 'streaming' && message.turnUid !== openTurnUid)
      throw invalid(`message ${uid} is streaming in no open turn`);
    if (uids.has(uid)) throw invalid(`message ${uid} is given twice`);
    uids.add(uid);
  }
}

function refuseOpenTurn(message: Pick<Message, 'uid' | 'turnUid'>, openTurnUid: string | null): void {
  if (message.turnUid !== null && message.turnUid === openTurnUid)
    throw invalid(`message ${message.uid} belongs to a turn that is not settled`);
}

function refuseUnknown(uid: string): never {
  throw invalid(`message ${uid} is not stored`);
}

function equalPrefix(current: readonly Message[], messages: readonly NewMessage[]): number {
  const first = messages.findIndex((message, index) => {
    const row = current[index];
    return row === undefined || !isSame(row, message);
  });
  return first === -1 ? messages.length : first;
}

function isSame(row: Message, message: NewMessage): boolean {
  const values = messageValues(message);
  return row.uid === message.uid && messageValues(row).every((value, index) => value === values[index]);
}
