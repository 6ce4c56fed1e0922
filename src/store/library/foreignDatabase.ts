import { dirname } from 'node:path';
import { plainErrors } from '../../base/threads/calls';
import { WaitingCalls } from '../../base/threads/waitingCalls';
import { t } from '../../base/translate';
import type { FileSystem } from '../engine/fileSystem';
import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import { StoreError } from '../storeError';
import { copyDatabase, type CopyDeps } from './storeCopy';

/** Milliseconds that a statement may make its reader wait, over all of its rows. */
const usualLimitMs = 120_000;

export interface ForeignRows {
  readonly rows: readonly SqlRow[];
  readonly isLast: boolean;
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
  const calls = new WaitingCalls(entry, { name: 'hermes-foreign-database', data: { folder } }, plainErrors);
  let statements = 0;
  const call = (name: 'begin' | 'more' | 'end' | 'close', args: readonly unknown[], timeoutMs: number): unknown => {
    const answer = calls.call(name, args, timeoutMs);
    if (answer === null) throw new Error(t('Reading it takes too long.'));
    return answer.value;
  };
  return {
    *iterate(sql, params = []) {
      const id = ++statements;
      let left = limitMs;
      let isLast = false;
      try {
        for (let isBegun = false; !isLast; isBegun = true) {
          const asked = performance.now();
          const args: readonly SqlValue[] = params;
          const next = (isBegun ? call('more', [id], left) : call('begin', [id, sql, args], left)) as ForeignRows;
          left = Math.max(0, left - (performance.now() - asked));
          isLast = next.isLast;
          yield* next.rows;
        }
      } finally {
        if (!isLast && !calls.isOver) call('end', [id], limitMs);
      }
    },
    close: () => {
      if (calls.isOver) return;
      // An open file cannot be removed on Windows.
      call('close', [], limitMs);
      calls.dispose();
    },
  };
}

function refuseJournal(fileSystem: FileSystem, path: string): void {
  if ((fileSystem.stat(`${path}-journal`)?.size ?? 0) === 0) return;
  throw new StoreError(
    'locked',
    t('Another program is writing to these sessions. Try again in a moment.'),
    `${path}-journal exists`,
  );
}
