import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatNotifications, ModelChoices, ShownSession } from '../../protocol/chatProtocol';
import {
  type BusyMode,
  type DraftOnItsWay,
  type DraftPart,
  sentParts,
  type Turn,
} from '../../protocol/transcriptTypes';
import { codeActionsOf } from '../markdown/codeActionsOf';
import type { MarkdownActions } from '../markdown/Markdown';
import type { NotificationOf } from '../rpc';
import { Announcements } from './announcements';
import type { ApprovalController } from './session/approvalController';
import { ArrivalController } from './session/arrivalController';
import { AskAgain } from './session/askAgain';
import { Attachments } from './composer/attachments';
import type { ChatNeeds, ChatProtocol } from './connection/chatHost';
import { initialState, reduce, type ChatEvent, type ChatViewState } from './state/chatState';
import { mayHaveChangedFiles, openTurn } from './state/conversation';
import { DoubtfulMessages } from './state/doubtfulMessages';
import { Drafts, type DraftToSave } from './composer/drafts';
import type { Effort } from './session/effort';
import type { FileReviews } from './session/fileReviews';
import { FeedPages } from './state/feedPages';
import { Folds } from './state/folds';
import { follow } from './hostNews';
import { HostRequests, refusalOf, type Problem } from './connection/hostRequests';
import { Places } from './state/places';
import type { PromptHistoryNeeds } from './composer/promptHistory';
import { PromptEdits } from './session/promptEdits';
import { PromptSender } from './composer/promptSender';
import { PromptVersionChoice } from './session/promptVersions';
import type { SessionContext } from './session/sessionContext';
import { sessionRooms } from './session/sessionRooms';
import { SessionSwitchController } from './session/sessionSwitchController';
import { steadyState } from './state/steadyState';
import { TypedInput } from './typedInput';
import { UnsavedDrafts } from './composer/unsavedDrafts';
import type { ViewMemory } from './connection/viewMemory';

/** Operations of the chat view: keeps its state and talks to the host. Components read signals and call methods. */
export class ChatController {
  private readonly current = signal<ChatViewState>(initialState);
  readonly announcements = new Announcements();
  private readonly requests = new HostRequests();
  private readonly sender: PromptSender;
  private readonly input: TypedInput;
  private readonly doubtful: DoubtfulMessages;
  private readonly arrivals: ArrivalController;
  private readonly unsaved: UnsavedDrafts;
  readonly drafts: Drafts;
  readonly context: SessionContext;
  readonly switches: SessionSwitchController;
  readonly edits: PromptEdits;
  readonly versions: PromptVersionChoice;
  readonly approvals: ApprovalController;
  readonly files: FileReviews;
  readonly askAgain: AskAgain;
  readonly attachments: Attachments;
  readonly effort: Effort;
  /** Dependencies of the prompt history, which loads after the first paint. */
  readonly historyNeeds: PromptHistoryNeeds;
  readonly pickerOpen: Signal<boolean> = signal(false);
  /** Counts requests to focus the composer. */
  readonly composerFocus: Signal<number> = signal(0);
  /** Counts requests to return to the newest text. */
  readonly jumpToEnd: Signal<number> = signal(0);
  /** Message to scroll into view as soon as it is rendered. Default: none. */
  readonly revealed: Signal<ChatNotifications['reveal'] | null> = signal(null);
  readonly folds: Folds;
  readonly markdown: MarkdownActions;
  readonly places: Places;
  readonly pages: FeedPages;
  /** True when the find bar was requested and must open as soon as it is loaded. */
  readonly findAsked: Signal<boolean> = signal(false);

