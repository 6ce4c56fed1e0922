import type { ReadonlySignal } from '@preact/signals';
import type { ModelList, ShownSession } from '../../protocol/chatProtocol';
import type { BusyMode, Turn } from '../../protocol/transcriptTypes';
import { codeActionsOf } from '../markdown/codeActionsOf';
import type { MarkdownActions } from '../markdown/Markdown';
import type { NotificationOf } from '../rpc';
import { Announcements, type AnnouncementSteps } from './announcements';
import { Attachments } from './composer/attachments';
import { Drafts } from './composer/drafts';
import type { PromptHistoryDeps } from './composer/promptHistory';
import { PromptSender } from './composer/promptSender';
import { UnsavedDrafts } from './composer/unsavedDrafts';
import type { ChatDeps, ChatProtocol } from './connection/chatHost';
import type { LaterCode } from './connection/laterCode';
import { HostRequests, refusalOf, type RequestProblem } from './connection/hostRequests';
import type { ViewMemory } from './connection/viewMemory';
import { routeNotification } from './notificationRouter';
import { ApprovalController } from './session/approvalController';
import { SessionArrival } from './session/sessionArrival';
import { AskAgain } from './session/askAgain';
import { EffortController } from './session/effortController';
import type { FileReviews } from './session/fileReviews';
import { FilesToRevert } from './session/filesToRevert';
import { PromptEdits } from './session/promptEdits';
import { PromptVersionController } from './session/promptVersionController';
import { SessionContext } from './session/sessionContext';
import { SessionSwitchController } from './session/sessionSwitchController';
import type { ChatViewState } from './state/chatState';
import { ChatStateSignals } from './state/chatStateSignals';
import { UnverifiedMessages } from './state/unverifiedMessages';
import { FeedPages, type FeedSteps } from './state/feedPages';
import { FoldState } from './state/foldState';
import { ScrollPositions } from './state/scrollPositions';
import { ScreenRequests } from './state/screenRequests';
import { Thoughts } from './state/thoughts';
import { TypedInput, type CommandSteps } from './typedInput';

interface ReviewSteps {
  readonly FileReviews: typeof FileReviews;
}

interface ChatControllerDeps extends ChatDeps {
  readonly later: LaterCode<AnnouncementSteps & CommandSteps & FeedSteps & ReviewSteps>;
}

/** Operations of the chat view: builds its parts and talks to the host. Components read signals and call methods. */
export class ChatController {
  private readonly view = new ChatStateSignals(() => this.deps.timers.nowMs());
  private readonly requests = new HostRequests();
  readonly announcements: Announcements;
  readonly screen = new ScreenRequests();
  readonly state: ReadonlySignal<ChatViewState> = this.view.all;
  readonly steady: ReadonlySignal<ChatViewState> = this.view.steady;
  readonly running: ReadonlySignal<Turn | null> = this.view.running;
  readonly isBusy: ReadonlySignal<boolean> = this.view.isBusy;
  readonly promptFiles: ReadonlySignal<ChatViewState['promptFiles']> = this.view.promptFiles;
  readonly problem: ReadonlySignal<RequestProblem | null> = this.requests.problem;
  readonly submitting: ReadonlySignal<boolean>;
  private readonly input: TypedInput;
  private readonly arrivals: SessionArrival;
  private readonly unsaved: UnsavedDrafts;
  readonly drafts: Drafts;
  readonly context: SessionContext;
  readonly switches: SessionSwitchController;
  readonly edits: PromptEdits;
  readonly versions: PromptVersionController;
  readonly approvals: ApprovalController;
  readonly askAgain: AskAgain;
  readonly attachments: Attachments;
  readonly effort: EffortController;
  /** Dependencies of the prompt history, which loads after the first paint. */
  readonly historyDeps: PromptHistoryDeps;
  readonly folds: FoldState;
  readonly thoughts: Thoughts;
  readonly markdown: MarkdownActions;
  readonly scrollPositions: ScrollPositions;
  readonly pages: FeedPages;
  private fileReviews: FileReviews | null = null;

