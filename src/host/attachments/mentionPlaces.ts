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

/** What is selected in the editor that the person used last. */
export interface Selection {
  /** Absolute path of a file, else what the editor calls it. */
  readonly path: string;
  readonly isFile: boolean;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

export interface TerminalText {
  /** As people read it: the terminal's name, or the command. */
  readonly label: string;
  readonly text: string;
}

/** Where things to mention are found and read. */
export interface MentionPlaces {
  readonly files: WorkspaceFiles;
  readonly paths: WorkspacePaths;
  readonly access: AccessPaths;
  readonly names: FileNames;
  readonly knowledge: Pick<EditorKnowledge, 'problems' | 'documentSymbols' | 'workspaceSymbols' | 'openEditors'>;
  /** Null where nothing is selected. */
  readonly selection: () => Selection | null;
  /** What is selected in the active terminal, else the output of the last command of the agent's; null for neither. */
  readonly terminal: () => Promise<TerminalText | null>;
  /** Whether there may be something in a terminal: one is open, or the agent has run a command. */
  readonly hasTerminal: () => boolean;
  readonly git: GitSource;
  readonly sessions: MentionableSessions;
  readonly clock: Clock;
  readonly t: Translate;
}

/** The result of `work`, or `otherwise` where it takes longer or fails. */
export function within<T>(clock: Clock, patienceMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  const answer = work.catch(() => otherwise);
  return resultWithin(clock, patienceMs, answer, otherwise);
}
