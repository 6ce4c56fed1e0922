import { spawnSync } from 'node:child_process';

const pythonQuery =
  'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print("\\n".join("|".join(map(str, r)) for s in sys.argv[2].split(";") if s.strip() for r in c.execute(s))); c.commit()';
const nodeQuery = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  for (const sql of process.argv[2].split(';')) {
    if (sql.trim() === '') continue;
    for (const row of database.prepare(sql).all()) console.log(Object.values(row).join('|'));
  }`;

/** Ways to run SQL with a SQLite that is not ours; the first that is installed is used. Node has one of its own since version 22. */
const programs: readonly (readonly [program: string, ...before: string[]])[] = [
  ['sqlite3', '-batch'],
  [process.execPath, '--no-warnings', '-e', nodeQuery],
  ['python3', '-c', pythonQuery],
];

/** Runs statements (separated by semicolons, none inside texts) on a file with another SQLite and returns its rows as lines, values joined
 *  by `|`. Throws when the machine has none: `apt install sqlite3`. */
export function otherSqlite(file: string, statements: string): readonly string[] {
  const complaints: string[] = [];
  for (const [program, ...before] of programs) {
    const { status, stdout, stderr, error } = spawnSync(program, [...before, file, statements], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    if (error === undefined && status === 0) return stdout.split('\n').filter((line) => line !== '');
    complaints.push(`${program}: ${error?.message ?? stderr}`);
  }
  throw new Error(`no other SQLite could read ${file}:\n${complaints.join('\n')}`);
}
