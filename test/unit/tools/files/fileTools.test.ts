import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessPaths } from '../../../../src/tools/accessPaths';
import type { EditJournal, FileState } from '../../../../src/tools/files/editJournal';
import { fileTools } from '../../../../src/tools/files/fileTools';
import { bytesOf, type EditCase, editCases, expectedBytes, layOut, play } from '../../../support/editCases';
import { FileEditorOnDisk } from '../../../support/fileEditorOnDisk';
import { FolderOnDisk } from '../../../support/folderOnDisk';

let home: string;
let root: string;
let editor: FileEditorOnDisk;
let journal: RecordingJournal;

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-edits-')));
  root = path.join(home, 'project');
  mkdirSync(root);
  editor = new FileEditorOnDisk();
  journal = new RecordingJournal(() => readAll(root));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What was told to the journal, and what stood on disk when it was. */
class RecordingJournal implements EditJournal {
  readonly told: string[] = [];
  constructor(private readonly disk: () => string) {}

  begin(_call: unknown, before: readonly FileState[]) {
    this.told.push(`before ${states(before)} | disk ${this.disk()}`);
    return Promise.resolve({
      end: (after: readonly FileState[]) => {
        this.told.push(`after ${states(after)}`);
        return Promise.resolve();
      },
    });
  }
}

const states = (files: readonly FileState[]): string =>
  files
    .map(({ path: file, bytes }) => `${path.basename(file)}=${bytes === null ? 'none' : Buffer.from(bytes).toString()}`)
    .join(' ');
const readAll = (folder: string): string => {
  try {
    return readFileSync(path.join(folder, 'a.txt'), 'utf8');
  } catch {
    return 'none';
  }
};
const tools = () => {
  const files = new FolderOnDisk([{ name: 'project', path: root }]);
  return fileTools({ paths: new AccessPaths(files), editor, journal });
};
const edit = (over: Partial<EditCase>): EditCase => ({
  name: 'x',
  files: { 'a.txt': 'one\n' },
  tool: 'edit_file',
  input: { path: 'a.txt', old_text: 'one', new_text: 'two' },
  says: /./,
  ...over,
});

describe('an edit ends in the exact bytes or in a refusal', () => {
  it.each(editCases.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    layOut(root, each);
    const { says } = await play(root, tools(), each);
    expect(says).toMatch(each.says);
    expect(bytesOf(root, each)).toEqual(expectedBytes(each));
  });
});

describe('the question to the user', () => {
  it('names the files and shows the change, also of several files', async () => {
    const each = edit({
      tool: 'apply_patch',
      input: { patch: '*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** Add File: b.txt\n+new\n*** End Patch' },
    });
    layOut(root, each);
    const { asked, output } = await play(root, tools(), each);
    expect(asked).toEqual({
      access: {
        kind: 'edit',
        paths: [
          { path: path.join(root, 'a.txt'), shown: 'a.txt', isInside: true },
          { path: path.join(root, 'b.txt'), shown: 'b.txt', isInside: true },
        ],
      },
      preview: '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b.txt\n@@ -0,0 +1 @@\n+new',
      changesNothing: false,
    });
    expect(output?.details).toEqual({
      kind: 'edit',
      files: [
        { path: path.join(root, 'a.txt'), shown: 'a.txt', change: 'edited', added: 1, removed: 1 },
        { path: path.join(root, 'b.txt'), shown: 'b.txt', change: 'created', added: 1, removed: 0 },
      ],
      diff: asked?.preview,
    });
  });

  it('is cut after 200 lines, its record after 400', async () => {
    const each = edit({ tool: 'write_file', input: { path: 'new.txt', content: 'x\n'.repeat(1000) } });
    layOut(root, each);
    const { asked, output } = await play(root, tools(), each);
    const diff: unknown = Object(output?.details)['diff'];
    expect([asked?.preview?.split('\n').slice(-2, -1), String(diff).split('\n').slice(-1)]).toEqual([
      ['… (803 more lines)'],
      ['… (603 more lines)'],
    ]);
  });

  it('reports a file outside the folder to the policy by the target of its link', async () => {
    const outside = path.join(home, 'outside.txt');
    writeFileSync(outside, 'one\n');
    const each = edit({ input: { path: '../outside.txt', old_text: 'one', new_text: 'two' } });
    layOut(root, each);
    const { asked } = await play(root, tools(), each);
    expect(asked?.access).toMatchObject({ kind: 'edit', paths: [{ path: outside, isInside: false }] });
  });

  it.each([
    ['edit_file', (file: string) => ({ path: file, old_text: 'password = guess', new_text: 'x' })],
    [
      'apply_patch',
      (file: string) => ({
        patch: `*** Begin Patch\n*** Update File: ${file}\n@@\n-password = guess\n+x\n*** End Patch`,
      }),
    ],
  ] as const)(
    'stays private when %s is refused: the content of a secret or outside file is not shown unasked',
    async (tool, input) => {
      writeFileSync(path.join(home, 'outside.txt'), 'password = hunter2\n');
      writeFileSync(path.join(root, '.env'), 'password = hunter2\n');
      for (const file of [path.join(home, 'outside.txt'), '.env']) {
        const { says } = await play(root, tools(), edit({ tool, input: input(file) }));
        expect([says.includes('hunter2'), says.includes('Use read_file, which asks the person')]).toEqual([
          false,
          true,
        ]);
      }
    },
  );

  it('is never about an edit that cannot be made', async () => {
    const each = edit({ input: { path: 'a.txt', old_text: 'absent', new_text: 'two' } });
    layOut(root, each);
    expect((await play(root, tools(), each)).asked).toBeNull();
  });
});

describe('the journal', () => {
  it('has the content before a change, and the outcome after it', async () => {
    layOut(root, edit({}));
    await play(root, tools(), edit({}));
    expect(journal.told).toEqual(['before a.txt=one\n | disk one\n', 'after a.txt=two\n']);
  });

  it('is closed when the edit failed', async () => {
    layOut(root, edit({}));
    editor.beforeWriting = () => writeFileSync(path.join(root, 'a.txt'), 'theirs\n');
    const { says } = await play(root, tools(), edit({}));
    expect([says, ...journal.told]).toEqual([
      'failed: a.txt was changed by someone else meanwhile. Read it again and repeat the edit on what it holds now; nothing was changed.',
      'before a.txt=one\n | disk one\n',
      'after a.txt=theirs\n',
    ]);
  });

  it('that cannot keep the earlier content stops the edit', async () => {
    layOut(root, edit({}));
    journal.begin = () => Promise.reject(new Error('The disk is full.'));
    const { says } = await play(root, tools(), edit({}));
    expect([says, readAll(root)]).toEqual(['failed: The disk is full.', 'one\n']);
  });

  it('that cannot keep the outcome does not hide that the edit was done', async () => {
    layOut(root, edit({}));
    journal.begin = () => Promise.resolve({ end: () => Promise.reject(new Error('The disk is full.')) });
    const { says } = await play(root, tools(), edit({}));
    expect([says.slice(0, 18), says.includes('could not be recorded'), readAll(root)]).toEqual([
      'done: Edited a.txt',
      true,
      'two\n',
    ]);
  });
});
