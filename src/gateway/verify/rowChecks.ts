import { t } from '../../base/translate';
import type { Message } from '../../transcript/message';
import type { Turn } from '../../transcript/turn';
import type { StorageFinding } from '../../transcript/verification';

interface TurnCalls {
  readonly open: Map<string, string>;
  readonly answered: Set<string>;
}

/** Checks the stored rows of one session, page by page as they are read, for states that must never occur. Pure
 *  except for its own record. */
export class RowChecks {
  private readonly turns = new Map<string, Turn>();
  private readonly uids = new Set<string>();
  private readonly absorbers = new Map<string, string>();
  private readonly calls = new Map<string, TurnCalls>();
  private readonly found: StorageFinding[] = [];
  private last = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.uids.size;
  }

  page(messages: readonly Message[], turns: readonly Turn[]): void {
    for (const turn of turns) this.turns.set(turn.uid, turn);
    for (const message of messages) this.row(message);
  }

  /** Uids of rows that absorbed others and were not among the pages: they must be stored somewhere. */
  get absentAbsorbers(): readonly string[] {
    return [...this.absorbers.keys()].filter((uid) => !this.uids.has(uid));
  }

  /** `isStored`: answers for the rows in `absentAbsorbers`. */
  findings(isStored: (uid: string) => boolean): readonly StorageFinding[] {
    const lost = this.absentAbsorbers
      .filter((uid) => !isStored(uid))
      .map((uid) => ({
        sentence: t('A row was merged into one that is not stored.'),
        messageUid: this.absorbers.get(uid) ?? null,
      }));
    return [...this.found, ...lost, ...this.unanswered()];
  }

  private row(message: Message): void {
    const { uid, position, turnUid, visibility } = message;
    if (this.uids.has(uid)) return this.find(uid, t('A row stands in the transcript twice.'));
    this.uids.add(uid);
    if (position <= this.last) this.find(uid, t('Two rows stand at the same place.'));
    this.last = position;
    const turn = turnUid === null ? null : (this.turns.get(turnUid) ?? null);
    if (turnUid !== null && turn === null) this.find(uid, t('A row belongs to a turn that is not stored.'));
    if (message.role === 'assistant' && message.state === 'streaming' && turn?.state === 'settled')
      this.find(uid, t('A row is still being written, and its turn has ended.'));
    if (visibility.kind === 'hidden' && visibility.absorbedInto !== null)
      this.absorbers.set(visibility.absorbedInto, uid);
    if (turnUid !== null && visibility.kind !== 'hidden') this.note(turnUid, message);
  }

  private note(turnUid: string, message: Message): void {
    const { open, answered } = this.calls.get(turnUid) ?? {
      open: new Map<string, string>(),
      answered: new Set<string>(),
    };
    for (const part of message.parts) {
      if (part.kind === 'toolCall') open.set(part.callId, message.uid);
      if (part.kind === 'toolResult') answered.add(part.callId);
    }
    this.calls.set(turnUid, { open, answered });
  }

  private unanswered(): readonly StorageFinding[] {
    return [...this.calls].flatMap(([turnUid, { open, answered }]) => {
      if (this.turns.get(turnUid)?.state !== 'settled') return [];
      return [...open]
        .filter(([callId]) => !answered.has(callId))
        .map(([, messageUid]) => ({
          sentence: t('A turn has ended, and a tool call of it has no result.'),
          messageUid,
        }));
    });
  }

  private find(messageUid: string, sentence: string): void {
    this.found.push({ sentence, messageUid });
  }
}
