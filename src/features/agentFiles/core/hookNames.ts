import { foreignNames } from '../../../agent/project/foreignTools';
import { isJsonObject, parseJsonObject, type JsonObject, type JsonValue } from '../../../transcript/json';

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

/** A call as hooks know it. `absolute`: returns an absolute path. */
export function translatedCall(name: string, args: string, absolute: (path: string) => string): TranslatedCall {
  const own = objectOf(args);
  const known = Object.hasOwn(foreignNames, name) ? foreignNames[name] : undefined;
  if (known === undefined) return { names: [...mcpNames(name), name], copilot: name, input: own };
  const theirs = new Map(Object.entries(fields(name)).map(([their, our]) => [our, their]));
  const input = renamed(own, (key) => theirs.get(key) ?? key);
  const placed = Object.entries(input).map(([key, value]): [string, JsonValue] => [
    key,
    paths.has(key) && typeof value === 'string' ? absolute(value) : value,
  ]);
  return {
    names: [...known.claude, name],
    copilot: known.copilot[0] ?? name,
    input: { ...patchedFile(own['patch'], absolute), ...Object.fromEntries(placed) },
  };
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

/** Renames the keys of the arguments, and of the single edits in them. */
function renamed(input: JsonObject, name: (key: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      name(key),
      key === 'edits' && Array.isArray(value)
        ? value.map((each: JsonValue) => (isJsonObject(each) ? renamed(each, name) : each))
        : value,
    ]),
  );
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

/** A guard that looks for the path of an edit finds those of a patch. */
function patchedFile(patch: JsonValue | undefined, absolute: (path: string) => string): JsonObject {
  if (typeof patch !== 'string') return {};
  const files = [...patch.matchAll(/^\*\*\* (?:Update File|Add File|Delete File|Move to): (.+)$/gm)].map(
    ([, path = '']) => absolute(path.trim()),
  );
  return files.length === 0 ? {} : { file_path: files[0] ?? '', file_paths: files };
}