  constructor(readonly deps: ChatControllerDeps) {
    const { host, memory, timers, newUid, later } = deps;
    const { requests, screen, view } = this;
    const shared = { host, requests, view, timers };
    const announcements = (this.announcements = new Announcements(later));
    this.markdown = {
      openLink: (href) => host.send('openLink', { href }),
      copy: (text) => this.copy(text),
      ...codeActionsOf(host),
    };
    const scrollPositions = (this.scrollPositions = new ScrollPositions(memory));
    const folds = (this.folds = new FoldState(memory, view, scrollPositions));
    this.thoughts = new Thoughts(memory);
    const pages = (this.pages = new FeedPages({ ...shared, later }));
    const unsaved = (this.unsaved = new UnsavedDrafts(deps));
    const drafts = (this.drafts = new Drafts(unsaved, timers, newUid));
    const sender = new PromptSender({ ...shared, drafts, screen });
    this.submitting = sender.busy;
    const context = (this.context = new SessionContext(shared));
    this.approvals = new ApprovalController(shared);
    this.effort = new EffortController(shared);
    const files = new FilesToRevert({ ...shared, pages });
    const switches = (this.switches = new SessionSwitchController({ ...shared, drafts, pages, files, screen }));
    const versions = (this.versions = new PromptVersionController({ ...shared, switches, screen }));
    const edits = (this.edits = new PromptEdits({ host, memory, newUid, timers, pages, versions }));
    const askAgain = (this.askAgain = new AskAgain({ host, files, versions, edits }));
    this.attachments = new Attachments({ host, requests, drafts, announcements, screen });
    this.historyDeps = { host, view, drafts };
    this.arrivals = new SessionArrival({
      memory,
      requests,
      drafts,
      unsaved,
      folds,
      scrollPositions,
      sender,
      switches,
      askAgain,
    });
    this.input = new TypedInput({ ...shared, drafts, sender, switches, context, later, chat: this });
    const doubtful = new UnverifiedMessages(shared);
    view.all.subscribe(() => doubtful.check());
    host.onNotification((notification) => this.notified(notification));
  }

  /** Available once the components that use it are loaded. */
  get files(): FileReviews {
    const later = this.deps.later.parts.peek();
    if (later === null) throw new Error('The second part of the program is not there.');
    return (this.fileReviews ??= new later.FileReviews(this.deps.host));
  }

  start(): void {
    // Save unsaved drafts before asking for the state, so that the state includes them.
    this.unsaved.handOver();
    this.deps.host.send('ready', {});
  }

  /** Called when the view is about to be hidden or the user moves elsewhere. */
  leave(): void {
    this.drafts.flush();
    this.edits.flush();
  }

  /** Sends the composer's text, or runs it if it is a command. `busy`: overrides the setting for prompts sent while
   *  a turn runs. */
  submit(busy?: BusyMode): Promise<void> {
    return this.input.submit(busy);
  }

  /** Continues the last answer where it was cut off. Leaves the composer's text alone. */
  async continueAnswer(turnUid: string): Promise<void> {
    if (!this.isBusy.peek()) await this.versions.askAgain(() => this.deps.host.request('continueTurn', { turnUid }));
  }

  /** Sends the running turn's prompt without waiting for pending memory recall. */
  skipRecall(turnUid: string): void {
    const { sessionId } = this.view;
    if (sessionId !== null) this.deps.host.send('skipRecall', { sessionId, turnUid });
  }

  async stop(): Promise<void> {
    const { sessionId } = this.view;
    const running = this.running.peek();
    if (sessionId === null || !this.isBusy.peek()) return;
    await this.requests.ask(() =>
      this.deps.host.request('stop', running === null ? { sessionId } : { sessionId, turnUid: running.uid }),
    );
  }

  async retry(turnUid: string): Promise<void> {
    await this.askAgain.again('retry', turnUid);
    if (this.askAgain.offer.peek() === null) this.focusComposer();
  }

  /** Opens VS Code's diff editor: the file before the turn against the file now. */
  openDiff(turnUid: string, path: string): void {
    this.deps.host.send('openDiff', { turnUid, path });
  }

  /** Opens all files of a turn, or of its whole session, in the multi-file diff editor. */
  openReview(turnUid: string, session = false): void {
    this.deps.host.send('openReview', { turnUid, session });
  }

  /** Opens the complete proposed change in an editor. */
  openProposal(approvalId: string): void {
    this.deps.host.send('openProposal', { approvalId });
  }

