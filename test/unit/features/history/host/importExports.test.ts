import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ExportedConversation } from '../../../../../src/features/history/core/import/importing';
import type { CopyToThisFolder } from '../../../../../src/store/sessionCopying';
import { editor } from '../../../host/answeringEditor';
import { importExportFile } from '../../../../../src/features/history/host/importExports';
import { servicesOf } from './services';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-opened-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A conversation of so many sessions. */
const conversation = (name: string, sessions: number): ExportedConversation => ({
  sessionIds: Array.from({ length: sessions }, (_, index) => `${name}${index}`),
  newestId: `${name}0`,
  title: name,
  lastActiveAt: 5,
  messages: 2 * sessions,
});

function world(conversations: readonly ExportedConversation[], onBatch: () => void = () => undefined) {
  const seen: string[] = [];
  const run = (): Promise<void> =>
    importExportFile(
      '/a.json',
      { openFile: async () => ({ kind: 'own', folder, conversations }) },
      servicesOf({
        store: {
          getSession: async () => null,
          copyToThisFolder: async ({ sessionIds }: CopyToThisFolder) => {
            onBatch();
            return { sessions: sessionIds.length, messages: 2 * sessionIds.length, skipped: 0, newIds: {} };
          },
        },
        during: (work) => work,
        openInChat: async (id) => void seen.push(`opened ${id}`),
        refresh: () => void seen.push('imported'),
        failed: () => (error) => void seen.push(String(error)),
      }),
    );
  return { run, seen };
}

it('imports the chosen conversations of an export, and opens the newest with the button', async () => {
  const { run, seen } = world([conversation('one', 2), conversation('two', 1)]);
  editor.multiPicks.push({ rows: ['one'] });
  editor.messageButtons.push('Open Newest');
  await run();
  await vi.waitFor(() => expect(seen).toEqual(['imported', 'opened one0']));
  expect([editor.shown, editor.preselected, existsSync(folder)]).toEqual([
    ['Imported 2 sessions with 4 messages.'],
    [['one', 'two']],
    false,
  ]);
});

it('says after a cancel how many sessions are here', async () => {
  const { run, seen } = world([conversation('long', 60)], () => editor.cancels.forEach((cancel) => cancel()));
  editor.multiPicks.push({ rows: ['long'] });
  await run();
  await vi.waitFor(() => expect(editor.shown).toHaveLength(1));
  expect([editor.shown, seen, existsSync(folder)]).toEqual([
    ['Import was canceled. Sessions imported so far are here: 25.'],
    ['imported'],
    false,
  ]);
});
