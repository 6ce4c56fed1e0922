import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { SessionOperations } from '../../../../src/store/session/sessionStore';
import type { SearchHit } from '../../../../src/store/requests';
import { StoppedWork, type SlicedWork } from '../../../../src/store/slicedWork';
import { StoreError } from '../../../../src/store/storeError';
import type { Message } from '../../../../src/transcript/message';
import type { OpenedStore } from '../../../../src/store/worker/openedStore';
import type { StoreRequest } from '../../../../src/store/session/sessionStore';
import { portChannel, type MessagePort } from '../../../../src/base/threads/channel';
import { StoreClient } from '../../../../src/store/worker/storeClient';
import { StoreService } from '../../../../src/store/worker/storeService';
import { ManualClock } from '../../../support/manualClock';
import { emptyReport } from '../ownership/emptyReport';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

describe('a store served over a port', () => {
  it('answers calls in order and revives errors with their cause', async () => {
    const world = await served();
    const results = await Promise.allSettled([
      world.client.store.call('setDraft', ['new', 'a']),
      world.client.store.call('editQueued', ['gone', 'b']),
      world.client.store.call('draft', ['new']),
    ]);
    expect(results).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: new StoreError('not-found', 'This no longer exists.', 'queue') },
      { status: 'fulfilled', value: 'a' },
    ]);
    expect(results[1]?.status === 'rejected' && results[1].reason instanceof StoreError).toBe(true);
  });

  it('writes chunks between the slices of a search', async () => {
    const world = await served({ searchSlices: 4 });
    const search = world.client.store.call('search', [{ text: 'old', limit: 1 }]);
    world.during('slice 2', () => void world.client.store.call('appendChunks', [chunks('t')]));
    await search;
    expect(world.ran).toEqual(['slice 1', 'slice 2', 'appendChunks', 'slice 3', 'slice 4']);
  });

  it('drops a search when it is cancelled', async () => {
    const world = await served({ searchSlices: 1000 });
    const aborter = new AbortController();
    const search = world.client.store.call('search', [{ text: 'old', limit: 1 }], {
      signal: aborter.signal,
      leavesAtOnce: true,
    });
    world.during('slice 2', () => aborter.abort(new Error('no longer wanted')));
    await expect(search).rejects.toThrow('no longer wanted');
    await world.client.store.call('draft', ['new']);
    await world.client.store.call('draft', ['new']);
    expect(world.ran.filter((step) => step.startsWith('slice')).length).toBeLessThan(5);
  });

  it('indexes only after a second without requests, and stops for the next request', async () => {
    const world = await served({ dirtyRows: 100 });
    await world.client.store.call('setDraft', ['new', 'a']);
    const before = [...world.ran];
    world.during('indexBatch', () => void world.client.store.call('appendChunks', [chunks('t')]));
    await world.clock.advance(999);
    const almost = [...world.ran];
    await world.clock.advance(1);
    await world.quiet();
    expect({ before, almost, order: world.ran.slice(1, 4), last: world.ran.at(-1), left: world.dirtyRows() }).toEqual({
      before: ['setDraft'],
      almost: ['setDraft'],
      order: ['indexBatch', 'appendChunks', 'indexBatch'],
      last: 'indexBatch',
      left: 0,
    });
  });

  it('empties its log only after half a minute without requests', async () => {
    const world = await served();
    await world.client.store.call('setDraft', ['new', 'a']);
    await world.clock.advance(1000);
    await world.quiet();
    await world.clock.advance(29_000);
    await world.client.store.call('setDraft', ['new', 'ab']);
    await world.clock.advance(1000);
    await world.quiet();
    await world.clock.advance(29_999);
    await world.quiet();
    const before = [...world.ran];
    await world.clock.advance(1);
    await world.quiet();
    expect([before, world.ran.slice(before.length)]).toEqual([
      ['setDraft', 'indexBatch', 'setDraft', 'indexBatch'],
      ['checkpoint'],
    ]);
  });

  it('reports a failure of its own maintenance and continues', async () => {
    const world = await served({ checkpointFailure: new StoreError('full', 'The disk is full.', 'ENOSPC') });
    const heard: StoreError[] = [];
    world.client.store.onDidFailInBackground((error) => heard.push(error));
    await world.clock.advance(1000);
    await world.quiet();
    await world.clock.advance(30_000);
    await world.quiet();
    expect({
      heard: heard.map((error) => error.causeClass),
      draft: await world.client.store.call('draft', ['new']),
    }).toEqual({ heard: ['full'], draft: '' });
  });

  it('closes after the calls made before, and rejects those made after', async () => {
    const world = await served({ dirtyRows: 10 });
    const before = world.client.store.call('setDraft', ['new', 'last words']);
    const closed = world.client.store.close();
    await expect(world.client.store.call('draft', ['new'])).rejects.toMatchObject({ causeClass: 'locked' });
    await Promise.all([before, closed, world.client.store.close()]);
    expect({ first: world.ran[0], end: world.ran.slice(-2) }).toEqual({
      first: 'setDraft',
      end: ['checkpoint', 'close'],
    });
  });

  it('rejects every pending call and reports the death of the thread once', async () => {
    const world = await served({ searchSlices: 1000 });
    const failures: string[] = [];
    world.client.store.onDidFail((error) => failures.push(error.technical));
    const pending = [
      world.client.store.call('search', [{ text: 'x', limit: 1 }]),
      world.client.store.call('draft', ['new']),
    ];
    world.die('out of memory');
    const outcomes = await Promise.allSettled([...pending, world.client.store.call('draft', ['new'])]);
    expect({
      causes: outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.causeClass),
      failures,
    }).toEqual({
      causes: ['unknown', 'unknown', 'unknown'],
      failures: ['out of memory'],
    });
  });

  it('reports once that the file must be reopened, after answering the call that met it', async () => {
    const world = await served({ broken: true });
    const told: string[] = [];
    world.client.store.onDidFail((error) => told.push(error.causeClass));
    const calls = [
      world.client.store.call('editQueued', ['gone', 'b']),
      world.client.store.call('editQueued', ['gone', 'c']),
    ];
    const outcomes = await Promise.allSettled(calls);
    await world.quiet();
    expect({
      causes: outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.causeClass),
      told,
    }).toEqual({
      causes: ['not-found', 'not-found'],
      told: ['not-found'],
    });
  });

  describe('long work', () => {
    const rewind = { sessionId: 's', to: 'u', now: 1 };
    /** A rewind of so many slices, which takes back what it did, slice by slice, when it is asked to stop before the last one. */
    const rewinding =
      (slices: number) =>
      (note: (step: string) => void): Partial<OpenedStore['slices']> => ({
        *rewindSession(): SlicedWork<{ hidden: readonly string[]; draft: string; draftParts: [] }> {
          for (let slice = 1; slice < slices; slice++) {
            note(`slice ${slice}`);
            if ((yield { progress: { done: slice, total: slices } }) !== true) continue;
            note('taken back');
            throw new StoppedWork();
          }
          note(`slice ${slices}`);
          return { hidden: [], draft: 'words', draftParts: [] };
        },
        *activeMessages(): SlicedWork<readonly Message[]> {
          note('read 1');
          yield { entries: ['first', 'second'] };
          note('read 2');
          return ['last'] as unknown as readonly Message[];
        },
      });
    const chunksOf = (sessionId: string): ReturnType<typeof chunks> => ({
      ...chunks(`turn of ${sessionId}`),
      sessionId,
    });

    it('lets requests of other sessions through between any two slices, and those of its own after the last one', async () => {
      const world = await served({ slices: rewinding(4) });
      const done = world.client.store.call('rewindSession', [rewind]);
      world.during('slice 1', () => {
        void world.client.store.call('appendChunks', [chunksOf('s')]);
        void world.client.store.call('setDraft', ['new', 'a']);
        void world.client.store.call('appendChunks', [chunksOf('other')]);
      });
      await done;
      await world.quiet();
      expect(world.ran).toEqual([
        'slice 1',
        'appendChunks',
        'setDraft',
        'slice 2',
        'slice 3',
        'slice 4',
        'appendChunks',
      ]);
    });

    it('that only reads also lets text of its own session through', async () => {
      const world = await served({ slices: rewinding(1) });
      const rows = world.client.store.call('activeMessages', ['s']);
      world.during('read 1', () => void world.client.store.call('appendChunks', [chunksOf('s')]));
      expect([await rows, world.ran]).toEqual([
        ['first', 'second', 'last'],
        ['read 1', 'appendChunks', 'read 2'],
      ]);
    });

    it('reports its progress', async () => {
      const world = await served({ slices: rewinding(3) });
      const told: number[] = [];
      await world.client.store.call('rewindSession', [rewind], {
        onProgress: ({ done }: { readonly done: number }) => void told.push(done),
      });
      expect(told).toEqual([1, 2]);
    });

    it('that is cancelled rejects once it has rolled back everything, and resolves when it was done before', async () => {
      const world = await served({ slices: rewinding(3) });
      const [early, late] = [new AbortController(), new AbortController()];
      const stopped = world.client.store.call('rewindSession', [rewind], { signal: early.signal });
      world.during('slice 1', () => early.abort(new Error('not wanted')));
      await expect(stopped).rejects.toThrow('not wanted');
      const ran = [...world.ran];
      const done = world.client.store.call('rewindSession', [rewind], { signal: late.signal });
      world.during('slice 3', () => late.abort(new Error('too late')));
      expect([ran, (await done).draft]).toEqual([['slice 1', 'taken back'], 'words']);
    });

    it('is stopped by closing where possible, before the store is closed', async () => {
      const world = await served({ slices: rewinding(1000) });
      const cut = world.client.store.call('rewindSession', [rewind]);
      let closed: Promise<void> = Promise.resolve();
      world.during('slice 2', () => (closed = world.client.store.close()));
      await expect(cut).rejects.toMatchObject({ causeClass: 'locked' });
      await closed;
      expect(world.ran.slice(-3).concat(world.ran.filter((step) => step === 'taken back'))).toEqual([
        'indexBatch',
        'checkpoint',
        'close',
        'taken back',
      ]);
    });

    it('leaves its cleanup to an idle moment', async () => {
      const world = await served({ tidySlices: 2 });
      await world.client.store.call('setDraft', ['new', 'a']);
      await world.clock.advance(1000);
      await world.quiet();
      expect(world.ran).toEqual(['setDraft', 'tidy 1', 'tidy 2', 'indexBatch']);
    });
  });
});

