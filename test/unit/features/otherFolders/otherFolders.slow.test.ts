import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { OpenCopies } from '../../../../src/features/otherFolders/host/openCopies';
import { OtherFolders } from '../../../../src/features/otherFolders/host/otherFolders';
import type { WindowContext } from '../../../../src/host/window/windowContext';
import { LibraryClient } from '../../../../src/features/otherFolders/core/libraryClient';
import { openStore } from '../../../../src/store/ownership/openStore';
import type { StoreConnection } from '../../../../src/store/ownership/storeConnection';
import { startStoreWorker } from '../../../../src/store/worker/storeClient';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { converse, label, libraryWorld, type LibraryWorld } from '../../store/library/libraryWorld';
import { openTurn } from '../../../support/sessionDbWorld';

let built: BuiltStoreWorker;
let world: LibraryWorld;
let here: StoreConnection;
let library: LibraryClient;
let others: OtherFolders;
let copies: OpenCopies;
const there = (): string => world.folderOf('a'.repeat(32));
const reading = (): readonly string[] =>
  existsSync(join(world.root, 'reading')) ? readdirSync(join(world.root, 'reading')) : [];

beforeAll(async () => {
  built = await buildStoreWorker({ libraryWorker: 'src/features/otherFolders/core/libraryWorker.ts' });
});
afterAll(() => built.remove());
beforeEach(async () => {
  world = await libraryWorld();
  here = openStore({ storageFolder: world.places.own, workerEntry: built.entry, clock: systemClock, log: silentLog });
  await here.open();
  library = new LibraryClient(join(built.folder, 'libraryWorker.js'), join(world.root, 'reading'), systemClock);
  copies = new OpenCopies(library, () => startStoreWorker(built.entry));
  const window = {
    gateway: { actions: here.store },
    history: {
      store: here.store,
      status: { isReadable: true, settled: () => Promise.resolve() },
      connection: { during: <T>(work: T) => work },
    },
  };
  others = new OtherFolders(library, window as unknown as WindowContext, () => world.places);
});
afterEach(async () => {
  copies.dispose();
  await library.close();
  await here.close();
  world.remove();
});

describe('sessions of other folders, through the threads that read and write them', () => {
  it('are listed, brought over whole with their notes, and then marked as brought over; the original is untouched', async () => {
    const owner = world.open(there());
    label(owner.store);
    for (let n = 0; n < 60; n++) converse(owner.store, `s${n}`, `Answer ${n}`, 100 + n);
    owner.close();
    for (const [folder, note] of [
      [there(), 'theirs'],
      [world.places.own, 'ours'],
    ] as const) {
      mkdirSync(join(folder, 'memories'), { recursive: true });
      writeFileSync(join(folder, 'memories', 'MEMORY.md'), note);
    }
    writeFileSync(join(there(), 'memories', 'USER.md'), 'only theirs');
    const before = world.contentOf(there());
    const [found] = await others.list();
    if (found === undefined) throw new Error('nothing was found');
    const progress: string[] = [];
    const brought = await others.bringAll(found, ({ done, total }) => progress.push(`${done}/${total}`));
    const again = await others.list();
    expect({
      found: [found.label?.path, found.sessions, found.broughtAt],
      progress,
      brought,
      here: (await here.store.listSessions({ limit: 100 })).length,
      problems: await here.store.verifyIntegrity(),
      notes: ['MEMORY.md', 'USER.md'].map((name) => readFileSync(join(world.places.own, 'memories', name), 'utf8')),
      again: again.map(({ broughtAt, lastActiveAt }) => broughtAt === lastActiveAt),
      untouched: JSON.stringify(world.contentOf(there())) === JSON.stringify(before),
      copies: reading(),
    }).toEqual({
      found: ['/home/me/project', 60, null],
      progress: ['0/60', '25/60', '50/60'],
      brought: { sessions: 60, messages: 120, skipped: 0, newIds: {} },
      here: 60,
      problems: [],
      notes: ['ours', 'only theirs'],
      again: [true],
      untouched: true,
      copies: [],
    });
  });

  it('stay unchanged when bringing over is stopped; what arrived is here, and the rest comes next time', async () => {
    const owner = world.open(there());
    for (let n = 0; n < 60; n++) converse(owner.store, `s${n}`, `Answer ${n}`, 100 + n);
    owner.close();
    const [found] = await others.list();
    if (found === undefined) throw new Error('nothing was found');
    const stopping = new AbortController();
    await others.bringAll(
      found,
      ({ done }) => {
        if (done > 0) stopping.abort();
      },
      stopping.signal,
    );
    const half = (await here.store.listSessions({ limit: 100 })).length;
    const markedAt = (await others.list())[0]?.broughtAt;
    const rest = await others.bringAll(found, () => undefined);
    expect([half, markedAt, rest.sessions]).toEqual([50, null, 10]);
  });

  it('are not brought over while their own window answers in them', async () => {
    const owner = world.open(there());
    converse(owner.store, 's1', 'One');
    openTurn(owner.store as Parameters<typeof openTurn>[0], { sessionId: 's1', turnUid: 't9', text: 'Running' });
    await expect(others.bringSession(there(), 's1')).rejects.toThrow(
      'Hermes is answering in that folder’s window. Wait or stop it there, then copy the sessions.',
    );
    expect([(await here.store.listSessions({ limit: 9 })).length, reading()]).toEqual([0, []]);
    owner.close();
  });

  it('are read from one copy by all readers, which is removed with the last reader', async () => {
    const owner = world.open(there());
    converse(owner.store, 's1', 'Read me');
    const [first, second] = await Promise.all([copies.open(there()), copies.open(there())]);
    const { messages } = await second.store.readTranscript({ sessionId: 's1', limit: 9 });
    first.close();
    first.close();
    const stillThere = await second.store.search({ text: 'Read', limit: 9 });
    expect([messages.length, stillThere.length, reading().length]).toEqual([2, 2, 1]);
    await expect(second.store.setTitle('s1', 'Other', 'person')).rejects.toMatchObject({ name: 'StoreError' });
    second.close();
    await vi.waitFor(() => expect(reading()).toEqual([]));
    owner.close();
  });
});
