import { expect, it } from 'vitest';
import { gatherMs, joinedDeliveries } from '../../../../src/webview/chat/connection/joinedDeliveries';
import type { ChatProtocol } from '../../../../src/webview/chat/connection/chatHost';
import type { NotificationOf } from '../../../../src/webview/rpc';
import { ManualClock } from '../../../support/manualClock';

type Notification = NotificationOf<ChatProtocol>;

function piece(seq: number, turnUid = 't1', sessionId = 's1'): Notification {
  const chunk = { messageUid: `${turnUid}-a`, seq, part: 0, kind: 'text', start: seq - 1, text: String(seq) } as const;
  return { name: 'turnEvent', payload: { sessionId, event: { kind: 'delivered', turnUid, chunks: [chunk] } } };
}

const other: Notification = { name: 'focusComposer', payload: {} };

/** What a view is told, in words: the pieces of each message that reaches it. */
function line() {
  const clock = new ManualClock();
  const heard: string[] = [];
  const listen = joinedDeliveries(
    (told) => {
      const event = told.name === 'turnEvent' ? told.payload.event : null;
      heard.push(
        event?.kind === 'delivered' ? `${event.turnUid} ${event.chunks.map(({ seq }) => seq).join(' ')}` : told.name,
      );
    },
    { nowMs: () => clock.monotonicMs(), after: (delayMs, callback) => clock.after(delayMs, callback) },
  );
  return { clock, heard, listen };
}

it('passes a piece that comes after a rest at once, and joins what follows within a frame', async () => {
  const { clock, heard, listen } = line();
  listen(piece(1));
  const atOnce = [...heard];
  for (const seq of [2, 3, 4]) listen(piece(seq));
  const meanwhile = heard.length;
  await clock.advance(gatherMs);
  await clock.advance(gatherMs);
  listen(piece(5));
  expect({ atOnce, meanwhile, heard }).toEqual({ atOnce: ['t1 1'], meanwhile: 1, heard: ['t1 1', 't1 2 3 4', 't1 5'] });
});

it('holds back nothing of what comes each 80 ms, as it is committed, sometimes a little late or early', async () => {
  const { clock, heard, listen } = line();
  const held: number[] = [];
  for (let seq = 1; seq <= 40; seq++) {
    listen(piece(seq));
    if (heard.length < seq) held.push(seq);
    await clock.advance(80 + [0, 9, -9, 4][seq % 4]!);
  }
  expect(held).toEqual([]);
});

it('keeps the order of events, and each piece with its turn', async () => {
  const { clock, heard, listen } = line();
  for (const told of [piece(1), piece(2), other, piece(3), piece(1, 't2'), piece(2, 't2'), piece(3, 't2', 's2')])
    listen(told);
  await clock.advance(100);
  expect(heard).toEqual(['t1 1', 't1 2', 'focusComposer', 't1 3', 't2 1 2', 't2 3']);
});
