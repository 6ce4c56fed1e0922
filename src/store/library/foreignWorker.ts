import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { errorMessage } from '../../base/errorMessage';
import { setTranslations, type Translations } from '../../base/translate';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import type { SqlRow } from '../engine/sqlDatabase';
import { loadSqlite } from '../engine/sqlite';
import type { ForeignAnswer, ForeignRequest, ForeignThread } from './foreignDatabase';
import { foreignReader } from './foreignReader';

/** Entry of `dist/foreignWorker.js`: reads one foreign database. `sql-wasm.wasm` is beside the bundle. */
const { folder, port, answers, translations } = workerData as ForeignThread & { readonly translations: Translations };
setTranslations(translations);

/** Rows, and characters or bytes, after which an answer ends. */
const [mostRows, mostCharacters] = [256, 2 ** 20];

const reader = loadSqlite(new Uint8Array(readFileSync(join(__dirname, 'sql-wasm.wasm')))).then((sqlite) =>
  foreignReader({ sqlite, fileSystem: new NodeFileSystem() }, folder),
);
// Each request reports the failure.
reader.catch(() => undefined);
const begun = new Map<number, Iterator<SqlRow>>();

async function answer(request: ForeignRequest): Promise<ForeignAnswer> {
  try {
    const { iterate, close } = await reader;
    if (request.kind === 'close') {
      close();
      return { rows: [], isLast: true };
    }
    if (request.kind === 'begin') begun.set(request.id, iterate(request.sql, request.params));
    return someRows(request.id);
  } catch (error) {
    // After a failed statement there are no more rows, and a reader that never opened has nothing to close.
    return request.kind === 'close' ? { rows: [], isLast: true } : { failure: errorMessage(error) };
  }
}

function someRows(id: number): ForeignAnswer {
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

port.on('message', (request: ForeignRequest) => {
  if (request.kind === 'end') {
    begun.get(request.id)?.return?.();
    return void begun.delete(request.id);
  }
  void answer(request).then((message) => {
    port.postMessage(message);
    Atomics.add(answers, 0, 1);
    Atomics.notify(answers, 0);
  });
});
