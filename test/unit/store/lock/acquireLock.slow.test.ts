import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { FileSystemError, type OpenFile, type OpenMode } from '../../../../src/store/engine/fileSystem';
import { StoreError } from '../../../../src/store/storeError';
import type { LockAttempt } from '../../../../src/store/lock/acquireLock';
import { acquireLock } from '../../../../src/store/lock/acquireLock';
import { assertFence } from '../../../../src/store/lock/heldLock';
import type { HeldLock } from '../../../../src/store/lock/heldLock';
import type { ProcessIdentity } from '../../../../src/store/lock/lockRecord';
import type { ProcessTable } from '../../../../src/store/lock/processLookup';
import { SystemProcessTable } from '../../../../src/store/lock/processLookup';
import { bundleProgram, NodeProgram } from '../../../support/nodeProgram';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-lock-'));
  path = join(folder, 'state.db.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const someone: ProcessIdentity = {
  pid: 4711,
  startedAt: '100',
  boot: 'boot-a',
  pidNamespace: 'pid:[4026531836]',
  machine: 'machine-a',
  host: 'desk',
};

/** A machine on which `self` asks and only the given processes run. */
function machine(
  self: Partial<ProcessIdentity> = {},
  running: Readonly<Record<number, string | null>> = { 4711: '100' },
): ProcessTable {
  return {
    self: () => ({ ...someone, ...self }),
    find: (pid) => (pid in running ? { startedAt: running[pid] ?? null } : undefined),
  };
}

function acquire(processes: ProcessTable, fileSystem = new NodeFileSystem()): LockAttempt {
  return acquireLock({
    fileSystem,
    folder,
    processes,
    endpoint: { socketPath: `/run/${processes.self().pid}.sock`, token: 'secret' },
    now: () => 1000,
  });
}

function held(attempt: LockAttempt): HeldLock {
  if (attempt.kind !== 'held') throw new Error(`expected the lock, it is held by ${attempt.owner.description}`);
  return attempt.lock;
}

