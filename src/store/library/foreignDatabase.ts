import { dirname } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import { t, translations } from '../../base/translate';
import type { FileSystem } from '../engine/fileSystem';
import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import { StoreError } from '../storeError';
import { copyDatabase, type CopyDeps } from './storeCopy';

/** Milliseconds that a statement may make its reader wait, over all of its rows. */
const usualLimitMs = 120_000;

/** Asks the thread of a foreign database for rows: of a new statement, or more of one. Both sides come from one build,
 *  so messages are typed and not validated. */
export type ForeignRequest =
  | { readonly kind: 'begin'; readonly id: number; readonly sql: string; readonly params: readonly SqlValue[] }
  | { readonly kind: 'more' | 'end'; readonly id: number }
  | { readonly kind: 'close' };
export type ForeignAnswer =
  { readonly rows: readonly SqlRow[]; readonly isLast: boolean } | { readonly failure: string };
export interface ForeignThread {
  /** Folder of the private copy. */
  readonly folder: string;
  readonly port: MessagePort;
  /** Counts the answers. */
  readonly answers: Int32Array;
}

export type ForeignReader = Pick<SqlDatabase, 'iterate' | 'close'>;

export interface ForeignDeps extends CopyDeps {
  /** Reads the private copy in a folder. `readInThread`, outside of tests. */
  readonly readForeign: (folder: string) => ForeignReader;
}

/** Opens a private copy of another program's SQLite database for reading, with what its write-ahead log
 *  (`<path>-wal`) holds. Writes nothing beside the original; `close` removes the copy. Throws an `Error` with the
 *  reason; a `StoreError` with cause `locked` while a rollback journal is beside it, because pages of an unfinished
 *  transaction are then in the file. */
export function openForeignDatabase(deps: ForeignDeps, path: string): ForeignReader {
  refuseJournal(deps.fileSystem, path);
  const copy = copyDatabase(deps, { folder: dirname(path), main: path, log: `${path}-wal` });
  try {
    const reader = deps.readForeign(copy.folder);
    return {
      iterate: (sql, params) => reader.iterate(sql, params),
      close: () => {
        try {
          reader.close();
        } finally {
          copy.remove();
        }
      },
    };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** Reads a database in a thread of its own, and waits for each answer. The thread is ended when a statement takes
 *  longer than the limit: a few kilobytes can make SQLite read without end. `entry`: path of
 *  `dist/foreignWorker.js`. */
export function readInThread(entry: string, folder: string, limitMs = usualLimitMs): ForeignReader {
  const answers = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const { port1: near, port2: port } = new MessageChannel();
  const worker = new Worker(entry, {
    name: 'hermes-foreign-database',
    workerData: { folder, port, answers, translations: translations() },
    transferList: [port],
  });
  worker.unref();
  // A thread that does not start answers nothing, and each statement then says so.
  worker.on('error', () => undefined);
  let [statements, received, hasEnded] = [0, 0, false];
  const end = (): void => {
    hasEnded = true;
    near.close();
    void worker.terminate();
  };
  /** Returns an answer and the milliseconds that it took. */
  const ask = (request: ForeignRequest, timeoutMs: number): readonly [ForeignAnswer, number] => {
    if (hasEnded) throw new Error(tookTooLong());
    near.postMessage(request);
    const asked = performance.now();
    Atomics.wait(answers, 0, received, timeoutMs);
    const answer = receiveMessageOnPort(near) as { readonly message: ForeignAnswer } | undefined;
    if (answer === undefined) {
      end();
      throw new Error(tookTooLong());
    }
    received++;
    if ('failure' in answer.message) throw new Error(answer.message.failure);
    return [answer.message, performance.now() - asked];
  };
  return {
    *iterate(sql, params = []) {
      const id = ++statements;
      let left = limitMs;
      let isLast = false;
      try {
        for (let kind: 'begin' | 'more' = 'begin'; !isLast; kind = 'more') {
          const [answer, tookMs] = ask(kind === 'begin' ? { kind, id, sql, params } : { kind, id }, left);
          left = Math.max(0, left - tookMs);
          if ('failure' in answer) throw new Error(answer.failure);
          isLast = answer.isLast;
          yield* answer.rows;
        }
      } finally {
        if (!isLast && !hasEnded) near.postMessage({ kind: 'end', id } satisfies ForeignRequest);
      }
    },
    close: () => {
      if (hasEnded) return;
      // An open file cannot be removed on Windows.
      ask({ kind: 'close' }, limitMs);
      end();
    },
  };
}

function tookTooLong(): string {
  return t('Reading it takes too long.');
}

function refuseJournal(fileSystem: FileSystem, path: string): void {
  if ((fileSystem.stat(`${path}-journal`)?.size ?? 0) === 0) return;
  throw new StoreError(
    'locked',
    t('Another program is writing to these sessions. Try again in a moment.'),
    `${path}-journal exists`,
  );
}
