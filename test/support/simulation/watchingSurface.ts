import type { Surface } from '../../../src/gateway/gateway';
import type { TurnEvent } from '../../../src/transcript/turnEvent';

/** What a surface was given of one message. */
export interface ShownMessage {
  readonly sessionId: string;
  readonly parts: { readonly kind: 'text' | 'thinking'; text: string }[];
}

/** A surface that puts together what a person sees, and hands every event on to be judged at the moment it is shown. */
export class WatchingSurface implements Surface {
  readonly shown = new Map<string, ShownMessage>();
  private dead = false;

  constructor(
    readonly id: string,
    private readonly judge: (sessionId: string, event: TurnEvent, surface: WatchingSurface) => void,
  ) {}

  /** Its window is gone: nothing reaches it any more. */
  die(): void {
    this.dead = true;
  }

  onTurnEvent(sessionId: string, event: TurnEvent): void {
    if (this.dead) return;
    if (event.kind === 'delivered') {
      for (const chunk of event.chunks) {
        const message = this.shown.get(chunk.messageUid) ?? { sessionId, parts: [] };
        const part = (message.parts[chunk.part] ??= { kind: chunk.kind, text: '' });
        // A surface that came in the middle of an answer reads what was before from the store; here it only follows.
        part.text = part.text.slice(0, chunk.start).padEnd(chunk.start, '\0') + chunk.text;
        this.shown.set(chunk.messageUid, message);
      }
    }
    this.judge(sessionId, event, this);
  }

  onSessionEvent(): void {
    // Only turns are judged.
  }

  onSessionSwitched(): void {
    // A surface that comes back to a session reads what it missed; what it shows is judged message by message.
  }
}
