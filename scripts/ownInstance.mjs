/** What keeps one `npm start` apart from another in the same checkout, and from the end of the npm that started it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Takes a folder for the profile, server and sample of this process: `home`, or `home/2` and so on while other
 * processes use the ones before. It is free again once this process has ended, in whatever way.
 */
export function ownInstance(home) {
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? home : path.join(home, String(number));
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'running.pid');
    const holder = textOf(file);
    if (holder !== '' && holder === identityOf(Number.parseInt(holder, 10))) continue;
    fs.rmSync(file, { force: true });
    try {
      fs.writeFileSync(file, identityOf(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code === 'EEXIST') continue;
      throw error;
    }
    process.once('exit', () => fs.rmSync(file, { force: true }));
    return { folder, number };
  }
}

/**
 * Calls `end` when the npm that runs this script has ended: npm passes on the signals of a terminal, and none that it
 * gets alone. Does nothing for a script that npm did not start.
 */
export function followNpm(end, everyMs = 500) {
  const npm = process.env.npm_lifecycle_event ? npmAbove(process.ppid) : undefined;
  if (npm === undefined) return;
  const watching = setInterval(() => {
    if (isRunning(npm)) return;
    clearInterval(watching);
    end();
  }, everyMs);
  watching.unref();
}

/** npm itself, or the shell between: npm is its parent then. Undefined where the system cannot say. */
function npmAbove(parent) {
  if (process.platform === 'win32') return parent;
  const [, above, args] = /^(\d+)\s+(.*)/.exec(ps('ppid=,args=', parent) ?? '') ?? [];
  if (args === undefined) return undefined;
  return /^npm\b|[/\\]npm(-cli\.js)?\b/.test(args) ? parent : Number(above);
}

/** The process number and, where the system says it, its start: numbers are used again. Empty when it has ended. */
function identityOf(pid) {
  if (!isRunning(pid)) return '';
  return `${pid} ${process.platform === 'win32' ? '' : (ps('lstart=', pid) ?? '')}`.trim();
}

function ps(columns, pid) {
  return spawnSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim();
}

function textOf(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
