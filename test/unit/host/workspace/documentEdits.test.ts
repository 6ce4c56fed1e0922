import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TextDocument } from 'vscode';
import { editDocument } from '../../../../src/host/workspace/documentEdits';
import { CannotWrite } from '../../../../src/tools/files/fileEditor';
import { textFile } from '../../../../src/tools/files/textFormat';

/** The editor with one document: its text, what is on disk, and how it answers saves. */
const editor = vi.hoisted(() => {
  const state = {
    text: '',
    disk: '',
    /** An auto save of the document runs formatters: every other save is refused until it is done. */
    autoSave: 'none' as 'none' | 'running' | 'stuck',
    asked: 0,
    listeners: new Set<(document: object) => void>(),
  };
  return state;
});

vi.mock('vscode', () => ({
  EndOfLine: { LF: 1, CRLF: 2 },
  Range: class {
    constructor(
      readonly start: number,
      readonly end: number,
    ) {}
  },
  WorkspaceEdit: class {
    readonly changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
    replace(_uri: unknown, { start, end }: { readonly start: number; readonly end: number }, text: string): void {
      this.changes.push({ start, end, text });
    }
  },
  TabInputText: class {},
  window: { visibleTextEditors: [], tabGroups: { all: [], close: async () => true } },
  workspace: {
    textDocuments: [],
    applyEdit: async (edit: { readonly changes: readonly { start: number; end: number; text: string }[] }) => {
      for (const { start, end, text } of edit.changes)
        editor.text = editor.text.slice(0, start) + text + editor.text.slice(end);
      return true;
    },
    onDidSaveTextDocument: (listener: (document: object) => void) => {
      editor.listeners.add(listener);
      return { dispose: () => editor.listeners.delete(listener) };
    },
  },
}));

const fields = {
  uri: { fsPath: '/repo/a.txt', toString: () => 'file:///repo/a.txt' },
  encoding: 'utf8',
  eol: 1,
  isClosed: false,
  get isDirty() {
    return editor.text !== editor.disk;
  },
  getText: () => editor.text,
  positionAt: (offset: number) => offset,
  save: async () => {
    editor.asked++;
    if (editor.autoSave === 'none') editor.disk = editor.text;
    if (editor.autoSave === 'running') setTimeout(finishAutoSave, 500);
    return !fields.isDirty;
  },
};
// The few members that an edit needs.
const document = fields as unknown as TextDocument;

function finishAutoSave(): void {
  editor.disk = editor.text;
  editor.autoSave = 'none';
  for (const listener of editor.listeners) listener(document);
}

const edit = {
  path: '/repo/a.txt',
  before: textFile('/repo/a.txt', 'old\n', { encoding: 'utf8', hasBom: false }),
  after: 'new\n',
};

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(editor, { text: 'old\n', disk: 'old\n', autoSave: 'none', asked: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const result = (): unknown => [editor.text, editor.disk, editor.asked, editor.listeners.size, vi.getTimerCount()];

describe('an edit of an open document', () => {
  it('is saved', async () => {
    await editDocument(document, edit);
    expect(result()).toEqual(['new\n', 'new\n', 1, 0, 0]);
  });

  it('waits for an auto save during which the editor refuses to save', async () => {
    editor.autoSave = 'running';
    const edited = editDocument(document, edit);
    await vi.advanceTimersByTimeAsync(600);
    await edited;
    expect(result()).toEqual(['new\n', 'new\n', 2, 0, 0]);
  });

  it('is taken back when the editor cannot save', async () => {
    editor.autoSave = 'stuck';
    const edited = editDocument(document, edit).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await edited, result()]).toEqual([expect.any(CannotWrite), ['old\n', 'old\n', 3, 0, 0]]);
  });
});
