import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkInThread } from '../../../../../../src/features/history/core/check/checkClient';
import type { CheckThread } from '../../../../../../src/features/history/core/check/checkWorker';
import type { CheckOptions } from '../../../../../../src/features/history/core/check/findings';
import type { WorkProgress } from '../../../../../../src/store/slicedWork';
import { otherSqlite } from '../../../../../support/otherSqlite';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../../support/storeWorker';
import { converse } from '../../../../store/library/libraryWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

let worker: BuiltStoreWorker;
let world: BackupWorld;
beforeAll(async () => {
  worker = await buildStoreWorker({ checkWorker: 'src/features/history/core/check/checkWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
  const owner = world.open();
  for (const id of ['s1', 's2']) converse(owner.operations, id, `Words of ${id}`);
  owner.close();
  otherSqlite(join(world.place.store, 'state.db'), 'UPDATE sessions SET message_count = 99');
});
afterEach(() => world.remove());

const check = (what: Omit<CheckThread, 'copies'>, options?: CheckOptions, name = 'checkWorker.js') =>
  checkInThread(join(worker.folder, name), { ...what, copies: world.deps.copies }, options);

async function found(kind: CheckThread['place']['kind'], path: string, sessionId?: string): Promise<readonly string[]> {
  const { findings, ...result } = await check({
    place: { kind, path },
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  expect(result.path).toBe(path);
  return [result.kind, ...findings.map((finding) => `${finding.id} ${finding.sessionId}`)];
}

const hermesDatabase = (): string => {
  const path = join(world.root, 'agent.db');
  otherSqlite(
    path,
    "CREATE TABLE sessions (id TEXT, started_at REAL, title TEXT); CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL); INSERT INTO sessions VALUES ('S', 1790000000, 'Fruit'); INSERT INTO messages VALUES (1, 'S', 'user', 'q1', 1790000001), (2, 'S', 'user', 'q2', 1790000099)",
  );
  return path;
};

describe('a check in a thread', () => {
  it('finds damage of a store, of one session, and of a database of Hermes Agent', async () => {
    const { store } = world.place;
    const hermes = hermesDatabase();
    expect([await found('own', store), await found('own', store, 's2'), await found('file', hermes)]).toEqual([
      ['own', 'wrongCount s1', 'wrongCount s2'],
      ['own', 'wrongCount s2'],
      ['hermes', 'missingAnswer S'],
    ]);
  });

  it('knows a chosen file by its content, and writes nothing beside it', async () => {
    const renamed = join(world.root, 'kept.db');
    const hermes = hermesDatabase();
    renameSync(join(world.place.store, 'state.db'), renamed);
    const before = readdirSync(world.root).filter((name) => name !== 'copies');
    expect([await found('file', renamed), await found('file', hermes)]).toEqual([
      ['own', 'wrongCount s1', 'wrongCount s2'],
      ['hermes', 'missingAnswer S'],
    ]);
    expect(readdirSync(world.root).filter((name) => name !== 'copies')).toEqual(before);
  });

  it('reports progress and removes its private copy', async () => {
    const seen: WorkProgress[] = [];
    const place = { kind: 'own', path: world.place.store } as const;
    await check({ place }, { onProgress: (progress) => void seen.push(progress) });
    expect(seen).toEqual([
      { done: 0, total: 2 },
      { done: 1, total: 2 },
    ]);
    expect(existsSync(world.deps.copies) ? readdirSync(world.deps.copies) : []).toEqual([]);
  });

  it('rejects with a sentence for a place that is missing or no database', async () => {
    const noDatabase = join(world.root, 'notes.txt');
    writeFileSync(noDatabase, 'No database.');
    const missing = join(world.root, 'missing');
    const refusals = await Promise.all(
      [
        { kind: 'own', path: missing } as const,
        { kind: 'file', path: missing } as const,
        { kind: 'file', path: noDatabase } as const,
      ].map((place) => check({ place }).catch((error: unknown) => error)),
    );
    expect(refusals.map((error) => error instanceof Error && error.message !== '')).toEqual([true, true, true]);
  });

  it('rejects with the reason of the signal that stops it', async () => {
    const stopping = new AbortController();
    const reason = new Error('The user canceled.');
    const place = { kind: 'own', path: world.place.store } as const;
    const checked = check({ place }, { signal: stopping.signal, onProgress: () => stopping.abort(reason) });
    await expect(checked).rejects.toBe(reason);
    await expect(check({ place }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('rejects when the thread ends without an answer', async () => {
    writeFileSync(join(worker.folder, 'ending.js'), 'process.exit(3)');
    const place = { kind: 'own', path: world.place.store } as const;
    await expect(check({ place }, {}, 'ending.js')).rejects.toMatchObject({
      message: 'The check ended unexpectedly. Try again.',
      technical: 'The thread ended with code 3.',
    });
  });
});
