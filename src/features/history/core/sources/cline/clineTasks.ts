import { basename, dirname } from 'node:path';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import { countOf, nameOf, numberOf, objectOf } from '../reading/fields';
import { beginning, type HistoryFiles } from '../reading/historyFiles';

/** A conversation file of Cline or one of its forks. */
export interface ClineTask {
  readonly id: string;
  readonly path: string;
  /** Key of the list of messages in the file. Default: none, the file is the list. */
  readonly key: string | null;
  /** Facts that the program stores about the task. Null: none that can be read. */
  readonly about: JsonObject | null;
  /** Version of the program. Null: not told. */
  readonly writtenBy: string | null;
}

const extensions = ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code'];
const headBytes = 64 * 1024;
const taskFile = 'api_conversation_history.json';

/** Folders that hold task folders of the editor extensions. */
export function taskFolders(editors: readonly string[], cline: string): readonly string[] {
  const ofEditors = editors.flatMap((user) => extensions.map((name) => `${user}/globalStorage/${name}/tasks`));
  return [...ofEditors, `${cline}/data/tasks`];
}

/** Conversation files in task folders: `<id>/api_conversation_history.json`. */
export async function* tasksIn(files: HistoryFiles, folder: string): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(folder)) {
    const path = `${folder}/${name}/${taskFile}`;
    if (kind === 'folder' && (await files.stat(path)) !== null) yield path;
  }
}

/** Conversation files of the Cline command line: `<id>/<id>.messages.json`. */
export async function* sessionsIn(files: HistoryFiles, folder: string): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(folder)) {
    const path = `${folder}/${name}/${name}.messages.json`;
    if (kind === 'folder' && (await files.stat(path)) !== null) yield path;
  }
}

/** The task of a conversation file. Facts about it are in `history_item.json` (Roo Code and Kilo Code) or `<id>.json`
 *  (command line) beside it. */
export async function taskOf(files: HistoryFiles, path: string): Promise<ClineTask> {
  const [folder, key] = [dirname(path), listKeyOf(path)];
  const head = key === null ? null : await headOf(files, path, key);
  const id = nameOf(head, 'sessionId') ?? basename(folder);
  const about = `${folder}/${key === null ? 'history_item' : id}.json`;
  const writtenBy = nameOf(objectOf(head, 'origin'), 'version');
  return { id, path, key, about: await smallObject(files, about), writtenBy };
}

/** Fields before the list of messages: the file's place may have changed since the session was written. */
async function headOf(files: HistoryFiles, path: string, key: string): Promise<JsonObject | null> {
  const text = (await beginning(files, path, headBytes)).toString('utf8').replace(/^\uFEFF/, '');
  const end = text.indexOf(`"${key}"`);
  const parsed = end === -1 ? null : parseJsonObject(`${text.slice(0, end).trimEnd().replace(/,$/, '')}}`);
  return parsed?.kind === 'object' ? parsed.value : null;
}

/** The list of messages is the whole file in a task folder, and has a key in a session file. */
export function listKeyOf(path: string): string | null {
  return basename(path) === taskFile ? null : 'messages';
}

const mostBytes = 2 ** 20;

async function smallObject(files: HistoryFiles, path: string): Promise<JsonObject | null> {
  const size = (await files.stat(path))?.size ?? 0;
  if (size === 0 || size > mostBytes) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path)) pieces.push(piece);
  const parsed = parseJsonObject(Buffer.concat(pieces).toString('utf8'));
  return parsed.kind === 'object' ? parsed.value : null;
}

/** Token counts of a task (`history_item.json`). */
export function taskUsage(about: JsonObject | null): Usage | null {
  const [inputTokens, outputTokens] = [countOf(about, 'tokensIn'), countOf(about, 'tokensOut')];
  if (inputTokens === null && outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: countOf(about, 'cacheReads'),
    cacheWriteTokens: countOf(about, 'cacheWrites'),
    reasoningTokens: null,
    ...costOf(numberOf(about, 'totalCost')),
  };
}

function costOf(cost: number | null): { readonly costUsd?: number } {
  return cost === null || cost < 0 ? {} : { costUsd: cost };
}
