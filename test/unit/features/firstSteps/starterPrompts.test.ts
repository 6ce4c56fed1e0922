import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StarterService } from '../../../../src/features/firstSteps/host/starterService';
import type { DirectoryEntry } from '../../../../src/tools/workspaceFiles';
import { RecordingLog } from '../../host/recordingLog';

const file = (name: string): DirectoryEntry => ({ name, kind: 'file' });
const folder = (name: string): DirectoryEntry => ({ name, kind: 'directory' });

const editor = vi.hoisted(() => ({ isTrusted: true }));
vi.mock('vscode', () => ({ workspace: editor }));
beforeEach(() => (editor.isTrusted = true));

type Given = ConstructorParameters<typeof StarterService>;

function service(
  entries: readonly DirectoryEntry[],
  over: {
    readonly files?: Given[0];
    readonly git?: NonNullable<Given[2]>;
    readonly packageJson?: string;
    readonly changed?: string;
  } = {},
) {
  const asked: string[] = [];
  const files: Given[0] = {
    roots: () => [{ name: 'upload', path: '/w' }],
    list: async () => entries,
    size: async () => (over.packageJson ?? '').length,
    read: async (path) => (asked.push(path), new TextEncoder().encode(over.packageJson ?? '{}')),
  };
  const git: Given[2] = async (_folder, args) => (
    asked.push(`git ${args[0] ?? ''}`),
    { code: 0, text: over.changed ?? '', error: '', isCut: false }
  );
  return { made: new StarterService(over.files ?? files, new RecordingLog(), over.git ?? git), asked };
}
const prompts = async (...args: Parameters<typeof service>) => service(...args).made.prompts();

const explain = 'Explain what this project does and where to start reading';

describe('the suggestions in the empty chat', () => {
  it("are about the folder's content, at most three, always the same", async () => {
    const entries = [folder('.git'), folder('src'), folder('test'), file('package.json'), file('README.md')];
    const over = { packageJson: '{"scripts":{"build":"tsc"}}', changed: ' M src/a.ts\n' };
    expect([await prompts(entries, over), await prompts([...entries].reverse(), over)]).toEqual(
      Array.from({ length: 2 }, () => [explain, 'What do the tests in test/ cover?', 'Review my uncommitted changes']),
    );
  });

  it('mention nothing that does not exist', async () => {
    expect([
      await prompts([file('README.md'), folder('docs')]),
      await prompts([file('package.json')], { packageJson: '{"scripts":{"lint":"eslint .","start":"node ."}}' }),
      await prompts([file('package.json')], { packageJson: 'not json' }),
      await prompts([file('notes.txt'), folder('pictures')]),
      await prompts([file('test')]),
      await prompts([folder('.git'), file('.env')]),
      await prompts([]),
    ]).toEqual([
      [explain, 'Is README.md still accurate? Compare it with the code'],
      [explain, 'What does “npm run start” do, step by step?'],
      [explain],
      ['What is in this folder?'],
      ['What is in this folder?'],
      [],
      [],
    ]);
  });

  it('ask git only in a trusted folder, and work without it', async () => {
    editor.isTrusted = false;
    const restricted = service([file('a.ts')], { changed: ' M a.ts' });
    const suggested = await restricted.made.prompts();
    editor.isTrusted = true;
    const without = service([file('a.ts')], { git: () => Promise.reject(new Error('no git')) });
    expect([suggested, restricted.asked, await without.made.prompts()]).toEqual([
      ['What is in this folder?'],
      [],
      ['What is in this folder?'],
    ]);
  });

  it('are empty without a folder, or in an unreadable one', async () => {
    const unreadable = {
      roots: () => [{ name: 'w', path: '/w' }],
      list: () => Promise.reject(new Error('EACCES')),
      size: async () => 0,
      read: async () => new Uint8Array(),
    };
    expect([
      await prompts([], { files: { ...unreadable, roots: () => [] } }),
      await prompts([], { files: unreadable }),
    ]).toEqual([[], []]);
  });
});
