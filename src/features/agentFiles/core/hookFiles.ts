import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Script } from 'node:vm';
import { type ParseError, parse } from 'jsonc-parser';
import * as v from 'valibot';
import type { HookFile } from '../../../agent/project/hookFiles';
import type { TranslatedCall } from './hookInput';
import { hookEvents, type HookEventName } from '../../../transcript/hookRun';

/** A program that runs at a moment of a turn, as a file defines it. */
export interface HookDefinition {
  readonly file: string;
  readonly event: HookEventName;
  /** Tools that it is for. Empty: all. */
  readonly matcher: string;
  /** Condition on the arguments, such as `Bash(git *)`. Null: none. */
  readonly condition: string | null;
  readonly command: string;
  /** True for a command of PowerShell. */
  readonly isPowershell: boolean;
  /** Relative to `folder`. Null: `folder` itself. */
  readonly cwd: string | null;
  readonly folder: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** True where the file names its events as Copilot does: input and exit codes are then Copilot's too. */
  readonly isCopilot: boolean;
  /** Hash of all this. A changed hook is another one. */
  readonly fingerprint: string;
}

export interface ReadHooks {
  readonly hooks: readonly HookDefinition[];
  /** Entries that cannot run, each with a reason for the user's report. */
  readonly ignored: readonly { readonly file: string; readonly entry: string; readonly reason: IgnoredReason }[];
}

/** event: Hermes has no such moment · type: not a command · platform: not for this system · format: not valid. */
export type IgnoredReason = 'event' | 'type' | 'platform' | 'format';

const text = v.nullish(v.string());
// A guard must not be left out because of one of these: it rather runs too often, and for the usual time.
const limit = v.fallback(text, undefined);
const seconds = v.fallback(v.nullish(v.pipe(v.number(), v.minValue(0))), undefined);
const entrySchema = v.object({
  type: v.nullish(v.string(), 'command'),
  matcher: limit,
  if: limit,
  command: text,
  bash: text,
  powershell: text,
  windows: text,
  linux: text,
  osx: text,
  cwd: text,
  env: v.nullish(v.record(v.string(), v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))), {}),
  timeout: seconds,
  timeoutSec: seconds,
});
type Entry = v.InferOutput<typeof entrySchema>;
const fileSchema = v.looseObject({
  disableAllHooks: v.optional(v.unknown()),
  hooks: v.nullish(v.record(v.string(), v.unknown())),
});
const groupSchema = v.object({ matcher: limit, hooks: v.union([v.array(v.unknown()), v.looseObject({})]) });

/** Names of Copilot for the same events. */
const copilotEvents: Readonly<Record<string, HookEventName>> = {
  sessionStart: 'SessionStart',
  userPromptSubmitted: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  permissionRequest: 'PermissionRequest',
  postToolUse: 'PostToolUse',
  postToolUseFailure: 'PostToolUseFailure',
  preCompact: 'PreCompact',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
  agentStop: 'Stop',
  notification: 'Notification',
  sessionEnd: 'SessionEnd',
};

/** Seconds. Claude's default is long, that of the others short; no hook may take longer than the first. */
const most = 600;
const usual = { claude: most, others: 30 } as const;

