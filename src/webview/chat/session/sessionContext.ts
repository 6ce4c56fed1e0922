import { signal, type ReadonlySignal } from '@preact/signals';
import type { CompressionOutcome, ContextUseView } from '../../../protocol/chatProtocol';
import type { HandoffTokens } from '../../../transcript/handoff';
import { t } from '../../localization';
import { compactCount } from '../../times';
import type { Chat } from '../state/chat';
import { RefusedRequest } from '../../rpc';

/** Preview of compressing a session. */
export interface CompressionOffer {
  readonly sessionId: string;
  /** Focus of the summary; may be empty. */
  readonly focus: string;
  readonly tokens: HandoffTokens;
}

/** Context use of the shown session, and its compression. */
export class SessionContext {
  private readonly used = signal<{ readonly sessionId: string; readonly use: ContextUseView } | null>(null);
  /** Null while unknown. */
  readonly use: ReadonlySignal<{ readonly sessionId: string; readonly use: ContextUseView } | null> = this.used;
  private readonly offered = signal<CompressionOffer | null>(null);
  readonly offer: ReadonlySignal<CompressionOffer | null> = this.offered;
  private asked = 0;

  constructor(private readonly chat: Chat) {}

  /** Reads the context use again: after another session is shown, a turn ends or the model changes. Only the newest
   *  request counts. */
  async refresh(): Promise<void> {
    const { host, sessionId } = this.chat;
    const question = ++this.asked;
    if (sessionId !== this.used.peek()?.sessionId) this.used.value = null;
    if (sessionId !== this.offered.peek()?.sessionId) this.offered.value = null;
    if (sessionId === null) return;
    try {
      const use = await host.request('contextUse', { sessionId });
      if (question === this.asked) this.used.value = { sessionId, use };
    } catch (error) {
      // The user did not ask for this; without a response the meter shows nothing.
      if (!(error instanceof RefusedRequest)) throw error;
    }
  }

  /** Shows how much compressing would save and lets the user decide. */
  async propose(focus: string): Promise<void> {
    const { chat } = this;
    const { host, requests, sessionId } = chat;
    if (sessionId === null) return requests.refuse(t('There is no session yet. Send a prompt first.'));
    if (chat.isBusy.peek()) return requests.refuse(t('Hermes is answering in this session. Stop it first, or wait.'));
    await requests.ask(async () => {
      const tokens = await host.request('compressionPreview', { sessionId });
      if (chat.sessionId !== sessionId) return;
      if (tokens === null) requests.inform(t('There is nothing to compress yet. Nothing was changed.'));
      else this.offered.value = { sessionId, focus, tokens };
    });
  }

  withdraw(): void {
    this.offered.value = null;
  }

  async compress(focus: string): Promise<void> {
    const { host, requests } = this.chat;
    const sessionId = this.offered.peek()?.sessionId;
    this.offered.value = null;
    if (sessionId === undefined) return;
    await requests.ask(async () => {
      const outcome = await host.request('compress', { sessionId, focus: focus.trim() === '' ? null : focus.trim() });
      const text = outcomeText(outcome);
      if (text !== null) requests.inform(text);
    });
  }
}

/** Null when the line in the conversation already says it. */
function outcomeText(outcome: CompressionOutcome): string | null {
  if (outcome.kind === 'unchanged') return outcome.sentence;
  if (outcome.kind === 'summary') return null;
  const saved = { before: compactCount(outcome.tokens.before), after: compactCount(outcome.tokens.after) };
  return t(
    'The model returned no summary, so earlier messages were shortened instead: about {before} → {after} tokens.',
    saved,
  );
}