/** Makes the lock file look untouched for so long. */
function age(seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

describe('a lock on a disk without a free byte', () => {
  class FullDisk extends NodeFileSystem {
    override open(name: string, mode: OpenMode): OpenFile {
      if (mode === 'createNew') throw new FileSystemError('ENOSPC', 'open', name);
      return super.open(name, mode);
    }
  }
  const attempt = (processes: ProcessTable): string => {
    try {
      return acquire(processes, new FullDisk()).kind;
    } catch (error) {
      return error instanceof StoreError ? error.causeClass : 'unexpected';
    }
  };

  test('still belongs to a living process, and to none once that process is gone', () => {
    const held = acquire(machine());
    expect([attempt(machine({ pid: 1 })), attempt(machine({ pid: 1 }, {}))]).toEqual(['heldBy', 'full']);
    if (held.kind === 'held') held.lock.release();
    expect(attempt(machine({ pid: 1 }))).toBe('full');
  });
});

describe('taking the lock', () => {
  test('leaves one private file that names its owner, and nothing else', () => {
    const lock = held(acquire(machine()));
    lock.assertHeld();
    expect({
      names: readdirSync(folder),
      mode: statSync(path).mode & 0o777,
      record: JSON.parse(readFileSync(path, 'utf8')),
    }).toEqual({
      names: ['state.db.lock'],
      mode: 0o600,
      record: {
        version: 1,
        owner: someone,
        endpoint: { socketPath: '/run/4711.sock', token: 'secret' },
        heartbeat: 1000,
      },
    });
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a second process learns who holds it and how to ask', () => {
    held(acquire(machine()));
    expect(acquire(machine({ pid: 5000, startedAt: '200' }))).toEqual({
      kind: 'heldBy',
      owner: {
        endpoint: { socketPath: '/run/4711.sock', token: 'secret' },
        visible: true,
        description: 'process 4711 on this machine',
      },
    });
    expect(readdirSync(folder)).toEqual(['state.db.lock']);
  });

  test('works where the file system has no links', () => {
    class Linkless extends NodeFileSystem {
      override link(_existing: string, created: string): void {
        throw new FileSystemError('EPERM', 'link', created);
      }
    }
    const lock = held(acquire(machine(), new Linkless()));
    expect(acquire(machine({ pid: 5000 }), new Linkless()).kind).toBe('heldBy');
    lock.release();
    expect(held(acquire(machine({ pid: 5000 }), new Linkless())).fence).toEqual(expect.any(String));
  });
});

describe('an owner that is gone', () => {
  const cases: readonly (readonly [
    name: string,
    newcomer: ProcessTable,
    silentSeconds: number,
    kind: LockAttempt['kind'],
  ])[] = [
    ['its pid is not in use', machine({ pid: 5000 }, {}), 0, 'held'],
    ['its pid is another process now', machine({ pid: 5000 }, { 4711: '999' }), 0, 'held'],
    ['it lives, however long it was silent (a suspended laptop)', machine({ pid: 5000 }), 86_400, 'heldBy'],
    ['the machine was started again', machine({ pid: 5000, boot: 'boot-b' }, {}), 0, 'held'],
    [
      'another boot of a container proves nothing',
      machine({ pid: 5000, boot: 'boot-b', pidNamespace: 'pid:[1]' }, {}),
      0,
      'heldBy',
    ],
    ['another machine, heard of a moment ago', machine({ pid: 5000, host: 'lap' }, {}), 30, 'heldBy'],
    ['another machine, silent for over a minute', machine({ pid: 5000, host: 'lap' }, {}), 61, 'held'],
    ['another container, heard of a moment ago', machine({ pid: 5000, pidNamespace: 'pid:[2]' }, {}), 30, 'heldBy'],
    ['another container, silent for over a minute', machine({ pid: 5000, pidNamespace: 'pid:[2]' }, {}), 61, 'held'],
    ['no start times, pid in use, recent', machine({ pid: 5000 }, { 4711: null }), 30, 'heldBy'],
    ['no start times, pid in use, silent for over a minute', machine({ pid: 5000 }, { 4711: null }), 61, 'held'],
  ];
  test.each(cases)('%s', (_name, newcomer, silentSeconds, kind) => {
    held(acquire(machine()));
    age(silentSeconds);
    expect(acquire(newcomer).kind).toBe(kind);
  });

  test('learns from the fence that it was replaced, and its release leaves the new lock alone', () => {
    const old = held(acquire(machine()));
    const fresh = held(acquire(machine({ pid: 5000 }, {})));
    const replaced = expect.objectContaining({ causeClass: 'replaced' });
    expect(() => old.assertHeld()).toThrow(replaced);
    expect(() => old.heartbeat()).toThrow(replaced);
    expect(() => assertFence(new NodeFileSystem(), path, old.fence)).toThrow(replaced);
    old.release();
    fresh.assertHeld();
    assertFence(new NodeFileSystem(), path, fresh.fence);
  });

  test('a fence never matches a later lock, although the numbers of removed files are reused', () => {
    const old = held(acquire(machine()));
    const seen = new Set([old.fence]);
    for (let round = 0; round < 50; round += 1) {
      unlinkSync(path);
      const next = held(acquire(machine({ pid: 5000 }, {})));
      expect(next.fence).not.toBe(old.fence);
      seen.add(next.fence);
      next.release();
      held(acquire(machine({ pid: 5000 }, {})));
    }
    expect(() => old.assertHeld()).toThrow();
  });

  test("a heartbeat uses the disk's clock", () => {
    const lock = held(acquire(machine()));
    age(61);
    lock.heartbeat();
    expect(acquire(machine({ pid: 5000, host: 'lap' }, {})).kind).toBe('heldBy');
  });
});

describe('unfinished and leftover files', () => {
  test('an empty lock is left alone while its creator may still be writing it', () => {
    writeFileSync(path, '');
    expect(acquire(machine()).kind).toBe('heldBy');
    age(11);
    expect(acquire(machine()).kind).toBe('held');
  });

  test('a guard left by a crash during a takeover does not block the next takeover', () => {
    held(acquire(machine()));
    linkSync(path, `${path}.takeover`);
    const newcomer = machine({ pid: 5000 }, {});
    expect([acquire(newcomer).kind, acquire(newcomer).kind]).toEqual(['heldBy', 'held']);
  });
});

test('the system distinguishes this process from every other', () => {
  const processes = new SystemProcessTable();
  const self = processes.self();
  expect(processes.find(self.pid)).toEqual({ startedAt: self.startedAt });
  // The largest pid a Linux kernel can be configured to.
  expect(processes.find(4_194_304)).toBeUndefined();
});

describe('several processes', () => {
  test('compete for a stale lock ten times, and two never hold it at once', async () => {
    const program = await bundleProgram(join(__dirname, 'lockContender.ts'), folder);
    const dead = new NodeProgram(program, [folder, path, '1', 'die']);
    await dead.line('dying');
    await dead.kill();
    expect(statSync(path).isFile()).toBe(true);
    const contenders = [1, 2, 3, 4].map(() => new NodeProgram(program, [folder, path, '10']));
    expect(await Promise.all(contenders.map((contender) => contender.finish()))).toEqual(Array(4).fill(['held 10']));
    expect(readdirSync(folder)).toEqual(['lockContender.cjs']);
  });
});
