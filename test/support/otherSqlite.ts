import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sqlite, { type SQLiteValue } from 'node-sqlite3-wasm';

/** Runs statements (separated by semicolons, none inside texts) on a file with a SQLite that is not ours, and returns
 *  its rows as lines, values joined by `|`. A log in SQLite's own form beside the file is read as well. */
export function otherSqlite(file: string, statements: string): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-other-'));
  // This SQLite takes our lock file, `state.db.lock`, for its own: it opens the store under another name.
  const name = path.join(folder, 'other.db');
  symlinkSync(path.resolve(file), name);
  if (existsSync(`${file}-wal`)) symlinkSync(path.resolve(`${file}-wal`), `${name}-wal`);
  try {
    return run(name, statements);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(file: string, statements: string): readonly string[] {
  const database = new sqlite.Database(file);
  try {
    // Without it a write-ahead log needs shared memory, which this build lacks.
    if (existsSync(`${file}-wal`)) database.exec('PRAGMA locking_mode = EXCLUSIVE');
    return statements
      .split(';')
      .filter((sql) => sql.trim() !== '')
      .flatMap((sql) => database.all(sql))
      .map((row) => Object.values(row).map(textOf).join('|'));
  } finally {
    database.close();
  }
}

function textOf(value: SQLiteValue): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value ?? '');
}
