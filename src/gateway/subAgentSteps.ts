import type { ToolCallPart } from '../transcript/part';
import type { ToolProgress, TurnEvent } from '../transcript/turnEvent';

/** Follows the events of a sub-agent's turn and reports the call it works on. */
export class SubAgentSteps {
  private readonly calls = new Map<string, ToolCallPart>();
  /** Number of its answers that asked for calls. */
  private steps = 0;
  /** The state reported last. */
  private told = '';

  constructor(private readonly report: (progress: ToolProgress) => void) {}

  onEvent(event: TurnEvent): void {
    switch (event.kind) {
      case 'messageStored':
        if (event.message.role === 'assistant')
          this.asked(event.message.parts.flatMap((part) => (part.kind === 'toolCall' ? [part] : [])));
        else if (event.message.role === 'tool') {
          const [{ callId, outcome }] = event.message.parts;
          this.notify(callId, outcome);
        }
        return;
      case 'activity':
        if (event.activity.kind === 'runningTool') this.notify(event.activity.callId, null);
        return;
      default:
    }
  }

  private asked(calls: readonly ToolCallPart[]): void {
    const [first] = calls;
    if (first === undefined) return;
    this.steps++;
    for (const call of calls) this.calls.set(call.callId, call);
    this.notify(first.callId, null);
  }

  private notify(callId: string, outcome: (ToolProgress & { readonly kind: 'step' })['outcome']): void {
    const call = this.calls.get(callId);
    const state = `${callId} ${outcome ?? ''} ${this.steps}`;
    if (call === undefined || state === this.told) return;
    this.told = state;
    this.report({ kind: 'step', call, outcome, steps: this.steps });
  }
}
