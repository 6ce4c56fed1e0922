import { spawn } from 'node:child_process';
import type { ListFiles } from './foundFiles';

/** Lists by ripgrep: ignored files too, because that is where secrets and what tools run often lie; not what package managers have installed, and of
 *  Git's own files only those that tell where a repository is. */
const flags = [
  '--files',
  '--hidden',
  '--no-ignore',
  '--no-config',
  '--no-messages',
  '--null',
  '--glob=!**/node_modules/**',
  '--glob=!**/.git/*/**',
  '.',
];

export function listFilesWith(ripgrep: string): ListFiles {
  return (folder) =>
    new Promise((resolve, reject) => {
      const child = spawn(ripgrep, flags, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
      const pieces: Buffer[] = [];
      child.stdout.on('data', (piece: Buffer) => void pieces.push(piece));
      child.once('error', reject);
      // 1: there is none; 2: some could not be looked at, not by a command either. A signal: the list may be cut off.
      child.once('close', (code) =>
        code === null
          ? reject(new Error(`the files of ${folder} could not be listed`))
          : resolve(namesIn(Buffer.concat(pieces).toString('utf8'))),
      );
    });
}

function namesIn(output: string): readonly string[] {
  return output
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.replace(/^\.\//, ''));
}
