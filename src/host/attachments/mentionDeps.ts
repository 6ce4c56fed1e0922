import type { Clock } from '../../base/clock';
import { resultWithin } from '../../base/pause';
import type { Attached, Mention } from '../../protocol/attachmentProtocol';
import type { OfferedPrompt } from '../../protocol/chatProtocol';
import type { AccessPaths } from '../../tools/accessPaths';
import type { EditorKnowledge } from '../../tools/knowledge/editorKnowledge';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { WorkspacePaths } from '../../tools/workspacePaths';
import type { MentionPart, SentPart } from '../../transcript/draftPart';
import type { FileNames } from './fileNames';
import type { GitSource } from './gitMentions';
import type { MentionableSessions } from './sessionMention';

/** Selection in the text editor that the user used last. */
export interface Selection {
  /** Absolute path of a file; otherwise the editor's name for the document. */
  readonly path: string;
  readonly isFile: boolean;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

export interface TerminalText {
  /** Label for the user: the terminal's name or the command. */
  readonly label: string;
  readonly text: string;
}

/** Content that servers of tools offer to the user. */
export interface ServerContent {
  /** Starts the servers that the user trusts and that were not started yet. */
  start(): void;
  /** Resources and templates of the running servers. `isChanged`: the server has reported that it is not as it was last
   *  read. */
  resources(): readonly (Mention & { readonly isChanged: boolean })[];
  /** Commands that `getPrompt` answers. */
  readonly prompts: readonly OfferedPrompt[];
  /** Reads what is mentioned. Rejects with a sentence. */
  read(server: string, uri: string, mention: MentionPart): Promise<SentPart>;
  /** Asks the user for the variables of a template. Null: canceled. Rejects with a sentence. */
  fill(server: string, uriTemplate: string): Promise<MentionPart | null>;
  /** Gets a prompt from its server, as attachments. `text`: its first arguments; asks the user for the others. Nothing
   *  when the user cancels. Rejects with a `MentionError`. */
  getPrompt(name: string, text: string): Promise<Attached>;
}

/** Sources in which mentions are found and from which they are read. */
export interface MentionDeps {
  readonly files: WorkspaceFiles;
  readonly paths: WorkspacePaths;
  readonly access: AccessPaths;
  readonly names: FileNames;
  readonly knowledge: Pick<EditorKnowledge, 'problems' | 'documentSymbols' | 'workspaceSymbols' | 'openEditors'>;
  /** Null: nothing is selected. */
  readonly selection: () => Selection | null;
  /** Selection in the active terminal; otherwise the output of the agent's last command. Null: neither exists. */
  readonly terminal: () => Promise<TerminalText | null>;
  /** True when a terminal may have text: one is open, or the agent has run a command. */
  readonly hasTerminal: () => boolean;
  readonly git: GitSource;
  readonly sessions: MentionableSessions;
  /** Null: there are none. */
  readonly servers: () => ServerContent | null;
  readonly clock: Clock;
}

/** Resolves with the result of `work`, or with `otherwise` if that fails or takes longer than `timeoutMs`. */
export function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  const answer = work.catch(() => otherwise);
  return resultWithin(clock, timeoutMs, answer, otherwise);
}
