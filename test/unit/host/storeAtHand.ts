import { Emitter } from '../../../src/base/disposable';
import { emptyReport } from '../store/ownership/fakeHome';
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

  async reclaim(): Promise<void> {
    this.asked.push('reclaim');
  }

  waitForOwner(): void {
    this.asked.push('wait');
  }

  askOwnerToStop(): void {
    this.asked.push('stop');
  }

  async retry(): Promise<void> {
    this.asked.push('retry');
  }
}

export const openState: StoreState = { kind: 'open', report: emptyReport, regained: null };