  constructor(readonly needs: ChatNeeds) {
    const { host, memory, timers } = needs;
    const recalled = memory.recalled;
    this.markdown = {
      openLink: (href) => host.send('openLink', { href }),
      copy: (text) => this.copy(text),
      ...codeActionsOf(host),
    };
    this.places = new Places(recalled.places, (change) => memory.remember(change));
    this.folds = new Folds(recalled.openFolds, (change) => {
      memory.remember(change);
      const { conversation } = this.current.peek();
      if (conversation !== null && change.openFolds !== undefined)
        this.places.note(conversation.session.conversationId, { openFolds: change.openFolds });
    });
    this.pages = new FeedPages({
      requests: this.requests,
      newest: () => this.current.peek().conversation,
      replace: (conversation) => this.dispatch({ kind: 'repaged', conversation }),
      loadEarlier: (sessionId, before, limit) => host.request('loadEarlier', { sessionId, before, limit }),
      loadLater: (sessionId, after, limit) => host.request('loadLater', { sessionId, after, limit }),
      loadAround: (sessionId, messageUid, limit) => host.request('loadAround', { sessionId, messageUid, limit }),
      nowMs: () => needs.timers.nowMs(),
    });
    this.unsaved = new UnsavedDrafts(recalled.unsaved, (unsaved) => memory.remember({ unsaved }));
    this.drafts = new Drafts(
      {
        save: (draft) => void this.unsaved.given(draft.key, this.saveDraft(draft)),
        remember: (key, text, sent) => this.unsaved.note(key, text, sent),
        arrived: (key, uid) => this.unsaved.arrived(key, uid),
      },
      timers,
    );
    this.sender = new PromptSender({
      requests: this.requests,
      drafts: this.drafts,
      submit: ({ parts, ...prompt }) =>
        host.request('submit', parts === undefined ? prompt : { ...prompt, parts: [...parts] }),
      newUid: needs.newUid,
      shownSession: () => this.sessionId,
      hasModel: () => this.current.peek().model.chosen !== null,
      leaving: () => void this.jumpToEnd.value++,
    });
    this.input = new TypedInput(this, this.requests, this.sender);
    const rooms = sessionRooms({
      host,
      requests: this.requests,
      shownSession: () => this.sessionId,
      isBusy: () => this.isBusy.peek(),
      nowMs: () => needs.timers.nowMs(),
      decided: (sessionId, approvalId) => this.dispatch({ kind: 'approvalDecided', sessionId, approvalId }),
    });
    this.context = rooms.context;
    this.approvals = rooms.approvals;
    this.effort = rooms.effort;
    this.files = rooms.files;
    this.switches = new SessionSwitchController({
      requests: this.requests,
      drafts: this.drafts,
      shown: () => this.current.peek().conversation,
      away: () => this.pages.away.peek(),
      recentSessions: () => this.current.peek().recentSessions,
      switchSession: (target) => host.request('switchSession', { target }),
      findSession: (text) => host.request('findSession', { text }),
      filesFrom: (turnUid) => this.askAgain.filesFrom(turnUid),
      focusComposer: () => this.focusComposer(),
    });
    this.versions = new PromptVersionChoice({
      requests: this.requests,
      showVersion: (turnUid) => host.request('showVersion', { turnUid }),
      say: (sessionId, notice) => this.switches.say(sessionId, notice),
      leaving: () => void this.jumpToEnd.value++,
    });
    this.edits = new PromptEdits(
      {
        remember: (change) => memory.remember(change),
        resend: ({ parts, ...edit }) =>
          this.versions.askAgain(() =>
            host.request('editAndResend', parts === undefined ? edit : { ...edit, parts: [...parts] }),
          ),
        partsOf: (turnUid) => this.partsOf(turnUid),
        newUid: needs.newUid,
      },
      recalled.edits,
    );
    this.attachments = new Attachments({
      requests: this.requests,
      drafts: this.drafts,
      mentions: (text, limit, whole) => host.request('mentions', whole ? { text, limit, whole } : { text, limit }),
      pin: (source) => host.request('pin', { source }),
      attachFiles: () => host.request('attachFiles', {}),
      dropped: (uris) => host.request('dropped', { uris: [...uris] }),
      announce: (words) => this.announce(words),
      focusComposer: () => this.focusComposer(),
    });
    this.historyNeeds = {
      drafts: this.drafts,
      shown: () => this.current.peek().conversation,
      earlier: (sessionId, before) => host.request('promptHistory', { sessionId, before }),
    };
    this.askAgain = new AskAgain({
      requests: this.requests,
      changedFiles: (turnUid) => this.hasChangedFiles(turnUid),
      filesFrom: (turnUid) => host.request('filesFrom', { turnUid }),
      ask: {
        retry: (turnUid, files) =>
          this.versions.askAgain(() => host.request('retry', files ? { turnUid, files } : { turnUid })),
        resend: (turnUid, files) => this.edits.resend(turnUid, files),
      },
    });
    this.doubtful = new DoubtfulMessages({
      shown: () => this.current.peek().conversation,
      readMessage: (uid) => host.request('readMessage', { uid }),
      wasRead: (sessionId, uid, message) => this.dispatch({ kind: 'messageRead', sessionId, uid, message }),
      timers,
    });
    this.arrivals = new ArrivalController({
      memory,
      drafts: this.drafts,
      unsaved: this.unsaved,
      folds: this.folds,
      places: this.places,
      holdsBack: (key, text, parts) => this.sender.holdsBack(key, text, parts),
      wasTypedAhead: () => this.switches.wasTypedAhead,
      arrived: (sessionId) => {
        this.dismissProblem();
        this.askAgain.withdraw();
        this.switches.arrived(sessionId);
      },
    });
    host.onNotification((notification) => this.told(notification));
  }

