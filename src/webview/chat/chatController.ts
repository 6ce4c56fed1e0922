import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatNotifications, ModelChoices, ShownSession } from '../../protocol/chatProtocol';
import { answerText, type BusyMode, type Turn } from '../../protocol/transcriptWords';
import { t } from '../localization';
import type { MarkdownActions } from '../markdown/Markdown';
import { RefusedRequest, type NotificationOf } from '../rpc';
import type { ChatHost, ChatProtocol } from './chatHost';
import { initialState, reduce, type ChatEvent, type ChatViewState } from './chatState';
import { afterSubmission, withInsertion } from './composerText';
import { messagesInDoubt, openTurn } from './conversation';
import { Drafts, type Timers } from './drafts';
import { commandList, parseSlash, refusalWords, type SlashCommand } from './slashCommands';
import { newerDraft, newSessionDraft, type ViewMemory } from './viewMemory';

/** A sentence above the composer: something asked for was refused, or is answered. */
export interface Problem {
  readonly sentence: string;
  readonly isRefusal: boolean;
  readonly offersModels: boolean;
}

export interface ChatNeeds {
  readonly host: ChatHost;
  readonly timers: Timers;
  readonly newUid: () => string;
  /** What the view remembers, and where changes to it go. */
  readonly memory: { readonly recalled: ViewMemory; remember(change: Partial<ViewMemory>): void };
  readonly setLocalization: (strings: Readonly<Record<string, string>>) => void;
}

/** Rows asked for when an earlier page is loaded. */
const pageSize = 60;
/** Milliseconds before a message still in doubt after a re-read is read again; doubled each time up to the second figure. */
const rereadDelay = { first: 250, longest: 8000 } as const;

/** What the chat view can do: keeps its state, speaks with the host. Components read signals and call methods. */
export class ChatController {
  private readonly current = signal<ChatViewState>(initialState);
  private readonly inFlight = signal<{ readonly uid: string; readonly sessionId: string | null; readonly text: string } | null>(null);
  private readonly refused = signal<Problem | null>(null);
  private readonly said = signal('');
  private readonly loading = signal(false);
  private readonly reading = new Map<string, number>();
  /** The last prompt not known to have arrived: sent again unchanged it keeps its uid, so that it is stored once even if it had. */
  private unconfirmed: { readonly uid: string; readonly sessionId: string | null; readonly text: string } | null = null;
  /** The draft of a session that came into view while a prompt was on its way. */
  private draftDue: { readonly key: string; readonly text: string } | null = null;
  private placeToRestore: ViewMemory['anchor'];
  readonly drafts: Drafts;
  readonly pickerOpen: Signal<boolean> = signal(false);
  /** Counts requests to put the focus into the composer. */
  readonly composerFocus: Signal<number> = signal(0);
  /** Counts returns to the newest text. */
  readonly jumpToEnd: Signal<number> = signal(0);
  readonly openFolds: Signal<ReadonlySet<string>>;

  constructor(readonly needs: ChatNeeds) {
    const { host, memory, timers } = needs;
    const recalled = memory.recalled;
    this.placeToRestore = recalled.anchor;
    this.openFolds = signal(new Set(recalled.openFolds));
    this.drafts = new Drafts(
      { save: (key, text) => host.send('saveDraft', { key, text }), remember: (draft) => memory.remember({ draft }) },
      timers,
      recalled.draft.key,
    );
    host.onNotification((notification) => this.told(notification));
  }

  get state(): ReadonlySignal<ChatViewState> {
    return this.current;
  }

  get problem(): ReadonlySignal<Problem | null> {
    return this.refused;
  }

  /** Said politely to those who listen. */
  get announcement(): ReadonlySignal<string> {
    return this.said;
  }

  get loadingEarlier(): ReadonlySignal<boolean> {
    return this.loading;
  }

  readonly submitting = computed(() => this.inFlight.value !== null);
  readonly running: ReadonlySignal<Turn | null> = computed(() => {
    const { conversation } = this.current.value;
    return conversation === null ? null : openTurn(conversation);
  });

  readonly markdown: MarkdownActions = {
    openLink: (href) => this.needs.host.send('openLink', { href }),
    copy: (text) => this.copy(text),
  };

