import { effect, signal, type Signal } from '@preact/signals';
import type { CrashDemoRun } from '../../../protocol/deliveryProtocol';
import type { DeliveryEntry } from '../../../transcript/deliveryEntry';
import { RefusedRequest } from '../../rpc';
import type { FinishedTurn } from '../../turnLabels';
import type { Chat } from '../state/chat';
import { openTurn } from '../state/conversation';
import { DeliveryReport } from './deliveryReport';

/** Null when the usual words suffice. The delivery reporter loads after the first paint: null until then. */
export const crashReport: Signal<((turn: FinishedTurn) => CrashReport | null) | null> = signal(null);

/** What the delivery reporter needs of the chat. */
type ReportedChat = Pick<Chat, 'state' | 'host' | 'timers' | 'memory'>;

/** Milliseconds. While text streams, the view checks the rendered text, and reports it to the host, at most this
 *  often. */
const pace = { check: 250, send: 1000, again: 2000 } as const;

/** Maximum entries per report: the host's limit. */
const mostReported = 4000;

/** Keeps the view's delivery report up to date, saves it in the view's memory, and sends it to the host. */
export class DeliveryReporter {
  private readonly report: DeliveryReport;
  /** Entries the host has not confirmed yet, by conversation. */
  private readonly unreported = new Map<string, Map<string, DeliveryEntry>>();
  private readonly crashDemo = signal<CrashDemoRun | null>(null);
  /** Counts checks that found something new. */
  private readonly checks = signal(0);
  private checking = false;
  private sending = false;
  private cancelSend: (() => void) | null = null;

  constructor(private readonly chat: ReportedChat) {
    this.report = new DeliveryReport(chat.memory.recalled.witness);
    for (const id of this.report.conversationIds) this.owe(id, this.report.entriesOf(id));
  }

  /** Starts following the rendered text. Returns the function that ends it. */
  start(): () => void {
    const { host, state } = this.chat;
    const unlisten = host.onNotification((notification) => {
      if (notification.name !== 'deliveryRequest') return;
      if (notification.payload.kind === 'erased') this.forget(notification.payload.conversationIds);
      else
        host.send('shownText', {
          messageUid: notification.payload.messageUid,
          text: this.report.shownText(notification.payload.messageUid),
        });
    });
    this.check();
    void this.send();
    const stop = effect(() => {
      const { conversation } = state.value;
      if (conversation !== null) this.checkSoon(openTurn(conversation) === null);
    });
    return () => (stop(), unlisten(), this.cancelSend?.());
  }

  /** Called when the page may be about to go: saves what was rendered up to now. */
  check(): void {
    const { conversation } = this.chat.state.peek();
    if (conversation === null) return;
    const { conversationId } = conversation.session;
    const changed = this.report.observe(conversationId, conversation.messages);
    if (changed.length === 0) return;
    this.owe(conversationId, changed);
    this.checks.value++;
    this.chat.memory.remember({ witness: this.report.kept() });
    this.sendSoon(openTurn(conversation) === null ? 0 : pace.send);
  }

  /** Returns the delivery report for a turn that ended with the extension process; null when its usual words are
   *  right. */
  readonly crashOf = (turn: FinishedTurn): CrashReport | null => {
    void this.checks.value;
    const conversation = this.chat.state.value.conversation;
    if (turn.stopReason !== 'crash' || conversation === null) return null;
    const crashDemo = this.crashDemo.value?.turnUid === turn.uid ? this.crashDemo.value : null;
    const survival = this.report.survivalOf(conversation.session.conversationId, turn.uid, !conversation.hasEarlier);
    if (crashDemo === null && survival.onDisk >= survival.shown) return null;
    return { ...survival, at: crashDemo?.at ?? null, dismiss: () => this.dismissCrashDemo() };
  };

  private dismissCrashDemo(): void {
    if (this.crashDemo.peek() === null) return;
    this.crashDemo.value = null;
    this.chat.host.send('crashDemoSeen', {});
  }

  private checkSoon(atOnce: boolean): void {
    if (this.checking) return;
    this.checking = true;
    this.chat.timers.after(atOnce ? 0 : pace.check, () => {
      this.checking = false;
      this.check();
    });
  }

  private sendSoon(delayMs: number): void {
    if (delayMs === 0 && !this.sending) {
      this.cancelSend?.();
      this.cancelSend = null;
      return void this.send();
    }
    this.cancelSend ??= this.chat.timers.after(Math.max(delayMs, 1), () => {
      this.cancelSend = null;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    if (this.sending) return this.sendSoon(pace.send);
    this.sending = true;
    const sent = this.takeUnreported();
    try {
      const { forgotten, crashDemo } = await this.chat.host.request('reportDelivery', {
        conversations: sent,
      });
      this.forget(forgotten);
      if (crashDemo?.turnUid !== this.crashDemo.peek()?.turnUid) this.crashDemo.value = crashDemo;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      for (const { conversationId, entries } of sent) this.owe(conversationId, entries, 'older');
      this.sendSoon(pace.again);
    } finally {
      this.sending = false;
    }
    if (this.unreported.size > 0) this.sendSoon(pace.send);
  }

  private takeUnreported(): readonly { readonly conversationId: string; readonly entries: readonly DeliveryEntry[] }[] {
    const sent = [...this.unreported].map(([conversationId, entries]) => ({
      conversationId,
      entries: [...entries.values()].slice(0, mostReported),
    }));
    for (const { conversationId, entries } of sent) {
      const left = this.unreported.get(conversationId);
      for (const entry of entries) left?.delete(keyOf(entry));
      if (left?.size === 0) this.unreported.delete(conversationId);
    }
    return sent;
  }

  private owe(conversationId: string, entries: readonly DeliveryEntry[], age: 'newer' | 'older' = 'newer'): void {
    if (entries.length === 0) return;
    const owed = this.unreported.get(conversationId) ?? new Map<string, DeliveryEntry>();
    for (const entry of entries) if (age === 'newer' || !owed.has(keyOf(entry))) owed.set(keyOf(entry), entry);
    this.unreported.set(conversationId, owed);
  }

  private forget(conversationIds: readonly string[]): void {
    if (conversationIds.length === 0) return;
    this.report.forget(conversationIds);
    for (const id of conversationIds) this.unreported.delete(id);
    this.chat.memory.remember({ witness: this.report.kept() });
  }
}

function keyOf({ messageUid, part }: DeliveryEntry): string {
  return `${messageUid} ${part}`;
}

/** Starts the delivery report of a view, for the lifetime of its page. */
export function startDeliveryReporter(chat: ReportedChat): void {
  const keeper = new DeliveryReporter(chat);
  keeper.start();
  crashReport.value = keeper.crashOf;
  document.addEventListener('visibilitychange', () => keeper.check());
  window.addEventListener('pagehide', () => keeper.check());
}

/** The view's own delivery report about a turn that ended with the extension process. In characters. `at`: time of
 *  Pull the Plug, in seconds since the epoch; null for any other end. */
export interface CrashReport {
  readonly at: number | null;
  readonly shown: number;
  readonly onDisk: number;
  /** Characters stored in their place, whatever their content. */
  readonly stored: number;
  readonly dismiss: () => void;
}
