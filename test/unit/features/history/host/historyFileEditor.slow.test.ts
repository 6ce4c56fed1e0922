import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Uri, WebviewPanel } from 'vscode';
import { systemClock } from '../../../../../src/base/clock';
import { ImportClient } from '../../../../../src/features/history/core/import/importClient';
import { startStoreWorker } from '../../../../../src/store/worker/storeClient';
import { noCodeActions } from '../../../../support/noCodeActions';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../support/storeWorker';
import { backupWorld } from '../../backup/core/backupWorld';
import { converse } from '../../../store/library/libraryWorld';
import { editor } from '../../../host/answeringEditor';
import { HistoryFileEditor } from '../../../../../src/features/history/host/historyFileEditor';
import { TranscriptTabs } from '../../../../../src/features/transcript/host/transcriptTabs';
import type { WindowContext } from '../../../../../src/host/window/windowContext';
import { portTo } from '../../../../../src/store/worker/storePort';
import { servicesOf, unusedTarget } from './services';
import { RecordingLog } from '../../../host/recordingLog';
import { RecordingPort } from '../../../host/recordingPort';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

const fixtures = fileURLToPath(new URL('../../../../fixtures/history/', import.meta.url));

let worker: BuiltStoreWorker;
let folder: string;
/** The editor's workspace storage. */
let memory: Map<string, unknown>;
let imported: string[];
let log: RecordingLog;
let open: HistoryFileEditor[];
beforeAll(async () => {
  worker = await buildStoreWorker({ importWorker: 'src/features/history/core/import/importWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-history-file-'));
  [memory, imported, open, log] = [new Map(), [], [], new RecordingLog()];
});
afterEach(async () => {
  for (const each of open) each.dispose();
  await vi.waitFor(() => expect(copiesLeft()).toEqual([]));
  rmSync(folder, { recursive: true, force: true });
});

const copies = (): string => join(folder, 'reading');
const copiesLeft = (): readonly string[] => (existsSync(copies()) ? readdirSync(copies()) : []);

/** A window of the editor. A later one has the same workspace storage. */
function window(): HistoryFileEditor {
  const services = {
    programs: { load: () => undefined },
    editor: { copy: async () => undefined, openLink: async () => undefined },
    code: noCodeActions,
    localization: {},
    clock: systemClock,
    log,
  };
  const made = new HistoryFileEditor(
    servicesOf({
      openImporter: () =>
        new ImportClient(join(worker.folder, 'importWorker.js'), copies(), () => portTo(unusedTarget)),
      startWorker: () => startStoreWorker(worker.entry),
      notice: { show: () => undefined },
      clock: systemClock,
      failed: () => (error) => void imported.push(String(error)),
      transcripts: { current: new TranscriptTabs(services as unknown as WindowContext) },
    }),
    { run: async ([path = ''] = []) => void imported.push(path) },
    { get: (key) => memory.get(key), update: async (key, value) => void memory.set(key, value) },
  );
  open.push(made);
  return made;
}

interface ShownPage {
  readonly session: { readonly title: string | null } | null;
  readonly rows: { readonly total: number } | null;
  readonly problem: string | null;
  readonly file: { readonly sessions: number } | null;
}

/** A tab of the editor, and its page. */
class Tab {
  private readonly port = new RecordingPort();
  private readonly listeners: (() => void)[] = [];

  constructor(within: HistoryFileEditor, path: string, scheme = 'file') {
    const uri = { fsPath: path, scheme, toString: () => `${scheme}://${path}` } as Uri;
    const panel = {
      webview: this.port,
      visible: true,
      onDidChangeViewState: () => undefined,
      onDidDispose: (listener: () => void) => void this.listeners.push(listener),
    } as unknown as WebviewPanel;
    within.resolveCustomEditor(within.openCustomDocument(uri), panel);
  }

  /** Loads the page, or tries again; returns the title and the number of rows, or the problem. */
  async ready(): Promise<unknown> {
    const before = this.port.notifications.length;
    this.load();
    return this.shownAfter(before);
  }

  load(): void {
    this.port.command('ready', { filter: { role: null, state: null, hidden: false }, around: null });
  }

  act(action: string): void {
    this.port.command('fileAction', { action });
  }

  /** Sends what only tabs of this window's sessions offer. */
  tryToChange(): void {
    this.port.command('openInChat', { messageUid: null });
    this.port.command('branchFrom', { messageUid: 'u1' });
    this.port.command('rewindTo', { messageUid: 'u1' });
    this.port.command('exportSession');
  }

  async chooseOther(): Promise<unknown> {
    const before = this.port.notifications.length;
    this.act('chooseSession');
    return this.shownAfter(before);
  }

  close(): void {
    for (const listener of this.listeners) listener();
  }

  private async shownAfter(before: number): Promise<unknown> {
    const page = await vi.waitFor(() => {
      const found = this.port.notifications.slice(before).findLast(([name]) => name === 'bootstrap');
      if (found === undefined) throw new Error('Nothing is shown.');
      return found[1] as ShownPage;
    });
    return page.problem ?? [page.session?.title, page.rows?.total, page.file?.sessions];
  }
}

