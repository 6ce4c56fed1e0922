import { DisposableStore, Emitter, type Disposable } from '../base/disposable';
import type { StoreNotice, StoreState as ShownStoreState } from '../protocol/chatProtocol';
import type { StoreConnection } from '../store/ownership/storeConnection';
import type { StoreState } from '../store/ownership/storeState';
import { storeActions, storeWords } from './storeWords';

type Translate = (message: string, args?: Record<string, string>) => string;

/** The store as the person meets it: its state in words, notices beside it, and what they chose to do about it. */
export class StoreDesk implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private readonly notices = new Map<string, StoreNotice>();
  private justOpened = false;
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly connection: Pick<StoreConnection, 'state' | 'onDidChangeState' | 'reclaim' | 'waitForOwner' | 'askOwnerToStop' | 'retry'>,
    private readonly t: Translate,
  ) {
    this.lifetime.register(connection.onDidChangeState((state) => this.stateChanged(state)));
  }

  get shown(): ShownStoreState {
    return storeWords(this.connection.state, [...this.notices.values()], this.t);
  }

  get isReadable(): boolean {
    return isReadable(this.connection.state);
  }

  /** True while listeners are told that the store can be read from now on: what they show must be read again. */
  get hasJustOpened(): boolean {
    return this.justOpened;
  }

  /** Resolves when the store is no longer just being opened; in what state it then is, calls will say. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.connection.state.kind !== 'opening') return resolve();
      const listening = this.connection.onDidChangeState((state) => {
        if (state.kind === 'opening') return;
        listening.dispose();
        resolve();
      });
    });
  }

  /** Shown in the chat until the window is reloaded; the same sentence once. */
  addNotice(sentence: string, actions: StoreNotice['actions'] = []): void {
    if (this.notices.has(sentence)) return;
    this.notices.set(sentence, { sentence, actions });
    this.changes.fire();
  }

  setNotices(kind: string, sentences: readonly StoreNotice[]): void {
    for (const key of [...this.notices.keys()]) if (key.startsWith(`${kind}:`)) this.notices.delete(key);
    for (const notice of sentences) this.notices.set(`${kind}:${notice.sentence}`, notice);
    this.changes.fire();
  }

  /** Whether the action was one of the store's. */
  async runAction(action: string): Promise<boolean> {
    switch (action) {
      case storeActions.reclaim:
        await this.connection.reclaim();
        return true;
      case storeActions.wait:
        this.connection.waitForOwner();
        return true;
      case storeActions.stopOwner:
        this.connection.askOwnerToStop();
        return true;
      case storeActions.retry:
        await this.connection.retry();
        return true;
      default:
        return false;
    }
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private stateChanged(state: StoreState): void {
    this.justOpened = isReadable(state);
    this.changes.fire();
    this.justOpened = false;
  }
}

function isReadable(state: StoreState): boolean {
  return state.kind === 'open' || state.kind === 'readOnly';
}
