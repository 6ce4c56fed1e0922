import { readFileSync } from 'node:fs';
import { NodeFileSystem } from '../../src/store/engine/nodeFileSystem';
import { loadSqlite } from '../../src/store/engine/sqlite';
import { openTestDatabase } from './testStore';

/** Opens the store in a folder and prints what came of it as one line of JSON. Arguments: sql-wasm.wasm, folder. Run as somebody else. */
async function main(): Promise<void> {
  const [wasm = '', folder = ''] = process.argv.slice(2);
  const sqlite = await loadSqlite(new Uint8Array(readFileSync(wasm)));
  const { database, report } = openTestDatabase(sqlite, new NodeFileSystem(), folder);
  const notes = database.get('SELECT count(*) AS n FROM notes')?.['n'];
  database.close();
  process.stdout.write(`${JSON.stringify({ readOnly: report.readOnly?.causeClass, notes })}\n`);
}

void main();