  /** Opens the changes of this approval and of the edits that wait after it in VS Code's multi-file diff editor. */
  openProposals(approvalId: string): void {
    this.deps.host.send('openProposals', { approvalId });
  }

  /** Opens the complete output of a command in an editor. */
  openOutput(file: string): void {
    this.deps.host.send('openOutput', { file });
  }

  /** Resolves to true when the title was accepted; otherwise the reason appears above the composer. */
  async rename(title: string): Promise<boolean> {
    const { sessionId } = this.view;
    return sessionId !== null && this.requests.ask(() => this.deps.host.request('rename', { sessionId, title }));
  }

  /** Resolves to null when the session has the new title, else to the reason for the refusal. */
  renameInPlace(sessionId: string, title: string): Promise<string | null> {
    return refusalOf(() => this.deps.host.request('rename', { sessionId, title }));
  }

  /** Resolves to true when the change was accepted; otherwise the reason appears above the composer. */
  async editQueued(uid: string, text: string): Promise<boolean> {
    return this.requests.ask(() => this.deps.host.request('editQueued', { uid, text }));
  }

  /** Resolves to true when the prompt has left the queue; otherwise the reason appears above the composer. */
  async removeQueued(uid: string): Promise<boolean> {
    return this.requests.ask(() => this.deps.host.request('removeQueued', { uid }));
  }

  async promoteQueued(uid: string): Promise<void> {
    await this.requests.ask(() => this.deps.host.request('promoteQueued', { uid }));
  }

  listModels(refresh: boolean): Promise<ModelList> {
    return this.deps.host.request('listModels', { refresh });
  }

  async selectModel(ref: string): Promise<void> {
    this.screen.pickerOpen.value = false;
    if (await this.requests.ask(() => this.deps.host.request('selectModel', { sessionId: this.view.sessionId, ref })))
      this.focusComposer();
  }

  async setUp(entryId: string): Promise<void> {
    await this.requests.ask(() => this.deps.host.request('setUp', { entryId }));
  }

  async discover(): Promise<void> {
    await this.requests.ask(async () =>
      this.view.dispatch({ kind: 'discovered', setup: await this.deps.host.request('discover', {}) }),
    );
  }

  suggest(prompt: string): void {
    this.drafts.edit(prompt);
    this.focusComposer();
  }

  showAllSessions(): void {
    this.switches.withdraw();
    this.deps.host.send('resumePicker', {});
  }

  /** Dismisses the notice that a background session is done. */
  dismissBackground(sessionId: string): void {
    this.deps.host.send('dismissBackground', { sessionId });
  }

  /** Asks the machine that runs the shown turn to stop it. */
  stopElsewhere(): void {
    this.deps.host.send('stopElsewhere', {});
  }

  /** Continues the session of a machine that cannot be reached. */
  takeOver(): void {
    this.deps.host.send('takeOver', {});
  }

  showSync(): void {
    this.deps.host.send('showSync', {});
  }

  runAction(action: string): void {
    this.deps.host.send('runAction', { action });
  }

  openTranscript(messageUid: string | null): void {
    this.deps.host.send('openTranscript', { messageUid });
  }

  copy(text: string): void {
    this.deps.host.send('copy', { text });
  }

  chooseModel(): void {
    this.screen.pickerOpen.value = true;
  }

  /** Announces text in the polite live region. */
  announce(text: string): void {
    this.announcements.announce(text);
  }

  focusComposer(): void {
    this.screen.focusComposer();
  }

  dismissProblem(): void {
    this.requests.dismiss();
  }

  /** Takes the scroll position saved when the view was last seen or the session was left. */
  takePlace(session: ShownSession['session']): ViewMemory['anchor'] {
    return this.arrivals.takePlace(session);
  }

  private notified(notification: NotificationOf<ChatProtocol>): void {
    if (notification.name === 'bootstrap') this.deps.setLocalization(notification.payload.localization);
    const { announcements, requests, arrivals, askAgain, attachments, context, drafts, edits, effort, pages, screen } =
      this;
    const parts = {
      announcements,
      requests,
      arrivals,
      askAgain,
      attachments,
      context,
      drafts,
      edits,
      effort,
      pages,
      screen,
    };
    const before = this.view.all.peek();
    this.view.dispatch({ kind: 'notified', notification });
    routeNotification(parts, notification, before, this.view.all.peek());
  }
}
