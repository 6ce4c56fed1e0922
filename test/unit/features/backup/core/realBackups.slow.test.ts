import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../../src/base/clock';
import { silentLog } from '../../../../../src/base/log';
import { BackupClient } from '../../../../../src/features/backup/core/backupClient';
import { storeFiles } from '../../../../../src/store/open/storeFiles';
import { StoreError } from '../../../../../src/store/storeError';
import { openStore } from '../../../../../src/store/ownership/openStore';
import { startStoreWorker } from '../../../../../src/store/worker/storeClient';
import { bundleProgram, NodeProgram } from '../../../../support/nodeProgram';
import { wasmPath } from '../../../../support/sqlite';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../support/storeWorker';
import { seededRandom } from '../../../../support/seededRandom';
import { chunkOf, openingTurn, settlingTurn, spoken } from '../../../store/ownership/turnBuilder';
import { converse } from '../../../store/library/libraryWorld';
import { backupWorld, scheduled, type BackupWorld } from './backupWorld';
import { findingSentence } from '../../../../../src/transcript/rules/finding';

let worker: BuiltStoreWorker;
let world: BackupWorld;
let programs: string;
beforeAll(async () => {
  worker = await buildStoreWorker({ backupWorker: 'src/features/backup/core/backupWorker.ts' });
  programs = mkdtempSync(join(tmpdir(), 'hermes-backup-program-'));
});
afterAll(() => {
  worker.remove();
  rmSync(programs, { recursive: true, force: true });
});
afterEach(() => world.remove());

const random = seededRandom(20_261_125);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Works on the backups once their lock is free: a process that was killed while it wrote the lock holds it for ten seconds. */
async function unlocked<T>(work: () => T): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.causeClass !== 'locked' || attempt === 100) throw error;
      await pause(200);
    }
  }
}

/** The store as a window has it, with its worker. */
async function opened(beforeOpening: () => Promise<void> = () => Promise.resolve()) {
  const connection = openStore({
    storageFolder: world.place.store,
    workerEntry: worker.entry,
    clock: systemClock,
    log: silentLog,
    startWorker: startStoreWorker,
    beforeOpening,
  });
  await connection.open();
  return connection;
}
const clientOf = (): BackupClient =>
  new BackupClient(join(worker.folder, 'backupWorker.js'), world.place, world.deps.copies);

describe('a backup taken while an answer is written', () => {
  it('has every row that was acknowledged before it', async () => {
    world = await backupWorld();
    const connection = await opened();
    const { store } = connection;
    const client = clientOf();
    await store.createSession({ id: 's', startedAt: 1 });

    let acknowledged = { turns: 0, text: '' };
    let isOver = false;
    const writing = (async () => {
      for (let turn = 0; !isOver; turn++) {
        await store.openTurn(openingTurn('s', `t${turn}`));
        let text = '';
        acknowledged = { turns: turn, text };
        for (let seq = 1; seq <= 40; seq++) {
          const piece = `${turn}.${seq} ${'word '.repeat(random() * 300)}`;
          await store.appendChunks(chunkOf('s', `t${turn}`, seq, text.length, piece));
          text += piece;
          acknowledged = { turns: turn, text };
          if (random() < 0.02) await store.checkpoint();
        }
        await store.settleTurn(settlingTurn(`t${turn}`));
        acknowledged = { turns: turn + 1, text: '' };
      }
    })();
    const taken: { id: string; expected: typeof acknowledged }[] = [];
    for (let n = 0; n < 12; n++) {
      await pause(random() * 120);
      const expected = acknowledged;
      const { backup } = await client.call('make', { reason: 'request', limitBytes: 1e9 });
      taken.push({ id: backup.id, expected });
    }
    isOver = true;
    await writing;
    await connection.close();

    const lost: unknown[] = [];
    for (const { id, expected } of taken) {
      const restored = world.open(world.backups.takeCopy(id, null).folder);
      const answers = spoken(restored.operations.activeMessages('s')).filter((line) => line.startsWith('assistant'));
      const isWhole = Array.from({ length: expected.turns }, (_, turn) => answers[turn] ?? '').every((line) =>
        line.includes('.40 '),
      );
      const current = answers[expected.turns] ?? 'assistant: ';
      const problems = restored.operations.verifyIntegrity();
      if (!isWhole || !current.startsWith(`assistant: ${expected.text}`) || problems.length > 0)
        lost.push({ id, isWhole, problems });
      restored.close();
    }
    expect({ lost, taken: taken.length, written: acknowledged.turns > 2 }).toEqual({
      lost: [],
      taken: 12,
      written: true,
    });
  });
});

