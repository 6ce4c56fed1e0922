import { connect } from 'node:net';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { LockEndpoint } from '../lock/lockRecord';
import { LineChannel } from './lineChannel';
import { answerSchema, type TakeOverAnswer, type TakeOverAsk } from './takeOverMessages';

/** Milliseconds within which a living owner answers that it is settling its work. */
const silentAfterMs = 10_000;

/** Asks the owner of a store to settle its work and release it. Resolves to null when it may be free now (released, or
 *  the owner ended), else to the technical reason. Takes as long as the owner's work. */
export function askToRelease(
  endpoint: LockEndpoint,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
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
    void pause(clock, silentAfterMs, over.signal).then((isSilent) => {
      if (isSilent && !heard) end('The owner does not answer.');
    });
    signal.addEventListener('abort', () => end('This window no longer asks.'), { once: true, signal: over.signal });
    channel.onMessage((answer) => {
      heard = true;
      if (answer.answer === 'released') end(null);
      if (answer.answer === 'refused') end(answer.reason);
    });
    channel.onClose((reason) => end(heard ? null : reason));
    channel.send({ v: 1, token: endpoint.token, ask: 'stop' });
  });
}
