import type { NotificationOf } from '../../rpc';
import type { ChatProtocol } from './chatHost';
import type { Timers } from '../timers';

type Told = NotificationOf<ChatProtocol>;
type TurnEventTold = Extract<Told, { readonly name: 'turnEvent' }>;
type Delivered = Extract<TurnEventTold['payload']['event'], { readonly kind: 'delivered' }>;

/** Milliseconds in which pieces of an answer are collected: the interval between consecutive renders
 *  (drawingPace.ts). So each state change renders, and no notification waits longer than a tenth of a second. */
export const gatherMs = 80;

/** Joins pieces of an answer that arrive between two renders. The first one after a pause passes immediately. Other
 *  notifications pass after the pieces that came before them, so the order stays. Two thousand pieces a second then
 *  make twelve state changes, each of which reads the whole conversation. */
export function joinedDeliveries(listener: (told: Told) => void, timers: Timers): (told: Told) => void {
  let held: {
    readonly told: TurnEventTold;
    readonly event: Delivered;
    readonly chunks: Delivered['chunks'][number][];
  } | null = null;
  let passedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  const passHeld = (): void => {
    if (held === null) return;
    const { told, event, chunks } = held;
    held = null;
    passedAt = timers.nowMs();
    listener({ ...told, payload: { ...told.payload, event: { ...event, chunks } } });
  };
  const passSoon = (): void => {
    if (isDue) return;
    isDue = true;
    timers.after(gatherMs, () => {
      isDue = false;
      passHeld();
    });
  };
  return (told) => {
    const event = deliveredBy(told);
    if (told.name !== 'turnEvent' || event === null) {
      passHeld();
      return listener(told);
    }
    if (
      held !== null &&
      (held.event.turnUid !== event.turnUid || held.told.payload.sessionId !== told.payload.sessionId)
    )
      passHeld();
    // A timer may fire late when the page is busy.
    const mayPass = timers.nowMs() - passedAt >= gatherMs;
    if (held === null && mayPass) {
      passedAt = timers.nowMs();
      return listener(told);
    }
    held ??= { told, event, chunks: [] };
    held.chunks.push(...event.chunks);
    if (mayPass) passHeld();
    else passSoon();
  };
}

function deliveredBy(told: Told): Delivered | null {
  return told.name === 'turnEvent' && told.payload.event.kind === 'delivered' ? told.payload.event : null;
}
