import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { openLockedStore } from '../../../../src/features/commandLine/commands/lockedStore';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { answer, prompt } from '../../../support/sessionDbWorld';
import { runIn } from './terminalOf';

let worker: BuiltStoreWorker;
let home: string;
let whole: string;
const folder = (): string => join(home, 'store');
const main = (): string => join(folder(), 'state.db');

beforeAll(async () => {
  worker = await buildStoreWorker({
    checkWorker: 'src/features/history/core/check/checkWorker.ts',
    importWorker: 'src/features/history/core/import/importWorker.ts',
  });
  whole = mkdtempSync(join(tmpdir(), 'hermes-whole-'));
  const { store, close } = await openLockedStore(whole, { clock: systemClock, programFolder: worker.folder });
  for (let session = 1; session <= 3; session++) {
    await store.createSession({ id: `s${session}`, startedAt: session, title: `Session ${session}` });
    for (let turn = 1; turn <= 10; turn++) {
      const turnUid = `t${session}.${turn}`;
      const userMessage = { ...prompt(`u${turnUid}`, `Ask ${turnUid}`, turnUid), sessionId: `s${session}` };
      await store.openTurn({ turnUid, sessionId: `s${session}`, userMessage, model: 'm', startedAt: 2 });
      const settlement = { outcome: 'complete', stopReason: 'stop', failure: null } as const;
      const text = `Answer ${turnUid}. `.repeat(300);
      const messages = [{ ...answer(`a${turnUid}`, text, turnUid), sessionId: `s${session}` }];
      await store.settleTurn({ turnUid, settledAt: 3, settlement, messages });
    }
  }
  await close();
});
afterAll(() => {
  worker.remove();
  rmSync(whole, { recursive: true, force: true });
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-damaged-'));
  cpSync(whole, folder(), { recursive: true });
  mkdirSync(join(home, '.claude/projects/p'), { recursive: true });
  const line = { type: 'user', uuid: 'u', parentUuid: null, sessionId: 'c', timestamp: '2026-11-20T00:00:00Z' };
  const content = { ...line, cwd: '/p', message: { id: 'm', role: 'user', content: 'hi' } };
  writeFileSync(join(home, '.claude/projects/p/c.jsonl'), JSON.stringify(content));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = (...args: string[]) => runIn({ folder: home, home, programFolder: worker.folder }, args);
const files = (): readonly string[] =>
  readdirSync(folder())
    .filter((name) => name.endsWith('.db'))
    .sort();

/** Overwrites pages from number `from` on, as `dd` does. */
function overwrite(from: number, count: number): void {
  const bytes = readFileSync(main());
  bytes.fill(0xa7, from * 4096, (from + count) * 4096);
  writeFileSync(main(), bytes);
}

const damages: readonly (readonly [string, () => void])[] = [
  ['pages overwritten', () => overwrite(2, 4)],
  ['cut to a third', () => truncateSync(main(), 4096 * 12)],
  ['zeros', () => writeFileSync(main(), new Uint8Array(4096 * 30))],
];
const rescue = 'hermes-history check --store <folder> --repair --yes';

it('a store with damaged rows is copied as it is, and the user is told how to get back what can be read', async () => {
  overwrite(readFileSync(main()).length / 4096 - 12, 8);
  const { code, lines } = await run('copy', '--store', 'store', 'copy.db');
  expect([code, lines[0], lines[1]?.includes(rescue), existsSync(join(home, 'copy.db'))]).toEqual([
    1,
    `Copied to ${join(home, 'copy.db')}`,
    true,
    true,
  ]);
});

describe.each(damages)('a store whose file is damaged: %s', (_name, damage) => {
  it('is not changed by an import, nor by saying what one would do, and the user is told', async () => {
    damage();
    const before = readFileSync(main());
    const preview = await run('import', '--into', 'store');
    const done = await run('import', '--into', 'store', '--yes');
    expect({
      codes: [preview.code, done.code],
      told: [preview, done].map(({ lines }) => lines.at(-1)?.includes(rescue)),
      unchanged: readFileSync(main()).equals(before),
      files: files(),
    }).toEqual({ codes: [2, 2], told: [true, true], unchanged: true, files: ['state.db'] });
  });

  it('is checked and exported as far as it can be read, and not backed up', async () => {
    damage();
    const before = readFileSync(main());
    const checked = await run('check', '--store', 'store');
    const asJson = await run('check', '--store', 'store', '--json');
    const exported = await run('export', '--store', 'store', '--all', '--format', 'markdown', '--out', 'out.md');
    const backup = await run('backup', 'make', '--store', 'store');
    expect({
      checked: [checked.code, checked.lines.some((line) => line.startsWith('Damaged file: 1.'))],
      asJson: [asJson.code, asJson.lines.join('').includes('"damagedFile"')],
      exported: [exported.code, exported.lines.some((line) => line.includes(rescue))],
      backup: [backup.code, backup.lines.at(-1)?.includes(rescue)],
      unchanged: readFileSync(main()).equals(before),
    }).toEqual({
      checked: [1, true],
      asJson: [1, true],
      exported: [1, true],
      backup: [2, true],
      unchanged: true,
    });
  });

  it('is rescued by one command, which says what it did and keeps the damaged file', async () => {
    damage();
    const before = readFileSync(main());
    const repaired = await run('check', '--store', 'store', '--repair', '--yes');
    const [kept] = files().filter((name) => name.startsWith('state.corrupt-'));
    if (kept === undefined) throw new Error(repaired.lines.join('\n'));
    const after = await run('check', '--store', 'store');
    expect({
      lines: repaired.lines.slice(3),
      kept: readFileSync(join(folder(), kept)).equals(before),
      damaged: after.lines.some((line) => line.startsWith('Damaged file')),
    }).toEqual({
      lines: [
        expect.stringMatching(`^! Moved \\d sessions with \\d+ messages into a new file\\. .* is .*${kept}\\.$`),
        '! Everything is repaired.',
      ],
      kept: true,
      damaged: false,
    });
  });
});

it('a store that is not there is not made by saying what an import would do', async () => {
  mkdirSync(join(home, 'new'));
  const preview = await run('import', '--into', 'new');
  expect([preview.code, preview.lines.at(-1), readdirSync(join(home, 'new'))]).toEqual([
    0,
    '1 new, 0 changed since they were imported, 0 here already, 0 erased here earlier.',
    [],
  ]);
});
