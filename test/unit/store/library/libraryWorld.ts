import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSystem } from '../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { encodeLabel, type FolderLabel, folderLabelKey } from '../../../../src/store/library/folderLabel';
import { Library } from '../../../../src/store/library/library';
import type { StoreLocations } from '../../../../src/store/library/otherStore';
import { acquireLock } from '../../../../src/store/lock/acquireLock';
import { SystemProcessTable } from '../../../../src/store/lock/processLookup';
import { type OpenedStore, openSessionStore } from '../../../../src/store/worker/openedStore';
import { testTime } from '../../../support/testStore';
import { testSqlite } from '../../../support/sqlite';
import { answered } from '../../../support/sessionDbWorld';

export const extension = 'publisher.hermes';

/** Stores of several workspaces on a real disk, and a library over them. */
export interface LibraryWorld {
  readonly root: string;
  readonly places: StoreLocations;
  readonly library: Library;
  /** A library over a file system of the test's own. */
  libraryOver(fileSystem: FileSystem): Library;
  /** The folder in which the store of a workspace lies. */
  folderOf(hash: string): string;
  /** Opens a store as its owner does, with lock. It stays open until `close`. */
  open(folder: string): OwnedStore;
  /** Names, sizes, times and bytes of everything below a folder. */
  contentOf(folder: string): unknown;
  /** Private copies that lie about. */
  copies(): readonly string[];
  remove(): void;
}

export interface OwnedStore {
  readonly store: OpenedStore['operations'];
  close(): void;
  /** As after kill -9: nothing is tidied. */
  abandon(): void;
}

export async function libraryWorld(): Promise<LibraryWorld> {
  const root = mkdtempSync(join(tmpdir(), 'hermes-library-'));
  const sqlite = await testSqlite();
  const fileSystem = new NodeFileSystem();
  const processes = new SystemProcessTable();
  const now = (): number => testTime;
  const workspaces = join(root, 'workspaceStorage');
  const copies = join(root, 'copies');
  const pause = (milliseconds: number): void =>
    void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  const libraryOver = (over: FileSystem): Library =>
    new Library({ sqlite, fileSystem: over, processes, now, pause, copies });
  const folderOf = (hash: string): string => join(workspaces, hash, extension);
  return {
    root,
    libraryOver,
    folderOf,
    library: libraryOver(fileSystem),
    places: {
      workspaces: [{ root: workspaces, extension }],
      shelves: [join(root, 'shelf')],
      own: folderOf('0'.repeat(32)),
    },
    open: (folder) => {
      const attempt = acquireLock({ fileSystem, folder, processes, now });
      if (attempt.kind === 'heldBy') throw new Error(`held by ${attempt.owner.description}`);
      const opened = openSessionStore(
        { sqlite, fileSystem, now },
        { folder, fence: attempt.lock.fence, salvage: false },
      );
      return {
        store: opened.operations,
        close: () => {
          opened.close();
          attempt.lock.release();
        },
        abandon: () => attempt.lock.release(),
      };
    },
    contentOf: (folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => {
          const path = join(folder, name);
          const { mtimeMs, size, ino } = statSync(path);
          return [name, mtimeMs, size, ino, statSync(path).isFile() ? readFileSync(path).toString('base64') : null];
        }),
    copies: () => (existsSync(copies) ? readdirSync(copies) : []),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A session with one answered turn. */
export function converse(store: OpenedStore['operations'], sessionId: string, text: string, at = 10): void {
  store.createSession({ id: sessionId, startedAt: at, folder: `/home/me/${sessionId}` });
  answered(store, `t-${sessionId}`, text, { sessionId, at });
}

export function label(store: OpenedStore['operations'], over: Partial<FolderLabel> = {}): FolderLabel {
  const made: FolderLabel = {
    version: 1,
    kind: 'folder',
    path: '/home/me/project',
    name: 'project',
    place: '1:2',
    git: null,
    roots: [],
    ...over,
  };
  store.setMeta(folderLabelKey, encodeLabel(made));
  return made;
}

/** A copy of a store's folder under another workspace. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true });
}
