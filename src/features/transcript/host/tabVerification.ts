import * as vscode from 'vscode';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import { describeError } from '../../../host/common/describeError';
import type { CopiedSessions } from '../../../host/library/transcripts';
import type { WindowContext } from '../../../host/window/windowContext';
import type { Verification } from '../../../transcript/verification';
import { verifySession, type VerificationOptions } from '../core/verifySession';
import type { VerifyProgress } from '../protocol/transcriptProtocol';

/** Notifications to the tab's page. */
interface TabPage {
  asked(): void;
  progress(progress: VerifyProgress): void;
}

/** Verify Session in one tab: compares the delivery reports of this window's chat views with the disk. At most one run
 *  at a time, stopped when the page unloads. */
export class TabVerification {
  private running = new AbortController();
  private isDue = false;
  private isReady = false;

  /** `copied`: the sessions are read from a copy, and this window does not know what was shown of them. */
  constructor(
    private readonly window: Pick<
      WindowContext,
      'history' | 'reports' | 'gateway' | 'sync' | 'editor' | 'clock' | 'log'
    >,
    private readonly copied: CopiedSessions | null,
    private readonly page: TabPage,
  ) {}

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

  stop(): void {
    this.running.abort();
  }

  /** Null: the user stopped it. */
  async verify(sessionId: string): Promise<Verification | null> {
    this.stop();
    const { signal } = (this.running = new AbortController());
    const { history, reports, sync, clock, log } = this.window;
    const sessions = this.copied?.sessions ?? history.store;
    const session = this.copied === null ? await sessions.getSession(sessionId) : null;
    // Read the delivery reports first: anything shown later is on disk before it is shown.
    const entries = session === null ? [] : reports.entriesOf(session.conversationId);
    const found = await verifySession(sessionId, entries, {
      sessions,
      checkFile: () => this.checkFile(),
      describe: (error) => describeError(error).sentence,
      now: () => clock.now(),
      signal,
      onProgress: (progress) => this.page.progress(progress),
    });
    if (found === null) return null;
    if (this.copied !== null) {
      const note = t('This session is a copy from another folder. Only that folder’s window knows what it showed.');
      return { ...found, note: this.copied.folder === undefined ? null : note };
    }
    logFindings(found, log);
    const account = session === null ? null : await sync.account(session.conversationId);
    for (const document of account?.different ?? [])
      log.error(`Verify: the server has other messages of ${document} than the disk.`, undefined);
    const { shown } = history.status;
    return {
      ...found,
      ...(account === null ? {} : { server: account }),
      note: 'sentence' in shown ? shown.sentence : null,
    };
  }

  /** Copies the text of this message as shown, from a chat view that still has it. Otherwise notifies the user that
   *  none has. */
  async copyShown(messageUid: string): Promise<void> {
    const text = await this.window.reports.askForShown(messageUid);
    if (text !== null) await this.window.editor.copy(text);
    void vscode.window.showInformationMessage(
      text === null
        ? t('The original view is gone; only its length can be compared.')
        : t('The text that was shown is copied to the clipboard.'),
    );
  }

  private async checkFile(): ReturnType<VerificationOptions['checkFile']> {
    if (this.copied !== null) return { found: await this.copied.sessions.verifyIntegrity() };
    const { gateway, history } = this.window;
    if (gateway.turns.running().some(({ isWaiting }) => !isWaiting))
      return {
        unchecked: t('The file wasn’t fully checked because Hermes is answering. Check again when it is done.'),
      };
    return { found: await history.store.verifyIntegrity() };
  }
}

function logFindings({ turns, findings }: Verification, log: Log): void {
  for (const { turnUid, missing, unread } of turns) {
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
  for (const { sentence, messageUid } of findings)
    log.error(`Verify: ${sentence}${messageUid === null ? '' : ` (${messageUid})`}`, undefined);
}
