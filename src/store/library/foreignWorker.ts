import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainErrors } from '../../base/threads/calls';
import { serveCalls, threadStart, type CallContext } from '../../base/threads/served';
import { waitedChannel, type WaitedFor } from '../../base/threads/waitingCalls';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import type { SqlRow, SqlValue } from '../engine/sqlDatabase';
import { loadSqlite } from '../engine/sqlite';
import type { ForeignRows } from './foreignDatabase';
import { foreignReader } from './foreignReader';

/** Entry of `dist/foreignWorker.js`: reads one foreign database. `sql-wasm.wasm` is beside the bundle. */
const { data } = threadStart<WaitedFor & { readonly folder: string }>();

/** Rows, and characters or bytes, after which an answer ends. */
const [mostRows, mostCharacters] = [256, 2 ** 20];

const reader = loadSqlite(new Uint8Array(readFileSync(join(__dirname, 'sql-wasm.wasm')))).then((sqlite) =>
  foreignReader({ sqlite, fileSystem: new NodeFileSystem() }, data.folder),
);
// Each request reports the failure.
reader.catch(() => undefined);
const begun = new Map<number, Iterator<SqlRow>>();

function someRows(id: number): ForeignRows {
  const rows: SqlRow[] = [];
  let characters = 0;
  while (rows.length < mostRows && characters < mostCharacters) {
    const next = begun.get(id)?.next();
    if (next === undefined || next.done === true) {
      begun.delete(id);
      return { rows, isLast: true };
    }
    rows.push(next.value);
    for (const value of Object.values(next.value))
      characters += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
  }
  return { rows, isLast: false };
}

const methods = {
  begin: async (_call: CallContext, id: number, sql: string, params: readonly SqlValue[]) => {
    const { iterate } = await reader;
    begun.set(id, iterate(sql, params));
    return someRows(id);
  },
  more: (_call: CallContext, id: number) => someRows(id),
  end: (_call: CallContext, id: number) => {
    begun.get(id)?.return?.();
    begun.delete(id);
  },
  close: async () => {
    // A reader that never opened has nothing to close.
    const opened = await reader.catch(() => null);
    opened?.close();
  },
};

serveCalls(waitedChannel(data), plainErrors, methods);
