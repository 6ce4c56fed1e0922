import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { t } from '../../../../../base/translate';
import type { JsonObject } from '../../../../../transcript/json';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { epochTimeOf, first, nameOf } from '../reading/fields';
import { emptyFile, foundSession, newerFile, shortTitle, skippedFile, timeSpan } from '../reading/foundSessions';
import { filesBelow, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { unreadable } from '../reading/records';
import { SessionTotals, skip } from '../reading/sessionReading';
import { chatOverview, storedRequests } from './vscodeChatFile';
import { answeredAt, modelOf, promptText, versionOf, VscodeRequest } from './vscodeRequest';

const workspaceFolder = 'chatSessions';
const newestVersion = 3;

/** Chat sessions of VS Code (Copilot Chat and others) and of editors made from it: a JSON file per session, and a
 *  journal of changes (`.jsonl`) since 1.109. Versions 1 to 3 of the data, by chatModel.ts, chatService.ts,
 *  chatSessionOperationLog.ts and objectMutationLog.ts in src/vs/workbench/contrib/chat/common of microsoft/vscode
 *  (commits 00817b7, 03d4336, 047238f). */
export function vscodeChatSource(files: HistoryFiles): HistorySource {
  return {
    name: 'vscodeChat',
    async *locate({ editors }) {
      for (const user of editors) yield* sessionPaths(files, user);
    },
    async *findIn(path) {
      yield await glance(files, path);
    },
    read: ({ location }) => events(files, location.path),
  };
}

/** Session files of an editor: those of its workspaces, and of windows without a folder. By
 *  src/vs/workbench/contrib/chat/common/model/chatSessionStore.ts of microsoft/vscode (047238f).
 *  `user`: its `User` folder. */
async function* sessionPaths(files: HistoryFiles, user: string): AsyncGenerator<string> {
  const storage = `${user}/workspaceStorage`;
  const workspaces = (await files.list(storage)).filter(({ kind }) => kind === 'folder');
  for (const folder of [
    ...workspaces.map(({ name }) => `${storage}/${name}/${workspaceFolder}`),
    `${user}/globalStorage/emptyWindowChatSessions`,
    `${user}/globalStorage/transferredChatSessions`,
  ])
    yield* filesBelow(files, folder, 0, /\.jsonl?$/);
}

/** Folder or workspace file of the window that a session file is from. Null for a window without one, and for one
 *  whose address names no folder of this machine (`vscode-remote:`). */
async function folderOfSession(files: HistoryFiles, path: string): Promise<string | null> {
  const folder = dirname(path);
  if (basename(folder) !== workspaceFolder) return null;
  const about = await jsonFile(files, `${dirname(folder)}/workspace.json`, 2 ** 16);
  const uri = nameOf(about, 'folder') ?? nameOf(about, 'workspace');
  try {
    return uri?.startsWith('file:') === true ? fileURLToPath(uri) : null;
  } catch {
    return null;
  }
}

async function glance(files: HistoryFiles, path: string): Promise<Found> {
  if (path.endsWith('.json') && (await files.stat(`${path}l`)) !== null)
    return skippedFile(path, 'repeated', t('The session is in a journal beside the file, too.'));
  const { about, requests, last, count } = await chatOverview(files, path);
  const version = versionOf(about);
  if (version > newestVersion) return newerFile(path, version, newestVersion);
  if (requests.length === 0)
    return about !== null && count === 0 ? emptyFile(path) : skippedFile(path, 'damaged', unreadable());
  return foundSession('vscodeChat', path, {
    id: nameOf(about, 'sessionId') ?? basename(path).replace(/\.jsonl?$/, ''),
    title:
      nameOf(about, 'customTitle') ??
      nameOf(about, 'computedTitle') ??
      first(requests, (request) => shortTitle(promptText(request))),
    folder: await folderOfSession(files, path),
    model: modelOf(last),
    ...timeSpan([
      epochTimeOf(about, 'creationDate'),
      ...[...requests, last].flatMap((request) => [epochTimeOf(request, 'timestamp'), answeredAt(request)]),
    ]),
    writtenBy: `format ${version}`,
  });
}

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const totals = new SessionTotals(false);
  const ids = new Set<string>();
  let records = 0;
  for await (const stored of storedRequests(files, path)) {
    if (stored.kind === 'damaged') {
      records++;
      yield skip(stored.place, 'damaged', stored.reason);
      continue;
    }
    const { value, place } = stored;
    const request = new VscodeRequest(value, uniqueId(value, place.number, ids), place);
    records += request.records;
    for (const event of request.events()) yield totals.add(event);
    totals.add({ kind: 'facts', records: 0, facts: { model: modelOf(value) } });
    totals.time(epochTimeOf(value, 'timestamp'));
    totals.time(answeredAt(value));
  }
  yield* totals.end(records);
}

/** The request's id, or its number where it has none or an earlier request has the same one. */
function uniqueId(request: JsonObject, number: number, ids: Set<string>): string {
  const own = nameOf(request, 'requestId');
  const id = own === null || ids.has(own) ? `${own ?? 'request'} ${number}` : own;
  ids.add(id);
  return id;
}
