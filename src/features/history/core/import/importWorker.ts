import { groupedBy } from '../../../../base/groupedBy';
import { join } from 'node:path';
import { systemClock } from '../../../../base/clock';
import type { MessagePort } from '../../../../base/threads/channel';
import { serveCalls, threadStart, type CallContext } from '../../../../base/threads/served';
import { openForeignDatabase } from '../../../../store/library/foreignDatabase';
import { reviveStoreError, storeErrors, type StoreErrorData } from '../../../../store/storeError';
import { StoreOverPorts } from '../../../../store/worker/storePort';
import type { ForeignSession } from '../sources/foreign';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { NodeHistoryFiles } from '../sources/reading/nodeHistoryFiles';
import { HistoryImport } from './historyImport';
import type { SearchedPlaces, SessionFile, ExportedConversation, ImportOptions, OpenedFile } from './importing';
import type { SqlDatabase } from '../../../../store/engine/sqlDatabase';
import { readOnly } from '../../../../store/library/foreignStore';
import { readInteger, readText, readTime } from '../../../../store/session/tables/columns';
import { copyOfFile, type FileCopyDeps } from './fileCopy';

/** Entry of `dist/importWorker.js`: a thread around a `HistoryImport`. `sql-wasm.wasm` is beside the bundle. */
const { channel, data } = threadStart<{ readonly copies: string }>();

let loaded: ReturnType<typeof nodeReadingDeps> | undefined;
const readingDeps = (): ReturnType<typeof nodeReadingDeps> =>
  (loaded ??= nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), data.copies));

let post: (event: unknown) => void = () => undefined;
const store = new StoreOverPorts(() => post('needsStore'));
const sources = {
  files: new NodeHistoryFiles(),
  openForeign: async (path: string) => openForeignDatabase(await readingDeps(), path),
};
const importer = new HistoryImport({ ...sources, target: store.operations, now: systemClock.now });

const methods = {
  scan: ({ signal, onProgress }: CallContext, places: SearchedPlaces, files: readonly SessionFile[] | null) =>
    importer.scan(places, { signal, ...(files === null ? {} : { files }), onProgress }),
  openFile: async ({ signal, onProgress }: CallContext, path: string) =>
    openedFile({ ...(await readingDeps()), ...sources }, path, { signal, onProgress }),
  preview: (_call: CallContext, found: readonly ForeignSession[]) => importer.preview(found),
  run: ({ signal, onProgress }: CallContext, found: readonly ForeignSession[], includeForgotten: boolean) =>
    importer.run(found, { signal, includeForgotten, onProgress }),
  useStore: (_call: CallContext, port: MessagePort, readOnly: StoreErrorData | null) => store.use(port, readOnly),
  refuseStore: (_call: CallContext, error: StoreErrorData) => store.refuse(reviveStoreError(error)),
};
export type ImportMethods = typeof methods;

post = serveCalls(channel, storeErrors, methods);

interface SessionRow {
  readonly id: string;
  readonly parentId: string;
  readonly isSubAgent: boolean;
  readonly title: string;
  readonly messages: number;
  readonly lastActiveAt: number;
}

/** Reads any file with sessions into a private store, and lists what is in it. Rejects as `copyOfFile`. */
async function openedFile(deps: FileCopyDeps, path: string, options: ImportOptions = {}): Promise<OpenedFile> {
  const copy = await copyOfFile(deps, path, options);
  try {
    const rows = readOnly(deps, copy.folder, sessionRows);
    const conversations = conversationsOf(copy.sessionIds ?? rows.map(({ id }) => id), rows);
    return { folder: copy.folder, kind: copy.sessionIds === null ? 'foreign' : 'own', conversations };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

function sessionRows(database: SqlDatabase): readonly SessionRow[] {
  return database
    .all(
      `SELECT id, parent_session_id, parent_kind, title, message_count, last_activity_at FROM sessions
       WHERE pending IS NULL ORDER BY started_at, rowid`,
    )
    .map((row) => ({
      id: readText(row, 'id', ''),
      parentId: readText(row, 'parent_session_id', ''),
      isSubAgent: readText(row, 'parent_kind', '') === 'delegate',
      title: readText(row, 'title', ''),
      messages: readInteger(row, 'message_count', 0),
      lastActiveAt: readTime(row, 'last_activity_at', 0),
    }));
}

/** Groups sessions by the root of their parents. Ids without a row are left out. Pure. */
function conversationsOf(ordered: readonly string[], rows: readonly SessionRow[]): readonly ExportedConversation[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const known = ordered.flatMap((id) => byId.get(id) ?? []);
  return [...groupedBy(known, (row) => rootOf(row, byId))]
    .map(([root, group]) => ({ root, group, newest: newestOf(root, group) }))
    .sort((one, other) => other.newest.lastActiveAt - one.newest.lastActiveAt)
    .map(({ root, group, newest }) => ({
      sessionIds: group.map(({ id }) => id),
      newestId: newest.id,
      // Only the first segment of a conversation is sure to have its title.
      title: [newest.title, root.title].find((title) => title !== '') ?? null,
      lastActiveAt: Math.max(...group.map(({ lastActiveAt }) => lastActiveAt)),
      messages: group.reduce((sum, { messages }) => sum + messages, 0),
    }));
}

/** Walks to the first session above that the file has. A damaged file may lead back to a session of the way. */
function rootOf(row: SessionRow, byId: ReadonlyMap<string, SessionRow>): SessionRow {
  const passed = new Set([row.id]);
  let root = row;
  for (let parent = byId.get(row.parentId); parent !== undefined; parent = byId.get(parent.parentId)) {
    if (passed.has(parent.id)) return root;
    passed.add(parent.id);
    root = parent;
  }
  return root;
}

/** The root counts even if it is of a sub-agent. */
function newestOf(root: SessionRow, group: readonly SessionRow[]): SessionRow {
  return group
    .filter(({ isSubAgent }) => !isSubAgent)
    .reduce((newest, row) => (row.lastActiveAt >= newest.lastActiveAt ? row : newest), root);
}
