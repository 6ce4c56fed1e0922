import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { AccessPaths } from '../../../../../src/tools/accessPaths';
import type { WorkspaceFiles } from '../../../../../src/tools/workspaceFiles';
import { mayWrite } from '../../../../../src/features/review/host/reviewFeature';
import { editor } from '../../../host/answeringEditor';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-ask-')));
const root = join(base, 'open');
mkdirSync(join(root, 'src'), { recursive: true });
symlinkSync(base, join(root, 'away'));
afterEach(() => rmSync(join(root, 'made'), { recursive: true, force: true }));

const files = {
  roots: () => [{ name: 'open', path: root }],
  kindOf: async () => null,
  realPath: async (path: string) => realpathSync(path),
} as unknown as WorkspaceFiles;

async function asked(path: string, text: string | null, answer?: string) {
  editor.reset();
  if (answer !== undefined) editor.buttons.push(answer);
  const may = await mayWrite(new AccessPaths(files), path, text === null ? null : Buffer.from(text));
  return { may, shown: [...editor.shown] };
}

it.each(['src/a.ts', 'src/deep/new.ts', 'README.md', 'a b/ü.txt'])('writes a plain file unasked: %s', async (name) => {
  expect(await asked(join(root, name), 'text')).toEqual({ may: true, shown: [] });
});

it.each([
  ['the home of the user', '/home/victim/.config/autostart/evil.desktop'],
  ['beside the open folder', join(base, 'beside.ts')],
  ['above it, by dots', `${root}/src/../../beside.ts`],
  ['through a link', join(root, 'away/beside.ts')],
  ['a folder whose name begins like it', `${root}2/a.ts`],
  ['a start-up file', '/root/.bashrc'],
  ['the system', '/etc/cron.d/x'],
  ['the temporary folder', join(tmpdir(), 'x')],
])('asks with path and content before it writes outside the open folders: %s', async (_where, path) => {
  const { may, shown } = await asked(path, 'Exec=evil');
  expect({ may, shown }).toEqual({ may: false, shown: [expect.stringContaining('Outside the open folders.')] });
  expect(shown[0]).toContain('Exec=evil');
  expect(shown[0]).toMatch(/^Write this content to \/.+\?/);
  expect((await asked(path, 'Exec=evil', 'Revert')).may).toBe(true);
});

it.each(['.vscode/settings.json', '.git/hooks/pre-commit', 'AGENTS.md', '.envrc', '.husky/pre-commit', '.mcp.json'])(
  'asks before it writes a file that an edit is asked for in every mode: %s',
  async (name) => {
    const { may, shown } = await asked(join(root, name), 'evil');
    expect([may, shown.length]).toEqual([false, 1]);
  },
);

it('asks before it deletes, and lets nothing hide in the name or the content', async () => {
  expect((await asked('/etc/hosts', null)).shown).toEqual([expect.stringMatching(/^Delete \/etc\/hosts\?/)]);
  const { shown } = await asked('/etc/\u202ex', `safe\u202e evil${'y'.repeat(5000)}`);
  expect(shown[0]).toContain('\\u{202e}x');
  expect(shown[0]).toContain('safe\\u{202e} evil');
  expect(shown[0]?.length).toBeLessThan(1700);
});
