import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { ExportRegister } from '../../../../src/features/history/core/export/exportRegister';
import { storeFiles } from '../../../../src/store/open/storeFiles';
import { otherSqlite } from '../../../support/otherSqlite';
import { answer, answered, complete, openTurn, prompt, settle } from '../../../support/sessionDbWorld';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { backupWorld, type BackupWorld } from '../backup/core/backupWorld';
import { converse } from '../../store/library/libraryWorld';
import { runIn } from './terminalOf';

let worker: BuiltStoreWorker;
let world: BackupWorld;
beforeAll(async () => {
  worker = await buildStoreWorker({ importWorker: 'src/features/history/core/import/importWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  converse(owner.operations, 's2', 'Two');
  owner.close();
  rmSync(storeFiles(world.place.store).lock, { force: true });
});
afterEach(() => world.remove());

async function run(...args: string[]) {
  const { code, lines } = await runIn({ folder: world.root, programFolder: worker.folder }, args);
  return { code, text: lines.join('\n').replaceAll(world.root, '') };
}

test('exports a store, and imports the file into another one, once', async () => {
  const made = await run(
    'export',
    '--store',
    'store',
    '--format',
    'json',
    '--out',
    'all.json',
    '--all',
    '--keep-secrets',
  );
  mkdirSync(join(world.root, 'other'));
  const looked = await run('import', '--from', 'all.json');
  const imported = await run('import', '--from', 'all.json', '--into', 'other', '--yes');
  const again = await run('import', '--from', 'all.json', '--into', 'other', '--yes');
  await run('export', '--store', 'other', '--format', 'openai', '--out', 'other.jsonl', '--all');
  await run('export', '--store', 'store', '--format', 'openai', '--out', 'store.jsonl', '--all');
  const [here, there] = ['store.jsonl', 'other.jsonl'].map((name) => readFileSync(join(world.root, name), 'utf8'));
  expect([made, looked, imported, again].map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect([imported.text, again.text].map((text) => /imported (\d+) sessions/.exec(text)?.[1])).toEqual(['2', '0']);
  expect(there).toBe(here);
  expect(here?.trimEnd().split('\n')).toHaveLength(2);
});

test('exports one session to a file', async () => {
  const made = await run(...['export', '--store', 'store', '--format', 'html', '--out', 'a.html', '--session', 's1']);
  expect([made.code, made.text]).toEqual([0, expect.stringContaining('Exported 1 sessions')]);
});

test('exports the sessions of a folder, and no others', async () => {
  const owner = world.open();
  for (const [id, folder] of [
    ['here', join(world.root, 'project')],
    ['below', join(world.root, 'project/part')],
  ] as const) {
    owner.operations.createSession({ id, startedAt: 5, folder });
    answered(owner.operations, `t-${id}`, id, { sessionId: id });
  }
  owner.close();
  rmSync(storeFiles(world.place.store).lock, { force: true });
  const made = await run(
    ...['export', '--store', 'store', '--format', 'openai', '--out', 'a.jsonl', '--folder', 'project/'],
  );
  const none = await run(
    ...['export', '--store', 'store', '--format', 'openai', '--out', 'b.jsonl', '--folder', 'nowhere'],
  );
  const idsIn = (name: string): unknown =>
    readFileSync(join(world.root, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): { id: string } => JSON.parse(line))
      .map(({ id }) => id);
  expect([made.code, idsIn('a.jsonl'), none.code, idsIn('b.jsonl')]).toEqual([0, ['here'], 0, []]);
});

test('leaves out images when asked to', async () => {
  const image = 'aVZCT1J3MEtHZ28=';
  const owner = world.open();
  owner.operations.createSession({ id: 'seen', startedAt: 5 });
  openTurn(owner.operations, { sessionId: 'seen', turnUid: 't-seen', text: 'Look' });
  const parts = [
    { kind: 'text', text: 'And this' },
    { kind: 'image', mediaType: 'image/png', dataBase64: image },
  ] as const;
  owner.operations.putMessages([{ ...prompt('u2', '', 't-seen', 'seen'), parts }]);
  settle(owner.operations, 't-seen', complete, [answer('a-seen', 'I see', 't-seen', 'seen')]);
  owner.close();
  rmSync(storeFiles(world.place.store).lock, { force: true });
  const exportTo = async (name: string, ...more: readonly string[]) => {
    await run('export', '--store', 'store', '--format', 'openai', '--out', name, '--session', 'seen', ...more);
    const text = readFileSync(join(world.root, name), 'utf8');
    return [text.includes(image), text.includes('And this'), text.includes('I see')];
  };
  expect([await exportTo('with.jsonl'), await exportTo('without.jsonl', '--no-images')]).toEqual([
    [true, true, true],
    [false, true, true],
  ]);
});

test('imports exports of a chosen folder, and what else is in it', async () => {
  mkdirSync(join(world.root, 'chosen/deep'), { recursive: true });
  await run('export', '--store', 'store', '--format', 'json', '--out', 'chosen/deep/all.json', '--all');
  await run('export', '--store', 'store', '--format', 'openai', '--out', 'chosen/chat.jsonl', '--session', 's1');
  for (const name of ['other', 'third']) mkdirSync(join(world.root, name));
  const looked = await run('import', '--from', 'chosen');
  const imported = await run('import', '--from', 'chosen', '--into', 'other', '--yes');
  const only = await run('import', '--from', 'chosen/deep', '--into', 'third', '--yes');
  expect([looked.code, imported.code, only.code]).toEqual([0, 0, 0]);
  expect(looked.text).toMatch(/1 exports of Hermes[^]*openai {2}1 sessions/);
  expect(imported.text).toMatch(/all\.json: imported 2 sessions[^]*Imported 1 sessions/);
  expect(only.text).toMatch(/^.*all\.json: imported 2 sessions with 4 messages\.$/);
});

test('refuses a wrong call', async () => {
  const start = ['export', '--store', 'store', '--out', 'a'] as const;
  const calls = [
    [...start, '--format', 'pdf', '--all'],
    [...start, '--format', 'json'],
    [...start, '--format', 'json', '--all', '--session', 's1'],
    [...start, '--format', 'json', '--all', '--no-thinking'],
  ];
  for (const call of calls) expect((await run(...call)).code).toBe(2);
});

test('writes a Hermes database, and notes the file so that forgetting its sessions reaches it', async () => {
  const made = await run('export', '--store', 'store', '--format', 'hermes', '--out', 'state.db', '--session', 's2');
  const path = join(world.root, 'state.db');
  const register = new ExportRegister(world.deps.fileSystem, world.place.store, systemClock.now);
  const noted = register.exports().map((each) => [each.path, each.sessionIds]);
  const stored = otherSqlite(path, 'PRAGMA integrity_check; SELECT id FROM sessions');
  const forgotten = register.forget(['s2']);
  expect([made.code, stored, noted]).toEqual([0, ['ok', 's2'], [[path, ['s2']]]]);
  expect([forgotten.removed, existsSync(path)]).toEqual([[path], false]);
});

test('an export as JSON fits the published schema, and a row of an unknown table does not', async () => {
  await run('export', '--store', 'store', '--format', 'json', '--out', 'all.json', '--all');
  const schema: AnySchemaObject = JSON.parse(readFileSync('docs/schemas/session-export.schema.json', 'utf8'));
  const validate = new Ajv2020({ validateFormats: false, allowUnionTypes: true }).compile(schema);
  const exported: { rows: object[] } = JSON.parse(readFileSync(join(world.root, 'all.json'), 'utf8'));
  const fits = [validate(exported), exported.rows.length > 0];
  const wrong = validate({ ...exported, rows: [...exported.rows, { table: 'secrets', row: {} }] });
  expect([fits, wrong]).toEqual([[true, true], false]);
});
