import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { openReportNotices } from '../../../../src/host/storage/storeLabels';
import { openStore } from '../../../../src/store/ownership/openStore';
import type { StoreConnection } from '../../../../src/store/ownership/storeConnection';
import type { SessionStore } from '../../../../src/store/session/sessionStore';
import { startStoreWorker } from '../../../../src/store/worker/storeClient';
import type { Thread } from '../../../../src/base/threads/channel';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { chunkOf, openingTurn, settlingTurn, spoken } from '../ownership/turnBuilder';

export interface OutsideWindow {
  readonly connection: StoreConnection;
  readonly store: SessionStore;
  /** Kinds of the states since it was made. */
  readonly states: readonly string[];
}

/** Windows on real files behind the real worker, and a disk on which a test does what another program may do. */
export interface OutsideWorld {
  /** A path in the test's own folder. */
  at(...names: readonly string[]): string;
  readonly main: string;
  readonly log: string;
  /** Opens the store of `folder` as the extension does. Resolves when that has worked or failed. */
  openWindow(folder?: string): Promise<OutsideWindow>;
  /** Ends the newest store's thread, as running out of memory does. */
  killThread(): Promise<void>;
  /** The files as a process leaves them that is killed now, in another folder. */
  killedNow(folder: string): void;
  /** File names in the store's folder: stamps left out, and logs, which may or may not be there. */
  files(folder?: string): readonly string[];
}

/** One for each test; everything is closed and removed behind it. */
export function outsideWorld(): OutsideWorld {
  let built: BuiltStoreWorker;
  let home = '';
  const windows: OutsideWindow[] = [];
  const threads: Thread[] = [];
  beforeAll(async () => {
    built = await buildStoreWorker();
  });
  afterAll(() => built.remove());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'hermes-outside-'));
  });
  afterEach(async () => {
    for (const { store } of windows.splice(0)) await store.close();
    rmSync(home, { recursive: true, force: true });
  });
  const at = (...names: readonly string[]): string => join(home, ...names);
  return {
    at,
    get main() {
      return at('store', 'state.db');
    },
    get log() {
      return at('store', 'state.db.wal');
    },
    openWindow: async (folder = 'store') => {
      const connection: StoreConnection = openStore({
        storageFolder: at(folder),
        workerEntry: built.entry,
        startWorker: (entry) => {
          const thread = startStoreWorker(entry);
          threads.push(thread);
          return thread;
        },
        clock: systemClock,
        log: silentLog,
        sharedFolders: () => [at('global')],
      });
      const states: string[] = [];
      const window = { connection, store: connection.store, states };
      windows.push(window);
      connection.onDidChangeState(({ kind }) => void states.push(kind));
      await connection.open();
      return window;
    },
    killThread: async () => threads.at(-1)?.terminate(),
    killedNow: (folder) => {
      mkdirSync(at(folder));
      for (const { name } of readdirSync(at('store'), { withFileTypes: true }).filter((entry) => entry.isFile()))
        if (!name.endsWith('.lock')) copyFileSync(at('store', name), at(folder, name));
    },
    files: (folder = 'store') =>
      readdirSync(at(folder))
        .map((name) => name.replace(/\d{8}T\d{9}Z(-\d+)?/, '<time>'))
        .filter((name) => !name.startsWith('state.db.') && !name.endsWith('.wal'))
        .sort(),
  };
}

export const session = (name: string | number): string => `20261120_080000_00000${name}`;
export const longText = (turn: string): string => `Answer of ${turn}. `.repeat(400);

/** Stores a session of whole turns, each answered with a text of several pages. */
export async function tell({ store }: OutsideWindow, name: string | number, turns: number): Promise<void> {
  await store.createSession({ id: session(name), startedAt: 1 });
  for (let turn = 0; turn < turns; turn++) await tellTurn(store, name, `${name}.${turn}`);
}

export async function tellTurn(
  store: SessionStore,
  name: string | number,
  turn: string,
  text = longText(turn),
): Promise<void> {
  await store.openTurn(openingTurn(session(name), turn));
  await store.appendChunks(chunkOf(session(name), turn, 1, 0, text));
  await store.settleTurn(settlingTurn(turn));
}

/** How many of the answers told are in a session, word for word; what else is there, in full. */
export async function answersIn(
  { store }: OutsideWindow,
  name: string | number,
): Promise<{ readonly whole: number; readonly others: readonly string[] }> {
  const { messages } = await store.readTranscript({ sessionId: session(name), limit: 1000 });
  const answers = spoken(messages)
    .filter((line) => line.startsWith('assistant: '))
    .map((line) => line.slice('assistant: '.length));
  const isWhole = (text: string): boolean =>
    /^Answer of (\S+)\. /.test(text) && text === longText(/^Answer of (\S+)\. /.exec(text)?.[1] ?? '');
  return { whole: answers.filter(isWhole).length, others: answers.filter((text) => !isWhole(text)) };
}

/** What the chat says above its feed of how opening went; paths left out. */
export function said({ connection: { state } }: OutsideWindow): readonly string[] {
  if (state.kind === 'failed') return [`failed: ${state.error.message}`];
  if (state.kind === 'readOnly') return [`read-only: ${state.error.message}`];
  if (state.kind !== 'open') return [state.kind];
  const { report } = state;
  const paths = [report.quarantined, ...report.salvaged, ...report.spills].flatMap((found) => found?.path ?? []);
  return openReportNotices(report).map(({ sentence }) =>
    paths.reduce((text, path) => text.replaceAll(path, '<path>'), sentence),
  );
}

/** Resolves when the window has its store open, or open for reading. */
export function whenOpen({ connection }: OutsideWindow, kind: 'open' | 'readOnly' = 'open'): Promise<void> {
  return new Promise((resolve) => {
    if (connection.state.kind === kind) return resolve();
    const listening = connection.onDidChangeState((state) => {
      if (state.kind !== kind) return;
      listening.dispose();
      resolve();
    });
  });
}

/** Overwrites one page of a file, counted from 1. */
export function spoilPage(file: string, page: number, byte = 0x5a): void {
  const bytes = readFileSync(file);
  bytes.fill(byte, (page - 1) * 4096, page * 4096);
  writeFileSync(file, bytes);
}

/** The first page that holds this text, counted from 1. */
export function pageWith(file: string, text: string): number {
  const at = readFileSync(file).indexOf(text);
  if (at < 0) throw new Error(`${file} does not hold ${text}`);
  return Math.floor(at / 4096) + 1;
}
