import { foreignNames } from '../../../agent/project/foreignTools';
import type { HookEvent } from '../../../agent/turnHooks';
import { type PatchedFile, readPatch } from '../../../tools/files/patchText';
import type { HookEventName } from '../../../transcript/hookRun';
import { isJsonObject, parseJsonObject, type JsonObject, type JsonValue } from '../../../transcript/json';
import type { HookDefinition } from './hookFiles';

/** Claude's name of an argument → ours, by our tool. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run_command: { command: 'command', run_in_background: 'background' },
  read_file: { file_path: 'path' },
  write_file: { file_path: 'path', content: 'content' },
  edit_file: { file_path: 'path', old_string: 'old_text', new_string: 'new_text', replace_all: 'replace_all' },
  edit_notebook: { notebook_path: 'path', new_source: 'new_text' },
  search_files: { pattern: 'query', path: 'path', glob: 'include' },
  todo_write: { todos: 'items' },
  delegate_task: { prompt: 'task', description: 'title', subagent_type: 'agent' },
  read_skill: { skill: 'name' },
};

/** Claude's fields that hold a path, which hooks get absolute. */
const paths = new Set(['file_path', 'notebook_path', 'path']);

export interface TranslatedCall {
  /** Names that a matcher may use: Claude's, and ours. */
  readonly names: readonly string[];
  readonly copilot: string;
  readonly input: JsonObject;
}

/** A call as hooks know it; a patch once for each file that it changes, so that a guard that looks for the path of an
 *  edit finds all of them. `args`: those that it runs with. `absolute`: resolves a path as the tools do. */
export async function translatedCalls(
  name: string,
  args: string,
  absolute: (path: string) => Promise<string>,
): Promise<readonly TranslatedCall[]> {
  const own = objectOf(args);
  const known = Object.hasOwn(foreignNames, name) ? foreignNames[name] : undefined;
  if (known === undefined) return [{ names: [...mcpNames(name), name], copilot: name, input: own }];
  const theirs = new Map(Object.entries(fields(name)).map(([their, our]) => [our, their]));
  const input = renamed(own, (key) => theirs.get(key) ?? key);
  const placed = await Promise.all(
    Object.entries(input).map(async ([key, value]): Promise<[string, JsonValue]> => [
      key,
      paths.has(key) && typeof value === 'string' ? await absolute(value) : value,
    ]),
  );
  const translated = { names: [...known.claude, name], copilot: known.copilot[0] ?? name };
  const common = Object.fromEntries(placed);
  const files = await Promise.all(patchedFiles(own['patch']).map(absolute));
  if (files.length === 0) return [{ ...translated, input: common }];
  return [...new Set(files)].map((file) => ({
    ...translated,
    input: { ...common, file_path: file, file_paths: files },
  }));
}

/** Our arguments after a hook replaced its input. What the hook leaves out stays as it was. */
export function changedArguments(name: string, args: string, updated: JsonObject): string {
  const ours = fields(name);
  const input = renamed(updated, (key) => (Object.hasOwn(ours, key) ? (ours[key] ?? key) : key));
  return JSON.stringify({ ...objectOf(args), ...input });
}

function fields(name: string): Readonly<Record<string, string>> {
  return (Object.hasOwn(fieldsOf, name) ? fieldsOf[name] : undefined) ?? {};
}

function objectOf(args: string): JsonObject {
  const parsed = parseJsonObject(args);
  return parsed.kind === 'object' ? parsed.value : {};
}

/** Renames the keys of the arguments, and of the single edits in them. A renamed key counts, not one that is written
 *  like it. */
function renamed(input: JsonObject, name: (key: string) => string): JsonObject {
  const all = Object.entries(input).map(([key, value]): readonly [string, string, JsonValue] => [
    key,
    name(key),
    key === 'edits' && Array.isArray(value)
      ? value.map((each: JsonValue) => (isJsonObject(each) ? renamed(each, name) : each))
      : value,
  ]);
  const [kept, changed] = [true, false].map((isKept) => all.filter(([key, to]) => (key === to) === isKept));
  return Object.fromEntries([...(kept ?? []), ...(changed ?? [])].map(([, to, value]) => [to, value]));
}

/** `mcp_<server>_<tool>` does not show where the name of the server ends: a matcher may mean each way. */
function mcpNames(name: string): readonly string[] {
  if (!name.startsWith('mcp_')) return [];
  const words = name.slice('mcp_'.length).split('_');
  return words.slice(1).map((_, index) => {
    const [server, tool] = [words.slice(0, index + 1), words.slice(index + 1)];
    return `mcp__${server.join('_')}__${tool.join('_')}`;
  });
}

/** Paths of a patch, as it writes them. None for one that the tool cannot read either. */
function patchedFiles(patch: JsonValue | undefined): readonly string[] {
  const pathsOf = (file: PatchedFile): readonly string[] =>
    file.kind === 'update' && file.moveTo !== null ? [file.path, file.moveTo] : [file.path];
  try {
    return typeof patch === 'string' ? readPatch(patch).flatMap(pathsOf) : [];
  } catch {
    return [];
  }
}

const permissionModes = { ask: 'default', auto: 'acceptEdits', plan: 'plan' } as const;

/** Field of the word that a matcher means, by event. */
const aboutFields: Partial<Record<HookEventName, string>> = {
  SessionStart: 'source',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  PreCompact: 'trigger',
  Notification: 'notification_type',
  SessionEnd: 'reason',
};

/** JSON that a hook gets on its input, in the form of its file: Claude's (with the names of VS Code added) or
 *  Copilot's. There is no `transcript_path`: sessions are not kept as such a file. */
export function hookInput(
  { isCopilot, matcher }: HookDefinition,
  event: HookEvent,
  call: TranslatedCall | null,
  cwd: string,
): string {
  const { name, output, prompt, about, message, isAgain } = event;
  const isDone = output?.outcome === 'done';
  const aboutField = aboutFields[name] ?? 'about';
  if (isCopilot)
    return JSON.stringify({
      timestamp: Date.now(),
      cwd,
      sessionId: event.sessionId,
      prompt,
      message,
      [aboutField]: about === 'startup' ? 'new' : about,
      agentName: name.startsWith('Subagent') ? about : undefined,
      toolName: call?.copilot,
      toolArgs: call === null ? undefined : JSON.stringify(call.input),
      toolResult:
        call === null || output === undefined
          ? undefined
          : { resultType: isDone ? 'success' : 'failure', textResultForLlm: output.text },
    });
  return JSON.stringify({
    session_id: event.sessionId,
    sessionId: event.sessionId,
    timestamp: new Date().toISOString(),
    cwd,
    permission_mode: permissionModes[event.mode],
    hook_event_name: name,
    hookEventName: name,
    prompt,
    message,
    [aboutField]: about,
    last_assistant_message: name === 'SubagentStop' ? output?.text : undefined,
    stop_hook_active: isAgain,
    tool_name:
      call === null ? undefined : (call.names.find((name) => matcher.split('|').includes(name)) ?? call.names[0]),
    tool_input: call?.input,
    tool_use_id: event.call?.callId,
    tool_response:
      call === null || output === undefined || !isDone ? undefined : { content: output.text, success: true },
    error: call === null || output === undefined || isDone ? undefined : output.text,
  });
}
