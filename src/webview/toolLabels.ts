import { quoted, t } from './localization';
import type { ToolCallPart, ToolOutcome, ToolResultPart } from '../transcript/part';
import { compactCount, tookTime } from './times';
import { type CommandDetails, type DelegateDetails, serverToolIn, toolDetails } from './toolDetails';

/** Labels for the calls of a tool. */
interface ToolKind {
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

const toolKinds: Readonly<Record<string, ToolKind>> = {
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
const toolVerbs: Readonly<Record<string, () => readonly [doing: string, did: string, tried: string]>> = {
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

/** State of a tool call as users see it. queued: waits for its turn to run it · repaired: no result was stored, and
 *  a repair of the history says so · blocked: a hook did not let it run. */
export type ToolState = 'queued' | 'waiting' | 'running' | 'repaired' | 'blocked' | ToolOutcome;

export interface ToolLabels {
  readonly icon: string;
  /** Verb of the current or finished action: "Read", "Searching for". */
  readonly verb: string;
  /** Target of the call; empty when the arguments have none. */
  readonly target: string;
}

/** Returns the texts of a call's row. An unknown tool keeps its name; a tool of a server or another extension gets
 *  its own name. */
export function toolLabels(call: ToolCallPart, state: ToolState, result: ToolResultPart | null = null): ToolLabels {
  const kind = kindOf(call.name);
  if (kind === null) return foreignLabels(call.name, result);
  const target = shownTarget(call, result);
  return {
    icon: kind.icon,
    verb: verbOf(call.name, state, result),
    target: kind.quoted && target !== '' ? quoted(target) : target,
  };
}

function verbOf(name: string, state: ToolState, result: ToolResultPart | null): string {
  const [doing, did, tried] = toolVerbs[name]?.() ?? ['', '', ''];
  if (state === 'done') return createdVerb(result) ?? did;
  return state === 'queued' || state === 'waiting' || state === 'running' ? doing : tried;
}

/** `mcp_<server>_<tool>` and `ext_<tool>`: the provider is part of a tool's name. Only a result shows for certain
 *  where a server's own name ends; until then the first `_` counts as the end. */
function foreignLabels(name: string, result: ToolResultPart | null): ToolLabels {
  const own = serverToolIn(name, result);
  if (own !== null) return { icon: 'plug', verb: `${own.server}: ${own.tool}`, target: '' };
  const mcp = /^mcp_([^_]+)_(.+)$/.exec(name);
  if (mcp !== null) return { icon: 'plug', verb: `${mcp[1] ?? ''}: ${mcp[2] ?? ''}`, target: '' };
  if (name.startsWith('ext_')) return { icon: 'extensions', verb: name.slice('ext_'.length), target: '' };
  return { icon: 'tools', verb: name, target: '' };
}

function kindOf(name: string): ToolKind | null {
  return Object.hasOwn(toolKinds, name) ? (toolKinds[name] ?? null) : null;
}

/** A result's own target takes precedence over the arguments. */
function shownTarget(call: ToolCallPart, result: ToolResultPart | null): string {
  const details = toolDetails(result);
  if (details?.kind === 'edit')
    return details.files.length === 1
      ? (details.files[0]?.shown ?? '')
      : t('{count} files', { count: details.files.length });
  if (details?.kind === 'todos')
    return t('{done} of {count} done', {
      done: details.items.filter(({ state }) => state === 'done').length,
      count: details.items.length,
    });
  const target = toolTarget(call);
  return isOpenFolder(target) || (target === '' && call.name === 'list_directory') ? t('the folder') : target;
}

/** Tools and models call the open folder ".". */
function isOpenFolder(target: string): boolean {
  return target === '.' || target === './';
}

/** Names a call like its row: the tool by its own name, with its target. */
export function toolName(call: ToolCallPart): string {
  const target = toolTarget(call);
  return target === '' || isOpenFolder(target) ? call.name : `${call.name} ${target}`;
}

function createdVerb(result: ToolResultPart | null): string | null {
  const details = toolDetails(result);
  if (details?.kind !== 'edit' || details.files.length !== 1) return null;
  const { change } = details.files[0] ?? {};
  if (change === 'created') return t('Created');
  return change === 'deleted' ? t('Deleted') : null;
}

/** Returns the plain argument that names a call's target: a path, a query, the first line of a command. */
function toolTarget(call: ToolCallPart): string {
  const given = parsedArguments(call.arguments);
  const key = kindOf(call.name)?.target.find((name) => typeof given[name] === 'string');
  const value = key === undefined ? undefined : given[key];
  return typeof value === 'string'
    ? (value.split('\n').find((line) => line.trim() !== '') ?? '')
    : patchedFile(given['patch']);
}

function patchedFile(patch: unknown): string {
  return typeof patch === 'string' ? (/^\*\*\* (?:Update|Add|Delete) File: (.+)$/m.exec(patch)?.[1] ?? '') : '';
}

/** True for a call the user may want to stop separately, or let run beside the turn. */
export function isLongRunning(name: string): boolean {
  const kind = kindOf(name);
  return kind === null || kind.runsLong === true;
}

/** True for calls that need no look one by one: several in a row fold into one line. */
export function isLowValueRead(name: string): boolean {
  return kindOf(name)?.groups === true;
}

/** Reads counted in the label of a fold, by tool. */
const countedReads: Readonly<Record<string, (count: number, first: ToolCallPart) => string>> = {
  read_file: (count) => (count === 1 ? t('read 1 file') : t('read {count} files', { count })),
  list_directory: (count) => (count === 1 ? t('listed 1 folder') : t('listed {count} folders', { count })),
  search_files: (count, first) =>
    count === 1 ? t('searched for “{query}”', { query: toolTarget(first) }) : t('searched {count} times', { count }),
  '': (count) => (count === 1 ? t('looked up 1 item') : t('looked up {count} items', { count })),
  todo_write: () => t('updated todos'),
};

/** "Read 3 files · searched for “retry(”": label of a fold of reads. */
export function groupLabel(calls: readonly ToolCallPart[]): string {
  const label = Object.entries(countedReads)
    .flatMap(([kind, text]) => {
      const of = calls.filter(({ name }) => (Object.hasOwn(countedReads, name) ? name : '') === kind);
      return of[0] === undefined ? [] : [text(of.length, of[0])];
    })
    .join(' · ');
  return label.charAt(0).toLocaleUpperCase() + label.slice(1);
}

const stateWords: Readonly<Record<ToolState, () => string>> = {
  queued: () => t('queued'),
  waiting: () => t('waiting for approval'),
  running: () => t('running'),
  done: () => t('done'),
  failed: () => t('failed'),
  denied: () => t('denied'),
  blocked: () => t('blocked by a hook'),
  cancelled: () => t('canceled'),
  interrupted: () => t('interrupted'),
  repaired: () => t('no result, repaired'),
};

/** State in words, for the row's end and its accessible name. */
export function stateWord(state: ToolState): string {
  return stateWords[state]();
}

/** Returns a short count from the result's details: "42 lines", "3 matches". Empty when there is none. */
export function resultCount(result: ToolResultPart | null): string {
  const details = toolDetails(result);
  switch (details?.kind) {
    case 'command':
      return details.background === null ? commandEnd(details) : t('ran in the background');
    case 'fetch':
      return details.status === null ? '' : String(details.status);
    case 'delegate':
      return delegateEnd(details);
    case undefined:
      return listedCount(Object(result?.details));
    default:
      return '';
  }
}

function listedCount({ matches, entries, lines }: Readonly<Record<string, unknown>>): string {
  if (typeof matches === 'number') return matches === 1 ? t('1 match') : t('{count} matches', { count: matches });
  if (typeof entries === 'number') return entries === 1 ? t('1 entry') : t('{count} entries', { count: entries });
  if (typeof lines === 'number') return lines === 1 ? t('1 line') : t('{count} lines', { count: lines });
  return '';
}

/** Cost of a sub-agent: "3 steps · 12k tokens · 40 s". */
function delegateEnd({ turns, ms, tokens }: DelegateDetails): string {
  const steps = turns === 1 ? t('1 step') : t('{count} steps', { count: turns });
  return [steps, ...(tokens === null ? [] : [t('{count} tokens', { count: compactCount(tokens) })]), tookTime(ms)].join(
    ' · ',
  );
}

/** End of a command: "12 s", "exit 1 · 3 s". */
export function commandEnd({
  exitCode,
  signal,
  ms,
  timedOut,
}: Pick<CommandDetails, 'exitCode' | 'signal' | 'ms' | 'timedOut'>): string {
  const how = timedOut
    ? t('timed out')
    : signal !== null
      ? t('ended by {signal}', { signal })
      : exitCode === 0
        ? null
        : t('exit {code}', { code: exitCode ?? '?' });
  return [...(how === null ? [] : [how]), tookTime(ms)].join(' · ');
}

/** Returns arguments indented for reading; unchanged when they are not JSON. */
export function readableArguments(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

function parsedArguments(text: string): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Undefined for text that is not JSON: a model may write anything, and a call cut off by a stop ends in the middle. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
