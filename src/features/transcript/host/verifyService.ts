import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import type { Translate } from '../../../base/translate';
import { verifySession, type VerificationOptions, type VerificationDeps } from '../core/verifySession';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { ServerAccount, Verification } from '../../../transcript/verification';
import { describeError } from '../../../host/common/describeError';
import type { DeliveryReports } from '../../../host/chat/deliveryReports';
import type { verifyCommands, VerifyProgress, verifyRequests, VerifyResults } from '../protocol/verifyProtocol';
import type { CommandHandlers, RequestHandlers } from '../../../host/webviews/viewEndpoint';

type VerifiedStore = Pick<
  SessionStore,
  'getSession' | 'getMessage' | 'getTurn' | 'revisionsOf' | 'readTranscript' | 'verifyIntegrity' | 'checkSession'
>;

export interface VerifyServiceDeps {
  readonly store: VerifiedStore;
  readonly reports: Pick<DeliveryReports, 'entriesOf' | 'askForShown'>;
  readonly copy: (text: string) => PromiseLike<void>;
  readonly notify: (sentence: string) => void;
  /** True while an answer is being written in this window. */
  readonly isAnswering: () => boolean;
  /** The store's own message if it is not simply open; otherwise null. */
  readonly storeSentence: () => string | null;
  /** What the server has of a conversation; null when the history is not synchronized. Must not reject. */
  readonly server: (conversationId: string) => Promise<ServerAccount | null>;
  readonly clock: Clock;
  readonly log: Log;
  readonly t: Translate;
}

/** Verify Session for this folder's history: compares the delivery reports of this window's chat views with the
 *  disk. */
export class VerifyService implements TranscriptVerification {
  constructor(private readonly deps: VerifyServiceDeps) {}

  async verify(sessionId: string, options: VerificationOptions): Promise<Verification | null> {
    const { store, reports, log, storeSentence } = this.deps;
    const session = await store.getSession(sessionId);
    // Read the delivery reports first: anything shown later is on disk before it is shown.
    const entries = session === null ? [] : reports.entriesOf(session.conversationId);
    const found = await verifySession(
      sessionId,
      entries,
      { ...readingDeps(store, this.deps.clock), checkFile: () => this.checkFile() },
      options,
    );
    if (found === null) return null;
    for (const { turnUid, missing, unread } of found.turns) {
      for (const { messageUid, part, shown, stored } of missing)
        log.error(
          `Verify: turn ${turnUid}, message ${messageUid}, part ${part}: ${shown} characters were shown, ` +
            `${stored ?? 0} are stored, or others.`,
          undefined,
        );
      for (const { messageUid, shown, sentence } of unread)
        log.warn(
          `Verify: turn ${turnUid}, message ${messageUid}: ${shown} characters were shown that couldn’t be read. ` +
            `${sentence}`,
        );
    }
    for (const { sentence, messageUid } of found.findings)
      log.error(`Verify: ${sentence}${messageUid === null ? '' : ` (${messageUid})`}`, undefined);
    const account = session === null ? null : await this.deps.server(session.conversationId);
    for (const document of account?.different ?? [])
      log.error(`Verify: the server has other messages of ${document} than the disk.`, undefined);
    return { ...found, ...(account === null ? {} : { server: account }), note: storeSentence() };
  }

  async copyShown(messageUid: string): Promise<void> {
    const { reports, copy, notify, t } = this.deps;
    const text = await reports.askForShown(messageUid);
    if (text !== null) await copy(text);
    notify(
      text === null
        ? t('The original view is gone; only its length can be compared.')
        : t('The text that was shown is copied to the clipboard.'),
    );
  }

  private async checkFile(): ReturnType<VerificationDeps['checkFile']> {
    const { store, isAnswering, t } = this.deps;
    if (isAnswering())
      return {
        unchecked: t('The file wasn’t fully checked because Hermes is answering. Check again when it is done.'),
      };
    return { found: await store.verifyIntegrity() };
  }
}

/** Verify Session for a session that is read from a copy: this window does not know what was shown of it. `note`: a
 *  sentence that the result gets. */
export function verificationOfCopy(store: VerifiedStore, clock: Clock, note: string | null): TranscriptVerification {
  return {
    verify: async (sessionId, options) => {
      const found = await verifySession(
        sessionId,
        [],
        { ...readingDeps(store, clock), checkFile: async () => ({ found: await store.verifyIntegrity() }) },
        options,
      );
      return found === null ? null : { ...found, note };
    },
    copyShown: async () => undefined,
  };
}

function readingDeps(store: VerifiedStore, clock: Clock): Omit<VerificationDeps, 'checkFile'> {
  return {
    sessions: store,
    readTranscript: (query) => store.readTranscript(query),
    describe: (error) => describeError(error).sentence,
    now: () => clock.now(),
  };
}

/** Verification functions for a transcript tab. */
export interface TranscriptVerification {
  /** Null: the user stopped it. */
  verify(sessionId: string, options: VerificationOptions): Promise<Verification | null>;
  /** Copies the text of this message as shown, from a chat view that still has it. Otherwise notifies the user that
   *  none has. */
  copyShown(messageUid: string): Promise<void>;
}

/** Notifications to the tab's page. */
interface TabPage {
  asked(): void;
  progress(progress: VerifyProgress): void;
}

/** Verification in one tab: at most one run at a time, stopped when the page unloads. */
export class TabVerification {
  private running: AbortController | null = null;
  private isDue = false;
  private isReady = false;
  readonly commands: CommandHandlers<typeof verifyCommands>;
  readonly requests: RequestHandlers<typeof verifyRequests, VerifyResults>;

  constructor(
    private readonly verification: TranscriptVerification,
    private readonly page: TabPage,
  ) {
    this.commands = {
      cancelVerify: () => this.stop(),
      copyShown: ({ messageUid }) => verification.copyShown(messageUid),
    };
    this.requests = { verify: ({ sessionId }) => this.verify(sessionId) };
  }

  /** Called when the user requested verification outside the tab, whose page may not be loaded yet. */
  ask(): void {
    this.isDue = true;
    if (this.isReady) this.pageReady();
  }

  pageReady(): void {
    this.isReady = true;
    if (this.isDue) this.page.asked();
    this.isDue = false;
  }

  pageUnloaded(): void {
    this.isReady = false;
    this.stop();
  }

  private stop(): void {
    this.running?.abort();
  }

  private async verify(sessionId: string): Promise<Verification | null> {
    this.stop();
    const options = (this.running = new AbortController());
    try {
      return await this.verification.verify(sessionId, {
        signal: options.signal,
        onProgress: (progress) => this.page.progress(progress),
      });
    } finally {
      if (this.running === options) this.running = null;
    }
  }
}
