import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem, OpenFile } from '../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { storeFiles } from '../../../../src/store/open/storeFiles';
import { StoreError } from '../../../../src/store/storeError';
import { openTurn, refusal } from '../../../support/sessionDbWorld';
import { converse, copyFolder, label, libraryWorld, type LibraryWorld, type OwnedStore } from './libraryWorld';

let world: LibraryWorld;
let opened: OwnedStore[];
beforeEach(async () => {
  world = await libraryWorld();
  opened = [];
});
afterEach(() => {
  for (const store of opened) store.close();
  world.remove();
});

const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string];

function owned(folder: string): OwnedStore {
  const store = world.open(folder);
  opened.push(store);
  return store;
}

function left(folder: string, fill: (store: OwnedStore['store']) => void): void {
  const { store, close } = world.open(folder);
  fill(store);
  close();
}

const seen = (): unknown =>
  world.library.survey(world.places, 0).map(({ folder, label: of, sessions, lastActiveAt, inUse, problem }) => ({
    folder,
    of: of?.path ?? null,
    sessions,
    lastActiveAt,
    inUse,
    problem,
  }));

describe('finding stores of other folders', () => {
  it("reports each store's folder, size and last use without touching any store", () => {
    left(world.places.own, (store) => converse(store, 'mine', 'Mine'));
    left(world.folderOf(`${'0'.repeat(32)}-1`), (store) => converse(store, 'sibling', 'Of an earlier build', 10));
    left(
      world.folderOf(a),
      (store) => (label(store), converse(store, 's1', 'One', 10), converse(store, 's2', 'Two', 20)),
    );
    left(world.folderOf(b), (store) => converse(store, 's3', 'Before labels', 30));
    left(
      join(world.root, 'shelf', 'project-1234'),
      (store) => (label(store, { path: '/elsewhere' }), converse(store, 's4', 'Chosen folder', 5)),
    );
    mkdirSync(world.folderOf(c), { recursive: true });
    const before = world.contentOf(world.root);
    expect(seen()).toEqual([
      { folder: world.folderOf(b), of: '/home/me/s3', sessions: 1, lastActiveAt: 31, inUse: false, problem: null },
      { folder: world.folderOf(a), of: '/home/me/project', sessions: 2, lastActiveAt: 21, inUse: false, problem: null },
      {
        folder: world.folderOf(`${'0'.repeat(32)}-1`),
        of: '/home/me/sibling',
        sessions: 1,
        lastActiveAt: 11,
        inUse: false,
        problem: null,
      },
      {
        folder: join(world.root, 'shelf', 'project-1234'),
        of: '/elsewhere',
        sessions: 1,
        lastActiveAt: 6,
        inUse: false,
        problem: null,
      },
    ]);
    expect(world.contentOf(world.root)).toEqual(before);
  });

  it('reads a store that another window has open from a private copy, log included, and keeps no copy', () => {
    const { store } = owned(world.folderOf(a));
    label(store);
    converse(store, 's1', 'Only in the log');
    const before = world.contentOf(world.folderOf(a));
    expect(seen()).toEqual([
      { folder: world.folderOf(a), of: '/home/me/project', sessions: 1, lastActiveAt: 11, inUse: true, problem: null },
    ]);
    expect(world.library.listSessions(world.folderOf(a), 9).map(({ id, preview }) => [id, preview])).toEqual([
      ['s1', 'Only in the log?'],
    ]);
    expect(world.contentOf(world.folderOf(a))).toEqual(before);
    expect(world.copies()).toEqual([]);
  });

  it('explains a damaged store, one of a newer version and one of another program, and lists the others', () => {
    for (const hash of [a, b, c])
      left(world.folderOf(hash), (store) => converse(store, `s-${hash}`, 'Text '.repeat(4000)));
    truncateSync(storeFiles(world.folderOf(a)).main, 9000);
    const newer = storeFiles(world.folderOf(b)).main;
    const bytes = readFileSync(newer);
    bytes.writeInt32BE(99, 60);
    writeFileSync(newer, bytes);
    const foreign = storeFiles(join(world.root, 'shelf', 'other')).main;
    copyFolder(world.folderOf(c), join(world.root, 'shelf', 'other'));
    const theirs = readFileSync(foreign);
    theirs.writeUInt32BE(1, 68);
    writeFileSync(foreign, theirs);
    const found = world.library.survey(world.places, 0);
    expect(Object.fromEntries(found.map(({ folder, sessions, problem }) => [folder, problem ?? sessions]))).toEqual({
      [world.folderOf(a)]:
        'The file of these sessions is damaged. Open the folder it belongs to, and everything readable in it is saved.',
      [world.folderOf(b)]: 'These sessions were saved by a newer version of Hermes.',
      [world.folderOf(c)]: 1,
    });
    expect(refusal(() => world.library.takeCopy(world.folderOf(a), null))).toBe('corrupt');
    expect(world.copies()).toEqual([]);
  });
});

