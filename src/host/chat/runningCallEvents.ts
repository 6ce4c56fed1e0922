import { DisposableStore, type Disposable } from '../../base/disposable';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { TurnActivity, TurnEvent } from '../../transcript/turnEvent';

/** Caches the transient events of running calls, which are never stored and are emitted once. A view rendered again
 *  in the middle of a turn (after a reload or a session switch) gets them again: the running calls, the end of their
 *  output, the link to a sub-agent's session. Evicts them when the calls end. */
export class RunningCallEvents implements Disposable {
  private readonly lifetime = new DisposableStore();
  /** By turn, then by call and kind, in the order in which they began. */
  private readonly turns = new Map<string, Map<string, TurnEvent>>();

  constructor(gateway: GatewayPart<'surfaces', 'onDidTurnEvent'>) {
    this.lifetime.register(gateway.surfaces.onDidTurnEvent(({ event }) => this.onEvent(event)));
  }

  /** Events that a view needs after it renders the turn. The current `activity` comes last, so that it wins. */
  of(turnUid: string, activity: TurnActivity | null): readonly TurnEvent[] {
    const events = [...(this.turns.get(turnUid)?.values() ?? [])];
    if (events.length === 0 || activity === null) return events;
    return [...events, { kind: 'activity', turnUid, activity }];
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private onEvent(event: TurnEvent): void {
    switch (event.kind) {
      case 'toolProgress':
        this.note(event.turnUid, `${event.progress.kind} ${event.callId}`, event);
        break;
      case 'activity':
        if (event.activity.kind === 'runningTool') this.note(event.turnUid, `runs ${event.activity.callId}`, event);
        break;
      case 'messageStored':
        if (event.message.role === 'tool' && event.message.turnUid !== null)
          this.ended(event.message.turnUid, event.message.parts[0].callId);
        break;
      case 'turnSettled':
        this.turns.delete(event.turn.uid);
        break;
      default:
        break;
    }
  }

  private note(turnUid: string, key: string, event: TurnEvent): void {
    const events = this.turns.get(turnUid) ?? new Map<string, TurnEvent>();
    this.turns.set(turnUid, events.set(key, event));
  }

  private ended(turnUid: string, callId: string): void {
    const events = this.turns.get(turnUid);
    for (const key of [...(events?.keys() ?? [])]) if (key.endsWith(` ${callId}`)) events?.delete(key);
  }
}
