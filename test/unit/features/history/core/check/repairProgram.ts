import { join } from 'node:path';
import { nodeReadingDeps } from '../../../../../../src/store/library/nodeReading';
import { checkStore } from '../../../../../../src/features/history/core/check/checking';
import { repairPlans } from '../../../../../../src/features/history/core/check/repairPlan';
import type { OpenFile, OpenMode } from '../../../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../../../src/store/engine/nodeFileSystem';
import { openSessionStore } from '../../../../../../src/store/worker/openedStore';
import { testTime } from '../../../../../support/testStore';

/** Kills the process, and waits for its end. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** A disk on which the process is killed at a change: before it, or in the middle of a write. */
class DeadlyDisk extends NodeFileSystem {
  /** Changes that are still done. */
  left = Number.POSITIVE_INFINITY;

  override open(path: string, mode: OpenMode): OpenFile {
    const file = super.open(path, mode);
    return {
      read: (into, position) => file.read(into, position),
      write: (from, position) => {
        if (--this.left < 0) {
          file.write(from.subarray(0, Math.floor(from.length / 2)), position);
          die();
        }
        file.write(from, position);
      },
      truncate: (size) => this.change(() => file.truncate(size)),
      sync: () => this.change(() => file.sync()),
      size: () => file.size(),
      identity: () => file.identity(),
      isUnlinked: () => file.isUnlinked(),
      close: () => file.close(),
    };
  }

  override rename(from: string, to: string): void {
    this.change(() => super.rename(from, to));
  }

  override remove(path: string): void {
    this.change(() => super.remove(path));
  }

  private change(work: () => void): void {
    if (--this.left < 0) die();
    work();
  }
}

/** Repairs a store, or undoes its newest repair, and is killed after so many changes of the disk. Arguments: sql-wasm.wasm, folder of the
 *  store, `repair` or `undo`, the session, and the number of changes. Prints `done` when it is not killed. */
async function main(): Promise<void> {
  const [wasm = '', folder = '', action = '', sessionId = '', changes = ''] = process.argv.slice(2);
  const deps = { ...(await nodeReadingDeps(wasm, join(folder, '..', 'copies'))), now: () => testTime };
  const disk = new DeadlyDisk();
  const lock = disk.open(join(folder, 'state.db.lock'), 'create');
  const fence = lock.identity();
  lock.close();
  const { operations } = openSessionStore(
    { sqlite: deps.sqlite, fileSystem: disk, now: deps.now },
    { folder, salvage: false, fence },
  );
  const [plan] = repairPlans((await checkStore(deps, folder)).findings);
  disk.left = Number(changes);
  if (action === 'undo') operations.undoRepair(sessionId, operations.repairsOf(sessionId)[0]?.repairId ?? '');
  else if (plan !== undefined) operations.repairSession({ repairId: 'repair', at: testTime, ...plan });
  disk.left = Number.POSITIVE_INFINITY;
  process.stdout.write('done\n');
}

void main();
