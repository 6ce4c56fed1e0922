import type { FileOrigin, LeftFile } from '../../transcript/contextFiles';

/** Bytes. A larger file is not written for an agent, whatever its name. */
export const largestFile = 512 * 1024;
/** Maximum entries read of one folder. */
export const mostEntries = 100;

/** Use of a file: text for a model, or hooks, which may be in a file that holds secrets. */
export type Use = 'model' | 'hooks';

/** Folder with files for agents. Paths are relative to it. */
export interface AgentFolder {
  readonly origin: FileOrigin;
  readonly layout: FolderLayout;
  /** Absolute path of an open folder. Null for files of the user. */
  readonly root: string | null;
  /** Returns the path as it is shown to users and models. */
  shown(path: string): string;
  /** Null for a file that is missing or must not be read. With hooks, rejects for one that cannot be read, and so does
   *  `names`. */
  text(path: string, use?: Use): Promise<string | null>;
  /** Bytes of a file. Null for one that is missing or must not be read. */
  size(path: string): Promise<number | null>;
  /** Returns the sorted names in a folder, at most `mostEntries`. */
  names(path: string, kind: 'file' | 'directory', use?: Use): Promise<readonly string[]>;
  /** Returns the sorted paths of files with this name in any folder below, at most `mostEntries`. Those that ignore
   *  files name are left out. */
  below(name: string): Promise<readonly string[]>;
  /** Records that a file is not used. */
  leave(path: string, reason: LeftFile['reason']): void;
}

/** Placeholder syntax for the text after the name: claude: `$ARGUMENTS`, `$1` … `$9` · copilot: `${input:name}`. */
export type Places = 'claude' | 'copilot';

/** Locations of rules, prompt files, skills, agents and hooks in a folder. */
export interface FolderLayout {
  /** Paths of rules files, in order of priority. */
  readonly rules: readonly string[];
  /** Names of rules files that apply to the folder they are in, wherever that is. */
  readonly nestedRules: readonly string[];
  readonly ruleFolders: readonly { readonly folder: string; readonly endings: readonly string[] }[];
  readonly prompts: readonly { readonly folder: string; readonly ending: string; readonly places: Places }[];
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly hooks: { readonly files: readonly string[]; readonly folders: readonly string[] };
}

/** Layouts by origin. In an open folder, AGENTS.md is shared by all tools; the others belong to single tools. */
export const layouts: Readonly<Record<FileOrigin, FolderLayout>> = {
  folder: {
    rules: [
      '.hermes.md',
      'AGENTS.md',
      'AGENT.md',
      'CLAUDE.md',
      '.claude/CLAUDE.md',
      'CLAUDE.local.md',
      'GEMINI.md',
      '.github/copilot-instructions.md',
      '.cursorrules',
      '.windsurfrules',
      '.clinerules',
      '.rules',
    ],
    nestedRules: ['AGENTS.md', 'CLAUDE.md'],
    ruleFolders: [
      { folder: '.github/instructions', endings: ['.instructions.md'] },
      { folder: '.claude/rules', endings: ['.md'] },
      { folder: '.cursor/rules', endings: ['.mdc', '.md'] },
      { folder: '.windsurf/rules', endings: ['.md'] },
      { folder: '.clinerules', endings: ['.md', '.txt'] },
    ],
    prompts: [
      { folder: '.github/prompts', ending: '.prompt.md', places: 'copilot' },
      { folder: '.claude/commands', ending: '.md', places: 'claude' },
    ],
    skills: ['.claude/skills', '.github/skills', '.agents/skills'],
    agents: ['.github/agents', '.claude/agents', '.opencode/agents', '.opencode/agent'],
    hooks: { files: ['.claude/settings.json', '.claude/settings.local.json'], folders: ['.github/hooks'] },
  },
  hermes: personal('AGENTS.md', 'prompts'),
  claude: { ...personal('CLAUDE.md', 'commands'), hooks: { files: ['settings.json'], folders: [] } },
  codex: personal('AGENTS.md', 'prompts'),
  copilot: { ...personal(null, null), hooks: { files: [], folders: ['hooks'] } },
  opencode: personal('AGENTS.md', null),
  agents: personal(null, null),
};

function personal(rules: string | null, prompts: string | null): FolderLayout {
  return {
    rules: rules === null ? [] : [rules],
    nestedRules: [],
    ruleFolders: [],
    prompts: prompts === null ? [] : [{ folder: prompts, ending: '.md', places: 'claude' }],
    skills: ['skills'],
    agents: ['agents', 'agent'],
    hooks: { files: [], folders: [] },
  };
}
