import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installedNode24 } from '../../../scripts/vscodeInstall.mjs';
import { projectRoot } from './processes';

export type Row = Readonly<Record<string, string | number | null>>;

/**
 * Runs one SELECT on a copy of `folder`'s state.db and its log, with the SQLite of Node 24 (`node:sqlite`): another program's view of the
 * file, as it is on disk at this moment, also while its owner is writing or was just killed.
 */
export function readStateDb(folder: string, sql: string, ...parameters: readonly (string | number | null)[]): Row[] {
  const node = installedNode24();
  if (!node) throw new Error('Reading state.db with another SQLite needs Node 24: run scripts/vscodeInstall.mjs first');
  const copy = copyStateDb(folder);
  try {
    const script = path.join(projectRoot(), 'test/support/vscode/readStateDb.mjs');
    const output = execFileSync(
      node,
      ['--no-warnings', script, path.join(copy, 'state.db'), sql, JSON.stringify(parameters)],
      {
        encoding: 'utf8',
        maxBuffer: 1 << 30,
      },
    );
    return parseRows(JSON.parse(output));
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Copies state.db with its log to a new temporary folder under the names another SQLite expects (the private log `state.db.wal` becomes
 * `state.db-wal`). Frames appended meanwhile do no harm, their checksums end the log; a checkpoint meanwhile would, so the copy is taken again.
 */
export function copyStateDb(folder: string): string {
  const database = path.join(folder, 'state.db');
  const log = path.join(folder, 'state.db.wal');
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-state-'));
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const before = version(database, log);
    copyLive(database, path.join(copy, 'state.db'));
    if (fs.existsSync(log)) copyLive(log, path.join(copy, 'state.db-wal'));
    if (version(database, log) === before) return copy;
    fs.rmSync(path.join(copy, 'state.db-wal'), { force: true });
  }
  throw new Error(`${database} was checkpointed during each of 50 copies`);
}

/** `copyFile` goes on for ever with a file that becomes shorter while it is copied, as the log does at a checkpoint. */
function copyLive(from: string, to: string): void {
  fs.writeFileSync(to, fs.readFileSync(from));
}

/** Changes exactly when a checkpoint changes the database file or starts the log anew (the log's header carries new salts then). */
function version(database: string, log: string): string {
  const stat = fs.statSync(database, { bigint: true });
  return `${stat.mtimeNs} ${stat.size} ${stat.ino} ${logHeader(log)}`;
}

function logHeader(log: string): string {
  if (!fs.existsSync(log)) return 'no log';
  const header = Buffer.alloc(32);
  const file = fs.openSync(log, 'r');
  try {
    return header.subarray(0, fs.readSync(file, header, 0, 32, 0)).toString('hex');
  } finally {
    fs.closeSync(file);
  }
}

function parseRows(value: unknown): Row[] {
  if (!Array.isArray(value)) throw new Error('The reader printed no list of rows');
  return value.map((row: unknown) => {
    if (typeof row !== 'object' || row === null) throw new Error('The reader printed something that is not a row');
    return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, parseCell(cell)]));
  });
}

function parseCell(cell: unknown): string | number | null {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell;
  throw new Error(`A cell of type ${typeof cell} was read`);
}