  start(): void {
    this.needs.host.send('ready', {});
  }

  /** The view is about to be hidden, or the person turned elsewhere. */
  leave(): void {
    this.drafts.flush();
  }

  /** Sends the composer's text, or does what it says where it is a command. A prompt leaves the composer only when the host says that it is on
   *  disk. `busy`: what becomes of a prompt while a turn runs, where that is not left to the setting. */
  async submit(busy?: BusyMode): Promise<void> {
    const typed = this.drafts.text.peek();
    if (typed.trim() === '' || this.inFlight.peek() !== null) return;
    const input = parseSlash(typed);
    switch (input.kind) {
      case 'prompt':
        return this.submitPrompt(typed, typed, busy);
      case 'command':
        return this.runCommand(input.name, input.text, typed);
      default:
        this.refuse(refusalWords(input), false);
    }
  }

  private async runCommand(name: SlashCommand['name'], text: string, typed: string): Promise<void> {
    if (name === 'queue' || name === 'steer') return this.submitPrompt(typed, text, name);
    if (name === 'title') {
      if (this.sessionId === null) this.refuse(t('There is no session to name yet. Send a prompt first.'), false);
      else if (await this.rename(text)) this.clear(typed);
      return;
    }
    this.clear(typed);
    this.dismissProblem();
    switch (name) {
      case 'stop':
        return this.running.peek() === null ? this.inform(t('Nothing is running.')) : this.stop();
      case 'new':
        return this.needs.host.send('newSession', {});
      case 'resume':
        return this.showAllSessions();
      case 'retry': {
        const turnUid = this.current.peek().conversation?.messages.findLast((live) => live.turnUid !== null)?.turnUid ?? null;
        return turnUid === null ? this.inform(t('There is no prompt to ask again yet.')) : this.retry(turnUid);
      }
      case 'model':
        return this.chooseModel();
      case 'help':
        return this.inform(t('Commands: {commands}. Each is described when you type /.', { commands: commandList() }));
      default:
        return name satisfies never;
    }
  }

  /** `typed` is what leaves the composer once `text` is on disk. */
  private async submitPrompt(typed: string, text: string, busy: BusyMode | undefined): Promise<void> {
    if (this.current.peek().model.chosen === null) {
      this.refuse(t('No model is chosen yet. Your prompt stays here; choose a model, then send it.'), true);
      return;
    }
    const place = this.drafts.place;
    await this.send(text, busy, (sessionId) => {
      if (this.drafts.place === place) this.drafts.submitted(sessionId, afterSubmission(this.drafts.text.peek(), typed));
      // Another session is shown by now; the one left behind must not offer the prompt a second time.
      else this.needs.host.send('saveDraft', { key: place, text: '' });
    });
  }

  /** Asks the model to go on where it was cut off. What is in the composer stays there. */
  async continueAnswer(): Promise<void> {
    if (this.inFlight.peek() === null) await this.send(t('Continue where you stopped.'), undefined, () => undefined);
  }

  async stop(): Promise<void> {
    const sessionId = this.sessionId;
    const running = this.running.peek();
    if (sessionId !== null && running !== null) await this.ask(() => this.needs.host.request('stop', { sessionId, turnUid: running.uid }));
  }

  async retry(turnUid: string): Promise<void> {
    this.jumpToEnd.value++;
    await this.ask(() => this.needs.host.request('retry', { turnUid }));
  }

  async loadEarlier(): Promise<void> {
    const conversation = this.current.peek().conversation;
    const before = conversation?.messages[0]?.row?.position;
    if (conversation === null || before === undefined || !conversation.hasEarlier || this.loading.peek()) return;
    this.loading.value = true;
    const sessionId = conversation.session.id;
    await this.ask(async () => {
      const page = await this.needs.host.request('loadEarlier', { sessionId, before, limit: pageSize });
      this.dispatch({ kind: 'earlierLoaded', sessionId, page });
    });
    this.loading.value = false;
  }

  /** Whether the title was taken; if not, the reason stands above the composer. */
  async rename(title: string): Promise<boolean> {
    const sessionId = this.sessionId;
    return sessionId !== null && this.ask(() => this.needs.host.request('rename', { sessionId, title }));
  }

