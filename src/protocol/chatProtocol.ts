import * as v from 'valibot';
import { busyModes } from '../transcript/busyMode';
import type { Approval, Mode } from '../transcript/approval';
import type { HandoffTokens } from '../transcript/handoff';
import type { Message } from '../transcript/message';
import type { DraftPart } from '../transcript/draftPart';
import type { ReasoningEffort } from '../transcript/reasoningEffort';
import type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import type { SandboxState } from '../transcript/sandboxState';
import { attachmentRequests, draftOnItsWay, draftParts, type AttachmentResults } from './attachmentProtocol';
import { feedCommands, feedRequests, type FeedNotifications, type FeedResults } from './feedProtocol';
import { codeCommands, codeRequests, type CodeResults } from './codeProtocol';
import { composerRequests, type ComposerNotifications, type ComposerResults } from './composerProtocol';
import { approvalRequests, type ApprovalResults, type WorkNotifications } from './workProtocol';
import { startRequests, type StartResults } from './startProtocol';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { PromptVersions, Turn } from '../transcript/turn';
import type { ChangedFile } from '../transcript/changedFile';
import {
  changedFileCommands,
  changedFileRequests,
  type ChangedFileNotifications,
  type ChangedFileResults,
} from './workProtocol';
import { witnessCommands, witnessRequests, type WitnessNotifications, type WitnessResults } from './witnessProtocol';

/** What a chat view may ask to be shown. The session acted on is named, so that a switch that comes late hits no other. */
const switchTarget = v.variant('reason', [
  v.object({ reason: v.literal('new_session'), private: v.optional(v.boolean()) }),
  v.object({ reason: v.literal('reset') }),
  v.object({ reason: v.literal('resume'), sessionId: v.string() }),
  /** `from`: an answer (copied with everything before it) or a prompt (which goes into the composer of the branch); null: everything. */
  v.object({
    reason: v.literal('branch'),
    sessionId: v.string(),
    from: v.nullable(v.string()),
    title: v.optional(v.string()),
  }),
  /** `to`: the prompt that is taken back with everything behind it. `files`: also what the turns that are taken back changed in files. */
  v.object({ reason: v.literal('rewind'), sessionId: v.string(), to: v.string(), files: v.optional(v.boolean()) }),
  v.object({
    reason: v.literal('rewind'),
    sessionId: v.string(),
    turns: v.pipe(v.number(), v.integer(), v.minValue(1)),
    files: v.optional(v.boolean()),
  }),
]);
export type ViewSwitch = v.InferOutput<typeof switchTarget>;

/** Payloads a chat view may send, by name, validated where they arrive. Views are rebuilt from `bootstrap` or `shown` at any moment. */
export const chatCommands = {
  ...changedFileCommands,
  ...witnessCommands,
  /** The view is up and has its listeners; the host answers with `bootstrap`. */
  ready: v.object({}),
  /** The person has read that a session in the background is done, and need not be told any longer. */
  dismissBackground: v.object({ sessionId: v.string() }),
  openTranscript: v.object({ messageUid: v.nullable(v.string()) }),
  resumePicker: v.object({}),
  searchSessions: v.object({ text: v.string() }),
  exportSession: v.object({ sessionId: v.string() }),
  openMemory: v.object({}),
  selectModelPicker: v.object({}),
  openSettings: v.object({ query: v.string() }),
  showLog: v.object({}),
  copy: v.object({ text: v.string() }),
  /** A link of an answer. The host opens workspace paths (with line) itself and asks before leaving for another origin. */
  openLink: v.object({ href: v.string() }),
  ...codeCommands,
  ...feedCommands,
  /** Send the turn's prompt without waiting for memory any longer. */
  skipRecall: v.object({ sessionId: v.string(), turnUid: v.string() }),
  /** One of the actions offered by `StoreState` or a setup entry. */
  runAction: v.object({ action: v.string() }),
} as const;

