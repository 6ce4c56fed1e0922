import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { guardedFolders } from '../../../src/host/approvals/guardedFolders';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-guarded-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...names: readonly string[]) => ({ fsPath: join(root, ...names) });
const context = (storageUri: { readonly fsPath: string } | undefined) => ({
  globalStorageUri: at('data', 'User', 'globalStorage', 'hermes'),
  storageUri,
  logUri: at('data', 'logs', '1'),
  extensionUri: at('extensions', 'hermes-1'),
});
const below = (folders: readonly string[]) => folders.map((folder) => folder.replace(root, ''));

test("guarded folders are the storage, the log, the user folder, all extensions and the user's programs", () => {
  expect(
    below(guardedFolders(context(at('data', 'User', 'workspaceStorage', 'a', 'hermes')), true, join(root, 'home'))),
  ).toEqual([
    '/data/User/globalStorage/hermes',
    '/data/logs/1',
    '/data/User/workspaceStorage/a/hermes',
    '/data/User',
    '/extensions',
    '/home/bin',
  ]);
});

test('guarded folders leave out the program during its development, and the neighbors of one installed elsewhere', () => {
  const elsewhere = { ...context(undefined), extensionUri: at('work', 'hermes') };
  expect([
    below(guardedFolders(elsewhere, false, root)),
    below(guardedFolders(elsewhere, true, root)).includes('/work'),
    below(guardedFolders(elsewhere, true, root)).includes('/work/hermes'),
  ]).toEqual([['/data/User/globalStorage/hermes', '/data/logs/1', '/data/User', '/bin'], false, true]);
});

test('guarded folders include their resolved links', () => {
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'extensions'));
  expect(below(guardedFolders(context(undefined), true, root))).toEqual(
    expect.arrayContaining(['/extensions', '/real']),
  );
});
