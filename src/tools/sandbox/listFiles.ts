import { spawn } from 'node:child_process';
import type { ListFiles } from './foundFiles';

/** Flags for ripgrep. Include ignored files, which often hold secrets and files that tools run. Leave out installed
 *  packages and Git's own files, except those that show where a repository is. */
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
      // 1: no files. 2: some could not be read, which a command could not do either. A signal: the list may be
      // incomplete.
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
