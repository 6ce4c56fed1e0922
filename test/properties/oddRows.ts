import { unknownUsage } from '../../src/transcript/usage';
import fc from 'fast-check';
import { SimulatedDisk } from '../support/simulatedDisk';
import type { SqlDatabase } from '../../src/store/engine/sqlDatabase';
import { openDatabase } from '../../src/store/open/openDatabase';
import { createSessionDb } from '../../src/store/session/sessionDb';
import { rowsOf } from '../../src/store/session/import/storeImport';
import { importedTables } from '../../src/store/session/tables/rights';
import { openSessionStore, type OpenedStore } from '../../src/store/worker/openedStore';
import type { SessionOperations } from '../../src/store/session/sessionStore';
import { StoreError } from '../../src/store/storeError';
import {
  anApproval,
  answer,
  answered,
  call,
  chunk,
  complete,
  openTurn,
  prompt,
  result,
  sessionDbWorld,
  settle,
} from '../support/sessionDbWorld';
import { testSqlite } from '../support/sqlite';
import { smallestFailure } from './smallestFailure';

/** One value of one row that is not what its column should hold, as damage or another program may leave it. */
export interface OddCell {
  /** By its name, or by a number that chooses among all columns of all tables. */
  readonly column: number | `${string}.${string}`;
  /** Chooses among the rows of the table. */
  readonly row: number;
  /** SQL for the value; `@` stands for the value that was there. */
  readonly value: string;
}

const literals = [
  'NULL',
  '0',
  '1',
  '-1',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '1.5',
  '-0.0',
  '9e163',
  '-9e163',
  '5e-324',
  '9e999',
  '-9e999',
  '4102444800',
  "''",
  "'odd'",
  "'12'",
  "'9e163'",
  "'[]'",
  "'{}'",
  "'null'",
  '\'{"inputTokens":9e999,"outputTokens":9e163,"cachedInputTokens":-1,"cacheWriteTokens":null,"reasoningTokens":"1"}\'',
  '\'[{"kind":"text","text":7}]\'',
  '\'[{"kind":"text","text":"\\ud800"}]\'',
  "CAST(x'EDA080' AS TEXT)",
  "CAST(x'6f0064' AS TEXT)",
  "CAST(x'ff41' AS TEXT)",
  "printf('%.*c', 70000, 'x')",
  "x''",
  "x'00'",
  "x'ff'",
  "x'6f6464'",
  'CAST(@ AS BLOB)',
  'CAST(@ AS TEXT)',
  'CAST(@ AS REAL)',
  '@ || @',
  '-@',
  '@ * 1e300',
  'zeroblob(5000)',
];

const oddCell: fc.Arbitrary<OddCell> = fc.record({
  column: fc.nat(),
  row: fc.nat(),
  value: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...literals) },
    { weight: 1, arbitrary: fc.maxSafeInteger().map(String) },
    {
      weight: 1,
      arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number.toExponential()),
    },
    {
      weight: 1,
      arbitrary: fc.string({ maxLength: 20 }).map((text) => `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`),
    },
  ),
});

/** Columns that name a row, and the key of its table. */
const links = {
  'sessions.parent_session_id': 'id FROM sessions',
  'sessions.conversation_id': 'id FROM sessions',
  'messages.session_id': 'id FROM sessions',
  'messages.turn_uid': 'uid FROM turns',
  'messages.hidden_with': 'uid FROM turns',
  'messages.carried_from': 'uid FROM messages',
  'messages.copied_from': 'uid FROM messages',
  'messages.absorbed_into': 'uid FROM messages',
  'turns.session_id': 'id FROM sessions',
  'turns.conversation_id': 'id FROM sessions',
  'turns.supersedes': 'uid FROM turns',
  'turns.user_message_uid': 'uid FROM messages',
} as const;

