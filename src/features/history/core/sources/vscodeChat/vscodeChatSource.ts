import { basename, dirname } from 'node:path';
import { t } from '../../../../../base/translate';
import { type JsonObject, parseJsonObject } from '../../../../../transcript/json';
import type { ForeignSession } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { epochTimeOf, nameOf } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';
import { skip } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { UsageSum } from '../reading/usageSum';
import { chatOverview, storedRequests } from './vscodeChatFile';
import { promptText } from './vscodePrompt';
import { answeredAt, modelOf, versionOf, VscodeRequest } from './vscodeRequest';
import { fileURLToPath } from 'node:url';

const workspaceFolder = 'chatSessions';

/** Session files of an editor: those of its workspaces, and of windows without a folder. By
 *  src/vs/workbench/contrib/chat/common/model/chatSessionStore.ts of microsoft/vscode (047238f).
 *  `user`: its `User` folder. */
async function* chatSessionPaths(files: HistoryFiles, user: string): AsyncGenerator<string> {
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
async function folderOfSession(files: HistoryFiles, path: string): Promise<string | null> {
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

const newestVersion = 3;

/** Chat sessions of VS Code (Copilot Chat and others) and of editors made from it: a JSON file per session, and a
 *  journal of changes (`.jsonl`) since 1.109. Versions 1 to 3 of the data, by chatModel.ts, chatService.ts,
 *  chatSessionOperationLog.ts and objectMutationLog.ts in src/vs/workbench/contrib/chat/common of microsoft/vscode
 *  (commits 00817b7, 03d4336, 047238f). */
export class VscodeChatSource implements HistorySource {
  readonly name = 'vscodeChat';

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ editors }: HistoryPlaces): AsyncGenerator<string> {
    for (const user of editors) yield* chatSessionPaths(this.files, user);
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    const place = { path, unit: 'file', number: 1 } as const;
    if (path.endsWith('.json') && (await this.files.stat(`${path}l`)) !== null) {
      const reason = t('The session is in a journal beside the file, too.');
      return yield { kind: 'skipped', skipped: { place, kind: 'repeated', reason } };
    }
    const { about, first, last, count } = await chatOverview(this.files, path);
    const version = versionOf(about);
    if (version > newestVersion) {
      const reason = t('The file has version {version}. Versions up to {newest} can be read.', {
        version: String(version),
        newest: String(newestVersion),
      });
      return yield { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
    }
    if (first.length === 0) {
      const isWhole = about !== null && count === 0;
      const reason = isWhole ? t('The file holds no message.') : t('The record is cut off or is not a JSON object.');
      return yield { kind: 'skipped', skipped: { place, kind: isWhole ? 'bookkeeping' : 'damaged', reason } };
    }
    const session = await this.sessionOf(path, about, first, last);
    yield { kind: 'session', session: { ...session, messageCount: null } };
  }

  async *read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    const [times, usage, ids] = [new TimeSpan(), new UsageSum(), new Set<string>()];
    let records = 0;
    let model: string | null = null;
    for await (const stored of storedRequests(this.files, location.path)) {
      if (stored.kind === 'damaged') {
        records++;
        yield skip(stored.place, 'damaged', stored.reason);
        continue;
      }
      const request = new VscodeRequest(stored.value, uniqueId(stored.value, stored.place.number, ids), stored.place);
      records += request.records;
      for (const event of request.events()) {
        if (event.kind === 'message') usage.add(event.message.usage);
        yield event;
      }
      times.add(epochTimeOf(stored.value, 'timestamp'));
      times.add(answeredAt(stored.value));
      model = modelOf(stored.value).model ?? model;
    }
    const { startedAt, endedAt } = times;
    yield {
      kind: 'facts',
      records: 0,
      facts: {
        ...(model === null ? {} : { model }),
        ...(usage.total === null ? {} : { usage: usage.total }),
        ...(startedAt === null ? {} : { startedAt, endedAt }),
      },
    };
    yield { kind: 'end', records };
  }

  private async sessionOf(
    path: string,
    about: JsonObject | null,
    first: readonly JsonObject[],
    last: JsonObject | null,
  ): Promise<Omit<ForeignSession, 'messageCount'>> {
    const times = new TimeSpan();
    times.add(epochTimeOf(about, 'creationDate'));
    for (const request of [...first, last]) {
      times.add(epochTimeOf(request, 'timestamp'));
      times.add(answeredAt(request));
    }
    const prompts = first.map((request) => shortTitle(promptText(request)));
    return {
      source: 'vscodeChat',
      id: nameOf(about, 'sessionId') ?? basename(path).replace(/\.jsonl?$/, ''),
      location: { path, key: null },
      lineage: null,
      title:
        nameOf(about, 'customTitle') ??
        nameOf(about, 'computedTitle') ??
        prompts.find((title) => title !== null) ??
        null,
      folder: await folderOfSession(this.files, path),
      model: modelOf(last).model,
      startedAt: times.startedAt,
      endedAt: times.endedAt,
      usage: null,
      writtenBy: `format ${versionOf(about)}`,
    };
  }
}

/** The request's id, or its number where it has none or an earlier request has the same one. */
function uniqueId(request: JsonObject, number: number, ids: Set<string>): string {
  const own = nameOf(request, 'requestId');
  const id = own === null || ids.has(own) ? `${own ?? 'request'} ${number}` : own;
  ids.add(id);
  return id;
}