export const chatRequests = {
  ...changedFileRequests,
  ...feedRequests,
  ...witnessRequests,
  /** Answered when the draft is on disk. Without `parts`, those that were saved before stay. `sent`: prompts that left the field ahead of this text
   *  and are on their way; they are part of the draft until they are stored. `from`: the draft had that key before. */
  saveDraft: v.object({
    key: v.string(),
    text: v.string(),
    parts: v.optional(draftParts),
    sent: v.optional(v.array(draftOnItsWay)),
    from: v.optional(v.string()),
  }),
  /** `busy`: what becomes of the prompt while a turn runs; without it the setting decides. The text may be empty where `parts` are not. Refused
   *  (cause `mention`), with nothing sent, where a mention cannot be read. `draft`: the composer it was typed into, and how it read there; it leaves
   *  that draft in the moment in which it is stored. */
  submit: v.object({
    sessionId: v.nullable(v.string()),
    uid: v.string(),
    text: v.string(),
    parts: v.optional(draftParts),
    busy: v.optional(v.picklist(busyModes)),
    draft: v.optional(v.object({ key: v.string(), text: v.string() })),
  }),
  /** `turnUid`: the turn the person saw running. A stop that comes too late for it stops nothing else. */
  stop: v.object({ sessionId: v.string(), turnUid: v.optional(v.string()) }),
  /** `files`: also reverts what this turn and everything behind it changed in files, before it is asked again. */
  retry: v.object({ turnUid: v.string(), files: v.optional(v.boolean()) }),
  /** Has the last answer go on where it stopped. */
  continueTurn: v.object({ turnUid: v.string() }),
  /** `uid` is given by the view, so that a repeated request is stored once. `files`: as for `retry`. `parts`: all that the prompt has from now on;
   *  without them it keeps those it has. */
  editAndResend: v.object({
    turnUid: v.string(),
    text: v.string(),
    uid: v.string(),
    parts: v.optional(draftParts),
    files: v.optional(v.boolean()),
  }),
  /** Shows the version of a prompt that this turn heads, with what followed it. */
  showVersion: v.object({ turnUid: v.string() }),
  /** Drafts that the view saved before are stored before this is done. */
  switchSession: v.object({ target: switchTarget }),
  /** What a person typed to name a session. */
  findSession: v.object({ text: v.string() }),
  loadEarlier: v.object({ sessionId: v.string(), before: v.number(), limit: v.number() }),
  /** After a gap in `seq`, or when in doubt: the message as stored. */
  readMessage: v.object({ uid: v.string() }),
  /** Its parts stay as they are. */
  editQueued: v.object({ uid: v.string(), text: v.string() }),
  removeQueued: v.object({ uid: v.string() }),
  promoteQueued: v.object({ uid: v.string() }),
  /** How full the model's context is. */
  contextUse: v.object({ sessionId: v.string() }),
  /** What `compress` would save. */
  compressionPreview: v.object({ sessionId: v.string() }),
  /** `focus`: what the summary should keep above all. */
  compress: v.object({ sessionId: v.string(), focus: v.nullable(v.string()) }),
  rename: v.object({ sessionId: v.string(), title: v.string() }),
  /** Models in the header's picker, with the destination host of each. */
  listModels: v.object({ refresh: v.boolean() }),
  selectModel: v.object({ sessionId: v.nullable(v.string()), ref: v.string() }),
  /** Looks again for what could answer (editor models, local servers). */
  discover: v.object({}),
  /** A setup entry was pressed; for `pasteKey` the host asks for the key itself (a key never passes through a view). */
  setUp: v.object({ entryId: v.string() }),
  ...approvalRequests,
  ...composerRequests,
  ...attachmentRequests,
  ...startRequests,
  ...codeRequests,
} as const;