describe('in a window', () => {
  it('a whole backup takes the place of the open store, which opens again with it', async () => {
    world = await backupWorld();
    const connection = await opened();
    const client = clientOf();
    await connection.store.createSession({ id: 'old', startedAt: 1 });
    await connection.store.openTurn(openingTurn('old', 't1'));
    const { backup } = await client.call('make', { reason: 'request', limitBytes: 1e9 });
    await connection.store.settleTurn(settlingTurn('t1'));
    await connection.store.createSession({ id: 'new', startedAt: 2 });
    const { before } = await connection.whileClosed(() => client.call('restore', backup.id, 1e9));
    const restored = [await connection.store.getSession('old'), await connection.store.getSession('new')];
    const kept = await client.call('contents', before ?? '');
    await connection.close();
    expect([restored.map((session) => session?.id), kept.map(({ id }) => id)]).toEqual([
      ['old', undefined],
      ['old', 'new'],
    ]);
  });

  it('a store of an older version is backed up before the opening migrates it', async () => {
    world = await backupWorld();
    const owner = world.open();
    converse(owner.operations, 's1', 'Old');
    owner.close();
    const { main, lock } = storeFiles(world.place.store);
    rmSync(lock, { force: true });
    const bytes = readFileSync(main);
    bytes.writeInt32BE(6, 60);
    writeFileSync(main, bytes);
    const versions: number[] = [];
    const connection = await opened(async () => {
      await clientOf().call('makeBeforeMigration', 1e9);
      versions.push(readFileSync(main).readInt32BE(60));
    });
    await connection.close();
    expect([versions, world.backups.list().backups.map(({ reason }) => reason)]).toEqual([[6], ['migration']]);
  });

  it('a canceled backup ends early and leaves the earlier ones sound', async () => {
    world = await backupWorld();
    const owner = world.open();
    converse(owner.operations, 's1', 'Early');
    const client = clientOf();
    await client.call('make', { reason: 'request', limitBytes: 1e9 });
    converse(owner.operations, 's2', `${String(random())} `.repeat(500_000));
    owner.close();
    const stopping = new AbortController();
    const making = client.stoppable(stopping.signal, 'make', { reason: 'request', limitBytes: 1e9 });
    await pause(300);
    stopping.abort(new Error('canceled'));
    const outcome = await making.then(
      () => 'made',
      (error: unknown) => String(error),
    );
    const sound = world.backups.verify(null);
    const again = await client.call('make', { reason: 'request', limitBytes: 1e9 });
    expect({ outcome, sound, again: again.isNew, count: world.backups.list().backups.length }).toEqual({
      outcome: 'Error: canceled',
      sound: [],
      again: true,
      count: 2,
    });
  });
});

describe('kill -9', () => {
  it('during a backup leaves every earlier one sound, and none that is not', async () => {
    world = await backupWorld();
    const program = await bundleProgram('test/unit/features/backup/core/backupProgram.ts', programs);
    const seen: unknown[] = [];
    let killed = 0;
    for (let trial = 0; trial < 12; trial++) {
      const owner = world.open();
      converse(owner.operations, `s${trial}`, `${trial} ${String(random())} `.repeat(30_000));
      owner.close();
      const maker = new NodeProgram(program, [wasmPath, world.place.store, 'make']);
      await maker.line('ready');
      await pause(random() * 200);
      await maker.kill();
      if (!maker.lines.includes('done')) killed++;
      const ids = world.backups.list().backups.map(({ id }) => id);
      const printed = maker.lines.find((line) => /^\d{8}T/.test(line));
      seen.push({ problems: world.backups.verify(null), printed: printed === undefined || ids.includes(printed) });
    }
    await unlocked(() => world.backups.make(scheduled));
    const leftovers = world.files().filter((name) => name.endsWith('.new'));
    expect({ seen, someKilled: killed > 0, leftovers }).toEqual({
      seen: seen.map(() => ({ problems: [], printed: true })),
      someKilled: true,
      leftovers: [],
    });
  });

  it('while restoring leaves the store as it was, or restored', async () => {
    world = await backupWorld();
    const program = await bundleProgram('test/unit/features/backup/core/backupProgram.ts', programs);
    const ids: string[] = [];
    for (const n of [1, 2]) {
      const owner = world.open();
      converse(owner.operations, `s${n}`, `${String(random())} `.repeat(20_000));
      ids.push(world.backups.make(scheduled).backup.id);
      owner.close();
      world.clock.now += 60;
    }
    rmSync(storeFiles(world.place.store).lock, { force: true });
    const found: string[] = [];
    for (let trial = 0; trial < 10; trial++) {
      const restorer = new NodeProgram(program, [wasmPath, world.place.store, 'restore', ...ids]);
      await restorer.line('ready');
      await pause(random() * 500);
      await restorer.kill();
      const opened = world.open();
      found.push(
        opened.operations
          .listSessions({ limit: 9 })
          .map(({ id }) => id)
          .sort()
          .join(),
        ...opened.operations.verifyIntegrity().map(findingSentence),
      );
      opened.close();
      rmSync(storeFiles(world.place.store).lock, { force: true });
    }
    expect({
      other: found.filter((sessions) => sessions !== 's1' && sessions !== 's1,s2'),
      damaged: readdirSync(world.place.store).filter((name) => /damaged|corrupt|kept/.test(name)),
      problems: world.backups.verify(null),
    }).toEqual({ other: [], damaged: [], problems: [] });
  });

  it('while forgetting is made good by the next opening', async () => {
    world = await backupWorld();
    const program = await bundleProgram('test/unit/features/backup/core/backupProgram.ts', programs);
    const secret = 'Xylophonquartz';
    const owner = world.open();
    for (let n = 0; n < 6; n++) {
      converse(owner.operations, `s${n}`, `Text ${n} `.repeat(5000));
      converse(owner.operations, `secret${n}`, `${secret} `.repeat(5000));
      world.backups.make(scheduled);
      world.clock.now += 3600;
    }
    owner.close();
    const secrets = Array.from({ length: 6 }, (_, n) => `secret${n}`);
    const forgetter = new NodeProgram(program, [wasmPath, world.place.store, 'forget', ...secrets]);
    await forgetter.line('ready');
    await pause(400);
    await forgetter.kill();
    const { rewritten } = await unlocked(() => world.backups.continueForgetting());
    expect({
      wasKilled: !forgetter.lines.includes('done'),
      some: rewritten.length > 0,
      left: world.everyByteOf(world.place.backups).includes(secret),
      problems: world.backups.verify(null),
      sessions: world.backups.contents(world.backups.list().backups[0]?.id ?? '').map(({ id }) => id),
    }).toEqual({
      wasKilled: true,
      some: true,
      left: false,
      problems: [],
      sessions: ['s0', 's1', 's2', 's3', 's4', 's5'],
    });
  });
});
