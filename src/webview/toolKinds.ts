import { t } from './localization';

/** Labels for the calls of a tool. */
export interface ToolKind {
  readonly icon: string;
  /** Names of the argument that holds the call's target, best first. */
  readonly target: readonly string[];
  readonly doing: () => string;
  readonly did: () => string;
  /** Verb of a call that did not succeed. */
  readonly tried: () => string;
  readonly quoted?: true;
  /** True for a tool whose calls need no look one by one: it only reads, or writes the todo list, which has a panel.
   *  Several in a row fold into one line. */
  readonly groups?: true;
  /** True for a tool that may take so long that the user stops it, or lets it run in the background. */
  readonly runsLong?: true;
}

export const toolKinds: Readonly<Record<string, ToolKind>> = {
  read_file: {
    icon: 'file',
    target: ['path'],
    doing: () => t('Reading'),
    did: () => t('Read'),
    tried: () => t('Tried to read'),
    groups: true,
  },
  list_directory: {
    icon: 'list-tree',
    target: ['path'],
    doing: () => t('Listing'),
    did: () => t('Listed'),
    tried: () => t('Tried to list'),
    groups: true,
  },
  search_files: {
    icon: 'search',
    target: ['query'],
    doing: () => t('Searching for'),
    did: () => t('Searched for'),
    tried: () => t('Tried to search for'),
    quoted: true,
    groups: true,
  },
  glob_files: {
    icon: 'search',
    target: ['pattern'],
    doing: () => t('Looking for files'),
    did: () => t('Looked for files'),
    tried: () => t('Tried to look for files'),
    groups: true,
  },
  edit_file: {
    icon: 'edit',
    target: ['path'],
    doing: () => t('Editing'),
    did: () => t('Edited'),
    tried: () => t('Tried to edit'),
  },
  edit_notebook: {
    icon: 'edit',
    target: ['path'],
    doing: () => t('Editing'),
    did: () => t('Edited'),
    tried: () => t('Tried to edit'),
  },
  write_file: {
    icon: 'edit',
    target: ['path'],
    doing: () => t('Writing'),
    did: () => t('Wrote'),
    tried: () => t('Tried to write'),
  },
  apply_patch: {
    icon: 'edit',
    target: [],
    doing: () => t('Editing'),
    did: () => t('Edited'),
    tried: () => t('Tried to edit'),
  },
  run_command: {
    icon: 'terminal',
    target: ['command'],
    doing: () => '$',
    did: () => '$',
    tried: () => '$',
    runsLong: true,
  },
  command_output: {
    icon: 'output',
    target: ['id'],
    doing: () => t('Reading output of'),
    did: () => t('Read output of'),
    tried: () => t('Tried to read output of'),
    runsLong: true,
  },
  stop_command: {
    icon: 'debug-stop',
    target: ['id'],
    doing: () => t('Stopping'),
    did: () => t('Stopped'),
    tried: () => t('Tried to stop'),
  },
  fetch_url: {
    icon: 'globe',
    target: ['url'],
    doing: () => t('Fetching'),
    did: () => t('Fetched'),
    tried: () => t('Tried to fetch'),
    runsLong: true,
  },
  diagnostics: {
    icon: 'warning',
    target: ['path'],
    doing: () => t('Checking problems'),
    did: () => t('Checked problems'),
    tried: () => t('Tried to check problems'),
    groups: true,
  },
  document_symbols: {
    icon: 'symbol-class',
    target: ['path'],
    doing: () => t('Listing symbols of'),
    did: () => t('Listed symbols of'),
    tried: () => t('Tried to list symbols of'),
    groups: true,
  },
  workspace_symbols: {
    icon: 'symbol-class',
    target: ['query'],
    doing: () => t('Searching symbols'),
    did: () => t('Searched symbols'),
    tried: () => t('Tried to search symbols'),
    quoted: true,
    groups: true,
  },
  find_references: {
    icon: 'references',
    target: ['symbol', 'path'],
    doing: () => t('Finding references to'),
    did: () => t('Found references to'),
    tried: () => t('Tried to find references to'),
    groups: true,
  },
  go_to_definition: {
    icon: 'symbol-method',
    target: ['symbol', 'path'],
    doing: () => t('Finding the definition of'),
    did: () => t('Found the definition of'),
    tried: () => t('Tried to find the definition of'),
    groups: true,
  },
  hover: {
    icon: 'info',
    target: ['symbol', 'path'],
    doing: () => t('Looking up'),
    did: () => t('Looked up'),
    tried: () => t('Tried to look up'),
    groups: true,
  },
  open_editors: {
    icon: 'files',
    target: [],
    doing: () => t('Looking at open editors'),
    did: () => t('Looked at open editors'),
    tried: () => t('Tried to look at open editors'),
    groups: true,
  },
  git_status: {
    icon: 'source-control',
    target: [],
    doing: () => t('Reading git status'),
    did: () => t('Read git status'),
    tried: () => t('Tried to read git status'),
    groups: true,
  },
  git_diff: {
    icon: 'source-control',
    target: ['path'],
    doing: () => t('Reading git diff'),
    did: () => t('Read git diff'),
    tried: () => t('Tried to read git diff'),
    groups: true,
  },
  git_log: {
    icon: 'git-commit',
    target: ['path'],
    doing: () => t('Reading git log'),
    did: () => t('Read git log'),
    tried: () => t('Tried to read git log'),
    groups: true,
  },
  todo_write: {
    icon: 'checklist',
    target: [],
    doing: () => t('Updating todos'),
    did: () => t('Updated todos'),
    tried: () => t('Tried to update todos'),
    groups: true,
  },
  exit_plan_mode: {
    icon: 'list-ordered',
    target: [],
    doing: () => t('Proposing a plan'),
    did: () => t('Plan approved'),
    tried: () => t('Proposed a plan'),
  },
  delegate_task: {
    icon: 'organization',
    target: ['title', 'task'],
    doing: () => t('Delegating'),
    did: () => t('Delegated'),
    tried: () => t('Delegated'),
    runsLong: true,
  },
  memory: {
    icon: 'bookmark',
    target: ['content', 'old_text'],
    doing: () => t('Updating memory'),
    did: () => t('Updated memory'),
    tried: () => t('Tried to update memory'),
  },
  session_search: {
    icon: 'history',
    target: ['query'],
    doing: () => t('Searching earlier sessions'),
    did: () => t('Searched earlier sessions'),
    tried: () => t('Tried to search earlier sessions'),
    quoted: true,
  },
  read_skill: {
    icon: 'book',
    target: ['name'],
    doing: () => t('Reading skill'),
    did: () => t('Read skill'),
    tried: () => t('Tried to read skill'),
  },
  agent_tool: {
    icon: 'tools',
    target: ['title'],
    doing: () => t('Using'),
    did: () => t('Used'),
    tried: () => t('Tried to use'),
  },
  agent_notice: { icon: 'info', target: ['text'], doing: () => '', did: () => '', tried: () => '' },
  agent_input: { icon: 'question', target: ['text'], doing: () => '', did: () => '', tried: () => '' },
  agent_handoff: { icon: 'arrow-swap', target: ['text'], doing: () => '', did: () => '', tried: () => '' },
};