const place = { folder: '/store', fence: 'mark', salvage: false };
const chunks = (turnUid: string): Extract<StoreRequest, { method: 'appendChunks' }>['args'][0] => ({
  sessionId: 's',
  turnUid,
  model: 'm',
  createdAt: 1,
  chunks: [],
});

interface StoreShape {
  readonly searchSlices?: number;
  readonly dirtyRows?: number;
  readonly checkpointFailure?: StoreError;
  readonly broken?: boolean;
  readonly tidySlices?: number;
  readonly slices?: (note: (step: string) => void) => Partial<OpenedStore['slices']>;
}

/** A service with a store that only notes what was run, and a client on the other side of a port that clones. */
async function served(shape: StoreShape = {}) {
  const ran: string[] = [];
  const hooks = new Map<string, () => void>();
  const note = (step: string): void => {
    ran.push(step);
    const hook = hooks.get(step);
    hooks.delete(step);
    hook?.();
  };
  let dirtyRows = shape.dirtyRows ?? 0;
  const drafts = new Map<string, string>();
  const operations: Partial<SessionOperations> = {
    setDraft: (key, text) => {
      note('setDraft');
      drafts.set(key, text);
    },
    draft: (key) => drafts.get(key) ?? '',
    editQueued: () => {
      throw new StoreError('not-found', 'This no longer exists.', 'queue');
    },
    openTurnOf: () => null,
    appendChunks: () => note('appendChunks'),
    indexBatch: (rows) => {
      note('indexBatch');
      dirtyRows = Math.max(0, dirtyRows - rows);
      return dirtyRows;
    },
    checkpoint: () => {
      if (shape.checkpointFailure) throw shape.checkpointFailure;
      note('checkpoint');
    },
  };
  const opened: OpenedStore = {
    operations: operations as SessionOperations,
    report: emptyReport,
    slices: {
      *search(): SlicedWork<readonly SearchHit[]> {
        for (let slice = 1; slice <= (shape.searchSlices ?? 0); slice++) {
          note(`slice ${slice}`);
          yield undefined;
        }
        return [];
      },
      ...shape.slices?.(note),
    },
    *tidySlices(): SlicedWork<void> {
      for (let slice = 1; slice <= (shape.tidySlices ?? 0); slice++) {
        note(`tidy ${slice}`);
        yield undefined;
      }
    },
    mustReopen: () => shape.broken === true,
    close: () => note('close'),
  };
  const world = wired(() => Promise.resolve(opened));
  await world.client.open(place);
  await world.quiet();
  return {
    ...world,
    ran,
    during: (step: string, hook: () => void) => void hooks.set(step, hook),
    dirtyRows: () => dirtyRows,
  };
}

function wired(open: () => Promise<OpenedStore>) {
  const clock = new ManualClock();
  const { port1, port2 } = new MessageChannel();
  const [near, far] = [portChannel(port1), portChannel(port2)];
  ports.push(port1, port2);
  let exited: (technical: string) => void = () => undefined;
  new StoreService(open, far, clock);
  const end = async (): Promise<void> => void port1.close();
  const client = new StoreClient({
    ...near,
    onExit: (listener) => {
      exited = listener;
    },
    terminate: end,
    keepProcess: () => undefined,
  });
  const die = (technical: string): void => {
    port1.close();
    exited(technical);
  };
  return { client, clock, die, quiet };
}

/** Everything here goes on by way of `setImmediate`: after so many rounds nothing is under way, however slow the machine is. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 100; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}
