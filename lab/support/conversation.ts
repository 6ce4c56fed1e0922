import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../../src/gateway/conversationGateway';

/** A surface of a gateway: asks, and collects the text that it is shown. */
export class Conversation {
  /** Everything that was delivered to the surface. */
  shown = '';
  private settled = 0;
  private asked = 0;

  constructor(
    private readonly gateway: Gateway,
    private readonly id = 'panel',
  ) {
    gateway.surfaces.attach({
      id,
      onTurnEvent: (_sessionId, event) => {
        if (event.kind === 'delivered') this.shown += event.chunks.map(({ text }) => text).join('');
        if (event.kind === 'turnSettled') this.settled++;
      },
      onSessionEvent: () => undefined,
      onSessionSwitched: () => undefined,
    });
  }

  /** Sends a prompt. Returns its session, and a function that waits until the turn is settled. */
  async begin(text: string): Promise<{ readonly sessionId: string; readonly end: () => Promise<void> }> {
    const { settled } = this;
    const submitted = await this.gateway.intake.submit(this.id, {
      sessionId: this.gateway.surfaces.shownSession(this.id),
      uid: `${this.id}-${++this.asked}`,
      text,
    });
    const end = async (): Promise<void> => {
      while (this.settled === settled || this.gateway.turns.running().length > 0) await sleep(1);
    };
    return { sessionId: submitted.sessionId, end };
  }

  /** Sends a prompt and waits until its turn is settled. */
  async ask(text: string): Promise<void> {
    await (await this.begin(text)).end();
  }
}