describe('a private copy', () => {
  it('is a separate store while the owner continues, and is gone when removed', () => {
    const { store } = owned(world.folderOf(a));
    converse(store, 's1', 'One');
    const copy = world.library.takeCopy(world.folderOf(a), null);
    converse(store, 's2', 'Two', 20);
    const reader = owned(join(copy.folder, '..', 'again'));
    reader.store.copyToThisFolder({ folder: copy.folder, sessionIds: copy.sessionIds, moves: true });
    expect({
      ...copy,
      folder: null,
      there: world.copies().length,
      sessions: reader.store.listSessions({ limit: 9 }).map(({ id }) => id),
      owner: store.verifyIntegrity(),
    }).toEqual({
      folder: null,
      sessionIds: ['s1'],
      inUse: true,
      answering: null,
      there: 2,
      sessions: ['s1'],
      owner: [],
    });
    world.library.removeCopy(copy.folder);
    expect(world.copies()).toEqual(['again']);
  });

  it('names a conversation with its segments and sub-agents, and which window is answering in it', () => {
    const { store } = owned(world.folderOf(a));
    converse(store, 's1', 'One');
    converse(store, 'other', 'Other');
    store.compressSession({ parentId: 's1', childId: 's2', handoff: 'So far', summarisedUpTo: 'a-t-s1', now: 20 });
    store.createSession({ id: 'sub', startedAt: 21, parentSessionId: 's2', parentKind: 'delegate' });
    openTurn(store, { turnUid: 't9', sessionId: 's2', startedAt: 22 });
    const { sessionIds, answering } = world.library.takeCopy(world.folderOf(a), 's1');
    expect({ sessionIds, answering }).toEqual({ sessionIds: ['s1', 's2', 'sub'], answering: 's2' });
    expect(refusal(() => world.library.takeCopy(world.folderOf(a), 'nobody'))).toBe('not-found');
  });

  it('left behind by a dead process is removed at the next use of the library', () => {
    left(world.folderOf(a), (store) => converse(store, 's1', 'One'));
    world.library.takeCopy(world.folderOf(a), null);
    const [name = ''] = world.copies();
    const lock = storeFiles(join(world.root, 'copies', name)).lock;
    const record = JSON.parse(readFileSync(lock, 'utf8')) as { owner: { pid: number; startedAt: string | null } };
    writeFileSync(lock, JSON.stringify({ ...record, owner: { ...record.owner, pid: 2 ** 22 + 1 } }));
    world.libraryOver(new NodeFileSystem()).survey(world.places, 0);
    expect(world.copies()).toEqual([]);
  });

  it('captures a single moment, whatever the owner does while it is made', () => {
    const { store } = owned(world.folderOf(a));
    const sessions = Array.from({ length: 40 }, (_, n) => `s${n}`);
    for (const id of sessions) converse(store, id, `Answer of ${id}. `.repeat(6000));
    store.checkpoint();
    // Rewrites sessions all over the file, and carries the log over, before every block that is read of it.
    let round = 0;
    const disturbed = new DisturbedFileSystem(world.folderOf(a), () => {
      if (round >= 16) return;
      round++;
      for (const id of sessions) store.setDraft(id, `round ${round} `.repeat(100));
      converse(store, `later${round}`, `Round ${round} `.repeat(2000), 100 + round);
      if (round % 4 !== 0) store.checkpoint();
    });
    const copy = world.libraryOver(disturbed).takeCopy(world.folderOf(a), null);
    const seen = owned(`${copy.folder}-seen`).store;
    seen.copyToThisFolder({ folder: copy.folder, sessionIds: copy.sessionIds, moves: true });
    const latest = copy.sessionIds.filter((id) => id.startsWith('later')).length;
    expect({
      drafts: [...new Set(sessions.map((id) => seen.draft(id)))],
      whole: copy.sessionIds.filter((id) => seen.activeMessages(id).length !== 2),
      problems: seen.verifyIntegrity(),
    }).toEqual({ drafts: [`round ${latest} `.repeat(100)], whole: [], problems: [] });
    expect(round).toBeGreaterThan(5);
  });

  it('is abandoned with a sentence when the owner never pauses', () => {
    const { store } = owned(world.folderOf(a));
    converse(store, 's0', 'First');
    let written = 0;
    const library = world.libraryOver(
      new DisturbedFileSystem(world.folderOf(a), () => {
        store.setMeta('n', String(written++));
        store.checkpoint();
      }),
    );
    let sentence = '';
    try {
      library.takeCopy(world.folderOf(a), null);
    } catch (error) {
      if (error instanceof StoreError) sentence = error.message;
    }
    expect(sentence).toBe('These sessions are busy, so they couldn’t be read. Try again in a moment.');
    expect(world.copies().flatMap((name) => readdirSync(join(world.root, 'copies', name)))).toEqual([]);
  });
});

/** The real disk, on which somebody does something before every reading of a store's file. */
class DisturbedFileSystem extends NodeFileSystem implements FileSystem {
  constructor(
    private readonly folder: string,
    private readonly disturb: () => void,
  ) {
    super();
  }

  override open(...[path, mode]: Parameters<FileSystem['open']>): OpenFile {
    const file = super.open(path, mode);
    const { main, log } = storeFiles(this.folder);
    if (mode !== 'read' || (path !== main && path !== log)) return file;
    const { disturb } = this;
    return new Proxy(file, {
      get: (target, name, receiver) => {
        if (name === 'read') {
          return (into: Uint8Array, position: number): number => {
            disturb();
            return target.read(into, position);
          };
        }
        const value: unknown = Reflect.get(target, name, receiver);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