  /** Whether the change was taken; if not, the reason stands above the composer. */
  async editQueued(uid: string, text: string): Promise<boolean> {
    return this.ask(() => this.needs.host.request('editQueued', { uid, text }));
  }

  async removeQueued(uid: string): Promise<void> {
    await this.ask(() => this.needs.host.request('removeQueued', { uid }));
  }

  async promoteQueued(uid: string): Promise<void> {
    await this.ask(() => this.needs.host.request('promoteQueued', { uid }));
  }

  listModels(refresh: boolean): Promise<ModelChoices> {
    return this.needs.host.request('listModels', { refresh });
  }

  async selectModel(ref: string): Promise<void> {
    this.pickerOpen.value = false;
    if (await this.ask(() => this.needs.host.request('selectModel', { sessionId: this.sessionId, ref }))) this.focusComposer();
  }

  async setUp(entryId: string): Promise<void> {
    await this.ask(() => this.needs.host.request('setUp', { entryId }));
  }

  async discover(): Promise<void> {
    await this.ask(async () => this.dispatch({ kind: 'discovered', setup: await this.needs.host.request('discover', {}) }));
  }

  /** Puts the last prompt into the empty composer. */
  recallPrompt(): void {
    const prompts = this.current.peek().conversation?.messages.filter((live) => live.role === 'user' && live.row?.visibility.kind === 'shown');
    const last = prompts?.at(-1);
    if (last !== undefined) this.drafts.edit(answerText(last.parts));
  }

  suggest(prompt: string): void {
    this.drafts.edit(prompt);
    this.focusComposer();
  }

  openSession(sessionId: string): void {
    this.needs.host.send('openSession', { sessionId });
  }

  showAllSessions(): void {
    this.needs.host.send('resumePicker', {});
  }

  runAction(action: string): void {
    this.needs.host.send('runAction', { action });
  }

  openTranscript(messageUid: string | null): void {
    this.needs.host.send('openTranscript', { messageUid });
  }

  copy(text: string): void {
    this.needs.host.send('copy', { text });
  }

  chooseModel(): void {
    this.pickerOpen.value = true;
  }

  focusComposer(): void {
    this.composerFocus.value++;
  }

  dismissProblem(): void {
    this.refused.value = null;
  }

  toggleFold(key: string): void {
    const folds = new Set(this.openFolds.peek());
    if (!folds.delete(key)) folds.add(key);
    this.openFolds.value = folds;
    this.needs.memory.remember({ openFolds: [...folds] });
  }

  /** Where the person was in this session when the view was last seen. Told once: after that the view knows better. */
  takePlace(sessionId: string): ViewMemory['anchor'] {
    const place = this.placeToRestore;
    this.placeToRestore = null;
    return this.needs.memory.recalled.sessionId === sessionId ? place : null;
  }

  private get sessionId(): string | null {
    return this.current.peek().conversation?.session.id ?? null;
  }

  private told(notification: NotificationOf<ChatProtocol>): void {
    if (notification.name === 'bootstrap') this.needs.setLocalization(notification.payload.localization);
    const wasReady = this.current.peek().ready;
    this.dispatch({ kind: 'told', notification });
    switch (notification.name) {
      case 'bootstrap':
        this.showDraft(notification.payload.shown, notification.payload.newDraft, wasReady);
        break;
      case 'shown':
        this.showDraft(notification.payload, '', true);
        break;
      case 'turnEvent':
        this.announce(notification.payload);
        break;
      case 'model':
        if (notification.payload.chosen !== null && this.refused.peek()?.offersModels === true) this.dismissProblem();
        break;
      case 'focusComposer':
        this.focusComposer();
        break;
      case 'insertPrompt':
        this.drafts.edit(withInsertion(this.drafts.text.peek(), notification.payload.text));
        this.focusComposer();
        break;
    }
  }

  private dispatch(event: ChatEvent): void {
    this.current.value = reduce(this.current.peek(), event, this.needs.timers.nowMs());
    this.readDoubtful();
  }

