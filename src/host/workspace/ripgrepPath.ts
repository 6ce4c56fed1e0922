import { spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** Places of the editor's own ripgrep, newest first. VS Code 1.122 moved it (microsoft/vscode#318691). */
export function ripgrepCandidates(appRoot: string, platform: NodeJS.Platform, architecture: string): readonly string[] {
  const binary = platform === 'win32' ? 'rg.exe' : 'rg';
  const packages = ['node_modules', 'node_modules.asar.unpacked'];
  return [
    ...packages.map((folder) =>
      join(appRoot, folder, '@vscode', 'ripgrep-universal', 'bin', `${platform}-${architecture}`, binary),
    ),
    ...packages.map((folder) => join(appRoot, folder, '@vscode', 'ripgrep', 'bin', binary)),
    ...packages.map((folder) => join(appRoot, folder, 'vscode-ripgrep', 'bin', binary)),
  ];
}

/** The first ripgrep found: the editor's own if its file exists, then one on PATH that runs. Null: none; search then
 *  reads the files itself. */
export async function findRipgrep(candidates: readonly string[]): Promise<string | null> {
  for (const candidate of candidates) {
    if (await exists(candidate)) return candidate;
  }
  return (await answersVersion('rg')) ? 'rg' : null;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function answersVersion(command: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, ['--version'], { stdio: 'ignore', timeout: 2000 });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
