import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { openLockedStore } from '../../src/commandLine/lockedStore';
import { ImportClient } from '../../src/history/import/importClient';
import { usualPlaces } from '../../src/history/sources/historyPlaces';
import { watchProcess } from './watchProcess';

export interface ImportFigures {
  readonly megabytes: number;
  readonly sessions: number;
  readonly messages: number;
  readonly messagesPerSecond: number;
  readonly seconds: number;
  /** Processor time of all threads: unlike the seconds, little changed by other work on the machine. */
  readonly cpuSeconds: number;
  /** Until the first session could be read. */
  readonly firstSessionMs: number;
  /** Growth of the process, with all its threads. */
  readonly memoryMegabytes: number;
  /** The longest time in which the calling thread had no turn. */
  readonly longestStallMs: number;
  readonly storeMegabytes: number;
  /** Seconds in which native SQLite writes the same rows of messages into a file of the same schema, in transactions of the same
   *  size and as safely. */
  readonly nativeSeconds: number;
}

/** Imports a generated `state.db` of Hermes Agent. `bundles`: folder with storeWorker.js, importWorker.js and
 *  sql-wasm.wasm. */
export async function benchImport(megabytes: number, bundles: string): Promise<ImportFigures> {
  const root = mkdtempSync(join(tmpdir(), 'hermes-import-'));
  try {
    mkdirSync(join(root, '.hermes'));
    makeStateDb(join(root, '.hermes/state.db'), megabytes * 1e6);
    return await measure(root, bundles);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(root: string, bundles: string): Promise<ImportFigures> {
  const folder = join(root, 'store');
  mkdirSync(folder);
  const { store, close } = await openLockedStore(folder, { clock: systemClock, programFolder: bundles });
  const importer = new ImportClient(join(bundles, 'importWorker.js'), { copies: join(root, 'copies') }, store);
  const { sessions } = await importer.scan(usualPlaces({ home: root, platform: process.platform, environment: {} }));
  const before = process.memoryUsage().rss;
  const watch = watchProcess();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let firstSessionMs = 0;
  const { messages, counts } = await importer.run(sessions, {
    onProgress: ({ lastSessionId }) => {
      if (lastSessionId !== null && firstSessionMs === 0) firstSessionMs = performance.now() - started;
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { mostMemory, longestStallMs } = watch.stop();
  if (counts.imported !== sessions.length) throw new Error(`not all sessions were imported: ${JSON.stringify(counts)}`);
  await importer.close();
  await close();
  const nativeSeconds = writeNatively(join(folder, 'state.db'), join(root, 'native.db'));
  return {
    nativeSeconds: Math.round(nativeSeconds * 10) / 10,
    megabytes: Math.round(statSync(join(root, '.hermes/state.db')).size / 1e6),
    sessions: sessions.length,
    messages,
    messagesPerSecond: Math.round(messages / seconds),
    seconds: Math.round(seconds * 10) / 10,
    cpuSeconds: Math.round((user + system) / 1e5) / 10,
    firstSessionMs: Math.round(firstSessionMs),
    memoryMegabytes: Math.round((mostMemory - before) / 1e6),
    longestStallMs: Math.round(longestStallMs),
    storeMegabytes: Math.round(
      readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6,
    ),
  };
}

const rowsPerTransaction = 200;

function writeNatively(from: string, to: string): number {
  const Database = nativeSqlite();
  const source = new Database(from, { readonly: true });
  const database = new Database(to);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  const schema = source.prepare(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'messages_fts_%' AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', type = 'index', rowid",
  );
  for (const sql of schema.pluck().iterate()) database.exec(sql);
  const inserted = (table: string) =>
    database.prepare(`INSERT INTO ${table} VALUES (${source.pragma(`table_info(${table})`).map(() => '?')})`);
  const addSession = inserted('sessions');
  for (const row of source.prepare('SELECT * FROM sessions').raw().all()) addSession.run(row);
  const [addMessage, rows] = [
    inserted('messages'),
    source.prepare('SELECT * FROM messages WHERE id > ? ORDER BY id LIMIT ?'),
  ];
  let milliseconds = 0;
  // What it reads takes no part in the time.
  for (
    let last = 0, batch;
    (batch = rows.raw().all(last, rowsPerTransaction * 50)).length > 0;
    last = batch.at(-1)[0]
  ) {
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

function nativeSqlite() {
  return createRequire(join(process.cwd(), 'test/bench/package.json'))('better-sqlite3');
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
  const Database = nativeSqlite();
  const database = new Database(path);
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.exec(schema);
  const addSession = database.prepare(
    "INSERT INTO sessions (id, source, model, started_at, ended_at, message_count, input_tokens, output_tokens, cwd, title) VALUES (?, 'cli', 'nous/hermes-4', ?, ?, ?, 1000, 100, '/home/demo/project', ?)",
  );
  const addMessage = database.prepare(
    'INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  database.exec('BEGIN');
  for (let [session, written] = [0, 0]; written < bytes; session++) {
    const id = `20260101_000000_${session.toString(16).padStart(6, '0')}`;
    const at = 1_770_000_000 + session * 1000;
    addSession.run(id, at, at + 900, turnsPerSession * 4, `Session ${session}`);
    for (let turn = 0; turn < turnsPerSession; turn++) {
      const call = `call_${session}_${turn}`;
      const result = `${session} ${turn} ${words.slice(0, 200 + ((turn * 397) % 2300))}`;
      const calls = JSON.stringify([
        { id: call, type: 'function', function: { name: 'read_file', arguments: `{"path": "src/file${turn}.ts"}` } },
      ]);
      addMessage.run(id, 'user', `Prompt ${turn}: ${words.slice(0, 120)}`, null, null, null, at + turn, null);
      addMessage.run(id, 'assistant', 'I look at the file.', null, calls, null, at + turn, 'tool_calls');
      addMessage.run(id, 'tool', result, call, null, 'read_file', at + turn, null);
      addMessage.run(id, 'assistant', `Answer ${turn}: ${words.slice(0, 600)}`, null, null, null, at + turn, 'stop');
      written += result.length + 1200;
    }
  }
  database.exec('COMMIT');
  database.close();
}
