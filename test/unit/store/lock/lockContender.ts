import { closeSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { acquireLock } from '../../../../src/store/lock/acquireLock';
import { SystemProcessTable } from '../../../../src/store/lock/processLookup';

/** One of several processes that want the same lock: takes it, proves that nobody else has it, gives it back; prints how often. Arguments:
 *  folder, path of the lock, number of times, and `die` to be killed while holding it the last time. */
const [folder = '', path = '', times = '1', end = ''] = process.argv.slice(2);
const fileSystem = new NodeFileSystem();
const processes = new SystemProcessTable();
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): unknown => Atomics.wait(sleeper, 0, 0, ms);

const inside = join(folder, 'inside');
let held = 0;
while (held < Number(times)) {
  const attempt = acquireLock({ fileSystem, folder, path, processes, now: () => Date.now() / 1000 });
  if (attempt.kind === 'heldBy') {
    sleep(Math.random() * 3);
    continue;
  }
  held += 1;
  const lastTime = held === Number(times);
  if (end === 'die' && lastTime) {
    process.stdout.write('dying\n', () => process.kill(process.pid, 'SIGKILL'));
    sleep(0);
    break;
  }
  // Fails when another process is inside.
  closeSync(openSync(inside, 'wx'));
  sleep(Math.random() * 2);
  attempt.lock.assertHeld();
  unlinkSync(inside);
  attempt.lock.release();
}
if (end !== 'die') process.stdout.write(`held ${held}\n`);
