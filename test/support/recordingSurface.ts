import type { Surface } from '../../src/gateway/gateway';
import type { SwitchReason } from '../../src/memory/memoryProvider';
import type { Approval } from '../../src/transcript/approval';
import type { Message } from '../../src/transcript/message';
import type { SessionEvent, TurnEvent } from '../../src/transcript/turnEvent';

/** A surface that writes down what it is told, and rebuilds from it what a person would see. */
export class RecordingSurface implements Surface {
  readonly turnEvents: TurnEvent[] = [];
  readonly sessionEvents: SessionEvent[] = [];
  readonly switches: { readonly sessionId: string | null; readonly reason: SwitchReason }[] = [];
  private readonly shown = new Map<string, string[]>();
  private readonly waiters = new Set<() => void>();

  constructor(readonly id: string) {}

  onTurnEvent(_sessionId: string, event: TurnEvent): void {
    this.turnEvents.push(event);
    if (event.kind === 'delivered') {
      for (const chunk of event.chunks) {
        const parts = this.shown.get(chunk.messageUid) ?? [];
        if ((parts[chunk.part] ?? '').length !== chunk.start)
          throw new Error(`chunk ${chunk.seq} of ${chunk.messageUid} does not continue what was shown`);
        parts[chunk.part] = (parts[chunk.part] ?? '') + chunk.text;
        this.shown.set(chunk.messageUid, parts);
      }
    }
    this.wake();
  }

  onSessionEvent(event: SessionEvent): void {
    this.sessionEvents.push(event);
    this.wake();
  }

  onSessionSwitched(sessionId: string | null, reason: SwitchReason): void {
    this.switches.push({ sessionId, reason });
    this.wake();
  }

  /** Every text this surface was given while it streamed, message by message, in order of arrival. */
  get delivered(): readonly { readonly uid: string; readonly text: string }[] {
    return [...this.shown].map(([uid, parts]) => ({ uid, text: parts.join('') }));
  }

  get deliveredText(): string {
    return this.delivered.map(({ text }) => text).join('');
  }

  get settled(): readonly (TurnEvent & { readonly kind: 'turnSettled' })[] {
    return this.turnEvents.filter((event) => event.kind === 'turnSettled');
  }

  get lastMessages(): readonly Message[] {
    return this.settled.at(-1)?.messages ?? [];
  }

  /** What it was asked to allow, in order. */
  get questions(): readonly Approval[] {
    return this.turnEvents.flatMap((event) => (event.kind === 'approvalRequested' ? [event.approval] : []));
  }

  /** Question number `count`, as soon as it is asked. */
  async question(count = 1): Promise<Approval> {
    await this.until(() => this.questions.length >= count);
    const question = this.questions[count - 1];
    if (question === undefined) throw new Error('nothing was asked');
    return question;
  }

  /** Resolves as soon as `condition` holds for what this surface knows. */
  async until(condition: (surface: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.waiters.add(resolve));
  }

  untilSettled(count = this.settled.length + 1): Promise<void> {
    return this.until(() => this.settled.length >= count);
  }

  private wake(): void {
    const waiting = [...this.waiters];
    this.waiters.clear();
    for (const resolve of waiting) resolve();
  }
}