/** Reads the hooks of one file: those of Claude's settings, of Copilot and of VS Code. */
export function readHooks(file: HookFile, platform: NodeJS.Platform): ReadHooks {
  // Editors let people write comments and trailing commas here.
  const errors: ParseError[] = [];
  const content: unknown = parse(file.text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  const parsed = v.safeParse(fileSchema, content);
  if (!parsed.success || errors.length > 0)
    return { hooks: [], ignored: [{ file: file.path, entry: '', reason: 'format' }] };
  if (parsed.output.disableAllHooks === true) return { hooks: [], ignored: [] };
  const hooks: HookDefinition[] = [];
  const ignored: ReadHooks['ignored'][number][] = [];
  const isClaude = /(?:^|[/\\])settings(?:\.local)?\.json$/.test(file.path);
  for (const [name, entries] of Object.entries(parsed.output.hooks ?? {})) {
    const isCopilot = Object.hasOwn(copilotEvents, name);
    const event = isCopilot ? copilotEvents[name] : hookEvents.find((each) => each === name);
    for (const written of [entries].flat()) {
      for (const one of flattened(written)) {
        const ignore = (reason: IgnoredReason, entry = name): void =>
          void ignored.push({ file: file.path, entry, reason });
        const entry = v.safeParse(entrySchema, one);
        if (!entry.success) ignore('format');
        else if (event === undefined) ignore('event');
        else if (entry.output.type !== 'command') ignore('type', `${name}: ${entry.output.type}`);
        else {
          const line = commandOf(entry.output, platform);
          if (line === null) ignore('platform');
          else hooks.push(definition(file, event, entry.output, line, { isCopilot, isClaude }));
        }
      }
    }
  }
  return { hooks, ignored };
}

/** Claude groups hooks by matcher, the others list them. */
function flattened(written: unknown): readonly unknown[] {
  const group = v.safeParse(groupSchema, written);
  if (!group.success) return [written];
  const { matcher, hooks } = group.output;
  return [hooks]
    .flat()
    .map((hook) =>
      typeof hook === 'object' && hook !== null ? { ...hook, ...(matcher === undefined ? {} : { matcher }) } : hook,
    );
}

function commandOf(
  entry: Entry,
  platform: NodeJS.Platform,
): { readonly command: string; readonly isPowershell: boolean } | null {
  const isWindows = platform === 'win32';
  const own = isWindows ? entry.windows : platform === 'darwin' ? entry.osx : entry.linux;
  const command = own ?? (isWindows ? (entry.powershell ?? entry.command) : (entry.bash ?? entry.command));
  if (typeof command !== 'string' || command.trim() === '') return null;
  return { command, isPowershell: isWindows && typeof own !== 'string' && typeof entry.powershell === 'string' };
}

function definition(
  file: HookFile,
  event: HookEventName,
  entry: Entry,
  line: { readonly command: string; readonly isPowershell: boolean },
  { isCopilot, isClaude }: { readonly isCopilot: boolean; readonly isClaude: boolean },
): HookDefinition {
  const limit = entry.timeout ?? entry.timeoutSec ?? (isClaude ? usual.claude : usual.others);
  const hook = {
    file: file.path,
    event,
    matcher: entry.matcher === '*' ? '' : (entry.matcher ?? ''),
    condition: entry.if ?? null,
    ...line,
    cwd: entry.cwd ?? null,
    folder: file.folder,
    env: entry.env,
    timeoutMs: Math.min(Math.max(1, limit), most) * 1000,
    isCopilot,
  };
  return { ...hook, fingerprint: createHash('sha256').update(JSON.stringify(hook)).digest('hex') };
}

/** True when the hook is for this call. A condition that is not understood, or is about something that the call does
 *  not have, always holds: a guard rather runs too often. */
export function isFor(
  { matcher, condition }: Pick<HookDefinition, 'matcher' | 'condition'>,
  { names, input }: Pick<TranslatedCall, 'names' | 'input'>,
): boolean {
  if (!names.some((name) => fits(matcher, name))) return false;
  const written = /^([\w|]+)\((.*)\)$/s.exec(condition ?? '');
  if (written === null) return true;
  const [, tools = '', pattern = ''] = written;
  if (!names.some((name) => fits(tools, name))) return false;
  const { command, file_path: file, notebook_path: notebook, path } = input;
  if (typeof command === 'string')
    // A condition on the beginning of a command says nothing about one that has several.
    return /[;&|`\n(]|^\s*\w+=/.test(command) || fitsGlob(pattern.replace(/:\*$/, '*'), command.trim());
  const place = [file, notebook, path].find((each) => typeof each === 'string');
  return typeof place !== 'string' || fitsPath(pattern, place);
}

/** A pattern of paths, as in an ignore file: it may begin in any folder, and a folder stands for what is in it. Case
 *  does not count. `path`: absolute. */
function fitsPath(pattern: string, path: string): boolean {
  const wanted = pattern
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/^[.~]?\/+/, '')
    .replace(/\/+$/, '');
  if (wanted === '' || /[?[\]{}]|^!|\.\./.test(wanted)) return true;
  const subject = path.replaceAll('\\', '/').toLowerCase();
  return [wanted, `*/${wanted}`].some((glob) => fitsGlob(glob, subject) || fitsGlob(`${glob}/*`, subject));
}

/** `*` stands for anything; ` *` at the end also for nothing. Takes no longer than the subject is long. */
function fitsGlob(glob: string, subject: string): boolean {
  if (glob.endsWith(' *') && fitsGlob(glob.slice(0, -2), subject)) return true;
  const [first = '', ...rest] = glob.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return subject === first;
  let at = first.length;
  for (const part of rest) {
    const found = subject.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return subject.startsWith(first) && subject.endsWith(last) && subject.length >= at + last.length;
}

/** A pattern may take for ever, and in a context of its own it can be stopped. */
const pattern = new Script('new RegExp(`^(?:${matcher})$`).test(name)');
const mostMatchMs = 50;

/** Empty means all; names joined by `|` mean these; anything else is a pattern. Matching is case-sensitive. */
function fits(matcher: string, name: string): boolean {
  if (matcher === '') return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(name);
  try {
    return pattern.runInNewContext({ matcher, name }, { timeout: mostMatchMs }) === true;
  } catch {
    // A guard whose pattern is not valid, or takes too long, is asked about everything.
    return true;
  }
}

/** Bytes of a file up to which its content is read. Of a larger one the size and the time of its last change count,
 *  which no program can set back. */
const largestFile = 1_000_000;

/** Hash of what the user trusts: the definition, and the files that its command names, but for those that it writes to
 *  (`>> hook.log`). Otherwise an agent that may edit such a script would choose what runs. */
export async function trustMark(hook: HookDefinition, project: string): Promise<string> {
  const hash = createHash('sha256').update(hook.fingerprint);
  const line = hook.command.replaceAll(/\$\{?CLAUDE_PROJECT_DIR\}?/g, project);
  // Quotes may stand around a whole path, or around a part of it.
  const quoted = line.split(/["'`]/).filter((_part, index, all) => !/(?:^|[\s\d&>])>\s*$/.test(all[index - 1] ?? ''));
  const plain = line
    .replaceAll(/["']/g, '')
    .replaceAll('`', ' ; ')
    .replaceAll(/(?<=^|[\s\d&>])>\|?\s*[^\s;|&()<>]+/g, ' ');
  const words = [...plain.split(/[\s;|&()<>=]+/), ...quoted];
  for (const word of new Set(words.filter((each) => each !== ''))) {
    for (const folder of new Set([project, resolve(project, hook.cwd ?? '.')])) {
      const content = await contentOf(resolve(folder, word));
      if (content !== null) hash.update(`\0${word}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

async function contentOf(path: string): Promise<Uint8Array | string | null> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return null;
    return found.size <= largestFile ? await readFile(path) : `${found.size} ${found.ctimeMs}`;
  } catch {
    return null;
  }
}