  get state(): ReadonlySignal<ChatViewState> {
    return this.current;
  }

  get problem(): ReadonlySignal<Problem | null> {
    return this.requests.problem;
  }

  /** Text for the polite live region. */
  get announcement(): ReadonlySignal<string> {
    return this.announcements.text;
  }

  get submitting(): ReadonlySignal<boolean> {
    return this.sender.busy;
  }

  /** The view state without streaming text; see steadyState.ts. */
  readonly steady: ReadonlySignal<ChatViewState> = steadyState(this.current);

  readonly running: ReadonlySignal<Turn | null> = computed(() => {
    const { conversation } = this.steady.value;
    return conversation === null ? null : openTurn(conversation);
  });

  /** True while a turn runs or the session is being summarized: prompts sent now are queued. */
  readonly isBusy: ReadonlySignal<boolean> = computed(
    () => this.running.value !== null || this.steady.value.conversation?.activity?.turnUid === null,
  );

  /** Prompt files of the project, offered after "/" next to the commands. */
  readonly promptFiles: ReadonlySignal<ChatViewState['promptFiles']> = computed(() => this.steady.value.promptFiles);

  start(): void {
    // Save unsaved drafts before asking for the state, so that the state includes them.
    this.unsaved.handOver((draft) => this.saveDraft(draft));
    this.needs.host.send('ready', {});
  }

  /** Called when the view is about to be hidden or the user moves elsewhere. */
  leave(): void {
    this.drafts.flush();
  }

  /** Sends the composer's text, or runs it if it is a command. `busy`: overrides the setting for prompts sent while
   *  a turn runs. */
  submit(busy?: BusyMode): Promise<void> {
    return this.input.submit(busy);
  }

  /** Continues the last answer where it was cut off. Leaves the composer's text alone. */
  async continueAnswer(turnUid: string): Promise<void> {
    if (!this.isBusy.peek()) await this.versions.askAgain(() => this.needs.host.request('continueTurn', { turnUid }));
  }

  /** Sends the running turn's prompt without waiting for pending memory recall. */
  skipRecall(turnUid: string): void {
    const { sessionId } = this;
    if (sessionId !== null) this.needs.host.send('skipRecall', { sessionId, turnUid });
  }

  async stop(): Promise<void> {
    const sessionId = this.sessionId;
    const running = this.running.peek();
    if (sessionId === null || !this.isBusy.peek()) return;
    await this.requests.ask(() =>
      this.needs.host.request('stop', running === null ? { sessionId } : { sessionId, turnUid: running.uid }),
    );
  }

  async retry(turnUid: string): Promise<void> {
    await this.askAgain.again('retry', turnUid);
    if (this.askAgain.offer.peek() === null) this.focusComposer();
  }

  /** Opens VS Code's diff editor: the file before the turn against the file now. */
  openDiff(turnUid: string, path: string): void {
    this.needs.host.send('openDiff', { turnUid, path });
  }

  /** Opens all files of a turn, or of its whole session, in the multi-file diff editor. */
  openReview(turnUid: string, session = false): void {
    this.needs.host.send('openReview', { turnUid, session });
  }

  /** Opens the complete proposed change in an editor. */
  openProposal(approvalId: string): void {
    this.needs.host.send('openProposal', { approvalId });
  }

  /** Opens the changes of this approval and of the edits behind it in VS Code's multi-file diff editor. */
  openProposals(approvalId: string): void {
    this.needs.host.send('openProposals', { approvalId });
  }

  /** Opens the complete output of a command in an editor. */
  openOutput(file: string): void {
    this.needs.host.send('openOutput', { file });
  }

  /** Resolves to true when the title was accepted; otherwise the reason appears above the composer. */
  async rename(title: string): Promise<boolean> {
    const sessionId = this.sessionId;
    return sessionId !== null && this.requests.ask(() => this.needs.host.request('rename', { sessionId, title }));
  }

  /** Resolves to null when the session has the new title, else to the reason for the refusal. */
  renameInPlace(sessionId: string, title: string): Promise<string | null> {
    return refusalOf(() => this.needs.host.request('rename', { sessionId, title }));
  }