export interface ChatResults
  extends StartResults, ComposerResults, ApprovalResults, AttachmentResults, CodeResults, WitnessResults, FeedResults {
  readonly changedFiles: ChangedFileResults['changedFiles'];
  readonly fileHunks: ChangedFileResults['fileHunks'];
  readonly reviewFiles: ChangedFileResults['reviewFiles'];
  readonly reviewHunk: ChangedFileResults['reviewHunk'];
  readonly filesFrom: ChangedFileResults['filesFrom'];
  /** `notice`: a sentence where it went another way than asked; absent where there is none. */
  readonly saveDraft: null;
  readonly submit: { readonly kind: 'started' | 'queued'; readonly sessionId: string; readonly notice?: string };
  readonly stop: null;
  readonly retry: AskedAgain;
  readonly continueTurn: AskedAgain;
  readonly editAndResend: AskedAgain;
  readonly showVersion: null;
  readonly switchSession: SwitchResult;
  readonly findSession: FoundSession;
  readonly loadEarlier: Pick<ShownSession, 'messages' | 'turns' | 'versions' | 'hasEarlier' | 'changes'>;
  readonly readMessage: Message | null;
  readonly editQueued: null;
  readonly removeQueued: null;
  readonly promoteQueued: null;
  readonly contextUse: SessionContextUse;
  readonly compressionPreview: HandoffTokens | null;
  readonly compress: CompressionOutcome;
  readonly rename: null;
  readonly listModels: ModelChoices;
  readonly selectModel: null;
  readonly discover: Setup;
  readonly setUp: null;
}

/** What the host tells a chat view. */
export interface ChatNotifications
  extends ComposerNotifications, Pick<WorkNotifications, 'mode'>, WitnessNotifications, FeedNotifications {
  readonly bootstrap: ChatState;
  readonly changedFiles: ChangedFileNotifications['changedFiles'];
  /** The view now shows this (null: empty state). Replaces everything but the models and setup. */
  readonly shown: ShownSession | null;
  readonly turnEvent: { readonly sessionId: string; readonly event: TurnEvent };
  readonly queueChanged: { readonly sessionId: string; readonly queue: readonly QueuedPrompt[] };
  /** The session is being compressed between two turns, or (null) no longer. */
  readonly compressing: { readonly sessionId: string; readonly activity: TurnActivity | null };
  readonly sessionRenamed: { readonly sessionId: string; readonly title: string | null };
  readonly recentSessions: readonly SessionSummary[];
  /** What the first prompt of the empty state begins. */
  readonly beginning: { readonly private: boolean };
  readonly background: readonly BackgroundSession[];
  readonly model: ModelState;
  readonly setup: Setup;
  readonly store: StoreState;
  readonly trust: { readonly restricted: boolean };
  readonly sandbox: SandboxState;
  readonly promptFiles: readonly OfferedPrompt[];
  readonly focusComposer: Record<string, never>;
  /** Bring a message of the session shown into sight. `turnUid`: its turn, for a message that has no place of its own in the chat. */
  readonly reveal: { readonly messageUid: string; readonly turnUid: string | null };
  /** `parts` go beside those that are there. */
  readonly insertPrompt: { readonly text: string; readonly parts?: readonly DraftPart[] };
}

export interface ChatState {
  readonly shown: ShownSession | null;
  /** Draft of the empty state (of a session: inside `shown`). */
  readonly newDraft: string;
  readonly newDraftParts: readonly DraftPart[];
  readonly recentSessions: readonly SessionSummary[];
  readonly beginning: { readonly private: boolean };
  /** How freely the agent of a session may act that begins here (of one that is shown: inside `shown`). */
  readonly newMode: Mode;
  readonly background: readonly BackgroundSession[];
  readonly model: ModelState;
  readonly setup: Setup;
  readonly store: StoreState;
  readonly restricted: boolean;
  readonly folderName: string | null;
  /** The folder is on no disk of the machine where extensions run: commands and git have no place in it. Absent: it is. */
  readonly isVirtual?: boolean;
  /** Whether commands are confined. Absent: that is not known yet. */
  readonly sandbox?: SandboxState;
  readonly demoPrompts: readonly string[];
  readonly promptFiles: readonly OfferedPrompt[];
  /** Strings of the person's language by English text; empty for English. */
  readonly localization: Readonly<Record<string, string>>;
}

