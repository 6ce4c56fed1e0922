import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import { ChangedFiles, type ChangedTurn } from '../../../src/features/review/core/changedFiles';
import { StoreEditJournal } from '../../../src/tools/files/changes/changeRecorder';
import { FileEditorOnDisk } from '../fileEditorOnDisk';
import { ManualClock } from '../manualClock';
import { answered, sessionDbWorld } from '../sessionDbWorld';
import { aToolCall } from '../toolCalls';
import { perform, promisedOperations } from '../../../src/store/session/sessionStore';

const fileStoreOver = (db: SessionDb) => promisedOperations(async (method, args) => perform(db, method, args));

export type Content = string | Uint8Array | null;

/** A folder on disk, a store, and an agent and a person who both change files. */
export class ChangedFilesWorld {
  readonly notified: ChangedTurn[] = [];
  /** Warnings of the log. */
  readonly logged: string[] = [];
  readonly editor = new FileEditorOnDisk();
  readonly journal: StoreEditJournal;
  /** Restarted by `reload`. */
  files: ChangedFiles;
  readonly clock = new ManualClock();
  isOn = true;
  private calls = 0;
  private uids = 0;

  private constructor(
    readonly folder: string,
    readonly db: SessionDb,
    private readonly close: () => void,
    largest?: number,
  ) {
    this.journal = new StoreEditJournal({
      store: fileStoreOver(db),
      clock: this.clock,
      log: silentLog,
      ids: { uid: () => `f${++this.uids}` },
      isOn: () => this.isOn,
      onChange: () => undefined,
      ...(largest === undefined ? {} : { largest }),
    });
    this.files = this.opened();
  }

  /** What the user answers when a revert would write a file. */
  mayWrite: (path: string, bytes: Uint8Array | null) => boolean = () => true;

  /** The store loses every content, as one that is damaged may. */
  loseContents: () => void = () => undefined;

  /** Builds everything that is not on disk again, as a window does that reloads. */
  reload(): void {
    this.files = this.opened();
  }

  private opened(): ChangedFiles {
    const files = new ChangedFiles({
      store: fileStoreOver(this.db),
      clock: this.clock,
      ids: { uid: () => `r${++this.uids}` },
      log: { ...silentLog, warn: (message) => this.logged.push(message) },
      editor: this.editor,
      writeRaw: async (path, bytes) => this.put(path, bytes),
      shown: (path) => path.slice(this.folder.length + 1),
      mayWrite: async (path, bytes) => this.mayWrite(path, bytes),
    });
    files.onDidChange((changed) => this.notified.push(changed));
    return files;
  }

  static async open(largest?: number): Promise<ChangedFilesWorld> {
    const { db, database } = await sessionDbWorld();
    db.createSession({ id: 's1', startedAt: 1 });
    for (const turn of ['t1', 't2', 't3']) answered(db, turn, turn);
    const folder = mkdtempSync(join(tmpdir(), 'hermes-changes-'));
    const world = new ChangedFilesWorld(folder, db, () => database.close(), largest);
    world.loseContents = () => database.run('DELETE FROM file_contents');
    return world;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** The agent changes a file in a turn. `crash`: the process dies before the call knows what it left. */
  async agent(
    name: string,
    content: Content,
    { turnUid = 't1', crash = false }: { readonly turnUid?: string; readonly crash?: boolean } = {},
  ): Promise<void> {
    const path = this.path(name);
    const edit = await this.journal.begin(aToolCall({ sessionId: 's1', turnUid, callId: `c${++this.calls}` }), [
      { path, bytes: this.bytes(name) },
    ]);
    this.put(path, content);
    if (!crash) await edit.end([{ path, bytes: this.bytes(name) }]);
  }

  person(name: string, content: Content): void {
    this.put(this.path(name), content);
  }

  bytes(name: string): Uint8Array | null {
    try {
      return readFileSync(this.path(name));
    } catch {
      return null;
    }
  }

  text(name: string): string | null {
    const bytes = this.bytes(name);
    return bytes === null ? null : Buffer.from(bytes).toString();
  }

  /** "a.ts edited +1 -1 open" for each file of the turn. */
  async listed(turnUid = 't1'): Promise<readonly string[]> {
    const files = (await this.files.ofTurns([turnUid]))[turnUid] ?? [];
    return files.map(({ shown, kind, added, removed, state }) => `${shown} ${kind} +${added} -${removed} ${state}`);
  }

  dispose(): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private put(path: string, content: Content): void {
    if (content === null) rmSync(path, { force: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }
}
