import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatNotifications, ModelChoices, ShownSession } from '../../protocol/chatProtocol';
import { answerText, type BusyMode, type DraftPart, isContinuation, sentParts, type Turn } from '../../protocol/transcriptWords';
import type { MarkdownActions } from '../markdown/Markdown';
import type { NotificationOf } from '../rpc';
import { Announcements } from './announcements';
import { Approvals, plainDecision } from './approvals';
import { AskAgain } from './askAgain';
import { Attachments } from './attachments';
import type { ChatNeeds, ChatProtocol } from './chatHost';
import { runCommand, type CommandTarget } from './commandRunner';
import { initialState, reduce, type ChatEvent, type ChatViewState } from './chatState';
import { afterSubmission, withInsertion } from './composerText';
import { mayHaveChangedFiles, openTurn } from './conversation';
import { DoubtfulMessages } from './doubtfulMessages';
import { Drafts } from './drafts';
import { FileReviews } from './fileReviews';
import { Folds } from './folds';
import { HostRequests, refusalOf, type Problem } from './hostRequests';
import { PromptEdits } from './promptEdits';
import { PromptSender } from './promptSender';
import { PromptVersionChoice } from './promptVersions';
import { SessionContext } from './sessionContext';
import { SessionSwitches } from './sessionSwitches';
import { parseSlash, refusalWords } from './slashCommands';
import { newerDraft, newSessionDraft, type ViewMemory } from './viewMemory';

/** Rows asked for when an earlier page is loaded. */
const pageSize = 60;
/** What the chat view can do: keeps its state, speaks with the host. Components read signals and call methods. */
export class ChatController {
  private readonly current = signal<ChatViewState>(initialState);
  private readonly announcements = new Announcements();
  private readonly loading = signal(false);
  private readonly requests = new HostRequests();
  private readonly sender: PromptSender;
  private readonly doubtful: DoubtfulMessages;
  private placeToRestore: ViewMemory['anchor'];
  readonly drafts: Drafts;
  readonly context: SessionContext;
  readonly switches: SessionSwitches;
  readonly edits: PromptEdits;
  readonly versions: PromptVersionChoice;
  readonly approvals: Approvals;
  readonly files: FileReviews;
  readonly askAgain: AskAgain;
  readonly attachments: Attachments;
  readonly pickerOpen: Signal<boolean> = signal(false);
  /** Counts requests to put the focus into the composer. */
  readonly composerFocus: Signal<number> = signal(0);
  /** Counts returns to the newest text. */
  readonly jumpToEnd: Signal<number> = signal(0);
  /** A message to bring into sight as soon as it is drawn. */
  readonly revealed: Signal<ChatNotifications['reveal'] | null> = signal(null);
  readonly folds: Folds;