export interface ShownSession {
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  /** Of the prompts among `messages` that have other versions. */
  readonly versions: readonly PromptVersions[];
  /** What turns among `turns` changed in files, by turn; one that changed nothing is left out. */
  readonly changes: Readonly<Record<string, readonly ChangedFile[]>>;
  readonly hasEarlier: boolean;
  readonly queue: readonly QueuedPrompt[];
  readonly draft: string;
  readonly draftParts: readonly DraftPart[];
  readonly openTurn: Turn | null;
  readonly activity: TurnActivity | null;
  /** What the open turn waits for; null where nothing is asked. */
  readonly approval: Approval | null;
  readonly mode: Mode;
  /** What the session was branched from, where it was, or what it works for as a sub-agent. */
  readonly origin: SessionOrigin | null;
  /** The same session as before, in which rows were hidden or shown meanwhile: what a view has of it is out of date. */
  readonly changed: boolean;
}

/** `sessionId` null: it was erased. `hasSubAgent`: the session shown is that of a sub-agent, which works for this one. */
export type SessionOrigin =
  | {
      readonly sessionId: string;
      readonly title: string | null;
      readonly isTrashed: boolean;
      readonly hasSubAgent?: boolean;
    }
  | { readonly sessionId: null };

/** A session in which a turn runs, or has ended unseen, while another one is shown. */
export interface BackgroundSession {
  readonly sessionId: string;
  readonly title: string | null;
  readonly state: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed';
}

/** `notice`: a sentence where it went another way than asked. */
export interface AskedAgain {
  readonly sessionId: string;
  readonly notice: string | null;
}

export interface SwitchResult {
  /** What is shown now; null: the empty state. */
  readonly sessionId: string | null;
  readonly notice: string | null;
}

export type FoundSession =
  | { readonly kind: 'one'; readonly sessionId: string }
  | { readonly kind: 'several'; readonly sessions: readonly SessionSummary[] }
  | { readonly kind: 'none' };

/** A prompt file of the project, which is typed as a command. Its text never comes here: what is sent is made by the host. */
export interface OfferedPrompt {
  readonly name: string;
  readonly description: string | null;
  /** What may be typed behind the name. */
  readonly argumentHint: string | null;
}

/** What a session takes of its model's context, in tokens. */
export interface SessionContextUse {
  readonly tokens: number;
  /** The model's own service has counted the most of it. */
  readonly counted: boolean;
  /** What the model takes at most; null where it does not say. */
  readonly window: number | null;
  /** Null where the model cannot be asked now. */
  readonly parts: {
    readonly system: number;
    readonly tools: number;
    readonly memory: number;
    readonly messages: number;
  } | null;
}

/** summary: a model wrote it · plain: none could, and the earlier part was shortened · unchanged: why not, for a person. */
export type CompressionOutcome =
  | { readonly kind: 'summary' | 'plain'; readonly tokens: HandoffTokens }
  | { readonly kind: 'unchanged'; readonly sentence: string };

export interface ModelState {
  readonly chosen: ModelRow | null;
  /** A chosen reference that cannot be used now, with the reason. */
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
  /** Whether it takes images; null where that is not known. */
  readonly images: boolean | null;
  /** How hard it can be asked to think; absent where that is not known yet. */
  readonly efforts?: readonly ReasoningEffort[];
  readonly price: { readonly input: number; readonly output: number } | null;
  readonly warnings: readonly string[];
  readonly isDemo: boolean;
}

export interface ModelChoices {
  readonly models: readonly ModelRow[];
  /** Providers that could not be asked: "OpenRouter: the key was refused (401) …". */
  readonly problems: readonly { readonly provider: string; readonly sentence: string }[];
}

/** The empty state's offers, one button each. `searching` while the first second runs. */
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

/** What the view says about saving. Silent while `open` without notices. */
export type StoreState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly notices: readonly StoreNotice[] }
  | { readonly kind: 'readOnly'; readonly sentence: string; readonly actions: readonly StoreAction[] }
  /** Another window owns the history now. */
  | { readonly kind: 'elsewhere'; readonly sentence: string; readonly actions: readonly StoreAction[] }
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
