import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isOverdue, syncLine } from '../../../../../src/features/sync/host/syncLabels';
import { serverOf, SyncMemory } from '../../../../../src/features/sync/host/syncMemory';
import { maskSecrets } from '../../../../../src/models/secrecy/secrecy';
import { parseConnectionString } from '../../../../../src/features/sync/core/postgres/connectionString';

function remembering() {
  const [secrets, meta, global] = [new Map<string, string>(), new Map<string, string>(), new Map<string, unknown>()];
  const memory = (): SyncMemory =>
    new SyncMemory(
      {
        get: async (key) => secrets.get(key),
        store: async (key, value) => void secrets.set(key, value),
        delete: async (key) => void secrets.delete(key),
      },
      { get: (key) => global.get(key), update: async (key, value) => void global.set(key, value) },
      { getMeta: async (key) => meta.get(key) ?? null, setMeta: async (key, value) => void meta.set(key, value) },
    );
  return { memory, meta, secrets, global };
}

const known = (n: number) => ({ history: `git:${n}`, name: `Repository ${n}`, server: 'me@host:1/d', isSealed: false });
const chosen = { isOn: true, history: 'name:x', name: 'Parcels', server: 'me@db:5432/d', isSealed: false };

describe('what is remembered of sync', () => {
  it('is the connection string in the secret storage, whose password is masked from then on', async () => {
    const { memory: remembered, secrets, meta } = remembering();
    const memory = remembered();
    expect(await memory.connection()).toBeNull();
    await memory.keepConnection(' postgres://me:correct-horse-9-battery@db.example/d ');
    expect(await memory.connection()).toBe('postgres://me:correct-horse-9-battery@db.example/d');
    expect([
      maskSecrets('it was correct-horse-9-battery').includes('correct-horse-9-battery'),
      meta.size,
      secrets.size,
    ]).toEqual([false, 0, 1]);
    await expect(memory.keepConnection('mysql://x')).rejects.toThrow('Write postgres://');
  });

  it('is one id for a store, until a copy of it is in use elsewhere', async () => {
    const { memory, meta } = remembering();
    const first = await memory().choose(chosen);
    const later = await memory().choose({ ...chosen, isOn: false });
    await memory().renewOrigin();
    const renewed = await memory().choice();
    expect([later.origin, renewed?.origin !== first.origin, renewed]).toEqual([
      first.origin,
      true,
      { ...chosen, origin: renewed?.origin, isOn: false },
    ]);
    meta.set('sync', '{"isOn":');
    expect(await memory().choice()).toBeNull();
  });

  it('is the name of the machine, which is its host name at first', async () => {
    const memory = remembering().memory();
    expect(memory.machine).toBe(hostname());
    await memory.nameMachine('Desk');
    expect(memory.machine).toBe('Desk');
  });

  it('is a history of another machine, found again on the same server only, as it was remembered last', async () => {
    const memory = remembering().memory();
    await memory.rememberHistory(known(1));
    await memory.rememberHistory({ ...known(1), isSealed: true });
    expect([
      memory.knownHistory('git:1', 'me@host:1/d'),
      memory.knownHistory('git:1', 'me@other:1/d'),
      memory.knownHistory('git:2', 'me@host:1/d'),
    ]).toEqual([{ ...known(1), isSealed: true }, null, null]);
  });

  it('forgets the oldest histories first, and none that cannot be read counts', async () => {
    const { memory: remembered, global } = remembering();
    const memory = remembered();
    for (let n = 0; n < 205; n++) await memory.rememberHistory(known(n));
    expect([4, 5, 204].map((n) => memory.knownHistory(`git:${n}`, 'me@host:1/d') !== null)).toEqual([
      false,
      true,
      true,
    ]);
    global.set('sync.histories', [{ history: 1 }]);
    expect(memory.knownHistory('git:204', 'me@host:1/d')).toBeNull();
  });

  it('names a database without the password', () => {
    expect(serverOf(parseConnectionString('postgres://me:secret@DB/d'))).toBe('me@db:5432/d');
  });
});

describe('the state in one line', () => {
  const status = { upTo: null, waiting: 0, waitingSince: null, removed: 0, refused: [], failure: null };

  it('says what is on the server, what waits, and why', () => {
    const at = new Date(2026, 0, 1, 14, 2).getTime() / 1000;
    expect([
      syncLine(status),
      syncLine({ ...status, upTo: at, waiting: 3, failure: { sentence: 'No network.', since: 1 } }),
    ]).toEqual([
      'Not yet on the server',
      expect.stringMatching(/^On the server up to 0?2:02.PM · To send: 3 · No network\.$/),
    ]);
  });

  it('is loud only when something could not be sent for a day', () => {
    const failure = { sentence: 'No network.', since: 0 };
    const day = 24 * 60 * 60;
    expect([
      isOverdue({ ...status, waiting: 1, waitingSince: 0, failure }, day + 1),
      isOverdue({ ...status, waiting: 1, waitingSince: 0, failure }, day - 1),
      isOverdue({ ...status, waiting: 1, waitingSince: 0 }, day + 1),
      isOverdue({ ...status, failure }, day + 1),
    ]).toEqual([true, false, false, false]);
  });
});
