import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withEndlessTree } from '../../../support/endlessTree';
import { otherSqlite } from '../../../support/otherSqlite';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';

let built: BuiltStoreWorker;
let home: string;

beforeAll(async () => {
  built = await buildStoreWorker({
    importWorker: 'src/features/history/core/import/importWorker.ts',
    checkWorker: 'src/features/history/core/check/checkWorker.ts',
    'hermes-history': 'src/features/commandLine/main.ts',
  });
});
afterAll(() => built.remove());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-odd-'));
  mkdirSync(join(home, 'tmp'));
  mkdirSync(join(home, 'store'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const options = () => ({
  cwd: home,
  env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, TMPDIR: join(home, 'tmp') },
});
const program = (): string => join(built.folder, 'hermes-history.js');
function run(words: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(), ...words.split(' ')], {
    ...options(),
    encoding: 'utf8',
  });
  return { code: status, text: stdout + stderr };
}
/** Private copies that are left. */
const left = (): readonly string[] =>
  readdirSync(join(home, 'tmp'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('state.db'));

/** Every option that names something to read. */
const reading = [
  'import --from PATH',
  'import --from PATH --into store --yes',
  'import --from claudeCode --from PATH',
  'import --into PATH',
  'import --into PATH --yes',
  'check --hermes PATH',
  'check --store PATH',
  'check --store PATH --repair --yes',
  'export --store PATH --format json --all --out out.json',
  'backup make --store PATH',
  'backup list --store PATH',
  'backup verify --store PATH',
  'backup restore x --store PATH --yes',
  'backup list --store store --backups PATH',
  'backup verify --store store --backups PATH',
  'backup restore x --store store --backups PATH --yes',
  'copy --store PATH out.db',
] as const;

describe.skipIf(process.platform === 'win32')('a command', () => {
  test.each(reading)('%s ends with an error for a path that does not exist, and makes nothing', (words) => {
    writeFileSync(join(home, 'file'), '');
    symlinkSync('nowhere', join(home, 'dangling'));
    const before = readdirSync(home).sort();
    for (const path of ['missing', 'missing/deeper', 'dangling', 'file/below']) {
      const { code, text } = run(words.replace('PATH', path));
      expect([path, code, text]).toEqual([path, 2, expect.stringContaining(path.split('/')[0] ?? '')]);
    }
    expect([readdirSync(home).sort(), readdirSync(join(home, 'store'))]).toEqual([before, []]);
  });

  test.each(reading)('%s ends with an error for a pipe, a device and a socket', async (words) => {
    writeFileSync(join(home, 'file'), '');
    execFileSync('mkfifo', [join(home, 'pipe')]);
    symlinkSync('pipe', join(home, 'linked'));
    symlinkSync('/dev/zero', join(home, 'device'));
    const server = createServer().listen(join(home, 'socket'));
    await once(server, 'listening');
    for (const path of ['pipe', 'linked', 'device', 'socket', '/dev/null']) {
      const { code, text } = run(words.replace('PATH', path));
      expect([path, code, text]).toEqual([path, 2, expect.stringContaining(`${path} is neither a file nor a folder.`)]);
    }
    server.close();
  });

  test.each([
    'import --into store --from file',
    'import --into store --yes',
    'check --store store',
    'check --hermes store/state.db',
    'export --store store --format json --all --out out.json',
    'backup make --store store',
    'backup list --store store',
    'copy --store store out.db',
  ])('%s ends when a file of the store is a pipe', (words) => {
    writeFileSync(join(home, 'file'), '');
    for (const name of ['state.db', 'state.db-log', 'state.db-wal', 'state.db.lock', 'backups.json', 'backups']) {
      rmSync(join(home, 'store'), { recursive: true });
      mkdirSync(join(home, 'store'));
      execFileSync('mkfifo', [join(home, 'store', name)]);
      // A crash would be another code.
      expect([name, [0, 1, 2].includes(run(words).code ?? -1)]).toEqual([name, true]);
    }
    expect(left()).toEqual([]);
  });

  test('import leaves out pipes in a folder, and reads what else is there', () => {
    mkdirSync(join(home, 'folder'));
    execFileSync('mkfifo', [join(home, 'folder/a.jsonl'), join(home, 'folder/b.json'), join(home, 'folder/state.db')]);
    symlinkSync('/dev/zero', join(home, 'folder/c.json'));
    writeFileSync(join(home, 'folder/d.json'), JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }));
    const { code, text } = run('import --from folder');
    expect([code, text]).toEqual([0, expect.stringContaining('1 sessions')]);
  });

  test('export writes over no device, pipe or folder', () => {
    execFileSync('mkfifo', [join(home, 'pipe')]);
    for (const out of ['pipe', '/dev/null', 'store']) {
      const { code, text } = run(`export --store store --format json --all --out ${out}`);
      expect([out, code, text]).toEqual([out, 2, expect.stringContaining('is not a file.')]);
    }
  });

  test('refuses a huge file by its size, and leaves nothing behind', () => {
    otherSqlite(join(home, 'huge.db'), 'CREATE TABLE messages (id, session_id)');
    truncateSync(join(home, 'huge.db'), 40 * 2 ** 30);
    const imported = run('import --from huge.db');
    const checked = run('check --hermes huge.db');
    expect([imported.text, checked.code, checked.text, left()]).toEqual([
      expect.stringContaining('too large'),
      2,
      expect.stringContaining('too large'),
      [],
    ]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('is ended by %s while SQLite does not come to an end', async (signal) => {
    otherSqlite(
      join(home, 'endless.db'),
      `PRAGMA page_size = 4096; CREATE TABLE sessions (id TEXT, started_at REAL);
       CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT); INSERT INTO messages VALUES (1, 's', 'x')`,
    );
    withEndlessTree(join(home, 'endless.db'));
    const child = spawn(process.execPath, [program(), 'check', '--hermes', 'endless.db'], options());
    const ended = once(child, 'exit');
    await expect.poll(() => left().length).toBe(1);
    child.kill(signal);
    await ended;
    expect([child.exitCode, child.signalCode]).toEqual([null, signal]);
    // The next command removes what a killed one left.
    run('backup list --store store');
    expect(left()).toEqual([]);
  });
});

test('ends with 1 for a path that exists but holds nothing', () => {
  mkdirSync(join(home, 'empty'));
  expect(run('import --from empty')).toMatchObject({ code: 1 });
  expect(existsSync(join(home, 'store/state.db'))).toBe(false);
});