  private showDraft(shown: ShownSession | null, newDraft: string, seenBefore: boolean): void {
    const key = shown?.session.id ?? newSessionDraft;
    const { recalled } = this.needs.memory;
    if (!seenBefore) {
      const host = shown?.draft ?? newDraft;
      this.drafts.show(key, host);
      if (recalled.draft.key === key) this.drafts.edit(newerDraft(recalled.draft, host));
      if (recalled.sessionId !== (shown?.session.id ?? null)) this.forgetFolds(shown);
      return;
    }
    // A prompt of the empty state is on its way into this new session: its text stays until that is known to have arrived.
    if (key === this.drafts.place) return;
    if (this.inFlight.peek()?.sessionId === null) {
      this.draftDue = { key, text: shown?.draft ?? newDraft };
      return;
    }
    this.drafts.show(key, shown?.draft ?? newDraft);
    this.dismissProblem();
    this.forgetFolds(shown);
  }

  private forgetFolds(shown: ShownSession | null): void {
    this.openFolds.value = new Set();
    this.needs.memory.remember({ sessionId: shown?.session.id ?? null, openFolds: [], anchor: null });
  }

  private announce({ sessionId, event }: ChatNotifications['turnEvent']): void {
    if (event.kind === 'turnOpened') this.said.value = '';
    if (event.kind !== 'turnSettled' || sessionId !== this.sessionId) return;
    const { outcome, stopReason } = event.turn;
    // Failures and interruptions are alerts under the answer.
    if (outcome === 'complete') this.said.value = t('Answer finished');
    else if (stopReason === 'user') this.said.value = t('Answer stopped');
  }

  private async send(text: string, busy: BusyMode | undefined, stored: (sessionId: string) => void): Promise<void> {
    const sessionId = this.sessionId;
    const again = this.unconfirmed !== null && this.unconfirmed.text === text && this.unconfirmed.sessionId === sessionId;
    const prompt = { uid: again && this.unconfirmed !== null ? this.unconfirmed.uid : this.needs.newUid(), sessionId, text, ...(busy === undefined ? {} : { busy }) };
    this.inFlight.value = prompt;
    this.unconfirmed = prompt;
    this.jumpToEnd.value++;
    await this.ask(async () => {
      const receipt = await this.needs.host.request('submit', prompt);
      this.unconfirmed = null;
      stored(receipt.sessionId);
    });
    this.inFlight.value = null;
    this.showDueDraft();
  }

  private showDueDraft(): void {
    const due = this.draftDue;
    this.draftDue = null;
    if (due === null || due.key === this.drafts.place) return;
    const text = this.drafts.text.peek();
    this.drafts.submitted(due.key, text === '' ? due.text : text);
  }

  /** Runs a request; a refusal is shown above the composer. Anything else is a fault of the view and goes where faults go. */
  private async ask(request: () => Promise<unknown>): Promise<boolean> {
    this.dismissProblem();
    try {
      await request();
      return true;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.refuse(error.message, error.causeClass === 'noModel' || error.causeClass === 'noKey');
      return false;
    }
  }

  private refuse(sentence: string, offersModels: boolean): void {
    this.refused.value = { sentence, isRefusal: true, offersModels };
  }

  private inform(sentence: string): void {
    this.refused.value = { sentence, isRefusal: false, offersModels: false };
  }

  /** Takes a command that was carried out from the composer, and leaves what was typed behind it. */
  private clear(typed: string): void {
    this.drafts.submitted(this.drafts.place, afterSubmission(this.drafts.text.peek(), typed));
  }

  private readDoubtful(): void {
    const { conversation } = this.current.peek();
    if (conversation === null) return;
    for (const uid of messagesInDoubt(conversation)) {
      if (!this.reading.has(uid)) void this.read(conversation.session.id, uid, rereadDelay.first);
    }
  }

  private async read(sessionId: string, uid: string, delay: number): Promise<void> {
    this.reading.set(uid, delay);
    try {
      const message = await this.needs.host.request('readMessage', { uid });
      this.dispatch({ kind: 'messageRead', sessionId, uid, message });
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      // The store could not be asked now; the message stays in doubt and is asked about again.
    }
    this.needs.timers.after(delay, () => {
      const { conversation } = this.current.peek();
      const doubtful = conversation?.session.id === sessionId && messagesInDoubt(conversation).includes(uid);
      if (doubtful) void this.read(sessionId, uid, Math.min(delay * 2, rereadDelay.longest));
      else this.reading.delete(uid);
    });
  }
}
