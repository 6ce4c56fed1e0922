import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJsonObject } from '../../../../../transcript/json';
import { nameOf } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';

const workspaceFolder = 'chatSessions';

/** Session files of an editor: those of its workspaces, and of windows without a folder. By
 *  src/vs/workbench/contrib/chat/common/model/chatSessionStore.ts of microsoft/vscode (047238f).
 *  `user`: its `User` folder. */
export async function* chatSessionPaths(files: HistoryFiles, user: string): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(`${user}/workspaceStorage`)) {
    if (kind === 'folder') yield* pathsIn(files, `${user}/workspaceStorage/${name}/${workspaceFolder}`);
  }
  for (const name of ['emptyWindowChatSessions', 'transferredChatSessions']) {
    yield* pathsIn(files, `${user}/globalStorage/${name}`);
  }
}

async function* pathsIn(files: HistoryFiles, folder: string): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(folder)) {
    if (kind === 'file' && /\.jsonl?$/.test(name)) yield `${folder}/${name}`;
  }
}

/** Folder or workspace file of the window that a session file is from. Null for a window without one. */
export async function folderOfSession(files: HistoryFiles, path: string): Promise<string | null> {
  const folder = dirname(path);
  if (basename(folder) !== workspaceFolder) return null;
  const about = `${dirname(folder)}/workspace.json`;
  const size = (await files.stat(about))?.size ?? 0;
  if (size === 0 || size > 2 ** 16) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(about)) pieces.push(piece);
  const read = parseJsonObject(Buffer.concat(pieces).toString('utf8'));
  const uri = read.kind === 'object' ? (nameOf(read.value, 'folder') ?? nameOf(read.value, 'workspace')) : null;
  return uri === null ? null : pathOf(uri);
}

/** Path of a `file:` address. Addresses of other kinds (`vscode-remote:`) name no folder of this machine. */
function pathOf(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : null;
  } catch {
    return null;
  }
}
