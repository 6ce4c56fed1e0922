import { t } from './localization';

/** Labels for the calls of a tool. */
export interface ToolKind {
  readonly icon: string;
  /** Names of the argument that holds the call's target, best first. */
  readonly target: readonly string[];
  readonly quoted?: true;
  /** True for a tool whose calls need no look one by one: it only reads, or writes the todo list, which has a panel.
   *  Several in a row fold into one line. */
  readonly groups?: true;
  /** True for a tool that may take so long that the user stops it, or lets it run in the background. */
  readonly runsLong?: true;
}

export const toolKinds: Readonly<Record<string, ToolKind>> = {
  read_file: { icon: 'file', target: ['path'], groups: true },
  list_directory: { icon: 'list-tree', target: ['path'], groups: true },
  search_files: { icon: 'search', target: ['query'], quoted: true, groups: true },
  glob_files: { icon: 'search', target: ['pattern'], groups: true },
  edit_file: { icon: 'edit', target: ['path'] },
  edit_notebook: { icon: 'edit', target: ['path'] },
  write_file: { icon: 'edit', target: ['path'] },
  apply_patch: { icon: 'edit', target: [] },
  run_command: { icon: 'terminal', target: ['command'], runsLong: true },
  command_output: { icon: 'output', target: ['id'], runsLong: true },
  stop_command: { icon: 'debug-stop', target: ['id'] },
  fetch_url: { icon: 'globe', target: ['url'], runsLong: true },
  diagnostics: { icon: 'warning', target: ['path'], groups: true },
  document_symbols: { icon: 'symbol-class', target: ['path'], groups: true },
  workspace_symbols: { icon: 'symbol-class', target: ['query'], quoted: true, groups: true },
  find_references: { icon: 'references', target: ['symbol', 'path'], groups: true },
  go_to_definition: { icon: 'symbol-method', target: ['symbol', 'path'], groups: true },
  hover: { icon: 'info', target: ['symbol', 'path'], groups: true },
  open_editors: { icon: 'files', target: [], groups: true },
  git_status: { icon: 'source-control', target: [], groups: true },
  git_diff: { icon: 'source-control', target: ['path'], groups: true },
  git_log: { icon: 'git-commit', target: ['path'], groups: true },
  todo_write: { icon: 'checklist', target: [], groups: true },
  exit_plan_mode: { icon: 'list-ordered', target: [] },
  delegate_task: { icon: 'organization', target: ['title', 'task'], runsLong: true },
  memory: { icon: 'bookmark', target: ['content', 'old_text'] },
  session_search: { icon: 'history', target: ['query'], quoted: true },
  read_skill: { icon: 'book', target: ['name'] },
  agent_tool: { icon: 'tools', target: ['title'] },
  agent_notice: { icon: 'info', target: ['text'] },
  agent_input: { icon: 'question', target: ['text'] },
  agent_handoff: { icon: 'arrow-swap', target: ['text'] },
};

/** Verbs of a call that runs, of one that succeeded and of one that did not. Absent: its target says everything. */
export const toolVerbs: Readonly<Record<string, () => readonly [doing: string, did: string, tried: string]>> = {
  read_file: () => [t('Reading'), t('Read'), t('Tried to read')],
  list_directory: () => [t('Listing'), t('Listed'), t('Tried to list')],
  search_files: () => [t('Searching for'), t('Searched for'), t('Tried to search for')],
  glob_files: () => [t('Looking for files'), t('Looked for files'), t('Tried to look for files')],
  edit_file: () => [t('Editing'), t('Edited'), t('Tried to edit')],
  edit_notebook: () => [t('Editing'), t('Edited'), t('Tried to edit')],
  write_file: () => [t('Writing'), t('Wrote'), t('Tried to write')],
  apply_patch: () => [t('Editing'), t('Edited'), t('Tried to edit')],
  run_command: () => ['$', '$', '$'],
  command_output: () => [t('Reading output of'), t('Read output of'), t('Tried to read output of')],
  stop_command: () => [t('Stopping'), t('Stopped'), t('Tried to stop')],
  fetch_url: () => [t('Fetching'), t('Fetched'), t('Tried to fetch')],
  diagnostics: () => [t('Checking problems'), t('Checked problems'), t('Tried to check problems')],
  document_symbols: () => [t('Listing symbols of'), t('Listed symbols of'), t('Tried to list symbols of')],
  workspace_symbols: () => [t('Searching symbols'), t('Searched symbols'), t('Tried to search symbols')],
  find_references: () => [t('Finding references to'), t('Found references to'), t('Tried to find references to')],
  go_to_definition: () => [
    t('Finding the definition of'),
    t('Found the definition of'),
    t('Tried to find the definition of'),
  ],
  hover: () => [t('Looking up'), t('Looked up'), t('Tried to look up')],
  open_editors: () => [t('Looking at open editors'), t('Looked at open editors'), t('Tried to look at open editors')],
  git_status: () => [t('Reading git status'), t('Read git status'), t('Tried to read git status')],
  git_diff: () => [t('Reading git diff'), t('Read git diff'), t('Tried to read git diff')],
  git_log: () => [t('Reading git log'), t('Read git log'), t('Tried to read git log')],
  todo_write: () => [t('Updating todos'), t('Updated todos'), t('Tried to update todos')],
  exit_plan_mode: () => [t('Proposing a plan'), t('Plan approved'), t('Proposed a plan')],
  delegate_task: () => [t('Delegating'), t('Delegated'), t('Delegated')],
  memory: () => [t('Updating memory'), t('Updated memory'), t('Tried to update memory')],
  session_search: () => [
    t('Searching earlier sessions'),
    t('Searched earlier sessions'),
    t('Tried to search earlier sessions'),
  ],
  read_skill: () => [t('Reading skill'), t('Read skill'), t('Tried to read skill')],
  agent_tool: () => [t('Using'), t('Used'), t('Tried to use')],
};
