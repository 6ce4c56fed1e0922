import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../../transcript/json';
import type { ToolCallPart, ToolOutcome, ToolResultPart } from '../../../transcript/part';
import { readPatch } from '../../../tools/files/patchText';
import { firstLines, textChange, unifiedDiff } from '../../../tools/files/unifiedDiff';
import { beginningOf, endOf, plainText } from '../../../tools/terminal/plainText';
import type { AgentCallContent, AgentCallKind, AgentCallStatus, AgentCallUpdate } from './agentUpdate';
import { fieldOf, textIn } from './protocol1';

type FileDiff = Extract<AgentCallContent, { readonly kind: 'diff' }>;

/** Maximum characters of a result's text, and of the end of a running command's output. */
const longestText = 100_000;
const runningTail = 4000;
const mostDiffLines = 400;
/** Characters of a sub-agent after which its call is stored again. */
const nestedStep = 400;

/** Names under which the calls of agents are stored: those of our own tools where the kind is the same, so that the
 *  same rows and cards show them. */
const toolNames: Readonly<Record<AgentCallKind, string>> = {
  read: 'read_file',
  edit: 'edit_file',
  delete: 'edit_file',
  move: 'edit_file',
  search: 'search_files',
  execute: 'run_command',
  fetch: 'fetch_url',
  think: 'agent_tool',
  switch_mode: 'agent_tool',
  other: 'agent_tool',
};

/** State of one call of an agent, folded from its news. Pure: it neither stores nor shows. */
export class FoldedCall {
  title = '';
  kind: AgentCallKind = 'other';
  status: AgentCallStatus = 'pending';
  paths: readonly string[] = [];
  input: unknown = undefined;
  private output: unknown = undefined;
  private content: readonly AgentCallContent[] = [];
  private printed = '';
  /** Words and calls of the sub-agent that it started. */
  private nested = '';
  private storedNested = 0;
  private exit: NonNullable<AgentCallUpdate['exit']> | null = null;
  /** The last diffs, also when later content has none: agents replace a diff by a word when it is done. */
  diffs: readonly FileDiff[] = [];
  /** Set when the user denied it. `reason`: their own words. */
  denied: { readonly reason: string | null } | null = null;

  constructor(
    readonly callId: string,
    private readonly shownPath: (path: string) => string,
    private readonly folder: string,
  ) {}

  /** Agents should name absolute paths. Some name them from the session's folder, or as an address. */
  private readonly absolute = (path: string): string => {
    try {
      return path.startsWith('file:') ? fileURLToPath(path) : resolve(this.folder, path);
    } catch {
      return resolve(this.folder, path);
    }
  };

  get hasEnded(): boolean {
    return this.status === 'completed' || this.status === 'failed';
  }

  apply(update: AgentCallUpdate): void {
    this.title = update.title ?? this.title;
    const kind = update.callKind ?? this.kind;
    this.paths = update.paths?.map(this.absolute) ?? this.paths;
    this.input = isEmpty(update.input) ? this.input : update.input;
    const patched = patchedFiles(this.input, this.folder);
    // Cline names neither the kind nor the files of its patches.
    this.kind = kind === 'other' && patched.length > 0 ? 'edit' : kind;
    if (this.kind === 'edit' && this.paths.length === 0) this.paths = patched.map(({ path }) => path);
    if (this.kind === 'edit' && this.diffs.length === 0) this.diffs = patched.flatMap(({ diffs }) => diffs);
    this.output = update.output ?? this.output;
    this.exit = update.exit ?? this.exit;
    const [path, content] = [this.paths[0], fieldOf(this.input, 'content')];
    // opencode says of a file that it wrote only at the end, and without a diff, that it is new.
    if (this.diffs.length === 0 && path !== undefined && typeof content === 'string')
      if (fieldOf(fieldOf(this.output, 'metadata'), 'exists') === false)
        this.diffs = [{ kind: 'diff', path, before: null, after: content }];
    if (update.content !== undefined) {
      this.content = update.content;
      const diffs = update.content.flatMap((item) =>
        item.kind === 'diff' ? [{ ...item, path: this.absolute(item.path) }] : [],
      );
      if (diffs.length > 0) this.diffs = diffs;
    }
    if (update.printed !== undefined) {
      const { text, mayRepeat } = update.printed;
      this.printed = mayRepeat && text.startsWith(this.printed) ? text : this.printed + text;
    }
    // A call that says `pending` again after it began has not gone back (Cline).
    if (update.status !== undefined && !(update.status === 'pending' && this.status !== 'pending'))
      this.status = update.status;
  }

