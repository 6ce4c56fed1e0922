import { beforeEach, expect, it, vi } from 'vitest';
import { languageModels, openChanges } from '../../../../src/host/common/editorFeatures';

const editor = vi.hoisted(() => ({ commands: new Set<string>(), ran: [] as unknown[], fails: false }));

vi.mock('vscode', () => ({
  lm: undefined,
  commands: {
    executeCommand: async (command: string, ...args: readonly unknown[]) => {
      if (!editor.commands.has(command)) throw new Error(`command '${command}' not found`);
      if (editor.fails) throw new Error('The editor is closing.');
      editor.ran.push([command, ...args]);
    },
  },
  Uri: { file: (path: string) => ({ path }) },
}));

const uri = (path: string): never => ({ path }) as never;
const changes = [
  [uri('/a.ts'), uri('/a.ts@1'), uri('/a.ts')],
  [uri('/new.ts'), undefined, uri('/new.ts')],
  [uri('/gone.ts'), uri('/gone.ts@1'), undefined],
] as const;

beforeEach(() => Object.assign(editor, { commands: new Set(['vscode.diff', 'vscode.open']), ran: [], fails: false }));

it('opens several changes in one editor', async () => {
  editor.commands.add('vscode.changes');
  await openChanges('Review', changes);
  expect(editor.ran).toEqual([['vscode.changes', 'Review', changes]]);
});

it('opens one editor for each file where the editor has none for several', async () => {
  await openChanges('Review', changes);
  expect(editor.ran).toEqual([
    ['vscode.diff', { path: '/a.ts@1' }, { path: '/a.ts' }, 'a.ts (Review)', { preview: false }],
    ['vscode.open', { path: '/new.ts' }, { preview: false }],
    ['vscode.open', { path: '/gone.ts@1' }, { preview: false }],
  ]);
});

it('reports another failure', async () => {
  editor.commands.add('vscode.changes');
  editor.fails = true;
  await expect(openChanges('Review', changes)).rejects.toThrow('The editor is closing.');
});

it('knows an editor without language models', () => {
  expect(languageModels()).toBeUndefined();
});
