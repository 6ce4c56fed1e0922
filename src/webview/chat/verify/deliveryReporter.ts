import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { PulledPlug } from '../../../protocol/witnessProtocol';
import type { WitnessEntry } from '../../../protocol/deliveryTypes';
import { RefusedRequest } from '../../rpc';
import type { SettledTurn } from '../../turnLabels';
import type { ChatHost } from '../connection/chatHost';
import type { ChatViewState } from '../state/chatState';
import { openTurn } from '../state/conversation';
import { type CrashTold, crashTold } from './crashTold';
import type { Timers } from '../timers';
import { type KeptWitness, DeliveryReport } from './witness';

export interface WitnessNeeds {
  readonly state: ReadonlySignal<ChatViewState>;
  readonly host: Pick<ChatHost, 'request' | 'send' | 'onNotification'>;
  readonly timers: Timers;
  /** Saved delivery report of the view, not yet validated. */
  readonly recalled: unknown;
  readonly remember: (kept: KeptWitness) => void;
}

/** Milliseconds. While text streams, the view checks the rendered text, and reports it to the host, at most this
 *  often. */
const pace = { look: 250, tell: 1000, again: 2000 } as const;
/** Maximum entries per report: the host's limit. */
const mostTold = 4000;

/** Keeps the view's delivery report up to date, saves it in the view's memory, and sends it to the host. */
export class DeliveryReporter {
  private readonly witness: DeliveryReport;
  /** Entries the host has not confirmed yet, by conversation. */
  private readonly untold = new Map<string, Map<string, WitnessEntry>>();
  private readonly plug = signal<PulledPlug | null>(null);
  /** Counts checks that found something new. */
  private readonly looks = signal(0);
  private looking = false;
  private telling = false;
  private tellDue: (() => void) | null = null;

  constructor(private readonly needs: WitnessNeeds) {
    this.witness = new DeliveryReport(needs.recalled);
    for (const id of this.witness.conversationIds) this.owe(id, this.witness.entriesOf(id));
  }

  /** Starts following the rendered text. Returns the function that ends it. */
  start(): () => void {
    const { host, state } = this.needs;
    const unlisten = host.onNotification((notification) => {
      if (notification.name !== 'witness') return;
      if (notification.payload.kind === 'erased') this.forget(notification.payload.conversationIds);
      else
        host.send('shownText', {
          messageUid: notification.payload.messageUid,
          text: this.witness.shownText(notification.payload.messageUid),
        });
    });
    this.look();
    void this.tell();
    const stop = effect(() => {
      const { conversation } = state.value;
      if (conversation !== null) this.lookSoon(openTurn(conversation) === null);
    });
    return () => (stop(), unlisten(), this.tellDue?.());
  }

  /** Called when the page may be about to go: saves what was rendered up to now. */
  look(): void {
    const { conversation } = this.needs.state.peek();
    if (conversation === null) return;
    const { conversationId } = conversation.session;
    const changed = this.witness.observe(conversationId, conversation.messages);
    if (changed.length === 0) return;
    this.owe(conversationId, changed);
    this.looks.value++;
    this.needs.remember(this.witness.kept());
    this.tellSoon(openTurn(conversation) === null ? 0 : pace.tell);
  }

  /** Returns the delivery report for a turn that ended with the extension process; null when its usual words are
   *  right. */
  readonly told = (turn: SettledTurn): CrashTold | null => {
    void this.looks.value;
    const conversation = this.needs.state.value.conversation;
    if (turn.stopReason !== 'crash' || conversation === null) return null;
    const plug = this.plug.value?.turnUid === turn.uid ? this.plug.value : null;
    const survival = this.witness.survivalOf(conversation.session.conversationId, turn.uid, !conversation.hasEarlier);
    if (plug === null && survival.onDisk >= survival.shown) return null;
    return { ...survival, at: plug?.at ?? null, dismiss: () => this.dismissPlug() };
  };

  private dismissPlug(): void {
    if (this.plug.peek() === null) return;
    this.plug.value = null;
    this.needs.host.send('plugSeen', {});
  }

  private lookSoon(atOnce: boolean): void {
    if (this.looking) return;
    this.looking = true;
    this.needs.timers.after(atOnce ? 0 : pace.look, () => {
      this.looking = false;
      this.look();
    });
  }

  private tellSoon(delayMs: number): void {
    if (delayMs === 0 && !this.telling) {
      this.tellDue?.();
      this.tellDue = null;
      return void this.tell();
    }
    this.tellDue ??= this.needs.timers.after(Math.max(delayMs, 1), () => {
      this.tellDue = null;
      void this.tell();
    });
  }

  private async tell(): Promise<void> {
    if (this.telling) return this.tellSoon(pace.tell);
    this.telling = true;
    const told = this.takeUntold();
    try {
      const { forgotten, plug } = await this.needs.host.request('witnessed', {
        conversations: told.map(({ conversationId, entries }) => ({ conversationId, entries: [...entries] })),
      });
      this.forget(forgotten);
      if (plug?.turnUid !== this.plug.peek()?.turnUid) this.plug.value = plug;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      for (const { conversationId, entries } of told) this.owe(conversationId, entries, 'older');
      this.tellSoon(pace.again);
    } finally {
      this.telling = false;
    }
    if (this.untold.size > 0) this.tellSoon(pace.tell);
  }

  private takeUntold(): readonly { readonly conversationId: string; readonly entries: readonly WitnessEntry[] }[] {
    const told = [...this.untold].map(([conversationId, entries]) => ({
      conversationId,
      entries: [...entries.values()].slice(0, mostTold),
    }));
    for (const { conversationId, entries } of told) {
      const left = this.untold.get(conversationId);
      for (const entry of entries) left?.delete(keyOf(entry));
      if (left?.size === 0) this.untold.delete(conversationId);
    }
    return told;
  }

  private owe(conversationId: string, entries: readonly WitnessEntry[], age: 'newer' | 'older' = 'newer'): void {
    if (entries.length === 0) return;
    const owed = this.untold.get(conversationId) ?? new Map<string, WitnessEntry>();
    for (const entry of entries) if (age === 'newer' || !owed.has(keyOf(entry))) owed.set(keyOf(entry), entry);
    this.untold.set(conversationId, owed);
  }

  private forget(conversationIds: readonly string[]): void {
    if (conversationIds.length === 0) return;
    this.witness.forget(conversationIds);
    for (const id of conversationIds) this.untold.delete(id);
    this.needs.remember(this.witness.kept());
  }
}

function keyOf({ messageUid, part }: WitnessEntry): string {
  return `${messageUid} ${part}`;
}

/** Starts the delivery report of a view, for the lifetime of its page. */
export function startWitness(needs: WitnessNeeds): void {
  const keeper = new DeliveryReporter(needs);
  keeper.start();
  crashTold.value = keeper.told;
  document.addEventListener('visibilitychange', () => keeper.look());
  window.addEventListener('pagehide', () => keeper.look());
}
