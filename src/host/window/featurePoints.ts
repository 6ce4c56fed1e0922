import type { Uri } from 'vscode';
import type { TurnAgent } from '../../agent/agent';
import type { TurnHooks } from '../../agent/turnHooks';
import type { OfferedPrompt } from '../../protocol/chatProtocol';
import type { HandedServer } from '../../tools/handedServer';
import type { AnyTool } from '../../tools/tool';
import type { ServerContent } from '../attachments/mentionDeps';
import type { ModelProvider } from '../../models/modelProvider';
import { SyncView } from '../common/syncView';
import { Hooks, Slot } from '../common/slot';
import type { Session } from '../../transcript/session';
import type { Transcripts } from '../library/transcripts';
import type { CrashDemoRun } from '../../protocol/deliveryProtocol';
import type { CompletedTurn } from '../../gateway/gatewayServices';
import { FeatureFiles } from '../webviews/chatFiles';
import type { CodeActions } from '../webviews/codeHandlers';

/** Agents of other makers. */
interface AgentSource {
  /** In the lists of models. */
  providers(): readonly ModelProvider[];
  /** Null: the model is answered by our own agent. */
  agentFor(model: string): TurnAgent | null;
  /** Commands of the agent that answers this session with this model. Null: our own agent does. */
  commands(model: string, sessionId: string | null): Promise<readonly OfferedPrompt[] | null>;
}

/** Asks for format, options and file, and writes the sessions there. `store`: folder of the store that has them. */
export type ExportSessions = (sessions: readonly Pick<Session, 'id' | 'title'>[], store: string) => Promise<void>;

/** Programs that give the agent tools, and the user commands and attachments. */
export interface ToolServers {
  /** Tools for one turn. `called`: those that the turn calls at once. Rejects only when aborted. */
  tools(signal: AbortSignal, called: readonly string[]): Promise<readonly AnyTool[]>;
  readonly offers: ServerContent;
  /** Those that the user trusts. `detail`: what starts, with secrets masked. */
  trusted(): Promise<readonly { readonly id: string; readonly name: string; readonly detail: string }[]>;
  /** Returns the servers with these ids for another program that works in `folder`, with their values filled in. A
   *  server that is not trusted any more, or cannot be handed over, is named with the reason. */
  handOver(
    ids: readonly string[],
    folder: string,
    signal: AbortSignal,
  ): Promise<readonly (HandedServer | { readonly name: string; readonly problem: string })[]>;
  /** Shuts down all servers in an orderly way. */
  close(): Promise<void>;
}

/** Hooks of a window. */
export interface WindowHooks extends TurnHooks {
  afterTurn(turn: CompletedTurn): void;
  /** Called when the window closes. Never rejects, and takes at most two seconds. */
  closing(): Promise<void>;
}

/** The places in the core of a window that features fill. */
export class FeaturePoints {
  readonly agents = new Slot<AgentSource>();
  /** Files that turns have changed. */
  readonly changedFiles = new FeatureFiles();
  /** What views ask about code in answers. */
  readonly code = new Slot<CodeActions>();
  /** The planned end of the process before this one, if the user has not seen yet what is left of it. */
  readonly crashDemo = new Slot<{ readonly current: CrashDemoRun | null; seen(): void }>();
  /** What `activate()` returns. */
  readonly exports = new Slot<object>();
  /** Called before a turn begins in a conversation. Each rejects when none may begin now. */
  readonly beforeTurn = new Hooks<[conversationId: string], Promise<void>>();
  /** What the window shows of sync. */
  readonly sync = new SyncView();
  /** Called before a store is opened, with its folder. Each resolves to a sentence for the user, or null. */
  readonly beforeOpening = new Hooks<[folder: string], Promise<string | null>>();
  /** Called when the window begins to close, before its store does. */
  readonly closing = new Hooks<[], void>();
  /** Called when the window has begun to use the history of another folder. */
  readonly moved = new Hooks<[], void>();
  /** Erases copies of sessions outside the store. Never rejects: each resolves to sentences about what is left. */
  readonly forgetCopies = new Hooks<[sessionIds: readonly string[]], Promise<readonly string[]>>();
  readonly exporter = new Slot<ExportSessions>();
  /** Imports sessions from files that the user dropped or chose. */
  readonly importer = new Slot<(files: readonly Uri[]) => Promise<void>>();
  /** Prompts that an empty chat suggests. `prompts` never rejects. */
  readonly starters = new Slot<{ prompts(): Promise<readonly string[]> }>();
  readonly transcripts = new Slot<Transcripts>();
  /** Programs that run at moments of a turn. */
  readonly turnHooks = new Slot<WindowHooks>();
  readonly servers = new Slot<ToolServers>();
}