  /** Adds what a sub-agent says or does. Returns true when it is time to store the call. */
  nest(text: string): boolean {
    this.nested += text;
    if (this.nested.length - this.storedNested < nestedStep) return false;
    this.storedNested = this.nested.length;
    return true;
  }

  /** True while some of a sub-agent's words are not stored. */
  get owesWords(): boolean {
    return this.storedNested < this.nested.length;
  }

  /** Adds a line for a call of a sub-agent. */
  nestCall(title: string): boolean {
    return this.nest(`${this.nested === '' || this.nested.endsWith('\n') ? '' : '\n'}• ${title}\n`);
  }

  /** The command of a call that runs one. */
  get command(): string {
    const given = fieldOf(this.input, 'command') ?? fieldOf(this.input, 'cmd');
    if (Array.isArray(given)) return given.map(String).join(' ');
    return typeof given === 'string' ? given : this.title;
  }

  get commandFolder(): string {
    return this.absolute(textIn(this.input, 'cwd') ?? textIn(this.input, 'workdir') ?? '');
  }

  /** Absolute paths of the files that it edits. */
  get editedPaths(): readonly string[] {
    if (this.kind !== 'edit' && this.kind !== 'delete' && this.kind !== 'move') return [];
    return [...new Set([...this.diffs.map(({ path }) => path), ...this.paths])];
  }

  get url(): string {
    return textIn(this.input, 'url') ?? this.title;
  }

  /** Unified diff of its edits; empty when it shows none. */
  get diff(): string {
    return firstLines(
      this.diffs.map(({ path, before, after }) => unifiedDiff(this.shownPath(path), before, after)).join('\n'),
      mostDiffLines,
    );
  }

  get text(): string {
    return this.content.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('\n');
  }

  part(): ToolCallPart {
    return {
      kind: 'toolCall',
      callId: this.callId,
      name: toolNames[this.kind],
      arguments: JSON.stringify({ ...this.target(), ...(this.input === undefined ? {} : { input: this.input }) }),
    };
  }

  private target(): JsonObject {
    const path = this.paths[0] ?? this.diffs[0]?.path;
    switch (toolNames[this.kind]) {
      case 'read_file':
      case 'edit_file':
        return { path: path === undefined ? this.title : this.shownPath(path) };
      case 'run_command':
        return { command: this.command };
      case 'search_files':
        return { query: this.title };
      case 'fetch_url':
        return { url: this.url };
      default:
        return { title: this.title };
    }
  }

  /** Result as it is now. Of a running call, its outcome is what the call will be if the agent ends now, and
   *  `isRunning` is in its details. `hasEnded` true: the turn is over, so nothing runs any more. */
  result(turnHasEnded = false): Omit<ToolResultPart, 'kind' | 'callId' | 'name'> {
    const isRunning = !this.hasEnded && !turnHasEnded;
    const images = this.content.flatMap((item) => (item.kind === 'image' ? [item.image] : []));
    const raw = this.content.flatMap((item) => (item.kind === 'raw' ? [item.raw] : []));
    const details = this.details(isRunning);
    const more = { ...(isRunning ? { isRunning: true } : {}), ...(raw.length > 0 ? { raw } : {}) };
    const all: JsonObject = { ...details, ...more };
    return {
      outcome: this.outcome,
      text: this.resultText(isRunning, raw.length),
      ...(Object.keys(all).length === 0 ? {} : { details: all }),
      ...(images.length === 0 ? {} : { images }),
    };
  }

