import * as v from 'valibot';
import { busyModes } from '../transcript/steering';
import type { ContextFile, LeftFile } from '../transcript/contextFiles';
import type { Approval, Mode } from '../transcript/approval';
import type { Spending } from '../transcript/usage';
import type { HandoffTokens } from '../transcript/handoff';
import type { Message } from '../transcript/message';
import type { DraftPart } from '../transcript/draftPart';
import type { ReasoningEffort, QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import type { SandboxState } from '../transcript/sandboxState';
import { attachmentRequests, draftOnItsWay, draftParts, type AttachmentResults } from './attachmentProtocol';
import { feedCommands, feedRequests, type FeedNotifications, type FeedResults, type FeedPage } from './feedProtocol';
import { codeCommands, codeRequests, type CodeResults } from './codeProtocol';
import { composerRequests, type ComposerNotifications, type ComposerResults } from './composerProtocol';
import {
  approvalRequests,
  type BackgroundCommand,
  type WorkNotifications,
  changedFileRequests,
  type ChangedFileNotifications,
  type ChangedFileResults,
  outputCommands,
  reviewCommands,
  reviewRequests,
  type ReviewResults,
} from './workProtocol';
import { syncCommands, type ChatSync, type SyncNotifications } from './syncProtocol';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { Turn } from '../transcript/turn';
import {
  deliveryCommands,
  deliveryRequests,
  type DeliveryNotifications,
  type DeliveryResults,
} from './deliveryProtocol';
import type { SessionContextUse } from '../transcript/contextUse';

/** Requests of the chat's empty state. */
const startRequests = {
  /** Prompts that fit the content of the folder: a few, or none for an empty folder. */
  starterPrompts: v.object({}),
} as const;

interface StartResults {
  readonly starterPrompts: readonly string[];
}

/** Target of a session switch in a chat view. Names the session it acts on, so that a late request changes no other. */
const switchTarget = v.variant('reason', [
  v.object({ reason: v.literal('new_session'), private: v.optional(v.boolean()) }),
  v.object({ reason: v.literal('reset') }),
  v.object({ reason: v.literal('resume'), sessionId: v.string() }),
  /** `from`: an answer (copied with everything before it), a prompt (which goes into the composer of the branch),
   *  or null for everything. */
  v.object({
    reason: v.literal('branch'),
    sessionId: v.string(),
    from: v.nullable(v.string()),
    title: v.optional(v.string()),
  }),
  /** `to`: the prompt to rewind, with everything after it. `files`: also reverts what the rewound turns changed in
   *  files. */
  v.object({ reason: v.literal('rewind'), sessionId: v.string(), to: v.string(), files: v.optional(v.boolean()) }),
  v.object({
    reason: v.literal('rewind'),
    sessionId: v.string(),
    turns: v.pipe(v.number(), v.integer(), v.minValue(1)),
    files: v.optional(v.boolean()),
  }),
]);
export type ViewSwitch = v.InferOutput<typeof switchTarget>;

/** Payloads that a chat view may send, by name, validated on arrival. Views may be rebuilt from `bootstrap` or
 *  `shown` at any moment. */
export const chatCommands = {
  ...outputCommands,
  ...reviewCommands,
  ...deliveryCommands,
  /** The view is ready and has its listeners; the host responds with `bootstrap`. */
  ready: v.object({}),
  /** The user dismissed the notice that a background session is done. */
  dismissBackground: v.object({ sessionId: v.string() }),
  openTranscript: v.object({ messageUid: v.nullable(v.string()) }),
  resumePicker: v.object({}),
  /** Runs a command of an optional feature, with its argument. */
  featureCommand: v.object({
    command: v.picklist(['searchSessions', 'exportSession', 'openMemory']),
    argument: v.optional(v.union([v.string(), v.object({ sessionId: v.string() })])),
  }),
  selectModelPicker: v.object({}),
  openSettings: v.object({ query: v.string() }),
  showLog: v.object({}),
  copy: v.object({ text: v.string() }),
  /** Opens a link of an answer. The host opens workspace paths (with line) itself and asks before leaving for
   *  another origin. */
  openLink: v.object({ href: v.string() }),
  ...codeCommands,
  ...feedCommands,
  ...syncCommands,
  /** Sends the turn's prompt without waiting for memory any longer. */
  skipRecall: v.object({ sessionId: v.string(), turnUid: v.string() }),
  /** Runs one of the actions offered by `ViewStoreState` or a setup entry. */
  runAction: v.object({ action: v.string() }),
} as const;

export const chatRequests = {
  ...changedFileRequests,
  ...reviewRequests,
  ...feedRequests,
  ...deliveryRequests,
  /** Responds when the draft is on disk. Without `parts`, the parts saved before stay. `sent`: prompts that left the
   *  field before this text and are being sent; they are part of the draft until they are stored. `from`: the
   *  draft's earlier key. */
  saveDraft: v.object({
    key: v.string(),
    text: v.string(),
    parts: v.optional(draftParts),
    sent: v.optional(v.array(draftOnItsWay)),
    from: v.optional(v.string()),
  }),
  /** Responds with the text of a saved draft; '' when there is none. */
  draft: v.object({ key: v.string() }),
  /** `busy`: handling of the prompt while a turn runs; default: the setting. The text may be empty if there are
   *  `parts`. Refused (cause `mention`), with nothing sent, when a mention cannot be read. `draft`: the composer it
   *  was typed into, and its text there; storing the prompt removes it from that draft in the same transaction. */
  submit: v.object({
    sessionId: v.nullable(v.string()),
    uid: v.string(),
    text: v.string(),
    parts: v.optional(draftParts),
    busy: v.optional(v.picklist(busyModes)),
    draft: v.optional(v.object({ key: v.string(), text: v.string() })),
  }),
  /** `turnUid`: the turn the user saw running. A stop that arrives too late for it stops nothing else. */
  stop: v.object({ sessionId: v.string(), turnUid: v.optional(v.string()) }),
  /** `files`: first reverts what this turn and everything after it changed in files. */
  retry: v.object({ turnUid: v.string(), files: v.optional(v.boolean()) }),
  /** Continues the last answer where it stopped. */
  continueTurn: v.object({ turnUid: v.string() }),
  /** `uid` comes from the view, so that a repeated request is stored once. `files`: as for `retry`. `parts`: the
   *  prompt's complete new list; without it the prompt keeps its parts. */
  editAndResend: v.object({
    turnUid: v.string(),
    text: v.string(),
    uid: v.string(),
    parts: v.optional(draftParts),
    files: v.optional(v.boolean()),
  }),
  /** Shows the version of a prompt that begins this turn, with its continuation. */
  showVersion: v.object({ turnUid: v.string() }),
  /** Drafts that the view saved before are stored before the switch. */
  switchSession: v.object({ target: switchTarget }),
  /** Text the user typed to name a session. */
  findSession: v.object({ text: v.string() }),
  loadEarlier: v.object({ sessionId: v.string(), before: v.number(), limit: v.number() }),
  /** Reads a message as stored: after a gap in `seq`, or when in doubt. */
  readMessage: v.object({ uid: v.string() }),
  /** Its parts stay as they are. */
  editQueued: v.object({ uid: v.string(), text: v.string() }),
  removeQueued: v.object({ uid: v.string() }),
  promoteQueued: v.object({ uid: v.string() }),
  /** Reads how full the model's context is. */
  contextUse: v.object({ sessionId: v.string() }),
  /** Reads how much `compress` would save. */
  compressionPreview: v.object({ sessionId: v.string() }),
  /** `focus`: what the summary should keep above all. */
  compress: v.object({ sessionId: v.string(), focus: v.nullable(v.string()) }),
  rename: v.object({ sessionId: v.string(), title: v.string() }),
  /** Models in the header's picker, with the destination host of each. */
  listModels: v.object({ refresh: v.boolean() }),
  selectModel: v.object({ sessionId: v.nullable(v.string()), ref: v.string() }),
  /** Searches again for available models (editor models, local servers). */
  discover: v.object({}),
  /** The user pressed a setup entry; for `pasteKey` the host asks for the key itself (a key never passes through a
   *  view). */
  setUp: v.object({ entryId: v.string() }),
  /** Asks for a new key for the provider of the turn's model. Responds with true when it was tested and stored. */
  replaceKey: v.object({ turnUid: v.string() }),
  ...approvalRequests,
  ...composerRequests,
  ...attachmentRequests,
  ...startRequests,
  ...codeRequests,
} as const;

/** Results of the requests that return more than that they were done. */
interface Results
  extends
    StartResults,
    ComposerResults,
    AttachmentResults,
    CodeResults,
    DeliveryResults,
    FeedResults,
    ChangedFileResults,
    ReviewResults {
  readonly draft: string;
  /** `notice`: a sentence when the result differs from the request; absent when there is none. */
  readonly submit: { readonly kind: 'started' | 'queued'; readonly sessionId: string; readonly notice?: string };
  readonly retry: AskedAgain;
  readonly continueTurn: AskedAgain;
  readonly editAndResend: AskedAgain;
  readonly switchSession: SwitchResult;
  readonly findSession: SessionLookup;
  readonly loadEarlier: Omit<FeedPage, 'hasLater'>;
  readonly readMessage: Message | null;
  readonly contextUse: ContextUseView;
  readonly compressionPreview: HandoffTokens | null;
  readonly compress: CompressionOutcome;
  readonly listModels: ModelList;
  readonly discover: Setup;
  readonly replaceKey: boolean;
}

export type ChatResults = {
  readonly [K in keyof typeof chatRequests]: K extends keyof Results ? Results[K] : null;
};

/** Notifications from the host to a chat view. */
export interface ChatNotifications
  extends
    ComposerNotifications,
    Pick<WorkNotifications, 'mode'>,
    DeliveryNotifications,
    FeedNotifications,
    SyncNotifications {
  readonly bootstrap: ChatState;
  readonly changedFiles: ChangedFileNotifications['changedFiles'];
  /** Content the view now shows (null: the empty state). Replaces everything but the models and setup. */
  readonly shown: ShownSession | null;
  readonly turnEvent: { readonly sessionId: string; readonly event: TurnEvent };
  readonly queueChanged: { readonly sessionId: string; readonly queue: readonly QueuedPrompt[] };
  /** The session is being compressed between two turns, or (null) no longer. */
  readonly compressing: { readonly sessionId: string; readonly activity: TurnActivity | null };
  readonly sessionRenamed: { readonly sessionId: string; readonly title: string | null };
  readonly recentSessions: readonly SessionSummary[];
  /** Kind of session that the first prompt in the empty state begins. */
  readonly beginning: { readonly private: boolean };
  readonly background: readonly BackgroundSession[];
  readonly commands: readonly BackgroundCommand[];
  readonly model: ModelState;
  readonly setup: Setup;
  readonly store: ViewStoreState;
  readonly trust: { readonly restricted: boolean };
  readonly sandbox: SandboxState;
  readonly promptFiles: readonly OfferedPrompt[];
  readonly focusComposer: Record<string, never>;
  /** Scroll a message of the shown session into view. `turnUid`: its turn, for a message without its own place in
   *  the chat. */
  readonly reveal: { readonly messageUid: string; readonly turnUid: string | null };
  /** Adds `parts` to the existing ones. */
  readonly insertPrompt: { readonly text: string; readonly parts?: readonly DraftPart[] };
}

export interface ChatState {
  readonly shown: ShownSession | null;
  /** Draft of the empty state (a session's draft is inside `shown`). */
  readonly newDraft: string;
  readonly newDraftParts: readonly DraftPart[];
  readonly recentSessions: readonly SessionSummary[];
  readonly beginning: { readonly private: boolean };
  /** Permission mode for a session that begins here (a shown session's mode is inside `shown`). */
  readonly newMode: Mode;
  readonly background: readonly BackgroundSession[];
  readonly model: ModelState;
  readonly setup: Setup;
  readonly store: ViewStoreState;
  /** Absent or null: this history is not synchronized. */
  readonly sync?: ChatSync | null;
  readonly restricted: boolean;
  readonly folderName: string | null;
  /** True when the folder is not on a disk of the machine that runs extensions: commands and git cannot work in it.
   *  Default: false. */
  readonly isVirtual?: boolean;
  /** Tells if commands run in a sandbox. Absent: not known yet. */
  readonly sandbox?: SandboxState;
  /** Commands of all sessions of this window. Default: none. */
  readonly commands?: readonly BackgroundCommand[];
  /** Names of the optional features that the product has. Absent or null: all. */
  readonly features?: readonly string[] | null;
  readonly demoPrompts: readonly string[];
  readonly promptFiles: readonly OfferedPrompt[];
  /** Texts in the user's language, by English text; empty for English. */
  readonly localization: Readonly<Record<string, string>>;
}

export interface ShownSession extends Omit<FeedPage, 'hasLater'> {
  readonly session: Session;
  readonly queue: readonly QueuedPrompt[];
  readonly draft: string;
  readonly draftParts: readonly DraftPart[];
  readonly openTurn: Turn | null;
  readonly activity: TurnActivity | null;
  /** Approval that the open turn waits for; null when there is none. */
  readonly approval: Approval | null;
  readonly mode: Mode;
  /** The session this one was branched from, or works for as a sub-agent. */
  readonly origin: SessionOrigin | null;
  /** True for the same session as before when rows in it were hidden or restored meanwhile: the view's copy is
   *  outdated. */
  readonly changed: boolean;
}

/** `sessionId` null: it was erased. `hasSubAgent`: the shown session is that of a sub-agent, which works for this
 *  one. */
export type SessionOrigin =
  | {
      readonly sessionId: string;
      readonly title: string | null;
      readonly isTrashed: boolean;
      readonly hasSubAgent?: boolean;
    }
  | { readonly sessionId: null };

/** Session with a running turn, or one that ended unseen, while another session is shown. */
export interface BackgroundSession {
  readonly sessionId: string;
  readonly title: string | null;
  readonly state: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed';
}

/** `notice`: a sentence when the result differs from the request. */
export interface AskedAgain {
  readonly sessionId: string;
  readonly notice: string | null;
}

interface SwitchResult {
  /** The session shown now; null: the empty state. */
  readonly sessionId: string | null;
  readonly notice: string | null;
}

export type SessionLookup =
  | { readonly kind: 'one'; readonly sessionId: string }
  | { readonly kind: 'several'; readonly sessions: readonly SessionSummary[] }
  | { readonly kind: 'none' };

/** Prompt of the project, of an MCP server or of an agent of another maker, typed as a command. The text of a file
 *  never reaches the view: the host builds the prompt to send. That of a server becomes an attachment, before the user
 *  sends it. The other agent gets its command as text. */
export interface OfferedPrompt {
  readonly name: string;
  readonly description: string | null;
  /** Describes the argument after the name. */
  readonly argumentHint: string | null;
  /** Absent: a prompt file. */
  readonly kind?: 'skill' | 'agent' | 'command' | 'server';
}

export interface ContextUseView extends SessionContextUse {
  readonly spending: Spending;
  /** Files for agents that are part of the system prompt. Default: none. */
  readonly files?: readonly ContextFile[];
  /** Personal files that were not read. Default: none. */
  readonly left?: readonly LeftFile[];
}

/** summary: a model wrote it · plain: none could, and the earlier part was shortened · unchanged: `sentence` tells
 *  the user why. */
export type CompressionOutcome =
  | { readonly kind: 'summary' | 'plain'; readonly tokens: HandoffTokens }
  | { readonly kind: 'unchanged'; readonly sentence: string };

export interface ModelState {
  readonly chosen: ModelRow | null;
  /** Reason why the chosen model cannot be used now. */
  readonly problem: string | null;
}

/** A row of the model picker. */
export interface ModelRow {
  readonly ref: string;
  readonly label: string;
  readonly provider: string;
  readonly destination: string;
  readonly contextWindow: number | null;
  readonly tools: boolean | null;
  /** True when it accepts images; null when unknown. */
  readonly images: boolean | null;
  /** Reasoning efforts it supports; absent when not known yet. */
  readonly efforts?: readonly ReasoningEffort[];
  readonly price: { readonly input: number; readonly output: number } | null;
  readonly warnings: readonly string[];
  readonly isDemo: boolean;
}

export interface ModelList {
  readonly models: readonly ModelRow[];
  /** Providers whose models could not be listed: "OpenRouter: the key was refused (401) …". */
  readonly problems: readonly { readonly provider: string; readonly sentence: string }[];
}

/** Setup entries of the empty state, one button each. `searching`: true during the first second. */
export interface Setup {
  readonly searching: boolean;
  readonly entries: readonly SetupEntry[];
}

export interface SetupEntry {
  readonly id: string;
  readonly kind: 'editorModels' | 'localServer' | 'pasteKey' | 'demo';
  readonly title: string;
  readonly detail: string;
}

/** State of the store as the view shows it. Nothing is shown while `open` without notices. */
export type ViewStoreState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly notices: readonly StoreNotice[] }
  | { readonly kind: 'readOnly'; readonly sentence: string; readonly actions: readonly StoreAction[] }
  /** Another window has the history. `readable`: a snapshot of it can be read here. */
  | {
      readonly kind: 'elsewhere';
      readonly readable: boolean;
      readonly sentence: string;
      readonly actions: readonly StoreAction[];
    }
  | {
      readonly kind: 'failed';
      readonly cause: string;
      readonly sentence: string;
      readonly technical: string;
      readonly actions: readonly StoreAction[];
    };

export interface StoreNotice {
  readonly sentence: string;
  readonly actions: readonly StoreAction[];
}

export interface StoreAction {
  readonly action: string;
  readonly label: string;
}
