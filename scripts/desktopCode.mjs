/** Finds and runs a desktop VS Code for `npm start`. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Why no desktop program can be opened here, or undefined. A terminal of a remote window has a `code` too, but that one
 * opens files in the window it belongs to.
 */
export function desktopProblem(env = process.env, platform = process.platform) {
  if (env.VSCODE_IPC_HOOK_CLI) return 'this terminal belongs to a remote window';
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display';
  return undefined;
}

/** The path of a desktop `code` on PATH, or undefined. Command lines of VS Code servers are passed over. */
export function findDesktopCode(env = process.env, platform = process.platform) {
  const name = platform === 'win32' ? 'code.cmd' : 'code';
  return (env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => fs.existsSync(file) && !/remote-cli|vscode-server|code-server/.test(fs.realpathSync(file)));
}

/** Downloads a desktop build; rejects where that is not possible. */
export async function downloadDesktop() {
  const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
  return downloadAndUnzipVSCode({ cachePath: path.join(root, '.vscode-test/desktop') });
}

/**
 * Opens VS Code with the extension and resolves when its window is closed or `stop` is called.
 * @param {{ executable: string, dataDir: string, extensionsDir: string, extensions: string[], folder: string, trusted:
 * boolean }} options `extensions`: folders of unpacked ones
 */
export function runDesktop({ executable, dataDir, extensionsDir, extensions, folder, trusted }) {
  const args = [
    '--wait',
    '--new-window',
    `--user-data-dir=${dataDir}`,
    `--extensions-dir=${extensionsDir}`,
    ...extensions.map((extension) => `--extensionDevelopmentPath=${extension}`),
    ...(trusted ? ['--disable-workspace-trust'] : []),
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    folder,
  ];
  const windows = process.platform === 'win32';
  const child = spawn(
    windows ? `"${executable}"` : executable,
    windows ? args.map((argument) => `"${argument}"`) : args,
    { stdio: 'inherit', shell: windows },
  );
  const closed = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  return { closed, stop: () => stopDesktop(child, dataDir) };
}

/** The command only waits for a window of another process; that one writes its id into its user data folder. */
async function stopDesktop(child, dataDir) {
  const lock = path.join(dataDir, 'code.lock');
  const pid = fs.existsSync(lock) ? Number.parseInt(fs.readFileSync(lock, 'utf8'), 10) : undefined;
  for (const one of [pid, child.pid]) if (one) end(one);
  for (let waited = 0; pid && isAlive(pid) && waited < 10_000; waited += 100)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

function end(pid) {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
  else if (isAlive(pid)) process.kill(pid, 'SIGTERM');
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
