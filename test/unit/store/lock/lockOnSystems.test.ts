import { describe, expect, test } from 'vitest';
import type { FileSystem, OpenFile } from '../../../../src/store/engine/fileSystem';
import { acquireLock, type LockAttempt } from '../../../../src/store/lock/acquireLock';
import type { HeldLock } from '../../../../src/store/lock/heldLock';
import type { ProcessTable } from '../../../../src/store/lock/processLookup';
import { StoreError } from '../../../../src/store/storeError';
import { SimulatedDisk } from '../../../support/simulatedDisk';

/** One process's use of a disk: when it ends, the system closes its files. */
class SimulatedProcess {
  private readonly files = new Set<OpenFile>();
  readonly fileSystem: FileSystem;

  constructor(disk: SimulatedDisk) {
    const open: FileSystem['open'] = (...args) => {
      const file = disk.open(...args);
      this.files.add(file);
      return file;
    };
    this.fileSystem = new Proxy<FileSystem>(disk, {
      get: (_disk, name) => {
        const value: unknown = name === 'open' ? open : Reflect.get(disk, name);
        return typeof value === 'function' ? (value.bind(disk) as unknown) : value;
      },
    });
  }

  end(): void {
    for (const file of this.files) file.close();
  }
}

/** Windows of one machine, by process id. */
class Machine {
  private readonly running = new Map<number, SimulatedProcess>();

  constructor(private readonly disk: SimulatedDisk) {}

  take(pid: number): LockAttempt {
    const process = this.running.get(pid) ?? new SimulatedProcess(this.disk);
    this.running.set(pid, process);
    return acquireLock({
      fileSystem: process.fileSystem,
      folder: '/store',
      processes: this.processes(pid),
      now: () => 1000,
    });
  }

  die(pid: number): void {
    this.running.get(pid)?.end();
    this.running.delete(pid);
  }

  /** The process lives, but counts as gone, as one that slept for long and whose id can't be judged. */
  forget(pid: number): void {
    this.running.delete(pid);
  }

  private processes(pid: number): ProcessTable {
    return {
      self: () => ({ pid, startedAt: '1', boot: 'b', pidNamespace: null, machine: 'm', host: 'desk' }),
      find: (other) => (this.running.has(other) ? { startedAt: '1' } : undefined),
    };
  }
}

function held(attempt: LockAttempt): HeldLock {
  if (attempt.kind !== 'held') throw new Error(`held by ${attempt.owner.description}`);
  return attempt.lock;
}

function isHeld(lock: HeldLock): boolean {
  try {
    lock.assertHeld();
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

describe.each(['posix', 'ntfs', 'apfs'] as const)('the lock on %s', (system) => {
  test('is taken once, released, and taken again', () => {
    const machine = new Machine(new SimulatedDisk({ system }));
    const first = held(machine.take(1));
    const whileHeld = machine.take(2).kind;
    first.release();
    expect([whileHeld, machine.take(2).kind]).toEqual(['heldBy', 'held']);
  });

  test('of a window that died is taken over by one of two others, and leftovers are removed', () => {
    let now = 0;
    const disk = new SimulatedDisk({ system, now: () => now });
    const machine = new Machine(disk);
    held(machine.take(1));
    disk.put('/store/state.db.lock.9-9', new Uint8Array([1]));
    now = 1000;
    machine.die(1);
    const [second, third] = [machine.take(2), machine.take(3)];
    expect([second.kind, third.kind, disk.list('/store').includes('state.db.lock.9-9')]).toEqual([
      'held',
      'heldBy',
      false,
    ]);
  });

  test('has one holder at most when the owner counts as gone and lives', () => {
    const machine = new Machine(new SimulatedDisk({ system }));
    const first = held(machine.take(1));
    machine.forget(1);
    const second = machine.take(2);
    expect([isHeld(first), second.kind]).toEqual([false, system === 'ntfs' ? 'heldBy' : 'held']);
    // Windows gives the name away once the former owner closes its file.
    machine.die(1);
    first.release();
    if (second.kind === 'held') second.lock.release();
    expect(machine.take(3).kind).toBe('held');
  });
});
