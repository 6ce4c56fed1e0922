import { askForTitle, firstExchange } from '../agent/sessionTitle';
import { errorMessage } from '../base/errorMessage';
import { demoInfo } from '../models/demo/demoModel';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { SettledRow, StartedTurn } from './runningTurn';
import type { GatewayParts } from './conversationGateway';

/** Milliseconds until a title is given up. */
const timeoutMs = 30_000;
/** A session whose first answers brought no title keeps the one from its prompt. */
const mostAnswers = 3;

/** Titles written by the session's own model, after the first answer and off the reply path. A failure changes
 *  nothing, and the next prompt of the conversation ends the request: it must not wait for it. */
export class SessionTitles {
  private readonly running = new Map<string, { readonly controller: AbortController; readonly end: Promise<void> }>();
  private closing = false;

  constructor(private readonly parts: GatewayParts) {}

  /** Called when a turn has settled. Returns at once. */
  turnSettled(run: StartedTurn, settled: SettledRow): void {
    const { conversationId } = run.session;
    if (this.closing || (this.parts.sessionTitles?.() ?? 'prompt') !== 'model') return;
    if (
      run.subAgent !== undefined ||
      settled.outcome !== 'complete' ||
      settled.model.startsWith(`${demoInfo.provider}/`)
    )
      return;
    if (this.parts.runner.runningIn(conversationId) !== null || this.running.has(conversationId)) return;
    const controller = new AbortController();
    const cancel = this.parts.clock.after(timeoutMs, () => controller.abort());
    const end = this.write(settled, controller.signal)
      .catch((error: unknown) => {
        if (!controller.signal.aborted)
          this.parts.log.warn(`No title was written for session ${settled.sessionId}: ${errorMessage(error)}`);
      })
      .finally(() => {
        cancel();
        this.running.delete(conversationId);
      });
    this.running.set(conversationId, { controller, end });
  }

  /** Called when a turn begins. */
  turnBegan(conversationId: string): void {
    this.running.get(conversationId)?.controller.abort();
  }

  async shutdown(): Promise<void> {
    this.closing = true;
    const running = [...this.running.values()];
    for (const { controller } of running) controller.abort();
    await Promise.all(running.map(({ end }) => end));
  }

  private async write({ uid, sessionId, model: ref }: SettledRow, signal: AbortSignal): Promise<void> {
    const { store, compression, createAgent, spending, turns, log } = this.parts;
    const session = await store.getSession(sessionId);
    if (session === null || !(await this.mayBeTitled(session))) return;
    const rows = await store.activeMessages(sessionId);
    const about = firstExchange(rows);
    if (about === null || answersIn(rows) > mostAnswers) return;
    if ((await spending.limitReached(sessionId)) !== null) return;
    const agent = compression.servingAgent(sessionId, ref) ?? createAgent(ref);
    const model = await agent.openModel(signal);
    signal.throwIfAborted();
    const { title, usage } = await askForTitle(model, about, signal);
    if (usage !== null) await store.addUsage(uid, usage);
    if (title === null) {
      if (!signal.aborted) log.warn(`The model wrote no title for session ${sessionId}.`);
      return;
    }
    // The store keeps a title that the user gave meanwhile.
    if (await store.setTitle(sessionId, title, 'model')) turns.changed(sessionId);
  }

  /** False for a title of higher authority, and for branches, which are named after their origin. */
  private async mayBeTitled(session: Session): Promise<boolean> {
    if (session.titleSource === 'person' || session.titleSource === 'model') return false;
    const root = await this.parts.store.getSession(session.conversationId);
    return root !== null && root.parentKind === null;
  }
}

function answersIn(rows: readonly Message[]): number {
  const answered = rows.filter(({ role, visibility }) => role === 'assistant' && visibility.kind === 'shown');
  return new Set(answered.map(({ turnUid }) => turnUid)).size;
}