/** A link that leads to another row than it did: perhaps in a circle, perhaps into another session. */
const oddLink: fc.Arbitrary<OddCell> = fc
  .record({
    link: fc.constantFrom(...(Object.entries(links) as [keyof typeof links, string][])),
    row: fc.nat(99),
    other: fc.nat(99),
    kind: fc.constantFrom('branch', 'compression', 'delegate'),
    isActive: fc.boolean(),
  })
  .map(({ link: [column, named], row, other, kind, isActive }) => {
    const table = named.slice(named.indexOf('FROM ') + 5);
    const value = `(SELECT ${named} ORDER BY rowid LIMIT 1 OFFSET ${other} % (SELECT count(*) FROM ${table}))`;
    const more = column === 'sessions.parent_session_id' ? `, parent_kind = '${kind}'` : '';
    return { column, row, value: value + (column.startsWith('messages.') && !isActive ? ', active = 0' : more) };
  });

const folder = '/store';
const main = `${folder}/state.db`;
const now = 5000;
const tables = [...importedTables, 'search_dirty'] as const;

let base:
  | Promise<{ readonly bytes: Uint8Array; readonly columns: readonly (readonly [table: string, column: string])[] }>
  | undefined;

/** A store with rows in every table: a session with everything in it, and one that is to stay as it is whatever happens to the other's rows. */
async function makeBase() {
  const { db, database, disk } = await sessionDbWorld(new SimulatedDisk(), { now });
  db.createSession({
    id: 's1',
    startedAt: 1,
    model: 'Local/test',
    folder: '/home/me',
    title: 'Everything',
    titleSource: 'person',
  });
  answered(db, 't1', 'one');
  openTurn(db, { turnUid: 't2', text: 'Read it' });
  db.putMessages([
    answer(
      'a2',
      [{ kind: 'thinking', text: 'Hm.', metadata: { signature: 's' } }, { kind: 'text', text: 'I look.' }, call('c2')],
      't2',
    ),
    result('r2', 'c2', 'found', 't2'),
  ]);
  db.setApiContent('u-t2', 'Read it, with a note', { turnUid: 't2', found: [{ provider: 'p', label: 'P', count: 2 }] });
  db.addUsage('t2', { ...unknownUsage, inputTokens: 5, outputTokens: 6, cachedInputTokens: 1, reasoningTokens: 0 });
  settle(db, 't2', {
    outcome: 'failed',
    stopReason: 'error',
    failure: { cause: 'network', sentence: 'It broke.', technical: 'x' },
  });
  answered(db, 't3', 'again', { replaces: { turnUid: 't1', reason: 'edited' } });
  answered(db, 't4', 'four');
  db.putMessages([
    {
      ...answer('a-t4', 'four and more', 't4'),
      usage: { ...unknownUsage, inputTokens: 1, outputTokens: 2 },
    },
  ]);
  db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 20 });
  db.compressSession({ parentId: 's1', childId: 's2', handoff: 'So far.', summarisedUpTo: 'a-t3', now: 30 });
  db.recordFileChanges(
    [
      {
        uid: 'f1',
        sessionId: 's2',
        turnUid: 't4',
        callId: 'c',
        path: 'a.ts',
        before: null,
        after: undefined,
        changedAt: 4,
        reviewed: null,
      },
    ],
    [],
  );
  const bytes = new TextEncoder().encode('content');
  db.completeFileChanges([{ uid: 'f1', after: hashOfContent }], [{ hash: hashOfContent, bytes }]);
  db.markReviewed(['f1'], 'kept', 5);
  db.enqueue({ uid: 'q1', sessionId: 's2', text: 'later', createdAt: 3 });
  db.setDraft('s2', 'half a thought');
  db.outboxAdd({ uid: 'o1', provider: 'p', sessionId: 's2', kind: 'k', payload: '{}', createdAt: 1, nextAttemptAt: 1 });
  db.outboxFailed('o1', 'no', 2);
  db.createSession({ id: 'waits', startedAt: 2 });
  openTurn(db, { sessionId: 'waits', turnUid: 't5', userUid: 'u5' });
  db.putMessages([{ ...answer('m5', [call('c1')], 't5'), sessionId: 'waits' }]);
  db.requestApproval(anApproval('ap', { turnUid: 't5', sessionId: 'waits', messageUid: 'm5' }));
  db.createSession({ id: 'streams', startedAt: 3 });
  db.openTurn({
    turnUid: 't6',
    sessionId: 'streams',
    userMessage: prompt('u6', 'Go', 't6', 'streams'),
    model: 'Local/test',
    startedAt: 4,
  });
  db.appendChunks({
    sessionId: 'streams',
    turnUid: 't6',
    model: 'Local/test',
    createdAt: 4,
    chunks: [chunk('a6', 1, 0, 'Half '), chunk('a6', 2, 5, 'said')],
  });
  db.createSession({ id: 'plain', startedAt: 4, title: 'Untouched', titleSource: 'person' });
  answered(db, 'p1', 'plain words', { sessionId: 'plain' });
  answered(db, 'p2', 'other words', { sessionId: 'plain' });
  db.indexBatch(5);
  const columns = tables.flatMap((table) =>
    database.all(`PRAGMA table_info(${table})`).map((column) => [table, String(column['name'])] as const),
  );
  database.close();
  return { bytes: disk.bytesOf(main), columns };
}
const hashOfContent = 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73';

