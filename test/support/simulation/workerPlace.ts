import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFileSystem } from '../../../src/store/engine/nodeFileSystem';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { openDatabase } from '../../../src/store/open/openDatabase';
import { storeFiles } from '../../../src/store/open/storeFiles';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import { StoreClient } from '../../../src/store/worker/storeClient';
import { testSqlite } from '../sqlite';
import type { OpenedPlace, Place } from './place';
import { sessionDb } from './simulatedPlace';
import type { StoreThreads } from './storeThreads';

/** The store as the product has it: on a real file, in its worker thread, fenced by a lock file. What a schedule looks at is read by a
 *  connection of its own on a copy of the files as they were at one moment, made anew whenever the worker has done something: the worker also
 *  keeps house between two calls, and nobody else may read files that are written to. A power cut is the death of the thread. */
export class WorkerPlace implements Place {
  private readonly fileSystem = new NodeFileSystem();
  private readonly folder = mkdtempSync(join(tmpdir(), 'hermes-schedule-'));
  private readonly files = storeFiles(join(this.folder, 'store'));
  private readonly looked = storeFiles(join(this.folder, 'looked'));
  /** Every lock taken stays open, as in the product: its number must not become another lock's. */
  private readonly locks: number[] = [];

  constructor(private readonly threads: StoreThreads) {
    mkdirSync(this.files.folder);
    mkdirSync(this.looked.folder);
  }

  async open(now: () => number): Promise<OpenedPlace> {
    const sqlite = await testSqlite();
    const fence = this.takeLock();
    const client = new StoreClient(this.threads.take());
    await client.open({ folder: this.files.folder, fence, salvage: false });
    let performed = 0;
    let view: { readonly of: number; readonly database: SqlJsDatabase; readonly db: SessionDb } | null = null;
    const open = () => {
      if (view?.of === performed) return view;
      view?.database.abandon();
      this.copyOneMoment();
      const { database } = openDatabase({
        sqlite,
        fileSystem: this.fileSystem,
        folder: this.looked.folder,
        now,
        readOnly: true,
      });
      view = { of: performed, database, db: sessionDb(database, now) };
      return view;
    };
    const forgetView = (): void => {
      view?.database.abandon();
      view = null;
    };
    return {
      isElsewhere: true,
      call: async (method, args, options) => {
        try {
          return await client.store.call(method, args, options);
        } finally {
          performed++;
        }
      },
      get db() {
        return open().db;
      },
      get database() {
        return open().database;
      },
      get changes() {
        return performed;
      },
      loseLock: () => void this.takeLock(),
      close: () => client.store.close().finally(forgetView),
      abandon: () => client.store.abandon().finally(forgetView),
    };
  }

  powerCut(): void {
    // This machine stays on.
  }

  async remove(): Promise<void> {
    for (const lock of this.locks) closeSync(lock);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private copyOneMoment(): void {
    const read = (path: string): Buffer | null => (existsSync(path) ? readFileSync(path) : null);
    const both = (): readonly (Buffer | null)[] => [read(this.files.main), read(this.files.log)];
    for (let before = both(); ;) {
      const now = both();
      const isSame = now.every((bytes, index) =>
        bytes === null ? before[index] === null : before[index]?.equals(bytes) === true,
      );
      before = now;
      if (!isSame) continue;
      const copies = [this.looked.main, this.looked.log];
      for (const [index, path] of copies.entries()) {
        rmSync(path, { force: true });
        const bytes = now[index];
        if (bytes !== undefined && bytes !== null) writeFileSync(path, bytes);
      }
      return;
    }
  }

  /** Puts a lock of its own in the place of whoever held the store; returns its mark. */
  private takeLock(): string {
    const taken = `${this.files.lock}.taken`;
    this.locks.push(openSync(taken, 'w'));
    renameSync(taken, this.files.lock);
    return this.fileSystem.stat(this.files.lock)?.identity ?? '';
  }
}
