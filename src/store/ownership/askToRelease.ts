import { connect } from 'node:net';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { LockEndpoint } from '../lock/lockRecord';
import { LineChannel } from './lineChannel';
import { answerSchema, type TakeOverAnswer, type TakeOverAsk } from './takeOverMessages';

/** Milliseconds within which a living owner answers the user's request at all, and within which it has begun to close
 *  for a window that only starts and cannot be kept waiting. */
const silentAfterMs = { stop: 10_000, handOver: 6000 };

/** Asks the owner of a store to settle its work and release it (`stop`), or to release it if nobody uses it any more
 *  (`handOver`). Resolves to null when it may be free now (released, or the owner ended), else to the technical reason.
 *  Takes as long as the owner's work. */
export function askToRelease(
  endpoint: LockEndpoint,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
  ask: 'stop' | 'handOver' = 'stop',
): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(endpoint.socketPath);
    const channel = new LineChannel<TakeOverAnswer, TakeOverAsk>(socket, answerSchema);
    let heard = false;
    const over = new AbortController();
    const end = (technical: string | null): void => {
      over.abort();
      channel.dispose();
      resolve(technical);
    };
    void pause(clock, silentAfterMs[ask], over.signal).then((isSilent) => {
      if (isSilent && !heard) end('The owner does not answer.');
    });
    signal.addEventListener('abort', () => end('This window no longer asks.'), { once: true, signal: over.signal });
    channel.onMessage((answer) => {
      heard ||= ask === 'stop' || answer.answer !== 'busy';
      if (answer.answer === 'released') end(null);
      if (answer.answer === 'refused') end(answer.reason);
    });
    channel.onClose((reason) => end(heard ? null : reason));
    channel.send({ v: 1, token: endpoint.token, ask });
  });
}