  /** Resolves to true when the change was accepted; otherwise the reason appears above the composer. */
  async editQueued(uid: string, text: string): Promise<boolean> {
    return this.requests.ask(() => this.needs.host.request('editQueued', { uid, text }));
  }

  /** Resolves to true when the prompt has left the queue; otherwise the reason appears above the composer. */
  async removeQueued(uid: string): Promise<boolean> {
    return this.requests.ask(() => this.needs.host.request('removeQueued', { uid }));
  }

  async promoteQueued(uid: string): Promise<void> {
    await this.requests.ask(() => this.needs.host.request('promoteQueued', { uid }));
  }

  listModels(refresh: boolean): Promise<ModelChoices> {
    return this.needs.host.request('listModels', { refresh });
  }

  async selectModel(ref: string): Promise<void> {
    this.pickerOpen.value = false;
    if (await this.requests.ask(() => this.needs.host.request('selectModel', { sessionId: this.sessionId, ref })))
      this.focusComposer();
  }

  async setUp(entryId: string): Promise<void> {
    await this.requests.ask(() => this.needs.host.request('setUp', { entryId }));
  }

  async discover(): Promise<void> {
    await this.requests.ask(async () =>
      this.dispatch({ kind: 'discovered', setup: await this.needs.host.request('discover', {}) }),
    );
  }

  suggest(prompt: string): void {
    this.drafts.edit(prompt);
    this.focusComposer();
  }

  showAllSessions(): void {
    this.switches.withdraw();
    this.needs.host.send('resumePicker', {});
  }

  /** Dismisses the notice that a background session is done. */
  dismissBackground(sessionId: string): void {
    this.needs.host.send('dismissBackground', { sessionId });
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

  /** Announces text in the polite live region. */
  announce(words: string): void {
    this.announcements.say(words);
  }

  focusComposer(): void {
    this.composerFocus.value++;
  }

  dismissProblem(): void {
    this.requests.dismiss();
  }

  /** Takes the scroll position saved when the view was last seen or the session was left. */
  takePlace(session: ShownSession['session']): ViewMemory['anchor'] {
    return this.arrivals.takePlace(session);
  }

  private get sessionId(): string | null {
    return this.current.peek().conversation?.session.id ?? null;
  }

  private told(notification: NotificationOf<ChatProtocol>): void {
    if (notification.name === 'bootstrap') this.needs.setLocalization(notification.payload.localization);
    const before = this.current.peek();
    this.dispatch({ kind: 'told', notification });
    const {
      announcements,
      requests,
      arrivals,
      askAgain,
      attachments,
      context,
      drafts,
      effort,
      pages,
      findAsked,
      revealed,
    } = this;
    const parts = {
      announcements,
      requests,
      arrivals,
      askAgain,
      attachments,
      context,
      drafts,
      effort,
      pages,
      findAsked,
      revealed,
    };
    follow({ ...parts, focusComposer: () => this.focusComposer() }, notification, before, this.current.peek());
  }

  private hasChangedFiles(turnUid: string): boolean {
    const { conversation } = this.current.peek();
    // Messages between an older turn and the newest ones are not loaded, so their changes are unknown here.
    return conversation !== null && (this.pages.away.peek() !== null || mayHaveChangedFiles(conversation, turnUid));
  }

  private dispatch(event: ChatEvent): void {
    this.current.value = reduce(this.current.peek(), event, this.needs.timers.nowMs());
    this.doubtful.check();
  }

  /** Resolves to true when the draft is on disk. Otherwise the view keeps it, and the store's own notice reports the
   *  problem. */
  private async saveDraft({ parts, sent, ...draft }: DraftToSave): Promise<boolean> {
    const given = {
      ...draft,
      ...(parts === undefined ? {} : { parts: [...parts] }),
      ...(sent === undefined ? {} : { sent: sent.map(sentDraft) }),
    };
    return (await refusalOf(() => this.needs.host.request('saveDraft', given))) === null;
  }

  private partsOf(turnUid: string): ReturnType<typeof sentParts> {
    const conversation = this.pages.away.peek() ?? this.current.peek().conversation;
    const promptUid = conversation?.turns.get(turnUid)?.userMessageUid;
    return sentParts(conversation?.messages.find(({ uid }) => uid === promptUid)?.parts ?? []);
  }
}

function sentDraft({ uid, text, parts }: DraftOnItsWay): { uid: string; text: string; parts?: DraftPart[] } {
  return parts === undefined ? { uid, text } : { uid, text, parts: [...parts] };
}
