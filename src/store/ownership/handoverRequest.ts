import { connect } from 'node:net';
import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import { answerSchema, type HandoverAnswer, type HandoverAsk } from './handoverMessages';
import type { LockEndpoint } from '../lock/lockRecord';
import { LineChannel } from './lineChannel';

/** released: the lock is gone, take it · gone: the connection broke (the owner closed or died), check the lock again
 *  · busy: a turn is running · unreachable: no process listens at the lock's socket · silent: a process listens, but
 *  does not answer · refused: the owner will not hand over. */
export type HandoverOutcome =
  | { readonly kind: 'released' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'busy'; readonly sessionTitle: string | null }
  | { readonly kind: 'unreachable'; readonly technical: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'refused'; readonly technical: string };

export interface HandoverPatience {
  /** Milliseconds to wait for the first answer. A healthy owner answers within milliseconds; one whose thread is
   *  busy within a second or two. */
  readonly answerMs: number;
  /** Milliseconds to wait from `closing` to `released`, for example for a last checkpoint on a slow disk. */
  readonly closingMs: number;
}

/** Connection of one requester to the owner of a store. */
export class HandoverRequest implements Disposable {
  private readonly channel: LineChannel<HandoverAnswer, HandoverAsk>;
  private readonly outcomes = new Emitter<HandoverOutcome>();
  private connected = false;
  private ended = false;
  private cancelTimer: () => void = () => undefined;
  /** Fires for every outcome; after any outcome but `busy` the request is over. */
  readonly onOutcome = this.outcomes.event;

  constructor(
    private readonly endpoint: LockEndpoint,
    private readonly clock: Clock,
    private readonly patience: HandoverPatience,
  ) {
    const socket = connect(endpoint.socketPath);
    socket.on('connect', () => {
      this.connected = true;
    });
    this.channel = new LineChannel<HandoverAnswer, HandoverAsk>(socket, answerSchema);
    this.channel.onMessage((answer) => this.onAnswer(answer));
    this.channel.onClose((reason) =>
      this.end(this.connected ? { kind: 'gone' } : { kind: 'unreachable', technical: reason }),
    );
  }

  /** Requests the store. The first outcome follows within the timeout; the connection stays open after `busy`. */
  ask(ask: HandoverAsk['ask']): void {
    if (this.ended) return;
    this.channel.send({ v: 1, token: this.endpoint.token, ask });
    if (ask === 'handOver') this.expectWithin(this.patience.answerMs);
  }

  dispose(): void {
    this.ended = true;
    this.cancelTimer();
    this.channel.dispose();
    this.outcomes.dispose();
  }

  private onAnswer(answer: HandoverAnswer): void {
    this.cancelTimer();
    switch (answer.answer) {
      case 'busy':
        return this.outcomes.fire({ kind: 'busy', sessionTitle: answer.sessionTitle });
      case 'closing':
        return this.expectWithin(this.patience.closingMs);
      case 'released':
        return this.end({ kind: 'released' });
      case 'refused':
        return this.end({ kind: 'refused', technical: answer.reason });
    }
  }

  private expectWithin(delayMs: number): void {
    this.cancelTimer();
    this.cancelTimer = this.clock.after(delayMs, () => this.end({ kind: 'silent' }));
  }

  private end(outcome: HandoverOutcome): void {
    if (this.ended) return;
    this.ended = true;
    this.cancelTimer();
    this.outcomes.fire(outcome);
    this.channel.dispose();
  }
}
