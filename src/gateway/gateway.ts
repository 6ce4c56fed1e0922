import type { Spending } from '../transcript/cost';
import type { ContextUse } from '../transcript/contextUse';
import type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import type { Approval, ApprovalDecision, Mode } from '../transcript/approval';
import type { SessionEvent, TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { Turn } from '../transcript/turn';
import type { CopyToThisFolder, CopiedSessions } from '../store/sessionCopying';
import type { SessionQuery, TranscriptPage, TranscriptQuery } from '../store/sessionStore';
import type { Disposable } from '../base/disposable';
import type { BusyMode } from '../transcript/busyMode';
import type { DraftPart, DraftSurroundings, PromptDraft, SentPart } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import type { SwitchReason } from '../memory/memoryProvider';
import type { ReasoningEffort } from '../transcript/reasoningEffort';

export type { BusyMode, SwitchReason };

/** A place that shows turns: a panel or a tab. `id` is stable while it lives. Handlers must not throw. */
export interface Surface {
  readonly id: string;
  /** True when the user can see it now. Default: true. Content shown out of sight stays unread. */
  isVisible?(): boolean;
  /** Events of the session this surface shows, in order. */
  onTurnEvent(sessionId: string, event: TurnEvent): void;
  onSessionEvent(event: SessionEvent): void;
  /** Called when the surface now shows this session (null: the empty state). The surface should read its snapshot
   *  again. */
  onSessionSwitched(sessionId: string | null, reason: SwitchReason): void;
}

/** Everything a surface needs to render a session from scratch, read at one time. Later events continue exactly from
 *  here. */
export interface SessionSnapshot {
  readonly session: Session;
  readonly page: TranscriptPage;
  readonly queue: readonly QueuedPrompt[];
  readonly draft: string;
  readonly draftParts: readonly DraftPart[];
  readonly openTurn: Turn | null;
  readonly activity: TurnActivity | null;
  /** The approval that the open turn waits for. */
  readonly approval: Approval | null;
  readonly mode: Mode;
}

export interface PromptSubmission {
  /** Null starts a new session on this surface. */
  readonly sessionId: string | null;
  /** Set by the surface, so that a repeated submission is stored once. */
  readonly uid: string;
  readonly text: string;
  /** Attachments. With them the text may be empty. */
  readonly parts?: readonly SentPart[];
  /** Treatment of the prompt while another turn runs. Default: the setting. */
  readonly busy?: BusyMode;
  /** The composer draft that it was sent from: storing the prompt removes it from there. Absent: the prompt was not
   *  typed into a composer. */
  readonly draft?: PromptDraft;
}

/** `queued`: another turn runs and the prompt waits on disk. It waits for its own turn, for the running turn to
 *  stop, or to steer that turn. When this resolves, the prompt is on disk and the surface may clear its composer.
 *  `notice`: a sentence for the user when the prompt went somewhere else than asked (into a branch). */
export type SubmitReceipt =
  | { readonly kind: 'started'; readonly sessionId: string; readonly turnUid: string; readonly notice?: string }
  | { readonly kind: 'queued'; readonly sessionId: string; readonly queue: readonly QueuedPrompt[] };

/** The user's decisions about a running turn. Part of `Gateway`. Rejects with `StoreError` or `GatewayError`. */
interface ApprovalGateway {
  /** Stores the decision, and only then runs the call (or refuses it). Also resumes a turn that waits only in the
   *  store, after a reload, a crash or a handover to another window. The first decision counts: a second one, from
   *  another surface, changes nothing. Rejects with `notFound` when the approval does not exist, and with `invalid`
   *  when a rule is empty. */
  decideApproval(approvalId: string, decision: ApprovalDecision): Promise<void>;
  /** Returns the approval that the session waits for. Null when there is none. */
  pendingApproval(sessionId: string): Promise<Approval | null>;
  /** Returns how freely the session's agent may act: the session's own choice, or else the setting. Null means the
   *  empty state of the surface. */
  mode(surfaceId: string, sessionId: string | null): Promise<Mode>;
  /** Takes effect with the next call, also within a running turn. */
  setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void>;
  /** Ends one running call. The turn continues and the model is notified. No-op when the call does not run. */
  stopCall(sessionId: string, callId: string): Promise<void>;
  /** Continues the turn while the process that this call started keeps running. No-op when nothing can be left
   *  running. */
  proceedCall(sessionId: string, callId: string): Promise<void>;
}

/** Reasoning effort of a session's model. Part of `Gateway`. Rejects with `StoreError` or `GatewayError`. */
export interface EffortGateway {
  /** Returns the session's own choice, or else the setting. Null means the empty state of the surface. A model that
   *  does not support this effort gets a request without one. */
  effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort>;
  /** Takes effect with the next request to the model, also within a running turn. */
  setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void>;
}

/** Conversations: which session may run a turn now, the cached agents, the queues, and the only `switchSession`.
 *  Rejects with `StoreError`, `ModelError` or `GatewayError`, each with a sentence for the user. */
export interface Gateway extends ApprovalGateway, EffortGateway {
  attach(surface: Surface): Disposable;
  shownSession(surfaceId: string): string | null;
  /** The only place where the session of a surface changes. Showing another session never stops a turn: it continues
   *  in the background. Reset and rewind of a session with a turn are refused (`busy`). A refusal changes nothing. */
  switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome>;
  /** True when the first prompt sent from this surface's empty state begins a private session. */
  startsPrivate(surfaceId: string): boolean;
  snapshot(sessionId: string, pageSize: number): Promise<SessionSnapshot>;
  readTranscript(query: TranscriptQuery): Promise<TranscriptPage>;
  listSessions(query: SessionQuery): Promise<readonly SessionSummary[]>;
  /** Returns the id of the session that the text names: an exact id, the beginning of one, or a title. Rejects with
   *  `notFound`, or with `invalid` when several match. */
  findSession(text: string): Promise<string>;

  submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt>;
  /** Runs the prompt of a settled turn again. Hides its rows and those of every later turn, never deletes them: they
   *  are the earlier version. A turn before a summary is run again in a branch, which the surface then shows. */
  retry(surfaceId: string, turnUid: string, before?: BeforeAsking): Promise<SubmitReceipt>;
  /** Same as `retry`, with a new text for the prompt. `parts`: all attachments of the new prompt. Default: the
   *  attachments of the old one. */
  editAndResend(
    surfaceId: string,
    turnUid: string,
    text: string,
    submissionUid: string,
    before?: BeforeAsking,
    parts?: readonly SentPart[],
  ): Promise<SubmitReceipt>;
  /** Continues the session's last answer where it stopped, in a turn whose first row is not a prompt from the user
   *  (`isContinuation`). Rejects when another turn follows that one or runs. */
  continueTurn(surfaceId: string, turnUid: string): Promise<SubmitReceipt>;
  /** Shows another version of a prompt and of the rows after it. `turnUid`: the turn that heads the version. */
  showVersion(surfaceId: string, turnUid: string): Promise<void>;
  /** Interrupts the running turn of the session's conversation. Resolves when it has settled. No-op when nothing
   *  runs or, with `turnUid`, when another turn does: a late stop must not hit the next prompt. */
  stop(sessionId: string, turnUid?: string): Promise<void>;
  /** Stops the turn's wait for memory. A late skip changes nothing. */
  skipRecall(sessionId: string, turnUid: string): Promise<void>;

  /** Summarizes the earlier part of a session, which then continues with more room. The user sees one session.
   *  Prompts sent meanwhile are queued. Rejects with `busy` while a turn runs, and with `notCompressed` and the
   *  reason when nothing was changed. */
  compress(sessionId: string, focus: string | null): Promise<CompressionReport>;
  /** Resolves when no compression runs between turns. */
  compressionsEnd(): Promise<void>;
  /** Estimates the tokens that `compress` would save. Null when there is nothing to compress. */
  compressionPreview(sessionId: string): Promise<HandoffTokens | null>;
  /** Returns how full the model's context is for a session. Reads the stored rows, so call it after a turn, not for
   *  every event of one. */
  contextUse(sessionId: string): Promise<SessionContextUse>;

  /** Returns the cost of a session (null: none) and of today. Reads the stored rows, so call it after a turn. */
  spending(sessionId: string | null): Promise<Spending>;

  /** Keeps the attachments. */
  editQueued(uid: string, text: string): Promise<void>;
  removeQueued(uid: string): Promise<void>;
  /** Moves a queued prompt to the front. */
  promoteQueued(uid: string): Promise<void>;
  /** Without `parts`, keeps the saved ones. */
  saveDraft(key: string, text: string, parts?: readonly DraftPart[], around?: DraftSurroundings): Promise<void>;
  draft(key: string): Promise<string>;
  draftParts(key: string): Promise<readonly DraftPart[]>;
  renameSession(sessionId: string, title: string): Promise<void>;
  setPinned(sessionId: string, on: boolean): Promise<void>;
  setArchived(sessionId: string, on: boolean): Promise<void>;
  /** Moves a session to the trash. Surfaces that show it switch to the empty state. Rejects with `busy` while a turn
   *  runs or waits. */
  trashSession(sessionId: string): Promise<void>;
  restoreSession(sessionId: string): Promise<void>;
  /** Erases a session for good, here and at the memory providers that support it. Rejects with `busy` while a turn
   *  runs or waits. */
  forgetSession(sessionId: string): Promise<ForgetReport>;
  /** Imports sessions from another folder's store. None of their turns runs here, and no memory provider is
   *  notified: they are in the past. */
  copyToThisFolder(input: CopyToThisFolder): Promise<CopiedSessions>;
  /** Marks the answers of this session as seen. Visible surfaces need not call it: the gateway knows which sessions
   *  they show. */
  setSeen(sessionId: string): Promise<void>;
  /** Chooses the model for a session. Also for new sessions when `sessionId` is null or no model was chosen for them
   *  yet. */
  selectModel(sessionId: string | null, ref: string): Promise<void>;

  /** Turns that run in this window now, over all conversations. `isSubAgent` marks those of sub-agents. `isWaiting`
   *  marks the others that wait for the user; a waiting sub-agent's turn ends with the turn it works for. A turn
   *  that waits only in the store (after a reload, for example) is not included; session lists show that it waits. */
  runningTurns(): readonly {
    readonly sessionId: string;
    readonly turnUid: string;
    readonly activity: TurnActivity | null;
    readonly isWaiting: boolean;
    readonly isSubAgent?: boolean;
  }[];
  readonly onDidChangeRunning: (listener: () => void) => Disposable;
  /** Fires with the sessions whose list entry may have changed. */
  readonly onDidChangeSessions: (listener: (sessionIds: readonly string[]) => void) => Disposable;
  /** Turn events of every session, shown or not. */
  readonly onDidTurnEvent: (
    listener: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void,
  ) => Disposable;
  /** Fires once per surface after the surface was notified that it shows another session. A surface that reads the
   *  same session again does not count as a switch. */
  readonly onDidSwitchSession: (listener: (event: SurfaceSwitch) => void) => Disposable;
  /** Starts the prompts that waited in the queues when the store was opened (after a crash or a handover). */
  resumeQueues(): Promise<void>;
  /** Called when another window takes over the store. Ends in-memory runs that await approval; their turns stay
   *  `waiting`, so the window that gets the decision can resume them. */
  leaveWaiting(): Promise<void>;
  /** Accepts nothing new, lets current work end, and settles every running turn (`windowClosed`). Turns that wait
   *  for the user keep waiting. Then resolves. */
  shutdown(): Promise<void>;
}

/** Called when it is certain that a prompt will be sent again, just before it is sent: restores the files. Must not
 *  reject. */
export type BeforeAsking = () => Promise<void>;

/** A switch of one surface. Null: the empty state. The same id twice: the session was rewound (`rewind`). */
export interface SurfaceSwitch {
  readonly surfaceId: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly reason: SwitchReason;
}

/** Tokens of its model's context that a session uses with every request. The parts add up to the whole. */
export interface SessionContextUse extends ContextUse {
  /** Maximum tokens of the model's context. Null when the model does not report it or cannot be reached now. */
  readonly window: number | null;
  /** Estimates for the system prompt, the tools, and memory's text in the system prompt. Text that memory recalled
   *  for a prompt counts as messages. Null when the model cannot be reached now. */
  readonly parts: {
    readonly system: number;
    readonly tools: number;
    readonly memory: number;
    readonly messages: number;
  } | null;
}

export interface CompressionReport {
  /** The segment in which the session continues. */
  readonly sessionId: string;
  readonly tokens: HandoffTokens;
  /** summary: a model wrote it · plain: no model could, so the earlier part was shortened without one. */
  readonly madeBy: 'summary' | 'plain';
}

export type SwitchTarget =
  /** The empty state; its first prompt begins a session. `private`: a session that no memory provider is notified
   *  of. */
  | { readonly reason: 'new_session'; readonly private?: boolean }
  /** Also the empty state, but ends the session shown now. That session stays in the list. */
  | { readonly reason: 'reset' }
  | { readonly reason: 'resume'; readonly sessionId: string }
  /** A copy of the session up to and including the answer `from`, or up to just before the prompt `from`. Null: a
   *  copy of everything. */
  | { readonly reason: 'branch'; readonly sessionId: string; readonly from: string | null; readonly title?: string }
  /** Removes the prompt `to`, or the newest `turns` prompts, and everything after. Before a summary it becomes a
   *  branch instead. */
  | { readonly reason: 'rewind'; readonly sessionId: string; readonly to: string }
  | { readonly reason: 'rewind'; readonly sessionId: string; readonly turns: number };

export interface SwitchOutcome {
  /** The session that the surface shows now. Null: the empty state. */
  readonly sessionId: string | null;
  /** The composer's new text, already saved as the session's draft. Null: the composer keeps its text. */
  readonly draft: string | null;
  /** A sentence for the user when the result differs from the request. */
  readonly notice: string | null;
  /** For a rewind: the turn that was removed together with everything after it. */
  readonly rewoundTurn?: string;
}

export interface ForgetReport {
  readonly sessionIds: readonly string[];
  /** Sessions that were branched from it: they hold copies, and stay. */
  readonly branches: readonly { readonly sessionId: string; readonly title: string | null }[];
  /** Sentences for the user about everything that could not be erased. Empty when nothing is left anywhere. */
  readonly sentences: readonly string[];
}

/** A request that the gateway cannot fulfill, with a message for the user. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  constructor(
    readonly causeClass: 'noModel' | 'notFound' | 'invalid' | 'busy' | 'closing' | 'notCompressed' | 'stopped',
    message: string,
  ) {
    super(message);
  }
}