function file(name: string, from: string): string {
  const path = join(folder, name);
  copyFileSync(join(fixtures, from), path);
  return path;
}
const claude = (): string =>
  file('old.jsonl', 'claudeCode/projects/-home-demo-project/11111111-2222-4333-8444-555555555555.jsonl');
const chats = (): string => file('chats.json', 'chatFiles/list.json');

describe('a history file in the editor', () => {
  it('shows its only session at once, from a copy that goes with the tab; the file stays as it is', async () => {
    const path = claude();
    const before = readFileSync(path);
    const tab = new Tab(window(), path);
    expect(await tab.ready()).toEqual(['What is in fruit.txt?', 19, 1]);
    expect([editor.offered, copiesLeft().length, readFileSync(path).equals(before)]).toEqual([[], 1, true]);
    tab.close();
    await vi.waitFor(() => expect([copiesLeft(), ...memory.values()]).toEqual([[], {}]));
  });

  it('asks which of several sessions to show, and can show another one later', async () => {
    editor.picks.push('What is in fruit.txt?', 'Untitled Session', undefined);
    const tab = new Tab(window(), chats());
    const first = await tab.ready();
    const other = await tab.chooseOther();
    tab.act('chooseSession');
    await vi.waitFor(() => expect(editor.offered).toHaveLength(3));
    // Ages are relative to now.
    const offered = editor.offered[0]?.map((row) => row.replace(/\| .* ·/, '·'));
    expect([first, other, offered]).toEqual([
      ['What is in fruit.txt?', 6, 2],
      [null, 1, 2],
      ['Untitled Session · 1 message', 'What is in fruit.txt? · 5 messages'],
    ]);
  });

  it('shows the same session after a window reload, without a question', async () => {
    editor.picks.push('What is in fruit.txt?');
    const path = chats();
    const before = window();
    await new Tab(before, path).ready();
    before.dispose();
    expect([await new Tab(window(), path).ready(), editor.offered.length]).toEqual([
      ['What is in fruit.txt?', 6, 2],
      1,
    ]);
  });

  it('shows a session of a store of ours that is in use, without a question about empty ones', async () => {
    const world = await backupWorld();
    const owner = world.open();
    converse(owner.operations, 's1', 'One');
    owner.operations.setTitle('s1', 'Fruit', 'person');
    owner.operations.createSession({ id: 's2', startedAt: 1 });
    const shown = await new Tab(window(), join(world.place.store, 'state.db')).ready();
    owner.close();
    world.remove();
    expect([shown, editor.offered]).toEqual([['Fruit', 2, 1], []]);
  });

  it('says why it cannot be read, opens as text, and is read again when the user tries again', async () => {
    const path = join(folder, 'notes.jsonl');
    writeFileSync(path, 'plain words\n');
    const tab = new Tab(window(), path);
    const problem = await tab.ready();
    tab.act('openAsText');
    copyFileSync(claude(), path);
    expect([problem, await tab.ready(), editor.ran.map(([command, , as]) => [command, as])]).toEqual([
      expect.stringContaining('It holds no session in a format that can be read'),
      ['What is in fruit.txt?', 19, 1],
      [['vscode.openWith', 'default']],
    ]);
  });

  it('shows what was added to the file once it is reloaded', async () => {
    const path = claude();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    writeFileSync(path, `${lines.slice(0, 8).join('\n')}\n`);
    const tab = new Tab(window(), path);
    const first = await tab.ready();
    writeFileSync(path, `${lines.join('\n')}\n`);
    const unchanged = await tab.ready();
    tab.act('reload');
    const reloaded = await tab.ready();
    expect({ isShorter: JSON.stringify(first) !== JSON.stringify(reloaded), unchanged, reloaded }).toEqual({
      isShorter: true,
      unchanged: first,
      reloaded: ['What is in fruit.txt?', 19, 1],
    });
    await vi.waitFor(() => expect(copiesLeft()).toHaveLength(1));
  });

  it('is imported on request, and cannot be changed or continued', async () => {
    const path = claude();
    const tab = new Tab(window(), path);
    await tab.ready();
    tab.act('import');
    tab.tryToChange();
    await vi.waitFor(() => expect(log.lines).toHaveLength(4));
    const refusal = 'This session belongs to old.jsonl. Copy it to this folder first.';
    expect({ imported, refused: log.lines.toSorted() }).toEqual({
      imported: [path],
      refused: ['branchFrom', 'exportSession', 'openInChat', 'rewindTo'].map((name) => `warn: ${name}: ${refusal}`),
    });
  });

  it('is not read from a place that only the editor reaches', async () => {
    expect(await new Tab(window(), '/old.jsonl', 'vscode-vfs').ready()).toBe(
      'Only files on the machine that runs Hermes can be read.',
    );
  });
});
