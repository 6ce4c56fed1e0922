import { Emitter, Owner } from '../../base/disposable';
import { t } from '../../base/translate';
import type { StoreNotice, ViewStoreState as ShownStoreState } from '../../protocol/chatProtocol';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { OpenReport } from '../../store/worker/openedStore';
import type { StoreState } from '../../store/ownership/storeState';
import { storeActions, storeLabels, type Offer } from './storeLabels';

/** The store from the user's view: its state in words, notices, and the actions that the user chose. */
export class StoreStatus extends Owner {
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private readonly notices = new Map<string, readonly StoreNotice[]>();
  private readonly offers = new Map<string, () => Promise<void>>();
  private justOpened = false;
  private reported: OpenReport | null = null;
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly connection: Pick<StoreConnection, 'state' | 'onDidChangeState' | 'open' | 'takeOver' | 'retry'>,
  ) {
    super();
    this.lifetime.register(connection.onDidChangeState((state) => this.stateChanged(state)));
  }

  get shown(): ShownStoreState {
    return storeLabels(this.connection.state, [...this.notices.values()].flat());
  }

  get isReadable(): boolean {
    return isReadable(this.connection.state);
  }

  /** True while listeners are notified that the store has become readable: they must read again. */
  get hasJustOpened(): boolean {
    return this.justOpened;
  }

  /** Called when something needs the store. A store that never held anything opens only then. */
  begin(): void {
    if (this.connection.state.kind === 'opening') void this.connection.open();
  }

  /** Resolves when the store is no longer opening. Calls then reveal its state. */
  settled(): Promise<void> {
    this.begin();
    return new Promise((resolve) => {
      if (this.connection.state.kind !== 'opening') return resolve();
      const listening = this.connection.onDidChangeState((state) => {
        if (state.kind === 'opening') return;
        listening.dispose();
        resolve();
      });
    });
  }

  /** Sets the notices of one topic. An empty list removes them. */
  setNotices(topic: string, notices: readonly StoreNotice[]): void {
    if (JSON.stringify(this.notices.get(topic) ?? []) === JSON.stringify(notices)) return;
    this.notices.set(topic, notices);
    this.changes.fire();
  }

  /** Sets the notices of one topic, with a callback for each choice. */
  offer(topic: string, offers: readonly Offer[]): void {
    const nameOf = (offer: number, choice: number): string => `offer.${topic}.${offer}.${choice}`;
    for (const name of [...this.offers.keys()]) if (name.startsWith(`offer.${topic}.`)) this.offers.delete(name);
    offers.forEach(({ choices }, offer) =>
      choices.forEach(({ run }, choice) => this.offers.set(nameOf(offer, choice), run)),
    );
    this.setNotices(
      topic,
      offers.map(({ sentence, choices }, offer) => ({
        sentence,
        actions: choices.map(({ label }, choice) => ({ action: nameOf(offer, choice), label })),
      })),
    );
  }

  /** Shows that the newest sessions could not be read although the store is readable. Null: they could be read
   *  again. */
  recentUnread(reason: string | null, again: () => Promise<void>): void {
    const action = 'offer.recent sessions.again';
    if (reason === null || !this.isReadable) return this.setNotices('recent sessions', []);
    this.offers.set(action, again);
    const sentence = t('Your recent sessions couldn’t be read. Everything stored is unchanged. {reason}', {
      reason,
    });
    this.setNotices('recent sessions', [
      {
        sentence,
        actions: [
          { action, label: t('Try Again') },
          { action: 'showLog', label: t('Show Log') },
        ],
      },
    ]);
  }

  /** Shows that a session in a view could not be read although the store is readable. Null: it was read. */
  shownUnread(sentence: string | null, again: () => Promise<void>): void {
    this.offer(
      'shown session',
      sentence === null ? [] : [{ sentence, choices: [{ label: t('Try Again'), run: again }] }],
    );
  }

  /** Resolves to true when the action belonged to the store. */
  async runAction(action: string): Promise<boolean> {
    switch (action) {
      case storeActions.takeOver:
        await this.connection.takeOver();
        return true;
      case storeActions.retry:
        await this.connection.retry();
        return true;
      default: {
        const chosen = this.offers.get(action);
        await chosen?.();
        return chosen !== undefined;
      }
    }
  }

  private stateChanged(state: StoreState): void {
    const report = 'report' in state ? state.report : null;
    this.justOpened = report !== null && report !== this.reported;
    this.reported = report;
    this.changes.fire();
    this.justOpened = false;
  }
}

function isReadable(state: StoreState): boolean {
  return 'report' in state && state.report !== null;
}
