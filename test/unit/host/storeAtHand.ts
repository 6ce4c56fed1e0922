import { Emitter } from '../../../src/base/disposable';
import { emptyReport } from '../store/ownership/emptyReport';
import { StoreError } from '../../../src/store/storeError';
import type { StoreState } from '../../../src/store/ownership/storeState';

/** A store connection whose state the test sets. */
export class StoreAtHand {
  private readonly states = new Emitter<StoreState>();
  readonly onDidChangeState = this.states.event;
  readonly asked: string[] = [];

  constructor(public state: StoreState = openState) {}

  become(state: StoreState): void {
    this.state = state;
    this.states.fire(state);
  }

  async open(): Promise<void> {
    this.asked.push('open');
  }

  async takeOver(): Promise<void> {
    this.asked.push('takeOver');
  }

  during<T>(work: Promise<T>): Promise<T> {
    return work;
  }

  async retry(): Promise<void> {
    this.asked.push('retry');
  }
}

export const openState: StoreState = { kind: 'open', report: emptyReport, regained: null };

/** Another window has the history, and nothing of it could be read. */
export const elsewhereState: StoreState & { kind: 'elsewhere' } = {
  kind: 'elsewhere',
  report: null,
  error: new StoreError('locked', 'Your sessions are open in another window. Choose Take Over to continue here.', ''),
  takeOver: 'offered',
  owner: 'process 9731 on this machine',
};
