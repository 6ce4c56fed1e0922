/**
 * Ends what a killed test run left behind. Started by `guard()` with the session's folder; its standard input closes when the process
 * that started it ends, in whatever way. Plain JavaScript, so that it runs without a build.
 */
import fs from 'node:fs';

const [root, folder] = process.argv.slice(2);
const marker = `HERMES_HARNESS_ROOT=${root}`;

function survivors() {
  return fs.readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      return (
        fs.readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(marker) &&
        fs.readFileSync(`/proc/${name}/cmdline`).length > 0
      );
    } catch {
      return false; // it ended meanwhile, or is another user's
    }
  });
}

process.stdin.resume();
process.stdin.on('close', async () => {
  for (let round = 0; round < 40; round += 1) {
    const pids = survivors();
    if (pids.length === 0) break;
    for (const pid of pids) {
      try {
        process.kill(Number(pid), round < 10 ? 'SIGTERM' : 'SIGKILL');
      } catch {
        continue; // it ended meanwhile
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if (folder === 'remove' && root) fs.rmSync(root, { recursive: true, force: true });
  process.exit(0);
});
