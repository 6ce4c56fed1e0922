import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findingMeaning, findingTitle } from '../../../../../../src/transcript/rules/finding';
import { checkHermes } from '../../../../../../src/features/history/core/check/hermesCheck';
import { openForeign } from '../../../../../support/history/openForeign';
import { otherSqlite } from '../../../../../support/otherSqlite';

let home = '';
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'hermes-check-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const schema = `
  CREATE TABLE schema_version (version INTEGER);
  INSERT INTO schema_version VALUES (30);
  CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
  CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model_config TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
    ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, title TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT, tool_call_id TEXT,
    tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE messages_fts_docsize (id INTEGER PRIMARY KEY, sz BLOB)`;
const indexed = `INSERT INTO messages_fts_docsize (id) SELECT id FROM messages`;

let time = 1_790_000_000;
const quoted = (text: string | null): string => (text === null ? 'NULL' : `'${text}'`);
const session = (
  id: string,
  over: Partial<Record<'parent' | 'reason' | 'config' | 'title', string>> & { count?: number } = {},
): string =>
  `INSERT INTO sessions VALUES ('${id}', 'cli', ${quoted(over.config ?? null)}, ${quoted(over.parent ?? null)}, ${(time += 10)}, ${over.reason === undefined ? 'NULL' : time}, ${quoted(over.reason ?? null)}, ${over.count ?? 0}, ${quoted(over.title ?? null)})`;
const row = (
  role: string,
  content: string | null,
  over: { calls?: string; result?: string; at?: number; in?: string } = {},
): string =>
  `INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp) VALUES ('${over.in ?? 'S'}', '${role}', ${quoted(content)}, ${quoted(over.calls ?? null)}, ${quoted(over.result ?? null)}, ${over.result === undefined ? 'NULL' : `'shell'`}, ${over.at ?? (time += 10.25)})`;
const U = (text: string, at?: number): string => row('user', text, at === undefined ? {} : { at });
const A = (text: string): string => row('assistant', text);
const calls = (...ids: readonly string[]): string =>
  JSON.stringify(
    ids.map((id) => ({ id, type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } })),
  );
const AT = (...ids: readonly string[]): string => row('assistant', '', { calls: calls(...ids) });
const T = (id: string, text = 'ok'): string => row('tool', text, { result: id });

/** Findings in a database of these statements as `kind row`. */
async function found(...statements: readonly string[]): Promise<readonly string[]> {
  const path = join(home, 'state.db');
  otherSqlite(path, [schema, session('S', { title: 'Fruit' }), ...statements, indexed].join(';'));
  const before = readFileSync(path);
  const database = await openForeign(path);
  try {
    const { findings, kind } = await checkHermes(database, path);
    expect([kind, findings.flatMap(({ steps }) => steps)]).toEqual(['hermes', []]);
    expect(findings.every(({ id }) => findingTitle(id) !== '' && findingMeaning(id) !== '')).toBe(true);
    expect([readFileSync(path).equals(before), readdirSync(home)]).toEqual([true, ['state.db']]);
    return findings.map(({ id, row: at, sessionId }) =>
      [id, at ?? sessionId].filter((part) => part !== null).join(' '),
    );
  } finally {
    database.close();
  }
}

const cases: readonly (readonly [name: string, statements: readonly string[], expected: readonly string[]])[] = [
  ['a sound session has no findings', [U('q'), AT('c1'), T('c1'), A('a'), U('thanks'), A('ok')], []],
  ['repeated words are no damage', [U('ok'), A('ok'), U('ok'), A('ok'), U('ok'), A('ok')], []],
  ['a turn in progress is no damage', [U('q'), AT('c1', 'c2'), T('c1')], []],
  [
    'B01: a cached agent stores no later answer',
    [U('q1'), A('a1'), U('q2'), U('q3'), U('q4')],
    ['missingAnswer 4', 'missingAnswer 5'],
  ],
  ['B08: the answer after a tool was not stored', [U('q'), AT('c1'), T('c1'), U('next'), A('a')], ['endsWithResult 3']],
  [
    'B12: the process died before the first word',
    [`UPDATE sessions SET ended_at = 1790009999`, U('q'), A('a'), U('lost')],
    ['noAnswerAtEnd 3'],
  ],
  [
    'B31: agent and gateway both store the prompt',
    [U('q', 1790000100), U('q', 1790000100.5), A('a')],
    ['missingAnswer 2', 'doubledRow 2'],
  ],
  [
    'B35: a resumed history is stored again',
    [U('q1'), A('a1'), U('q2'), A('a2'), U('q1'), A('a1'), U('q2'), A('a2')],
    ['doubledRow 5', 'doubledRow 6', 'doubledRow 7', 'doubledRow 8'],
  ],
  [
    'B30: a turn with a call is flushed twice',
    [U('q'), AT('c1'), T('c1'), AT('c1'), T('c1'), A('a')],
    ['doubledRow 4', 'doubledRow 5'],
  ],
  [
    'B41: an interrupt leaves a call open',
    [U('q'), AT('t1', 't2'), T('t1'), U('next'), A('a')],
    ['endsWithResult 3', 'unansweredCall 2'],
  ],
  [
    'B43: the sentinel of an empty answer is stored',
    [U('q'), A('(empty)'), U('You just executed tool calls but returned an empty response. Continue.'), A('a')],
    ['scaffolding 2', 'scaffolding 3'],
  ],
  [
    'B44: a result under the other id of its call is no orphan',
    [U('q'), AT('call_ABC|fc_123'), T('call_ABC'), A('a')],
    [],
  ],
  [
    'B46: parallel calls are stored as two answers',
    [U('q'), AT('t1'), AT('t2'), T('t1'), T('t2'), A('a')],
    ['adjacentAnswers 3'],
  ],
  ['B48: an answer without content is stored', [U('q'), row('assistant', ''), U('q2'), A('a')], ['emptyAnswer 2']],
  [
    'B80, B97: a continuation has no rows',
    [U('q'), A('a'), `UPDATE sessions SET end_reason = 'compression', ended_at = 1`, session('C', { parent: 'S' })],
    ['emptyContinuation C'],
  ],
  [
    'B85: a compressed session has no continuation',
    [U('q'), A('a'), `UPDATE sessions SET end_reason = 'compression', ended_at = 1`],
    ['endedWithoutChild S'],
  ],
  [
    'B85: a branch is no continuation',
    [
      U('q'),
      A('a'),
      `UPDATE sessions SET end_reason = 'compression', ended_at = 1`,
      session('B', { parent: 'S', config: '{"_branched_from":"S"}' }),
    ],
    ['endedWithoutChild S'],
  ],
  ['B91: a session names a parent that is not stored', [session('X', { parent: 'gone' })], ['danglingParent X']],
  ['B14: the rows of a session were never written', [session('L', { count: 10 })], ['lostRows L']],
  [
    'two sessions continue the same one',
    [
      U('q'),
      A('a'),
      `UPDATE sessions SET end_reason = 'compression', ended_at = 1`,
      session('C', { parent: 'S' }),
      row('user', 'x', { in: 'C' }),
      session('D', { parent: 'S' }),
      row('user', 'x', { in: 'D' }),
    ],
    ['twoContinuations D'],
  ],
  [
    'a lineage leads back to itself',
    [session('M', { parent: 'N' }), session('N', { parent: 'M' })],
    ['parentCycle M', 'parentCycle N'],
  ],
  ['B180: messages outlive their session', [row('user', 'x', { in: 'deleted' })], ['orphanRows deleted']],
  [
    'B137: tool calls are damaged',
    [U('q'), row('assistant', 'text', { calls: '[{"id":"c1"' }), U('q2'), A('a')],
    ['damagedRow 2'],
  ],
  ['B137: a role is not known', [U('q'), A('a'), row('narrator', 'x')], ['adjacentAnswers 3', 'damagedRow 3']],
  [
    'B60: two agents write two turns of one session at the same time',
    [U('q1'), U('q2'), AT('c1'), AT('d1'), T('c1'), T('d1'), A('a1'), A('a2'), U('q3'), A('a3')],
    ['missingAnswer 2', 'adjacentAnswers 4', 'adjacentAnswers 8'],
  ],
  [
    'B60: the second agent begins while the first waits for a tool',
    [U('q1'), AT('c1'), U('q2'), T('c1'), AT('d1'), A('a1'), T('d1'), A('a2')],
    ['adjacentAnswers 6', 'unansweredCall 2', 'orphanResult 4'],
  ],
  [
    'B60: both agents give their calls the same ids',
    [
      U('q1'),
      U('q2'),
      AT('call_1'),
      T('call_1'),
      row('assistant', 'b', { calls: calls('call_1') }),
      T('call_1', 'two'),
      A('a'),
    ],
    ['missingAnswer 2', 'duplicateCallId 5'],
  ],
  ['a result answers no call', [U('q'), A('a'), T('c9'), U('q2'), A('b')], ['endsWithResult 3', 'orphanResult 3']],
  ['a call has two results', [U('q'), AT('c1'), T('c1', 'one'), T('c1', 'two'), A('a')], ['repeatedResult 4']],
  [
    'two calls share an id',
    [U('q'), AT('c1'), T('c1'), row('assistant', 'more', { calls: calls('c1') }), T('c1', 'two'), A('a')],
    ['duplicateCallId 4'],
  ],
  [
    'arguments are cut off',
    [
      U('q'),
      row('assistant', '', { calls: '[{"id":"c1","function":{"name":"shell","arguments":"{\\"command\\": \\"ls"}}]' }),
      T('c1'),
      A('a'),
    ],
    ['cutArguments 2'],
  ],
];

test.each(cases)('%s', async (_, statements, expected) => {
  expect(await found(...statements)).toEqual(expected);
});

test('B181: the search index misses a row and knows a deleted one', async () => {
  const rows = [
    U('q'),
    A('a'),
    U('q2'),
    A('a2'),
    indexed,
    'DELETE FROM messages_fts_docsize WHERE id = 1',
    'INSERT INTO messages_fts_docsize (id) VALUES (99)',
  ];
  const path = join(home, 'state.db');
  otherSqlite(path, [schema, session('S'), ...rows].join(';'));
  const database = await openForeign(path);
  const { findings } = await checkHermes(database, path);
  database.close();
  expect(findings).toMatchObject([{ id: 'indexDrift', detail: '2' }]);
});

describe('the trigram index', () => {
  const view = `CREATE VIEW messages_fts_trigram_src AS SELECT m.id, m.role, m.content, m.tool_name FROM messages AS m
    JOIN sessions AS s ON s.id = m.session_id WHERE m.role <> 'tool' AND s.source NOT IN ('cron', 'subagent')
    AND json_extract(CASE WHEN json_valid(s.model_config) THEN s.model_config ELSE json_object() END, '$._delegate_from') IS NULL`;
  const table = 'CREATE TABLE messages_fts_trigram_docsize (id INTEGER PRIMARY KEY, sz BLOB)';
  const fill = 'INSERT INTO messages_fts_trigram_docsize (id) SELECT id FROM messages_fts_trigram_src';
  const rows = [U('q'), AT('c1'), T('c1'), A('a'), session('H', { parent: 'S', config: '{"_delegate_from":"S"}' })];
  const helper = [row('user', 'help', { in: 'H' }), row('assistant', 'helped', { in: 'H' })];

  /** The number of rows that the finding tells; null without a finding. */
  async function drift(...statements: readonly string[]): Promise<string | null> {
    const path = join(home, 'state.db');
    rmSync(path, { force: true });
    otherSqlite(path, [schema, session('S'), ...rows, ...helper, indexed, ...statements].join(';'));
    const database = await openForeign(path);
    const { findings } = await checkHermes(database, path);
    database.close();
    expect(findings.filter(({ id }) => id !== 'indexDrift')).toEqual([]);
    return findings[0]?.detail ?? null;
  }

  test('is sound without results of tools and sessions of sub-agents', async () => {
    expect(await drift(view, table, fill)).toBeNull();
  });

  test('misses a message and knows one that it must not', async () => {
    const less = 'DELETE FROM messages_fts_trigram_docsize WHERE id = 1';
    const more = 'INSERT INTO messages_fts_trigram_docsize (id) VALUES (3), (5), (99)';
    expect([await drift(view, table, fill, less), await drift(view, table, fill, more)]).toEqual(['1', '3']);
  });

  test('holds every message in versions without the view', async () => {
    const all = 'INSERT INTO messages_fts_trigram_docsize (id) SELECT id FROM messages';
    const some = `${all} WHERE role <> 'tool'`;
    expect([await drift(table, all), await drift(table, some)]).toEqual([null, '1']);
  });

  test('is expected to have only the rows that a rebuild has passed, and newer ones', async () => {
    const begun = (progress: number): string =>
      `INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '4'), ('fts_rebuild_progress', '${progress}')`;
    const passed = [view, table, `${fill} WHERE id <= 1`, 'DELETE FROM messages_fts_docsize WHERE id BETWEEN 2 AND 4'];
    expect([await drift(...passed, begun(1)), await drift(...passed, begun(2))]).toEqual([null, '2']);
  });
});

test('a stopped check rejects', async () => {
  const path = join(home, 'state.db');
  otherSqlite(path, [schema, session('S')].join(';'));
  const database = await openForeign(path);
  await expect(checkHermes(database, path, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
    'stopped',
  );
  database.close();
});
