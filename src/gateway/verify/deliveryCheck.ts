import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import type { SessionStore } from '../../store/session/sessionStore';
import type { PutMessage } from '../../store/requests';
import { StoreError } from '../../store/storeError';
import type { Message } from '../../transcript/message';
import type { Turn } from '../../transcript/turn';
import type { DeliveredMessage, ShownLengths, DeliveredPart } from './shownLengths';
import type { AssistantPart } from '../../transcript/part';

/** Messages of one turn with text that was shown and is not on disk, in delivery order, each with the row that it
 *  follows. */
interface Owed {
  readonly turn: Turn;
  readonly messages: readonly { readonly delivered: DeliveredMessage; readonly after: string }[];
  /** True when the log already has the write failure. */
  isLogged: boolean;
}

/** Delivered means stored: checked after every turn. Text that cannot be written stays owed. It is retried before
 *  the history of any conversation is used, when a session is left, and before the window closes. */
export class DeliveryCheck {
  private backfills = 0;
  private owed: readonly Owed[] = [];
  /** Payments run one after another: code that needs the rows waits for the current payment. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly parts: { readonly store: SessionStore; readonly clock: Clock; readonly log: Log }) {}

  /** Writes missing text and logs it. Never rejects. */
  async check(shown: ShownLengths, stored: readonly Message[], turn: Turn): Promise<void> {
    const missing = shown.missingFrom(stored);
    if (missing.length === 0) return this.noteStored(shown, turn);
    for (const { messageUid, part, shown, stored: found } of missing) {
      this.backfills++;
      this.parts.log.info(
        `Backfill ${this.backfills}: turn ${turn.uid}, message ${messageUid}, part ${part}: ${shown.length} ` +
          `characters were shown, ${found?.length ?? 0} were stored.`,
      );
    }
    const uids = new Set(missing.map(({ messageUid }) => messageUid));
    const known = new Set([...stored.map(({ uid }) => uid), ...uids]);
    const messages = shown.messages
      .filter(({ uid }) => uids.has(uid))
      .map((delivered) => ({
        delivered,
        after: delivered.after.findLast((uid) => known.has(uid)) ?? turn.userMessageUid,
      }));
    this.owed = [...this.owed, { turn, messages, isLogged: false }];
    await this.makeUp();
  }

  /** Writes text that is still missing. Text that still cannot be written stays owed. Never rejects. */
  async makeUp(): Promise<void> {
    if (this.owed.length === 0) return;
    this.last = this.last.then(async () => {
      for (const owed of this.owed) await this.pay(owed);
    });
    await this.last;
  }

  private async pay(owed: Owed): Promise<void> {
    const { store, clock, log } = this.parts;
    try {
      // Read again: a repair may have changed or hidden the rows since the gap was found.
      const rows = await Promise.all(
        owed.messages.map(async ({ delivered, after }) =>
          backfilled(delivered, await store.getMessage(delivered.uid), owed.turn, after, clock.now()),
        ),
      );
      await store.putMessages(rows);
      this.forget(owed);
    } catch (error) {
      // The user erased the session meanwhile.
      if (error instanceof StoreError && error.causeClass === 'not-found') return this.forget(owed);
      if (!owed.isLogged) log.error('What was shown could not be written afterwards.', error);
      owed.isLogged = true;
    }
  }

  private forget(paid: Owed): void {
    this.owed = this.owed.filter((owed) => owed !== paid);
  }

  private noteStored(shown: ShownLengths, turn: Turn): void {
    const { messages } = shown;
    const length = messages.reduce((sum, { parts }) => parts.reduce((all, { text }) => all + text.length, sum), 0);
    this.parts.log.trace(
      `Turn ${turn.uid}: ${length} characters in ${messages.length} ` +
        `${messages.length === 1 ? 'message' : 'messages'} were delivered, and all are stored.`,
    );
  }
}

/** Returns the row with the shown text restored. `stored`: the row on disk, or null when it is gone. `after`: the
 *  row it was delivered after. Pure. */
function backfilled(
  delivered: DeliveredMessage,
  stored: Message | null,
  turn: Turn,
  after: string,
  now: number,
): PutMessage {
  const { uid, sessionId } = delivered;
  const base = stored?.role === 'assistant' ? stored : delivered.row;
  const parts = withDelivered(base?.parts ?? [], delivered.parts);
  if (base !== null) return { ...base, parts, state: 'final', behind: after };
  return {
    uid,
    sessionId,
    turnUid: turn.uid,
    createdAt: now,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'assistant',
    parts,
    state: 'final',
    lastSeq: 0,
    model: turn.model,
    finishReason: null,
    usage: null,
    behind: after,
  };
}

/** Returns all of `stored`, in its order, with the missing pieces of `shown` inserted in their places. A part that
 *  holds only the beginning of the shown text is completed. A part that holds none of it (another text, a tool call)
 *  stays, and the shown text goes before it. Pure. */
export function withDelivered(
  stored: readonly AssistantPart[],
  shown: readonly DeliveredPart[],
): readonly AssistantPart[] {
  const whole: AssistantPart[] = [];
  let next = 0;
  for (const part of shown) {
    const at = placeIn(stored, next, part);
    const found = stored[at];
    if (found === undefined || found.kind === 'toolCall') {
      whole.push({ kind: part.kind, text: part.text });
      continue;
    }
    whole.push(...stored.slice(next, at), {
      ...found,
      text: found.text.length > part.text.length ? found.text : part.text,
    });
    next = at + 1;
  }
  return [...whole, ...stored.slice(next)];
}

/** Returns the index of the first part at or after `from` that holds the shown text, or else of the first one with a
 *  beginning of it. Returns -1 when there is none. */
function placeIn(stored: readonly AssistantPart[], from: number, { kind, text }: DeliveredPart): number {
  const first = (fits: (held: string) => boolean): number =>
    stored.findIndex((part, index) => index >= from && part.kind === kind && fits(part.text));
  const whole = first((held) => held.startsWith(text));
  return whole === -1 ? first((held) => held !== '' && text.startsWith(held)) : whole;
}
