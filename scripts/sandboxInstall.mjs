/** What commands are confined with on Linux, and whether that works here. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const programs = ['bwrap', 'socat', 'rg'];
const packages = ['bubblewrap', 'socat', 'ripgrep'];

/** Installs what is missing where that is possible without asking anyone.
 *  @param {(line: string) => void} say where progress goes */
export function ensureSandbox(say = console.log) {
  if (process.platform !== 'linux' || missing().length === 0) return;
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return;
  say('Installing bubblewrap, socat and ripgrep with apt-get (once) …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...packages],
  ]) {
    const run = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`apt-get ${args[0]} failed:\n${run.stdout}${run.stderr}`);
  }
}

/** Why commands cannot be confined here; undefined where they can. @returns {string | undefined} */
export function sandboxProblem() {
  if (process.platform !== 'linux') return 'the tests confine commands by bubblewrap, which is on Linux alone';
  if (missing().length > 0) return `${missing().join(', ')} cannot be found; install ${packages.join(', ')}`;
  const tried = spawnSync(
    'bwrap',
    ['--ro-bind', '/', '/', '--unshare-user', '--unshare-net', '--unshare-pid', '--proc', '/proc', 'true'],
    { encoding: 'utf8' },
  );
  return tried.status === 0 ? undefined : `bubblewrap does not work here: ${tried.stderr.trim()}`;
}

function missing() {
  return programs.filter((program) => spawnSync('which', [program]).status !== 0);
}
