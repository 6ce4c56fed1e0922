import { joinSentences } from '../../../base/messageText';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import type { AsyncSyncedStore } from '../../../store/syncing';
import { describeError } from '../../../host/common/describeError';

interface ForgottenElsewhereDeps {
  readonly store: Pick<AsyncSyncedStore, 'copies' | 'copiesForgotten'>;
  /** Has memory erase sessions. Resolves with a sentence for everything that it could not erase. */
  readonly forgetInMemory: (sessionIds: readonly string[]) => Promise<readonly string[]>;
  /** Erases sessions from backups and exported files. Never rejects: resolves to sentences about what is left. */
  readonly forgetCopies: (sessionIds: readonly string[]) => Promise<readonly string[]>;
  /** Tells the user what is left. */
  readonly warn: (sentence: string) => void;
  readonly log: Log;
}

/** Does for sessions that were forgotten on another machine what Forget does on this one beside its store: erases them
 *  from memory, backups and exports. The store notes them until that was done, also across a crash. */
export class ForgottenElsewhere {
  private working: Promise<void> = Promise.resolve();

  constructor(private readonly deps: ForgottenElsewhereDeps) {}

  /** Never rejects. What fails is tried again by the next call, at the next start at the latest. */
  finish(): Promise<void> {
    this.working = this.working
      .then(() => this.finishNow())
      .catch((error: unknown) =>
        this.deps.log.warn(`Copies of forgotten sessions could not be erased yet: ${describeError(error).sentence}`),
      );
    return this.working;
  }

  private async finishNow(): Promise<void> {
    const { store, forgetInMemory, forgetCopies, warn } = this.deps;
    const copies = await store.copies();
    const sessionIds = copies.flatMap((one) => one.sessionIds);
    if (sessionIds.length === 0) return;
    const left = [...(await forgetInMemory(sessionIds)), ...(await forgetCopies(sessionIds))];
    for (const { conversationId } of copies) await store.copiesForgotten(conversationId);
    if (left.length > 0)
      warn(joinSentences([t('A session was forgotten on another machine. Copies of it may be left here.'), ...left]));
  }
}
