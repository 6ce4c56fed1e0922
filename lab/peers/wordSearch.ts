import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedNode24 } from '../../scripts/vscodeInstall.mjs';

/** The words of one answer in a text, each once. `letter`: that of the answer. */
export function wordsIn(text: string, letter: string): ReadonlySet<string> {
  return new Set(text.match(new RegExp(`\\b${letter}\\d{7}\\b`, 'g')) ?? []);
}

/** The same in the body of a request, where the signs for a new line may stand right before a word. */
export function wordsInBody(body: string, letter: string): ReadonlySet<string> {
  return new Set(body.match(new RegExp(`${letter}\\d{7}`, 'g')) ?? []);
}

/** The words of one answer in all files below a folder. A SQLite database is searched twice: its bytes, which keep
 *  text as it is also in the log beside it, and its rows, as a word may lie across two pages. */
export function wordsBelow(folder: string, letter: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const content = contentOf(join(folder, name)) ?? '';
    const rows = content.startsWith('SQLite format 3\0') ? rowsOf(join(folder, name)) : '';
    // In a page of a database a number may stand right before a word.
    for (const word of wordsInBody(`${content}\n${rows}`, letter)) found.add(word);
  }
  return found;
}

/** All values of all tables, as the SQLite of Node 24 reads a copy. Empty where there is no Node 24 or it cannot be
 *  read. */
function rowsOf(database: string): string {
  const node = installedNode24();
  if (node === undefined) return '';
  const copy = mkdtempSync(join(tmpdir(), 'hermes-peer-rows-'));
  try {
    for (const end of ['', '-wal']) if (existsSync(database + end)) cpSync(database + end, join(copy, `copy.db${end}`));
    const program = [
      "const { DatabaseSync } = require('node:sqlite');",
      'const database = new DatabaseSync(process.argv[1]);',
      'const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = \'table\'").all();',
      'const rows = ({ name }) => { try { return database.prepare(`SELECT * FROM "${name}"`).all(); } ' +
        'catch { return []; } };',
      "const text = (_name, value) => value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;",
      'for (const table of tables) process.stdout.write(`${JSON.stringify(rows(table), text)}\\n`);',
    ].join('\n');
    return execFileSync(node, ['--no-warnings', '-e', program, join(copy, 'copy.db')], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Null where it is no file, or is gone. */
function contentOf(file: string): string | null {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'latin1') : null;
  } catch {
    return null;
  }
}
