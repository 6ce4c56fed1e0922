import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { openLockedStore } from '../../../../src/features/commandLine/commands/lockedStore';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';

let built: BuiltStoreWorker;
let home: string;
const store = (): string => join(home, 'store');

beforeAll(async () => {
  built = await buildStoreWorker({
    importWorker: 'src/features/history/core/import/importWorker.ts',
    'hermes-history': 'src/features/commandLine/main.ts',
  });
});
afterAll(() => built.remove());
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'hermes-import-test-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Claude Code sessions of so many messages each. */
function plant(sessions: number, messages: number): void {
  const folder = join(home, '.claude/projects/p');
  mkdirSync(folder, { recursive: true });
  for (let session = 0; session < sessions; session++) {
    const lines = Array.from({ length: messages }, (_, index) => {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return JSON.stringify({
        type: role,
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: `s${session}`,
        timestamp: new Date(1_795_000_000_000 + session * 1e6 + index).toISOString(),
        cwd: '/home/demo/project',
        message: { id: `m${index}`, role, content: `${role} ${index}` },
      });
    });
    writeFileSync(join(folder, `s${session}.jsonl`), lines.join('\n'));
  }
}

function start(...args: readonly string[]): { readonly child: ChildProcess; readonly output: () => string } {
  const child = fork(join(built.folder, 'hermes-history.js'), ['import', ...args], {
    env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home },
    stdio: 'pipe',
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (text += String(data)));
  return { child, output: () => text };
}

async function run(...args: readonly string[]) {
  const { child, output } = start(...args);
  const [code] = await once(child, 'close');
  return { code, lines: output().trim().split('\n') };
}

test('lists what is there, previews, and imports when it is told to', async () => {
  plant(2, 4);
  mkdirSync(store());
  const listed = await run('--from', 'claudeCode');
  const previewed = await run('--from', 'claudeCode', '--into', store());
  const imported = await run('--into', store(), '--yes');
  const again = await run('--into', store(), '--yes');

  expect(
    [listed, previewed, imported, again].map(({ code, lines }) => [
      code,
      ...lines.filter((line) => !/^\d+ of/.test(line)),
    ]),
  ).toMatchInlineSnapshot(`
    [
      [
        0,
        "claudeCode  2 sessions, 8 messages, 2 KB, 2026-11-18 to 2026-11-18  /home/demo/project",
      ],
      [
        0,
        "claudeCode  2 sessions, 8 messages, 2 KB, 2026-11-18 to 2026-11-18  /home/demo/project",
        "2 new, 0 changed since they were imported, 0 here already, 0 erased here earlier.",
      ],
      [
        0,
        "claudeCode  2 sessions, 8 messages, 2 KB, 2026-11-18 to 2026-11-18  /home/demo/project",
        "2 new, 0 changed since they were imported, 0 here already, 0 erased here earlier.",
        "Imported 2 sessions, extended 0, 0 as branches; 8 messages. 0 had nothing new, 0 no messages, 0 failed.",
        "Records: 8 read, 8 imported, 0 skipped.",
      ],
      [
        0,
        "claudeCode  2 sessions, 8 messages, 2 KB, 2026-11-18 to 2026-11-18  /home/demo/project",
        "0 new, 0 changed since they were imported, 2 here already, 0 erased here earlier.",
        "Imported 0 sessions, extended 0, 0 as branches; 0 messages. 2 had nothing new, 0 no messages, 0 failed.",
        "Records: 0 read, 0 imported, 0 skipped.",
      ],
    ]
  `);
});

test('changes nothing while another process has the store', async () => {
  plant(1, 4);
  mkdirSync(store());
  const held = await openLockedStore(store(), { clock: systemClock, programFolder: built.folder });
  const { code, lines } = await run('--into', store(), '--yes');
  const kept = await held.store.statistics();
  await held.close();

  expect([code, lines.at(-1)?.endsWith('Nothing was changed.'), kept.sessions]).toEqual([2, true, 0]);
});

test('leaves whole sessions when it is killed, and does the rest the next time', async () => {
  plant(8, 600);
  mkdirSync(store());
  const { child, output } = start('--into', store(), '--yes');
  const closed = once(child, 'close');
  while (!output().includes('of 8 sessions') && child.exitCode === null) await sleep(5);
  await sleep(100);
  child.kill('SIGKILL');
  await closed;

  const afterKill = await counts();
  const rest = await run('--into', store(), '--yes');
  const whole = await counts();

  expect(afterKill.sizes.filter((size) => size !== 600)).toEqual([]);
  expect([rest.code, whole]).toEqual([0, { sizes: Array.from({ length: 8 }, () => 600), problems: [], rows: 8 * 600 }]);
});

async function counts() {
  const { store: sessions, close } = await openLockedStore(store(), {
    clock: systemClock,
    programFolder: built.folder,
  });
  try {
    const listed = await sessions.listSessions({ limit: 100 });
    const { messages } = await sessions.statistics();
    return {
      sizes: listed.map(({ messageCount }) => messageCount),
      problems: await sessions.verifyIntegrity(),
      rows: messages,
    };
  } finally {
    await close();
  }
}
