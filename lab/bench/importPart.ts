import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { openLockedStore } from '../../src/features/commandLine/commands/lockedStore';
import { ImportClient } from '../../src/features/history/core/import/importClient';
import { usualPlaces } from '../../src/features/history/core/sources/historyPlaces';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { grouped, rounded } from './figures';
import type { Part } from './part';
import { programs } from './programs';
import { openNative } from './store/nativeSqlite';
import { watchProcess } from './watchProcess';

/** Imports a generated `state.db` of Hermes Agent through the threads that the extension uses. `size`: its megabytes.
 */
export const importPart: Part = ({ quick, size }) =>
  inTemporaryFolder('import', async (root) => {
    const source = join(root, '.hermes');
    mkdirSync(source);
    makeStateDb(join(source, 'state.db'), (size ?? (quick ? 10 : 1_000)) * 1e6);
    const figures = await measure(root);
    const { messages, sessions, seconds, messagesPerSecond, cpuSeconds, memoryMegabytes, longestStallMs } = figures;
    console.log(
      `  ${grouped(messages)} messages of ${sessions} sessions in ${seconds} s: ` +
        `${grouped(messagesPerSecond)} messages/s, ${cpuSeconds} s of processor time; the first session ` +
        `after ${figures.firstSessionMs} ms; memory +${memoryMegabytes} MB; the calling thread waited at ` +
        `most ${longestStallMs} ms; the store has ${figures.storeMegabytes} MB; native SQLite writes the ` +
        `same rows in ${figures.nativeSeconds} s`,
    );
    const aim = `an import of ${grouped(figures.megabytes)} MB`;
    return {
      figures,
      aims: [
        {
          aim: `${aim}, times the writing of the same rows by native SQLite`,
          value: rounded(seconds / figures.nativeSeconds),
          most: 3,
        },
        { aim: `${aim}, memory growth in MB`, value: memoryMegabytes, most: 300 },
        { aim: `${aim} keeps the calling thread from its turn, max ms`, value: longestStallMs, most: 250 },
      ],
    };
  });

async function measure(root: string) {
  const folder = join(root, 'store');
  mkdirSync(folder);
  const { openPort, close } = await openLockedStore(folder, { clock: systemClock, programFolder: await programs() });
  const importer = new ImportClient(join(await programs(), 'importWorker.js'), join(root, 'copies'), openPort);
  const { sessions } = await importer.scan(usualPlaces({ home: root, platform: process.platform, environment: {} }));
  const watch = watchProcess();
  let firstSessionMs = 0;
  const { messages, counts } = await importer.run(sessions, {
    onProgress: ({ lastSessionId }) => {
      if (lastSessionId !== null && firstSessionMs === 0) firstSessionMs = watch.elapsedMs();
    },
  });
  const { seconds, cpuSeconds, memoryMegabytes, longestStallMs } = watch.stop();
  if (counts.imported !== sessions.length) throw new Error(`not all sessions were imported: ${JSON.stringify(counts)}`);
  await importer.close();
  await close();
  return {
    megabytes: Math.round(statSync(join(root, '.hermes/state.db')).size / 1e6),
    sessions: sessions.length,
    messages,
    messagesPerSecond: Math.round(messages / seconds),
    seconds: rounded(seconds),
    cpuSeconds,
    /** Until the first session could be read. */
    firstSessionMs: Math.round(firstSessionMs),
    memoryMegabytes,
    /** The longest time in which the calling thread had no turn. */
    longestStallMs,
    storeMegabytes: Math.round(
      readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6,
    ),
    nativeSeconds: rounded(writeNatively(join(folder, 'state.db'), join(root, 'native.db')), 2),
  };
}

const rowsPerTransaction = 200;

/** Seconds in which native SQLite writes the same rows of messages into a file of the same schema, in transactions of
 *  the same size and as safely. */
function writeNatively(from: string, to: string): number {
  const source = openNative(from, 'full');
  const database = openNative(to, 'full');
  const schema = source.prepare(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'messages_fts_%' AND name " +
      "NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', type = 'index', rowid",
  );
  for (const { sql } of schema.all()) database.exec(String(sql));
  const add = (table: string) => {
    const columns = source.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    return database.prepare(
      `INSERT INTO ${table} VALUES (${columns.map(({ name }) => `:${String(name)}`).join(', ')})`,
    );
  };
  const addSession = add('sessions');
  for (const row of source.prepare('SELECT * FROM sessions').all()) addSession.run(row);
  const addMessage = add('messages');
  const read = source.prepare('SELECT * FROM messages WHERE id > ? ORDER BY id LIMIT ?');
  const next = (last: number) => read.all([last, rowsPerTransaction * 50]);
  let milliseconds = 0;
  // Reading takes no part in the time.
  for (let batch = next(0); batch.length > 0; batch = next(Number(batch.at(-1)?.['id']))) {
    const started = performance.now();
    for (let first = 0; first < batch.length; first += rowsPerTransaction) {
      database.exec('BEGIN');
      for (const row of batch.slice(first, first + rowsPerTransaction)) addMessage.run(row);
      database.exec('COMMIT');
    }
    milliseconds += performance.now() - started;
  }
  database.close();
  source.close();
  return milliseconds / 1000;
}

/** Statements of hermes-agent's schema that an import reads. */
const schema = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (30);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
  ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cwd TEXT, title TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT, tool_call_id TEXT,
  tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, finish_reason TEXT, reasoning_content TEXT, active INTEGER NOT NULL DEFAULT 1);
CREATE INDEX idx_messages_session ON messages (session_id, timestamp);`;

const turnsPerSession = 50;
const words = 'the model reads a file, changes a line and runs the tests again; '.repeat(40);

function makeStateDb(path: string, bytes: number): void {
  const database = openNative(path, 'none');
  database.exec(schema);
  const addSession = database.prepare(
    'INSERT INTO sessions (id, source, model, started_at, ended_at, message_count, input_tokens, ' +
      "output_tokens, cwd, title) VALUES (?, 'cli', 'nous/hermes-4', ?, ?, ?, 1000, 100, '/home/demo/" +
      "project', ?)",
  );
  const addMessage = database.prepare(
    'INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,' +
      ' finish_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  database.exec('BEGIN');
  for (let [session, written] = [0, 0]; written < bytes; session++) {
    const id = `20260101_000000_${session.toString(16).padStart(6, '0')}`;
    const at = 1_770_000_000 + session * 1000;
    addSession.run([id, at, at + 900, turnsPerSession * 4, `Session ${session}`]);
    for (let turn = 0; turn < turnsPerSession; turn++) {
      const call = `call_${session}_${turn}`;
      const result = `${session} ${turn} ${words.slice(0, 200 + ((turn * 397) % 2300))}`;
      const calls = JSON.stringify([
        { id: call, type: 'function', function: { name: 'read_file', arguments: `{"path": "src/file${turn}.ts"}` } },
      ]);
      addMessage.run([id, 'user', `Prompt ${turn}: ${words.slice(0, 120)}`, null, null, null, at + turn, null]);
      addMessage.run([id, 'assistant', 'I look at the file.', null, calls, null, at + turn, 'tool_calls']);
      addMessage.run([id, 'tool', result, call, null, 'read_file', at + turn, null]);
      addMessage.run([id, 'assistant', `Answer ${turn}: ${words.slice(0, 600)}`, null, null, null, at + turn, 'stop']);
      written += result.length + 1200;
    }
  }
  database.exec('COMMIT');
  database.close();
}
