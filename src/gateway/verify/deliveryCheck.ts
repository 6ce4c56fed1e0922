import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import type { SessionStore } from '../../store/sessionStore';
import { StoreError } from '../../store/storeError';
import type { Message } from '../../transcript/message';
import type { Turn } from '../../transcript/turn';
import { backfilled } from './backfill';
import type { DeliveredMessage, ShownLengths } from './shownLengths';

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
