import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportOptions } from '../../../../../../src/features/history/core/export/output/exportOptions';
import { exportFile, type ExportRequest } from '../../../../../../src/features/history/core/export/exportFile';
import { hermesSource } from '../../../../../../src/features/history/core/sources/hermes/hermesSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import type { Usage } from '../../../../../../src/transcript/usage';
import { importWorld } from '../../../../../support/history/importWorld';
import { openForeign } from '../../../../../support/history/openForeign';
import { findHistory, placesWith, outlineOf } from '../../../../../support/history/readHistory';
import { otherSqlite } from '../../../../../support/otherSqlite';
import {
  answer,
  answered,
  call,
  complete,
  openTurn,
  result,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../../../../support/sessionDbWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

const source = hermesSource(new NodeHistoryFiles(), openForeign);
const usage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 30,
  cacheWriteTokens: 10,
  reasoningTokens: 5,
  costUsd: 0.25,
  requests: 2,
};
const details = { openrouter: { reasoning_details: [{ type: 'reasoning.text', text: 'a thought' }] } };

let disk: BackupWorld;
let world: SessionDbWorld;
beforeEach(async () => {
  disk = await backupWorld();
  world = await sessionDbWorld();
});
afterEach(() => disk.remove());

async function exported(scope: ExportRequest['scope'] = { kind: 'all' }, over: Partial<ExportRequest> = {}) {
  const path = join(disk.root, 'state.db');
  const made = await exportFile(
    world.database,
    disk.deps,
    {
      format: 'hermes',
      scope,
      path,
      leftOut: { toolOutput: false, thinking: false, images: false, hidden: false },
      masksSecrets: false,
      language: 'en',
      ...over,
    },
    exportOptions(() => 1000),
  );
  return { ...made, path };
}

async function readBack() {
  const { sessions, skipped } = await findHistory(source, placesWith({ hermes: disk.root }));
  expect(skipped).toEqual([]);
  return sessions;
}

const linesOf = async (id: string): Promise<readonly string[]> =>
  (await outlineOf(source, placesWith({ hermes: disk.root }), id)).slice(0, -2);

it('an export that is imported into the same store adds only what was continued in Hermes Agent', async () => {
  family(world);
  const before = world.database.all('SELECT id FROM sessions').length;
  const { path } = await exported();
  const { importer } = await importWorld(undefined, undefined, world);
  const places = placesWith({ hermes: disk.root });
  const again = await importer.run((await importer.scan(places)).sessions);
  const states = (await importer.preview((await importer.scan(places)).sessions)).counts;
  const [newest] = world.database.all('SELECT id FROM sessions ORDER BY last_activity_at DESC LIMIT 1');
  otherSqlite(
    path,
    `UPDATE sessions SET last_activity_at = last_activity_at + 60 WHERE id = '${String(newest?.['id'])}'`,
  );
  const later = await importer.run((await importer.scan(places)).sessions);

  expect({ again: again.counts, here: states.here, continued: later.counts.imported }).toMatchObject({
    again: { imported: 0, branched: 0, unchanged: before },
    here: before,
    continued: 1,
  });
});

/** A conversation in two segments, compressed during its second turn; a sub-agent of it in two segments; and a branch
 *  of it in two segments. */
