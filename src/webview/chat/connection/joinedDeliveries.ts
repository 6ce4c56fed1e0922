import type { NotificationOf } from '../../rpc';
import type { ChatProtocol } from './chatHost';
import type { Timers } from '../timers';

type Notification = NotificationOf<ChatProtocol>;
type TurnEventNotification = Extract<Notification, { readonly name: 'turnEvent' }>;
type Delivered = Extract<TurnEventNotification['payload']['event'], { readonly kind: 'delivered' }>;

/** Milliseconds in which pieces of an answer are collected: the interval between consecutive renders
 *  (renderPace.ts). So each state change renders. Shorter than the 80 ms between two commits of a turn: with the same
 *  interval, pieces that are a little early would wait here for the next ones. */
export const gatherMs = 60;

/** Joins pieces of an answer that arrive between two renders. The first one after a pause passes immediately. Other
 *  notifications pass after the pieces that came before them, so the order stays. Two thousand pieces a second then
 *  make seventeen state changes, each of which reads the whole conversation. */
export function joinedDeliveries(
  listener: (notification: Notification) => void,
  timers: Timers,
): (notification: Notification) => void {
  let held: {
    readonly notification: TurnEventNotification;
    readonly event: Delivered;
    readonly chunks: Delivered['chunks'][number][];
  } | null = null;
  let passedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  const passHeld = (): void => {
    if (held === null) return;
    const { notification, event, chunks } = held;
    held = null;
    passedAt = timers.nowMs();
    listener({ ...notification, payload: { ...notification.payload, event: { ...event, chunks } } });
  };
  const passSoon = (): void => {
    if (isDue) return;
    isDue = true;
    timers.after(Math.max(0, passedAt + gatherMs - timers.nowMs()), () => {
      isDue = false;
      passHeld();
    });
  };
  return (notification) => {
    const event = deliveredBy(notification);
    if (notification.name !== 'turnEvent' || event === null) {
      passHeld();
      return listener(notification);
    }
    if (
      held !== null &&
      (held.event.turnUid !== event.turnUid || held.notification.payload.sessionId !== notification.payload.sessionId)
    )
      passHeld();
    // A timer may fire late when the page is busy.
    const mayPass = timers.nowMs() - passedAt >= gatherMs;
    if (held === null && mayPass) {
      passedAt = timers.nowMs();
      return listener(notification);
    }
    held ??= { notification, event, chunks: [] };
    held.chunks.push(...event.chunks);
    if (mayPass) passHeld();
    else passSoon();
  };
}

function deliveredBy(notification: Notification): Delivered | null {
  return notification.name === 'turnEvent' && notification.payload.event.kind === 'delivered'
    ? notification.payload.event
    : null;
}
