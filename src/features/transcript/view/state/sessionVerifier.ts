import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { VerifyProgress } from '../../protocol/transcriptProtocol';
import type { Verification } from '../../../../transcript/verification';
import { RefusedRequest } from '../../../../webview/rpc';
import type { TranscriptController } from './transcriptController';

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
  private readonly found = signal<{ readonly of: string; readonly verification: Verification } | null>(null);

  constructor(private readonly transcript: TranscriptController) {
    this.result = computed(() =>
      this.found.value?.of === transcript.session.value?.conversationId
        ? (this.found.value?.verification ?? null)
        : null,
    );
    this.marks = computed(() => marksOf(this.result.value));
  }

  /** A second request while it runs has no effect. */
  async run(): Promise<void> {
    const session = this.transcript.session.peek();
    if (session === null || this.progress.peek() !== null) return;
    this.progress.value = 'starting';
    this.problem.value = null;
    try {
      const verification = await this.transcript.host.request('verify', { sessionId: session.id });
      if (verification === null) return;
      this.found.value = { of: session.conversationId, verification };
      this.detailsShown.value =
        verification.findings.length > 0 ||
        verification.turns.some(({ verdict }) => verdict === 'missing' || verdict === 'unread');
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.problem.value = error.message;
    } finally {
      this.progress.value = null;
    }
  }

  progressed(progress: VerifyProgress): void {
    if (this.progress.peek() !== null) this.progress.value = progress;
  }

  close(): void {
    this.found.value = null;
    this.problem.value = null;
    this.detailsShown.value = false;
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
