import type { ContextUse } from '../transcript/contextUse';
import type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import type { Approval, Mode } from '../transcript/approval';
import type { SessionEvent, TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { Turn } from '../transcript/turn';
import type { BringOver, BroughtOver } from '../store/bringingOver';
import type { SessionQuery, TranscriptPage, TranscriptQuery } from '../store/sessionStore';
import type { Disposable } from '../base/disposable';
import type { BusyMode } from '../transcript/busyMode';
import type { DraftPart, DraftSurroundings, PromptDraft, SentPart } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import type { ApprovalGateway } from './approvalGateway';
import type { EffortGateway } from './effortGateway';
import type { SwitchReason } from '../memory/switchReason';

export type { BusyMode, SwitchReason };

/** Where turns are shown: a panel or a tab. `id` is stable while it lives. Handlers must not throw. */
export interface Surface {
  readonly id: string;
  /** Whether a person can see it now; true where it is not said. What is shown out of sight stays unread. */
  isVisible?(): boolean;
  /** Events of the session this surface shows, in order. */
  onTurnEvent(sessionId: string, event: TurnEvent): void;
  onSessionEvent(event: SessionEvent): void;
  /** The surface now shows this session (null: the empty state). It should read its snapshot again. */
  onSessionSwitched(sessionId: string | null, reason: SwitchReason): void;
}

/** Everything a surface needs to draw a session from nothing, read in one go; further events continue exactly from here. */
export interface SessionSnapshot {
  readonly session: Session;
  readonly page: TranscriptPage;
  readonly queue: readonly QueuedPrompt[];
  readonly draft: string;
  readonly draftParts: readonly DraftPart[];
  readonly openTurn: Turn | null;
  readonly activity: TurnActivity | null;
  /** What the open turn waits for. */
  readonly approval: Approval | null;
  readonly mode: Mode;
}

export interface PromptSubmission {
  /** Null starts a new session on this surface. */
  readonly sessionId: string | null;
  /** Given by the surface, so that a repeated submission is stored once. */
  readonly uid: string;
  readonly text: string;
  /** What goes along; with it the text may be empty. */
  readonly parts?: readonly SentPart[];
  /** What becomes of it while another turn runs; without it the setting decides. */
  readonly busy?: BusyMode;
  /** The composer's draft that it was sent from: storing the prompt takes it out of there. Absent: nobody typed it into a composer. */
  readonly draft?: PromptDraft;
}

/** queued: another turn runs, the prompt waits durably, whether for its turn, for the turn to stop, or to be told to it. When this resolves the prompt is on disk; the surface may clear its composer.
 *  `notice`: a sentence for the person where it went another way than asked (into a branch). */
export type SubmitReceipt =
  | { readonly kind: 'started'; readonly sessionId: string; readonly turnUid: string; readonly notice?: string }
  | { readonly kind: 'queued'; readonly sessionId: string; readonly queue: readonly QueuedPrompt[] };

/** Conversations: who may run a turn now, which agent is cached, what is queued, and the one `switchSession`. Rejections are `StoreError`,
 *  `ModelError` or `GatewayError`, each with a sentence for a person. */
export interface Gateway extends ApprovalGateway, EffortGateway {
  attach(surface: Surface): Disposable;
  shownSession(surfaceId: string): string | null;
  /** The only place where the session of a surface changes. Showing another session never stops a turn: it goes on in the background; reset
   *  and rewind of a session with a turn are refused (`busy`). A refusal changes nothing. */
  switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome>;
  /** Whether the first prompt sent from this surface's empty state begins a private session. */
  startsPrivate(surfaceId: string): boolean;
  snapshot(sessionId: string, pageSize: number): Promise<SessionSnapshot>;
  readTranscript(query: TranscriptQuery): Promise<TranscriptPage>;
  listSessions(query: SessionQuery): Promise<readonly SessionSummary[]>;
  /** The id of the session a person means: exact id, beginning of one, or title. Rejects with `notFound`, or `invalid` when several fit. */
  findSession(text: string): Promise<string>;

  submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt>;
  /** Runs the prompt of a settled turn again. Its rows and those of every turn behind it are hidden, never deleted: they are the earlier
   *  version. A turn that stands before a summary is asked again in a branch, which the surface then shows. */
  retry(surfaceId: string, turnUid: string, before?: BeforeAsking): Promise<SubmitReceipt>;
  /** The same with other words for the prompt. `parts`: all that goes along from now on; without them what went along before does. */
  editAndResend(
    surfaceId: string,
    turnUid: string,
    text: string,
    submissionUid: string,
    before?: BeforeAsking,
    parts?: readonly SentPart[],
  ): Promise<SubmitReceipt>;
  /** Has the session's last answer go on where it stopped, in a turn whose first row is no prompt of the person's (`isContinuation`). Rejects
   *  where another turn stands behind that one or runs. */
  continueTurn(surfaceId: string, turnUid: string): Promise<SubmitReceipt>;
  /** Shows another version of a prompt and of what followed it; `turnUid` is the turn that heads the version. */
  showVersion(surfaceId: string, turnUid: string): Promise<void>;
  /** Interrupts the running turn of the session's conversation; resolves when it has settled. No-op when nothing runs or, with
   *  `turnUid`, when another turn does: a stop that comes late must not hit the prompt behind. */
  stop(sessionId: string, turnUid?: string): Promise<void>;
  /** The turn waits for memory no longer. A skip that comes late changes nothing. */
  skipRecall(sessionId: string, turnUid: string): Promise<void>;

  /** Summarises the earlier part of a session, which then goes on with more room; a person sees one session. Prompts sent meanwhile queue.
   *  Rejects with `busy` while a turn runs and with `notCompressed`, and why, when nothing was changed. */
  compress(sessionId: string, focus: string | null): Promise<CompressionReport>;
  /** What `compress` would save, about; null when there is nothing to compress. */
  compressionPreview(sessionId: string): Promise<HandoffTokens | null>;
  /** How full the model's context is for a session. Reads the stored rows: for after a turn, not for every event of one. */
  contextUse(sessionId: string): Promise<SessionContextUse>;

  /** What goes along stays. */
  editQueued(uid: string, text: string): Promise<void>;
  removeQueued(uid: string): Promise<void>;
  /** Moves a queued prompt to the front. */
  promoteQueued(uid: string): Promise<void>;
  /** Without `parts`, those that were saved before stay. */
  saveDraft(key: string, text: string, parts?: readonly DraftPart[], around?: DraftSurroundings): Promise<void>;
  draft(key: string): Promise<string>;
  draftParts(key: string): Promise<readonly DraftPart[]>;
  renameSession(sessionId: string, title: string): Promise<void>;
  setPinned(sessionId: string, on: boolean): Promise<void>;
  setArchived(sessionId: string, on: boolean): Promise<void>;
  /** Into the trash. Surfaces that show it go to the empty state. Rejects with `busy` while a turn runs or waits. */
  trashSession(sessionId: string): Promise<void>;
  restoreSession(sessionId: string): Promise<void>;
  /** Erases a session for good, here and at the memory providers that can. Rejects with `busy` while a turn runs or waits. */
  forgetSession(sessionId: string): Promise<ForgetReport>;
  /** Takes sessions of another folder's store in. No turn of theirs runs here, and no memory provider is told: they are past. */
  bringOver(input: BringOver): Promise<BroughtOver>;
  /** What was answered in this session has been seen. Surfaces that are visible need not say so: the gateway knows what they show. */
  setSeen(sessionId: string): Promise<void>;
  /** Chooses the model for a session, and for new ones when `sessionId` is null or nothing was chosen for them yet. */
  selectModel(sessionId: string | null, ref: string): Promise<void>;

  /** Turns that run in this window now, over all conversations, those of sub-agents marked, and those among the others that wait for the person: a
   *  sub-agent's turn that does ends with the one it works for. A turn that waits in the store
   *  alone (after a reload, say) is not among them; lists say that it waits. */
  runningTurns(): readonly {
    readonly sessionId: string;
    readonly turnUid: string;
    readonly activity: TurnActivity | null;
    readonly isWaiting: boolean;
    readonly isSubAgent?: boolean;
  }[];
  readonly onDidChangeRunning: (listener: () => void) => Disposable;
  /** Sessions whose entry in a list may read otherwise now. */
  readonly onDidChangeSessions: (listener: (sessionIds: readonly string[]) => void) => Disposable;
  /** Turn events of every session, shown or not. */
  readonly onDidTurnEvent: (
    listener: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void,
  ) => Disposable;
  /** What a surface shows has changed: once per surface, when it has been told. A surface that reads its session anew is no switch. */
  readonly onDidSwitchSession: (listener: (event: SurfaceSwitch) => void) => Disposable;
  /** Starts what waited in the queues when the store was opened (after a crash or a hand-over). */
  resumeQueues(): Promise<void>;
  /** The store is given away: runs that wait for the person end, and their turns go on waiting in the store, for whoever decides. */
  leaveWaiting(): Promise<void>;
  /** Takes nothing more in, lets what is under way end, settles every running turn (`windowClosed`) but those that wait for the person, which go on
   *  waiting, then resolves. */
  shutdown(): Promise<void>;
}

/** Done when it is certain that a turn is asked again, and before it is: putting its files back. Must not reject. */
export type BeforeAsking = () => Promise<void>;

/** A switch of one surface. Null: the empty state. The same id twice: the session was cut back (`rewind`). */
export interface SurfaceSwitch {
  readonly surfaceId: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly reason: SwitchReason;
}

/** What a session takes of its model's context with every request, in tokens. The parts add up to the whole. */
export interface SessionContextUse extends ContextUse {
  /** What the model takes at most; null where it does not say, or cannot be asked now. */
  readonly window: number | null;
  /** System prompt, tools, and what memory has in the system prompt are estimates; what it recalled for a prompt is part of the messages. Null
   *  where the model cannot be asked now. */
  readonly parts: {
    readonly system: number;
    readonly tools: number;
    readonly memory: number;
    readonly messages: number;
  } | null;
}

export interface CompressionReport {
  /** The segment in which the session goes on. */
  readonly sessionId: string;
  readonly tokens: HandoffTokens;
  /** summary: a model wrote it · plain: none could, and the earlier part was shortened without one. */
  readonly madeBy: 'summary' | 'plain';
}

export type SwitchTarget =
  /** The empty state; its first prompt begins a session. `private`: one that no memory provider hears of. */
  | { readonly reason: 'new_session'; readonly private?: boolean }
  /** The same, and the session shown now has ended; it stays in the list. */
  | { readonly reason: 'reset' }
  | { readonly reason: 'resume'; readonly sessionId: string }
  /** A copy of the session up to and with the answer `from`, or up to just before the prompt `from`; null: of everything. */
  | { readonly reason: 'branch'; readonly sessionId: string; readonly from: string | null; readonly title?: string }
  /** Takes back the prompt `to`, or the newest `turns` prompts, and everything behind. Before a summary it becomes a branch. */
  | { readonly reason: 'rewind'; readonly sessionId: string; readonly to: string }
  | { readonly reason: 'rewind'; readonly sessionId: string; readonly turns: number };

export interface SwitchOutcome {
  /** What the surface shows now; null: the empty state. */
  readonly sessionId: string | null;
  /** What the composer holds now, saved as the session's draft already; null: it keeps what it has. */
  readonly draft: string | null;
  /** A sentence for the person, where something went another way than asked. */
  readonly notice: string | null;
  /** Of a rewind: the turn that was taken back with everything behind it. */
  readonly takenBack?: string;
}

export interface ForgetReport {
  readonly sessionIds: readonly string[];
  /** Sessions that were branched from it: they hold copies, and stay. */
  readonly branches: readonly { readonly sessionId: string; readonly title: string | null }[];
  /** What could not be erased, for the person; empty when nothing is left anywhere. */
  readonly sentences: readonly string[];
}

/** A request the gateway cannot fulfil, in words for a person. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  constructor(
    readonly causeClass: 'noModel' | 'notFound' | 'invalid' | 'busy' | 'closing' | 'notCompressed' | 'stopped',
    message: string,
  ) {
    super(message);
  }
}