  private get outcome(): ToolOutcome {
    if (this.denied !== null) return 'denied';
    if (this.status === 'completed') return 'done';
    return this.status === 'failed' ? 'failed' : 'interrupted';
  }

  private resultText(isRunning: boolean, unread: number): string {
    const said = this.kind === 'execute' ? this.commandOutput : this.text;
    const output = said === '' ? outputText(this.output) : said;
    const own = output === '' ? this.diff : output;
    const { nested } = this;
    // A sub-agent's last words are usually the result of its call.
    const text =
      nested === '' || own.includes(nested.trim()) ? own : nested.includes(own.trim()) ? nested : `${nested}\n\n${own}`;
    const note =
      unread === 0 ? '' : `\n(${unread} part${unread === 1 ? '' : 's'} of this result cannot be shown here.)`;
    return (isRunning ? endOf(text, runningTail) : beginningOf(text, longestText)) + note;
  }

  private get commandOutput(): string {
    const said = this.printed === '' ? unfenced(this.text) : this.printed;
    return plainText(said);
  }

  private details(isRunning: boolean): JsonObject {
    if (this.denied !== null) return { kind: 'denied', reason: this.denied.reason };
    if (this.diffs.length > 0) return this.editDetails();
    if (this.kind === 'fetch') return { kind: 'fetch', url: this.url, status: null, bytes: null };
    if (this.kind !== 'execute') return {};
    const output = this.commandOutput;
    return {
      kind: 'command',
      command: this.command,
      folder: this.shownPath(this.commandFolder),
      exitCode: this.exit?.code ?? (this.status === 'completed' ? 0 : null),
      signal: this.exit?.signal ?? null,
      ms: 0,
      bytes: Buffer.byteLength(output),
      file: null,
      timedOut: false,
      background: null,
      tail: endOf(output, isRunning ? runningTail : longestText),
    };
  }

  private editDetails(): JsonObject {
    const files = this.diffs.map(({ path, before, after }): JsonValue => {
      const { added, removed } = textChange(before, after);
      return { path, shown: this.shownPath(path), change: before === null ? 'created' : 'edited', added, removed };
    });
    return { kind: 'edit', files, diff: this.diff };
  }
}

/** Files that a patch in a call's input changes, with absolute paths. Empty when there is none that can be read. */
function patchedFiles(
  input: unknown,
  folder: string,
): readonly { readonly path: string; readonly diffs: readonly FileDiff[] }[] {
  const patch = fieldOf(input, 'input') ?? fieldOf(input, 'patch');
  if (typeof patch !== 'string' || !patch.trimStart().startsWith('*** Begin Patch')) return [];
  try {
    return readPatch(patch).flatMap((file) => {
      const path = resolve(folder, file.path);
      const diff = (before: string | null, after: string): FileDiff => ({ kind: 'diff', path, before, after });
      if (file.kind === 'add') return [{ path, diffs: [diff(null, file.text)] }];
      if (file.kind === 'delete') return [{ path, diffs: [] }];
      const diffs = file.hunks.map(({ oldLines, newLines }) => diff(oldLines.join('\n'), newLines.join('\n')));
      return [{ path, diffs }, ...(file.moveTo === null ? [] : [{ path: resolve(folder, file.moveTo), diffs: [] }])];
    });
  } catch {
    return [];
  }
}

function isEmpty(input: unknown): boolean {
  return input === undefined || (typeof input === 'object' && input !== null && Object.keys(input).length === 0);
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  // Cline: a list of what each of its commands or files gave.
  if (Array.isArray(output)) return output.map(outputText).join('\n');
  return textIn(output, 'output') ?? textIn(output, 'stdout') ?? textIn(output, 'result') ?? '';
}

/** Claude puts output into a code block. */
function unfenced(text: string): string {
  return /^```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}
