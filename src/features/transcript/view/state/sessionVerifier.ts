import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Verification, VerifyProgress } from '../../protocol/verifyProtocol';
import { RefusedRequest } from '../../../../webview/rpc';
import type { ShownTranscript } from './shownTranscript';

/** Verdict of Verify on one row: all of its delivered text is stored, or not, or the row could not be read. */
export type RowVerdict = 'held' | 'missing' | 'unread';

/** Verify Session in the tab: its progress and its result. */
export class SessionVerifier {
  /** `starting` until the first progress arrives. */
  readonly progress = signal<VerifyProgress | 'starting' | null>(null);
  readonly problem = signal<string | null>(null);
  readonly detailsShown = signal(false);
  /** Result for the shown session. */
  readonly result: ReadonlySignal<Verification | null>;
  readonly marks: ReadonlySignal<ReadonlyMap<string, RowVerdict>>;
  private readonly found = signal<{ readonly conversationId: string; readonly verification: Verification } | null>(
    null,
  );

  constructor(private readonly transcript: Pick<ShownTranscript, 'deps' | 'session'>) {
    this.result = computed(() =>
      this.found.value?.conversationId === transcript.session.value?.conversationId
        ? (this.found.value?.verification ?? null)
        : null,
    );
    this.marks = computed(() => marksOf(this.result.value));
    transcript.deps.host.onNotification((notification) => {
      if (notification.name === 'verifyAsked') void this.run();
      if (notification.name === 'verifyProgress' && this.progress.peek() !== null)
        this.progress.value = notification.payload;
    });
  }

  /** A second request while it runs has no effect. */
  async run(): Promise<void> {
    const session = this.transcript.session.peek();
    if (session === null || this.progress.peek() !== null) return;
    this.progress.value = 'starting';
    this.problem.value = null;
    try {
      const verification = await this.transcript.deps.host.request('verify', { sessionId: session.id });
      if (verification !== null) this.put(session.conversationId, verification);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.problem.value = error.message;
    } finally {
      this.progress.value = null;
    }
  }

  cancel(): void {
    this.transcript.deps.host.send('cancelVerify', {});
  }

  copyShown(messageUid: string): void {
    this.transcript.deps.host.send('copyShown', { messageUid });
  }

  close(): void {
    this.found.value = null;
    this.problem.value = null;
    this.detailsShown.value = false;
  }

  private put(conversationId: string, verification: Verification): void {
    this.found.value = { conversationId, verification };
    this.detailsShown.value =
      verification.findings.length > 0 ||
      verification.turns.some(({ verdict }) => verdict === 'missing' || verdict === 'unread');
  }
}

function marksOf(verification: Verification | null): ReadonlyMap<string, RowVerdict> {
  const turns = verification?.turns ?? [];
  return new Map([
    ...turns.flatMap(({ reported }) => reported.map((uid) => [uid, 'held'] as const)),
    ...turns.flatMap(({ unread }) => unread.map(({ messageUid }) => [messageUid, 'unread'] as const)),
    ...turns.flatMap(({ missing }) => missing.map(({ messageUid }) => [messageUid, 'missing'] as const)),
  ]);
}