  constructor(readonly needs: ChatNeeds) {
    const { host, memory, timers } = needs;
    const recalled = memory.recalled;
    this.placeToRestore = recalled.anchor;
    this.folds = new Folds(recalled.openFolds, (change) => memory.remember(change));
    this.drafts = new Drafts(
      { save: (key, text, parts) => this.saveDraft(key, text, parts), remember: (draft) => memory.remember({ draft }) },
      timers,
      recalled.draft.key,
    );
    this.sender = new PromptSender({
      requests: this.requests,
      drafts: this.drafts,
      submit: ({ parts, ...prompt }) => host.request('submit', parts === undefined ? prompt : { ...prompt, parts: [...parts] }),
      saveDraft: (key, text, parts) => this.saveDraft(key, text, parts),
      newUid: needs.newUid,
      shownSession: () => this.sessionId,
      hasModel: () => this.current.peek().model.chosen !== null,
      leaving: () => void this.jumpToEnd.value++,
    });
    this.context = new SessionContext({
      requests: this.requests,
      shownSession: () => this.sessionId,
      isBusy: () => this.isBusy.peek(),
      contextUse: (sessionId) => host.request('contextUse', { sessionId }),
      preview: (sessionId) => host.request('compressionPreview', { sessionId }),
      compress: (sessionId, focus) => host.request('compress', { sessionId, focus }),
    });
    this.switches = new SessionSwitches({
      requests: this.requests,
      drafts: this.drafts,
      shown: () => this.current.peek().conversation,
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
        resend: ({ parts, ...edit }) => this.versions.askAgain(() => host.request('editAndResend', parts === undefined ? edit : { ...edit, parts: [...parts] })),
        partsOf: (turnUid) => this.partsOf(turnUid),
        newUid: needs.newUid,
      },
      recalled.edits,
    );
    this.attachments = new Attachments({
      requests: this.requests,
      drafts: this.drafts,
      mentions: (text, limit) => host.request('mentions', { text, limit }),
      pin: (source) => host.request('pin', { source }),
      attachFiles: () => host.request('attachFiles', {}),
      dropped: (uris) => host.request('dropped', { uris: [...uris] }),
      announce: (words) => this.announcements.say(words),
      focusComposer: () => this.focusComposer(),
    });
    this.approvals = new Approvals({
      requests: this.requests,
      shownSession: () => this.sessionId,
      decide: (approvalId, decision) => host.request('decideApproval', { approvalId, decision: plainDecision(decision) }),
      decided: (sessionId, approvalId) => this.dispatch({ kind: 'approvalDecided', sessionId, approvalId }),
      setMode: (sessionId, mode) => host.request('setMode', { sessionId, mode }),
      stopCall: (sessionId, callId) => host.request('stopCall', { sessionId, callId }),
      proceedCall: (sessionId, callId) => host.request('proceedCall', { sessionId, callId }),
    });
    this.files = new FileReviews({
      reviewFiles: (turnUid, paths, action, overwrite) => host.request('reviewFiles', { turnUid, paths: paths === null ? null : [...paths], action, overwrite }),
      reviewHunk: (turnUid, path, hunk, action) => host.request('reviewHunk', { turnUid, path, hunk, action }),
      fileHunks: (turnUid, path) => host.request('fileHunks', { turnUid, path }),
    });
    this.askAgain = new AskAgain({
      requests: this.requests,
      changedFiles: (turnUid) => this.hasChangedFiles(turnUid),
      filesFrom: (turnUid) => host.request('filesFrom', { turnUid }),
      ask: {
        retry: (turnUid, files) => this.versions.askAgain(() => host.request('retry', files ? { turnUid, files } : { turnUid })),
        resend: (turnUid, files) => this.edits.resend(turnUid, files),
      },
    });
    this.doubtful = new DoubtfulMessages({
      shown: () => this.current.peek().conversation,
      readMessage: (uid) => host.request('readMessage', { uid }),
      wasRead: (sessionId, uid, message) => this.dispatch({ kind: 'messageRead', sessionId, uid, message }),
      timers,
    });
    host.onNotification((notification) => this.told(notification));
  }

  get state(): ReadonlySignal<ChatViewState> {
    return this.current;
  }

  get problem(): ReadonlySignal<Problem | null> {
    return this.requests.problem;
  }

  /** Said politely to those who listen. */
  get announcement(): ReadonlySignal<string> {
    return this.announcements.text;
  }

  get loadingEarlier(): ReadonlySignal<boolean> {
    return this.loading;
  }

  get submitting(): ReadonlySignal<boolean> {
    return this.sender.busy;
  }

  readonly running: ReadonlySignal<Turn | null> = computed(() => {
    const { conversation } = this.current.value;
    return conversation === null ? null : openTurn(conversation);
  });

  /** A turn runs, or the session is being summarised: what is sent now waits. */
  readonly isBusy: ReadonlySignal<boolean> = computed(() => this.running.value !== null || this.current.value.conversation?.activity?.turnUid === null);

