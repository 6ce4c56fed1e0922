import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Gateway } from '../../gateway/gateway';
import type { TurnActivity, TurnEvent } from '../../transcript/turnEvent';

/** What calls that run have let be seen so far: never stored, and told once. It is kept as long as they run, so that a view which is drawn anew
 *  in the middle of a turn (a reload, another session and back) can be told again: which calls run, the end of their output, the way to the
 *  session of a sub-agent. */
export class RunningCallEvents implements Disposable {
  private readonly lifetime = new DisposableStore();
  /** By turn, then by call and kind, in the order in which they began. */
  private readonly turns = new Map<string, Map<string, TurnEvent>>();

  constructor(gateway: Pick<Gateway, 'onDidTurnEvent'>) {
    this.lifetime.register(gateway.onDidTurnEvent(({ event }) => this.heard(event)));
  }

  /** What a view has to be told of the turn once it shows it; `activity` is what goes on now, which has the last word. */
  of(turnUid: string, activity: TurnActivity | null): readonly TurnEvent[] {
    const events = [...(this.turns.get(turnUid)?.values() ?? [])];
    if (events.length === 0 || activity === null) return events;
    return [...events, { kind: 'activity', turnUid, activity }];
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private heard(event: TurnEvent): void {
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
