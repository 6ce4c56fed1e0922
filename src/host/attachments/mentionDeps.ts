import type { Clock } from '../../base/clock';
import { resultWithin } from '../../base/pause';
import type { Translate } from '../../base/translate';
import type { AccessPaths } from '../../tools/accessPaths';
import type { EditorKnowledge } from '../../tools/knowledge/editorKnowledge';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { WorkspacePaths } from '../../tools/workspacePaths';
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
  readonly clock: Clock;
  readonly t: Translate;
}

/** Resolves with the result of `work`, or with `otherwise` if that fails or takes longer than `timeoutMs`. */
export function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  const answer = work.catch(() => otherwise);
  return resultWithin(clock, timeoutMs, answer, otherwise);
}