  /** What the project offers behind a "/" beside the commands. */
  readonly promptFiles: ReadonlySignal<ChatViewState['promptFiles']> = computed(() => this.current.value.promptFiles);

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
    if ((typed.trim() === '' && this.drafts.parts.peek().length === 0) || this.submitting.peek()) return;
    const input = parseSlash(typed, this.promptFiles.peek());
    switch (input.kind) {
      case 'prompt':
        return this.sender.submit(typed, typed, busy);
      case 'command':
        return runCommand(this.commandTarget(), input.name, input.text, typed);
      default:
        this.requests.refuse(refusalWords(input));
    }
  }

  /** Has the last answer go on where it was cut off. What is in the composer stays there. */
  async continueAnswer(turnUid: string): Promise<void> {
    if (!this.isBusy.peek()) await this.versions.askAgain(() => this.needs.host.request('continueTurn', { turnUid }));
  }

  /** Sends the running turn's prompt without what memory is still looking for. */
  skipRecall(turnUid: string): void {
    const { sessionId } = this;
    if (sessionId !== null) this.needs.host.send('skipRecall', { sessionId, turnUid });
  }

  async stop(): Promise<void> {
    const sessionId = this.sessionId;
    const running = this.running.peek();
    if (sessionId === null || !this.isBusy.peek()) return;
    await this.requests.ask(() => this.needs.host.request('stop', running === null ? { sessionId } : { sessionId, turnUid: running.uid }));
  }

  async retry(turnUid: string): Promise<void> {
    await this.askAgain.again('retry', turnUid);
  }

  /** In the editor's own diff editor: a file before the turn against the file as it is now. */
  openDiff(turnUid: string, path: string): void {
    this.needs.host.send('openDiff', { turnUid, path });
  }

  /** The whole output of a command, in an editor. */
  openOutput(file: string): void {
    this.needs.host.send('openOutput', { file });
  }

  async loadEarlier(): Promise<void> {
    const conversation = this.current.peek().conversation;
    const before = conversation?.messages[0]?.row?.position;
    if (conversation === null || before === undefined || !conversation.hasEarlier || this.loading.peek()) return;
    this.loading.value = true;
    const sessionId = conversation.session.id;
    await this.requests.ask(async () => {
      const page = await this.needs.host.request('loadEarlier', { sessionId, before, limit: pageSize });
      this.dispatch({ kind: 'earlierLoaded', sessionId, page });
    });
    this.loading.value = false;
  }

  /** Whether the title was taken; if not, the reason stands above the composer. */
  async rename(title: string): Promise<boolean> {
    const sessionId = this.sessionId;
    return sessionId !== null && this.requests.ask(() => this.needs.host.request('rename', { sessionId, title }));
  }

  /** Null when the session has the title now, else why not. */
  renameInPlace(sessionId: string, title: string): Promise<string | null> {
    return refusalOf(() => this.needs.host.request('rename', { sessionId, title }));
  }

  /** Whether the change was taken; if not, the reason stands above the composer. */
  async editQueued(uid: string, text: string): Promise<boolean> {
    return this.requests.ask(() => this.needs.host.request('editQueued', { uid, text }));
  }

  async removeQueued(uid: string): Promise<void> {
    await this.requests.ask(() => this.needs.host.request('removeQueued', { uid }));
  }

  async promoteQueued(uid: string): Promise<void> {
    await this.requests.ask(() => this.needs.host.request('promoteQueued', { uid }));
  }

  listModels(refresh: boolean): Promise<ModelChoices> {
    return this.needs.host.request('listModels', { refresh });
  }

  async selectModel(ref: string): Promise<void> {
    this.pickerOpen.value = false;
    if (await this.requests.ask(() => this.needs.host.request('selectModel', { sessionId: this.sessionId, ref }))) this.focusComposer();
  }

  async setUp(entryId: string): Promise<void> {
    await this.requests.ask(() => this.needs.host.request('setUp', { entryId }));
  }

  async discover(): Promise<void> {
    await this.requests.ask(async () => this.dispatch({ kind: 'discovered', setup: await this.needs.host.request('discover', {}) }));
  }

  /** Puts the last prompt into the empty composer. */
  recallPrompt(): void {
    const prompts = this.current.peek().conversation?.messages.filter((live) => live.role === 'user' && live.row?.visibility.kind === 'shown' && !isContinuation(live));
    const last = prompts?.at(-1);
    if (last !== undefined) this.drafts.edit(answerText(last.parts));
  }

  suggest(prompt: string): void {
    this.drafts.edit(prompt);
    this.focusComposer();
  }

  showAllSessions(): void {
    this.switches.withdraw();
    this.needs.host.send('resumePicker', {});
  }

  /** The person has read that a session in the background is done. */
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

  focusComposer(): void {
    this.composerFocus.value++;
  }

  dismissProblem(): void {
    this.requests.dismiss();
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
    const before = this.current.peek().conversation?.session.conversationId ?? null;
    this.dispatch({ kind: 'told', notification });
    switch (notification.name) {
      case 'bootstrap':
        void this.context.refresh();
        this.showDraft(notification.payload.shown, { text: notification.payload.newDraft, parts: notification.payload.newDraftParts }, wasReady, before);
        break;
      case 'shown':
        void this.context.refresh();
        this.showDraft(notification.payload, { text: '', parts: [] }, true, before);
        break;
      case 'turnEvent':
        this.turnEvent(notification.payload);
        break;
      case 'model':
        void this.context.refresh();
        if (notification.payload.chosen !== null && this.requests.problem.peek()?.offersModels === true) this.dismissProblem();
        break;
      case 'focusComposer':
        this.focusComposer();
        break;
      case 'reveal':
        this.revealed.value = notification.payload;
        break;
      case 'insertPrompt':
        if (notification.payload.text !== '') this.drafts.edit(withInsertion(this.drafts.text.peek(), notification.payload.text));
        this.attachments.add(notification.payload.parts ?? []);
        this.focusComposer();
        break;
    }
  }

  private hasChangedFiles(turnUid: string): boolean {
    const { conversation } = this.current.peek();
    return conversation !== null && mayHaveChangedFiles(conversation, turnUid);
  }

  private exportSession(): void {
    const { sessionId } = this;
    if (sessionId !== null) this.needs.host.send('exportSession', { sessionId });
  }

  private dispatch(event: ChatEvent): void {
    this.current.value = reduce(this.current.peek(), event, this.needs.timers.nowMs());
    this.doubtful.check();
  }

  /** `before`: the conversation that was shown until now. */
  private showDraft(shown: ShownSession | null, newDraft: { readonly text: string; readonly parts: readonly DraftPart[] }, seenBefore: boolean, before: string | null): void {
    const key = shown?.session.id ?? newSessionDraft;
    const { text, parts } = shown === null ? newDraft : { text: shown.draft, parts: shown.draftParts };
    const { recalled } = this.needs.memory;
    if (!seenBefore) {
      this.drafts.show(key, text, parts);
      if (recalled.draft.key === key) this.drafts.edit(newerDraft(recalled.draft, text));
      if (recalled.sessionId !== (shown?.session.id ?? null)) this.folds.forget(shown?.session.id ?? null);
      return;
    }
    const goesOn = shown !== null && shown.session.conversationId === before;
    if (goesOn && key !== this.drafts.place) return this.drafts.moved(key);
    if (key === this.drafts.place && shown?.changed === true) this.drafts.putBack(text, parts);
    if (key === this.drafts.place || this.sender.holdsBack(key, text, parts)) return;
    this.drafts.show(key, text, parts);
    this.dismissProblem();
    this.askAgain.withdraw();
    this.switches.arrived(shown?.session.id ?? null);
    this.folds.forget(shown?.session.id ?? null);
  }

  private saveDraft(key: string, text: string, parts: readonly DraftPart[] | undefined): void {
    this.needs.host.send('saveDraft', parts === undefined ? { key, text } : { key, text, parts: [...parts] });
  }

  private partsOf(turnUid: string): ReturnType<typeof sentParts> {
    const { conversation } = this.current.peek();
    const promptUid = conversation?.turns.get(turnUid)?.userMessageUid;
    return sentParts(conversation?.messages.find(({ uid }) => uid === promptUid)?.parts ?? []);
  }

  private turnEvent({ sessionId, event }: ChatNotifications['turnEvent']): void {
    if (sessionId !== this.sessionId) return;
    this.announcements.heard(event);
    // What was to be asked again is another turn now.
    if (event.kind === 'turnOpened') this.askAgain.withdraw();
    if (event.kind === 'turnSettled') void this.context.refresh();
  }

  private commandTarget(): CommandTarget {
    return {
      requests: this.requests,
      shownSession: this.sessionId,
      isRunning: this.isBusy.peek(),
      lastTurn: this.current.peek().conversation?.messages.findLast((live) => live.turnUid !== null)?.turnUid ?? null,
      sendPrompt: (typed, text, busy) => this.sender.submit(typed, text, busy),
      // What was typed behind the command meanwhile stays.
      clear: (typed) => this.drafts.submitted(this.drafts.place, afterSubmission(this.drafts.text.peek(), typed)),
      rename: (title) => this.rename(title),
      stop: () => this.stop(),
      retry: (turnUid) => this.retry(turnUid),
      proposeCompression: (focus) => this.context.propose(focus),
      chooseModel: () => this.chooseModel(),
      searchSessions: (text) => this.needs.host.send('searchSessions', { text }),
      exportSession: () => this.exportSession(),
      openMemory: () => this.needs.host.send('openMemory', {}),
      newSession: () => this.switches.to({ reason: 'new_session' }),
      reset: () => this.switches.to({ reason: 'reset' }),
      resume: (text) => this.switches.resume(text),
      branch: (title) => this.switches.branch(null, title),
      undo: (count) => this.switches.undo(count),
      restore: (typed) => {
        if (this.drafts.text.peek() === '') this.drafts.edit(typed);
      },
    };
  }
}