function family({ db }: SessionDbWorld): void {
  db.createSession({ id: 'root', startedAt: 1, title: 'Fruit', titleSource: 'person', folder: '/w' });
  answered(db, 't1', 'apples', { sessionId: 'root' });
  openTurn(db, { sessionId: 'root', turnUid: 't2', text: 'And pears?' });
  db.addUsage('t2', usage);
  db.putMessages([answer('m2', [call('c2')], 't2', 'root')]);
  db.putMessages([{ ...result('r2', 'c2', 'a long file', 't2'), sessionId: 'root' }]);
  db.putMessages([answer('m3', [call('c3', 'delegate')], 't2', 'root')]);
  db.createSession({ id: 'helper', startedAt: 4, parentSessionId: 'root', parentKind: 'delegate', title: 'Look' });
  answered(db, 't3', 'looked', { sessionId: 'helper' });
  const helped = { handoff: 'It looked.', summarisedUpTo: 'a-t3' };
  db.compressSession({ parentId: 'helper', childId: 'helper2', ...helped, now: 10 });
  answered(db, 't4', 'looked again', { sessionId: 'helper2' });
  db.putMessages([{ ...result('r3', 'c3', 'looked', 't2'), sessionId: 'root' }]);
  const asked = { handoff: 'They spoke of apples.', summarisedUpTo: 'r2', prompt: 'u-t2' };
  db.compressSession({ parentId: 'root', childId: 'next', turnUid: 't2', ...asked, now: 20 });
  settle(db, 't2', complete, [answer('a-t2', 'pears', 't2', 'next')]);
  db.branchSession({ sessionId: 'next', upTo: null, childId: 'branch', now: 30 });
  answered(db, 't5', 'plums', { sessionId: 'branch' });
  const branched = { handoff: 'They spoke of plums.', summarisedUpTo: 'a-t5' };
  db.compressSession({ parentId: 'branch', childId: 'branch2', ...branched, now: 40 });
}