/** The store with this one value in it, written past every rule of the schema; null where even SQLite cannot hold it. Says where it is. */
async function storeWith(cell: OddCell): Promise<{ readonly bytes: Uint8Array; readonly where: string } | null> {
  base ??= makeBase();
  const { bytes, columns } = await base;
  const wanted = cell.column;
  const [table, column] = (typeof wanted === 'number'
    ? columns[wanted % columns.length]
    : columns.find((each) => each.join('.') === wanted)) ?? ['sessions', 'id'];
  const disk = new SimulatedDisk();
  disk.put(main, bytes);
  const { database } = await openOn(disk, folder);
  try {
    const schema = database.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL");
    const version = Number(database.get('PRAGMA schema_version')?.['schema_version']);
    database.execute('PRAGMA writable_schema = ON; PRAGMA foreign_keys = OFF');
    for (const { name, sql } of schema) {
      const lax = String(sql)
        .replace(/ CHECK \((?:[^()]|\([^()]*\))*\)/g, '')
        .replace(/ REFERENCES \w+ \(\w+\) ON DELETE CASCADE/g, '')
        .replace(/(?<!PRIMARY KEY) NOT NULL/g, '');
      database.run("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", [lax, String(name)]);
    }
    database.execute(`PRAGMA schema_version = ${version + 1}`);
    const count = Number(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n']);
    const key =
      table === 'stream_chunks'
        ? 'seq'
        : ['drafts', 'state_meta'].includes(table)
          ? 'key'
          : table === 'file_contents'
            ? 'hash'
            : 'rowid';
    const which =
      count === 0
        ? undefined
        : database.get(`SELECT ${key} AS k FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET ${cell.row % count}`)?.['k'];
    if (which === undefined) return null;
    try {
      database.run(`UPDATE ${table} SET ${column} = ${cell.value.replaceAll('@', column)} WHERE ${key} = ?`, [which]);
    } catch (error) {
      if (error instanceof StoreError) return null;
      throw error;
    }
    for (const { name, sql } of schema)
      database.run("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", [String(sql), String(name)]);
    database.execute(`PRAGMA schema_version = ${version + 2}`);
    const where = `${table}.${column} of row ${String(which)} = ${cell.value.slice(0, 60)}`;
    database.close();
    return { bytes: disk.bytesOf(main), where };
  } catch (error) {
    throw new Error(`could not make the odd store: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

async function openOn(
  disk: SimulatedDisk,
  at: string,
  readOnly = false,
): Promise<{ readonly database: ReturnType<typeof openDatabase>['database'] }> {
  return openDatabase({
    sqlite: await testSqlite(),
    fileSystem: disk,
    folder: at,
    now: () => now,
    readOnly,
  });
}

async function openOwned(disk: SimulatedDisk, salvage = false): Promise<OpenedStore> {
  const lock = `${main}.lock`;
  disk.put(lock, new Uint8Array([1]));
  const fence = disk.stat(lock)?.identity ?? null;
  return openSessionStore({ sqlite: await testSqlite(), fileSystem: disk, now: () => now }, { folder, fence, salvage });
}

/** Runs one odd value through everything; returns what broke. */
async function oddCellViolations(cell: OddCell): Promise<readonly string[]> {
  const odd = await storeWith(cell);
  if (odd === null) return [];
  const violations: string[] = [];
  for (const [name, run] of Object.entries({ inPlace, salvaged, merged, copiedHere })) {
    const told = (line: string): void => void violations.push(`${odd.where}, ${name}: ${line}`);
    try {
      await run(odd.bytes, told);
    } catch (error) {
      told(`threw ${describe(error)}`);
    }
  }
  return violations;
}

type Tell = (line: string) => void;

async function inPlace(bytes: Uint8Array, tell: Tell): Promise<void> {
  const disk = new SimulatedDisk();
  disk.put(main, bytes);
  const opened = await openOwned(disk);
  use(opened.operations, tell, 'everything');
  opened.close();
  const again = await openOwned(disk);
  lookAtPlain(again.operations, tell);
  again.close();
}

async function salvaged(bytes: Uint8Array, tell: Tell): Promise<void> {
  const disk = new SimulatedDisk();
  disk.put(main, bytes.slice().fill(0, 0, 16));
  const opened = await openOwned(disk);
  if (opened.report.salvaged.length !== 1) tell(`was not salvaged: ${JSON.stringify(opened.report)}`);
  countRows(opened.operations, tell);
  use(opened.operations, tell, 'goOn');
  opened.close();
}

async function merged(bytes: Uint8Array, tell: Tell): Promise<void> {
  const disk = new SimulatedDisk();
  disk.put('/other/state.db', bytes);
  const [here, { database: other }] = [await sessionDbWorld(disk, { now }), await openOn(disk, '/other')];
  here.db.mergeFrom(rowsOf(other));
  const once = rowsIn(here.database);
  here.db.mergeFrom(rowsOf(other));
  if (rowsIn(here.database) !== once) tell(`merging again changed ${once} to ${rowsIn(here.database)}`);
  countRows(here.db, tell);
  use(here.db, tell, 'goOn');
  other.abandon();
  here.database.close();
}

async function copiedHere(bytes: Uint8Array, tell: Tell): Promise<void> {
  const disk = new SimulatedDisk();
  disk.put('/other/state.db', bytes);
  const world = await sessionDbWorld(disk, { now });
  const { database: other } = await openOn(disk, '/other', true);
  const db = createSessionDb({
    database: world.database,
    now: () => now,
    fileSizes: () => world.database.sizes(),
    openOther: () => ({ database: other, close: () => other.abandon() }),
  });
  const sessionIds = other
    .all('SELECT id FROM sessions ORDER BY started_at, rowid')
    .flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  db.copyToThisFolder({ folder: '/other', sessionIds, moves: true });
  use(db, tell, 'goOn');
  world.database.close();
}

function rowsIn(database: SqlDatabase): string {
  return importedTables
    .map((table) => `${table} ${String(database.get(`SELECT count(*) AS n FROM ${table}`)?.['n'])}`)
    .join(', ');
}

/** One odd value costs at most the row it is in. */
function countRows(db: SessionOperations, tell: Tell): void {
  const { sessions, messages } = db.statistics();
  if (sessions < 5 || messages < 24) tell(`only ${sessions} sessions and ${messages} messages are left`);
}

/** What a person does with the sessions that a list shows: everything, or what every session must allow. */
function use(db: SessionOperations, tell: Tell, how: 'everything' | 'goOn'): void {
  const attempt = <T>(what: string, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      tell(`${what}: ${describe(error)}`);
      return undefined;
    }
  };
  lookAtPlain(db, tell);
  const listed = (['active', 'archived', 'trash'] as const).flatMap(
    (state) => attempt(`list ${state}`, () => db.listSessions({ limit: 99, state, includeEmpty: true })) ?? [],
  );
  attempt('filter', () =>
    db.listSessions({ limit: 9, text: 'e', pinned: false, after: { id: 's1', lastActiveAt: 3 } }),
  );
  for (const { id } of listed) {
    if (db.getSession(id) === null) continue;
    const on = (what: string, work: () => unknown): void => void attempt(`${what} ${id}`, work);
    on('read', () => db.readTranscript({ sessionId: id, limit: 3 }));
    // A time may have put it into the trash, from where it has to be taken first.
    if (db.getSession(id)?.trashedAt !== null) on('restore', () => db.restoreSession(id));
    on('resume', () => resume(db, id));
    if (how === 'goOn') continue;
    on('read hidden', () => db.readTranscript({ sessionId: id, limit: 99, includeHidden: true }));
    on('outline', () => db.transcriptOutline({ sessionId: id, after: null, limit: 99 }));
    on('versions', () => db.promptVersions(id));
    on('branches', () => db.branchesOf(id, true));
    on('queue', () => [db.queue(id), db.draft(id), db.draftParts(id)]);
    on('approval', () => [db.pendingApproval(id), db.sessionRules(id), db.sessionMode(id)]);
    on('rows', () =>
      db
        .activeMessages(id)
        .map(({ uid, turnUid }) => [
          db.storedRow(uid),
          db.revisionsOf(uid),
          turnUid === null ? null : [db.approvalsOf(turnUid), db.fileChangesFrom(turnUid)],
        ]),
    );
    on('seen', () => db.setSeen(id, now));
    on('files', () => db.fileContent(hashOfContent));
    on('branch', () => db.branchSession({ sessionId: id, upTo: null, childId: `branch of ${id}`, now }));
    on('trash', () => db.trashSession(id, now));
    on('restore', () => db.restoreSession(id));
  }
  attempt('verify', () => db.verifyIntegrity());
  if (how === 'goOn') return;
  attempt('search', () => ['words', 'odd', '"ords"'].map((text) => db.search({ text, limit: 9 })));
  attempt('outbox', () => [db.outboxDue('p', now, 9), db.outboxCounts()]);
  attempt('find', () => [db.resolveSessionId('s'), db.findSession('e')]);
  attempt('statistics', () => db.statistics());
  attempt('index', () => {
    for (let left = 9; left > 0 && db.indexBatch(50) > 0; left--);
  });
  lookAtPlain(db, tell);
}

let prompts = 0;

/** Asks something more, as a person does who comes back to a session. */
function resume(db: SessionOperations, id: string): void {
  const tip = db.conversationTip(id);
  const open = db.openTurnOf(tip);
  if (open !== null) {
    const pending = db.pendingApproval(tip);
    if (pending !== null) db.decideApproval(pending.id, { kind: 'deny', reason: null }, now);
    db.settleTurn({ turnUid: open.uid, settledAt: now, settlement: complete, messages: [] });
  }
  const turnUid = `more${++prompts}`;
  db.openTurn({
    turnUid,
    sessionId: tip,
    userMessage: prompt(`u-${turnUid}`, 'More?', turnUid, tip),
    model: 'Local/test',
    startedAt: now,
  });
  db.repairTranscript(tip);
  db.settleTurn({
    turnUid,
    settledAt: now + 1,
    settlement: complete,
    messages: [answer(`a-${turnUid}`, `More of ${turnUid}.`, turnUid, tip)],
  });
  const isShown = db.readTranscript({ sessionId: tip, limit: 99 }).messages.some(({ uid }) => uid === `a-${turnUid}`);
  const last = db.activeMessages(tip).at(-1);
  if (last?.uid !== `a-${turnUid}` || !isShown)
    throw new Error(`the new answer is not the last row, but ${String(last?.uid)}, and ${isShown ? '' : 'not '}shown`);
}

function lookAtPlain(db: SessionOperations, tell: Tell): void {
  if (db.getSession('plain') === null) return;
  const rows = db.readTranscript({ sessionId: 'plain', limit: 99 }).messages;
  const texts = rows.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')));
  if (!texts.join('|').includes('plain words') && !texts.join('|').includes('other words'))
    tell(`the other session reads ${texts.join('|')}`);
}

function describe(error: unknown): string {
  if (error instanceof StoreError)
    return `${error.causeClass}: ${error.technical} ${(error.stack ?? '')
      .split('\n')
      .filter((line) => line.includes('/src/'))
      .slice(0, 6)
      .map((line) => line.replace(/.*\/src\//, '').replace(/\)$/, ''))
      .join(' < ')}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** `runs` odd values, each in a store of its own. */
export const failingRows = (how: { readonly runs: number; readonly seed: number }) =>
  smallestFailure(
    {
      what: fc.oneof({ weight: 2, arbitrary: oddCell }, { weight: 1, arbitrary: oddLink }),
      violationsOf: oddCellViolations,
    },
    how,
  );
