import { signal, type ReadonlySignal } from '@preact/signals';
import type { CompressionOutcome, SessionContextUse } from '../../../protocol/chatProtocol';
import type { HandoffTokens } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { compactCount } from '../../times';
import type { HostRequests } from '../connection/hostRequests';
import { RefusedRequest } from '../../rpc';

/** What compressing a session would do, before it is done. */
export interface CompressionOffer {
  readonly sessionId: string;
  /** What the summary should keep above all; may be empty. */
  readonly focus: string;
  readonly tokens: HandoffTokens;
}

export interface SessionContextNeeds {
  readonly requests: HostRequests;
  readonly shownSession: () => string | null;
  readonly isBusy: () => boolean;
  readonly contextUse: (sessionId: string) => Promise<SessionContextUse>;
  readonly preview: (sessionId: string) => Promise<HandoffTokens | null>;
  readonly compress: (sessionId: string, focus: string | null) => Promise<CompressionOutcome>;
}

/** How full the model's context is for the session that is shown, and making room in it. */
export class SessionContext {
  private readonly used = signal<{ readonly sessionId: string; readonly use: SessionContextUse } | null>(null);
  private readonly offered = signal<CompressionOffer | null>(null);
  private asked = 0;

  constructor(private readonly needs: SessionContextNeeds) {}

  /** Null while it is not known. */
  get use(): ReadonlySignal<{ readonly sessionId: string; readonly use: SessionContextUse } | null> {
    return this.used;
  }

  get offer(): ReadonlySignal<CompressionOffer | null> {
    return this.offered;
  }

  /** Reads it again: another session is shown, a turn is over, the model is another one. The newest question counts. */
  async refresh(): Promise<void> {
    const sessionId = this.needs.shownSession();
    const question = ++this.asked;
    if (sessionId !== this.used.peek()?.sessionId) this.used.value = null;
    if (sessionId !== this.offered.peek()?.sessionId) this.offered.value = null;
    if (sessionId === null) return;
    try {
      const use = await this.needs.contextUse(sessionId);
      if (question === this.asked) this.used.value = { sessionId, use };
    } catch (error) {
      // Not asked for by the person; without an answer the meter says nothing.
      if (!(error instanceof RefusedRequest)) throw error;
    }
  }

  /** Says what compressing would save, for the person to decide. */
  async propose(focus: string): Promise<void> {
    const { requests, shownSession, isBusy } = this.needs;
    const sessionId = shownSession();
    if (sessionId === null) return requests.refuse(t('There is no session to compress yet. Send a prompt first.'));
    if (isBusy()) return requests.refuse(t('Hermes is answering in this session. Stop it first, or wait.'));
    await requests.ask(async () => {
      const tokens = await this.needs.preview(sessionId);
      if (shownSession() !== sessionId) return;
      if (tokens === null) requests.inform(t('There is nothing to compress yet. Nothing was changed.'));
      else this.offered.value = { sessionId, focus, tokens };
    });
  }

  withdraw(): void {
    this.offered.value = null;
  }

  async compress(focus: string): Promise<void> {
    const { requests } = this.needs;
    const sessionId = this.offered.peek()?.sessionId;
    this.offered.value = null;
    if (sessionId === undefined) return;
    await requests.ask(async () => {
      const words = outcomeWords(await this.needs.compress(sessionId, focus.trim() === '' ? null : focus.trim()));
      if (words !== null) requests.inform(words);
    });
  }
}

/** Null where the line in the conversation says it all. */
function outcomeWords(outcome: CompressionOutcome): string | null {
  if (outcome.kind === 'unchanged') return outcome.sentence;
  if (outcome.kind === 'summary') return null;
  const saved = { before: compactCount(outcome.tokens.before), after: compactCount(outcome.tokens.after) };
  return t(
    'The model returned no summary, so earlier messages were shortened instead: about {before} → {after} tokens.',
    saved,
  );
}