describe('a database for Hermes Agent', () => {
  it('is sound for another SQLite, and our reader reads back the same', async () => {
    const { db } = world;
    db.createSession({ id: 's1', startedAt: 1 });
    openTurn(db, { turnUid: 't1', text: 'A question' });
    db.putMessages([answer('m1', [{ kind: 'thinking', text: 'a thought', metadata: details }, call('c1')], 't1')]);
    db.putMessages([result('r1', 'c1', 'content', 't1')]);
    settle(db, 't1', complete, [answer('a1', 'An answer', 't1')]);
    const { path } = await exported();
    expect(
      otherSqlite(path, 'PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT version FROM schema_version'),
    ).toEqual(['ok', '30']);
    expect(await linesOf('s1')).toEqual([
      '1 shown user: A question',
      `2 shown assistant: (thinks: a thought ${JSON.stringify(details)}) | calls read_file c1 {}`,
      '3 shown tool: done read_file c1: content',
      '4 shown assistant: An answer',
    ]);
    expect(otherSqlite(path, 'SELECT message_count, tool_call_count, model FROM sessions')).toEqual(['4|1|Local/test']);
  });

  it('has a session for each segment, and our reader finds the same lineage', async () => {
    family(world);
    const { path, sessions, sessionIds } = await exported();
    const stored = world.database.all(
      'SELECT id, parent_kind, parent_session_id FROM sessions ORDER BY started_at, rowid',
    );
    expect(
      (await readBack()).map(({ id, lineage }) => ({
        id,
        parent_kind: lineage?.kind ?? null,
        parent_session_id: lineage?.parentId ?? null,
      })),
    ).toEqual(stored);
    expect([
      sessions,
      sessionIds.length,
      otherSqlite(path, 'PRAGMA foreign_key_check; PRAGMA integrity_check'),
    ]).toEqual([3, 6, ['ok']]);
  });

  it('marks sessions as Hermes does, and gives different titles to the newest segments', async () => {
    family(world);
    world.db.createSession({ id: 'same', startedAt: 50, title: 'Fruit' });
    const { path } = await exported();
    expect(
      otherSqlite(
        path,
        "SELECT id, source, ifnull(model_config, '-'), ifnull(end_reason, '-'), ended_at IS NULL, ifnull(title, '-'), ifnull(title_source, '-') FROM sessions ORDER BY started_at, rowid",
      ),
    ).toEqual([
      'root|cli|-|compression|0|-|-',
      'helper|subagent|{"_delegate_from":"root"}|compression|0|-|-',
      'helper2|subagent|{"_delegate_from":"root"}|-|1|Look|derived',
      'next|cli|-|-|1|Fruit|user',
      'branch|cli|{"_branched_from":"next"}|compression|0|-|-',
      'branch2|cli|{"_branched_from":"next"}|-|1|Fruit #2|user',
      'same|cli|-|-|1|Fruit #3|derived',
    ]);
  });

  it('repeats in a segment what the model still gets, and our reader skips that', async () => {
    family(world);
    const { path } = await exported();
    expect(
      otherSqlite(
        path,
        "SELECT role, replace(content, char(10), ' '), ifnull(tool_call_id, ''), _compressed_summary FROM messages WHERE session_id = 'next' ORDER BY id",
      ),
    ).toEqual([
      'user|[CONTEXT SUMMARY]: They spoke of apples.||1',
      'user|And pears?||0',
      'assistant|||0',
      'tool|looked|c3|0',
      'assistant|pears||0',
    ]);
    const repeated = 'The row repeats one from before a summary.';
    expect((await linesOf('next')).map((line) => line.replace(/row \d+/, 'a row'))).toEqual([
      '1 summary user: They spoke of apples.',
      '2 shown assistant: pears',
      ...Array.from({ length: 3 }, () => `repeated at a row: ${repeated}`),
    ]);
  });

  it('has the tokens and the cost of each session, by model too', async () => {
    family(world);
    const { path } = await exported();
    const counts =
      'input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, api_call_count, estimated_cost_usd';
    const rows = (table: string, name: string) =>
      otherSqlite(path, `SELECT ${name}, ${counts} FROM ${table} WHERE output_tokens > 0 OR api_call_count > 0`);
    expect([rows('sessions', 'id'), rows('session_model_usage', "session_id || ' ' || model")]).toEqual([
      ['root|60|20|30|10|5|0|', 'next|0|0|0|0|0|2|0.25'],
      ['next Local/test|60|20|30|10|5|2|0.25'],
    ]);
    expect((await readBack()).map(({ usage: counted }) => counted?.inputTokens ?? 0)).toEqual([100, 0, 0, 0, 0, 0]);
  });

  it('names no parent that is not in the file', async () => {
    family(world);
    const { path } = await exported({ kind: 'sessions', ids: ['branch'] });
    expect([
      (await readBack()).map(({ id, lineage }) => `${id} ${lineage?.kind ?? 'root'}`),
      otherSqlite(path, 'PRAGMA foreign_key_check'),
    ]).toEqual([['branch root', 'branch2 compression'], []]);
  });

  it('keeps what the user took back, unless hidden messages are left out', async () => {
    const { db } = world;
    db.createSession({ id: 's1', startedAt: 1 });
    answered(db, 't1', 'first');
    answered(db, 't2', 'second', { replaces: { turnUid: 't1', reason: 'retried' } });
    await exported();
    expect(await linesOf('s1')).toEqual([
      '1 abandoned user: first?',
      '2 abandoned assistant: first',
      '3 shown user: second?',
      '4 shown assistant: second',
    ]);
    const leftOut = { toolOutput: false, thinking: false, images: false, hidden: true };
    await exported({ kind: 'all' }, { leftOut });
    expect(await linesOf('s1')).toEqual(['1 shown user: second?', '2 shown assistant: second']);
  });

  it('leaves out data of a provider that repeats a masked secret', async () => {
    const { db } = world;
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const metadata = { openrouter: { reasoning_details: [{ type: 'reasoning.text', text: `the key ${secret}` }] } };
    db.createSession({ id: 's1', startedAt: 1 });
    openTurn(db, { turnUid: 't1', text: 'A question' });
    const thoughts = ['', `the key ${secret}`].map((text) => ({ kind: 'thinking', text, metadata }) as const);
    settle(db, 't1', complete, [answer('a1', [...thoughts, { kind: 'text', text: 'An answer' }], 't1')]);
    const { path } = await exported({ kind: 'all' }, { masksSecrets: true });
    expect(otherSqlite(path, 'SELECT reasoning, reasoning_details IS NULL FROM messages WHERE id = 2')).toEqual([
      expect.stringMatching(/^\s*the key (?!ghp_).*\|1$/),
    ]);
  });

  it('leaves full-text tables to Hermes, which fills them from the messages when it first opens the file', async () => {
    family(world);
    const { path } = await exported();
    // Hermes fills an index of which it finds no trigger, unless a rebuild is noted.
    expect(
      otherSqlite(path, "SELECT name FROM sqlite_master WHERE name LIKE '%fts%'; SELECT key FROM state_meta"),
    ).toEqual([]);
    otherSqlite(
      path,
      "CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages', content_rowid='id'); INSERT INTO messages_fts(messages_fts) VALUES('rebuild')",
    );
    expect(otherSqlite(path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'plums'")).toEqual(['3']);
  });
});
