import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExportedFile } from '../../../../src/features/history/core/export/exportFile';
import type { ExportRequest } from '../../../../src/features/history/core/export/exportFile';
import { editor, type FakeUri } from '../answeringEditor';
import { exportAllSessions, exportSessions } from '../../../../src/features/history/host/exportSession';

const held = vi.hoisted(() => ({
  opened: new Array<string>(),
  suggested: new Array<string>(),
  /** Folder of the disk that the editor alone reaches. */
  remote: '',
}));
vi.mock('vscode', async () => {
  const fs = await import('node:fs');
  const shared = await import('../answeringEditor');
  const { uriOf } = shared;
  const pathOf = ({ scheme, path }: FakeUri): string => (scheme === 'file' ? path : `${held.remote}${path}`);
  return {
    ...shared,
    Uri: { file: uriOf, joinPath: (uri: FakeUri, name: string) => uriOf(`${uri.path}/${name}`) },
    env: { language: 'en', openExternal: async ({ path }: FakeUri) => void held.opened.push(`browser ${path}`) },
    commands: { executeCommand: async (name: string, { path }: FakeUri) => void held.opened.push(`${name} ${path}`) },
    window: {
      ...shared.window,
      showSaveDialog: (options: { readonly defaultUri?: FakeUri; readonly filters: object }) => {
        held.suggested.push(`${options.defaultUri?.path ?? ''} ${JSON.stringify(options.filters)}`);
        return shared.window.showSaveDialog();
      },
    },
    workspace: {
      name: 'project',
      workspaceFolders: [{ uri: uriOf('/w') }],
      asRelativePath: shared.workspace.asRelativePath,
      fs: {
        copy: async (from: FakeUri, to: FakeUri) => fs.copyFileSync(pathOf(from), pathOf(to)),
      },
    },
  };
});

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hermes-exports-'));
  held.opened.length = held.suggested.length = 0;
  held.remote = root;
});
afterEach(() => rmSync(root, { recursive: true }));

const s1 = { id: 's1', title: 'One: a/b' };

/** Exports that write the word "content". `ending`: replaces parts of what a run returns. */
function exportsOf(ending: Partial<ExportedFile> = {}) {
  const [requests, noted] = [new Array<ExportRequest>(), new Array<string>()];
  return {
    requests,
    noted,
    deps: {
      copies: join(root, 'copies'),
      noteExport: (path: string, ids: readonly string[]) => void noted.push(`${path} ${ids.join()}`),
      run: async (request: ExportRequest): Promise<ExportedFile> => {
        requests.push(request);
        writeFileSync(request.path, 'content');
        return { sessions: 1, sessionIds: ['s1'], maskedSecrets: 0, bytes: 7, ...ending };
      },
    },
  };
}

describe('the export of sessions', () => {
  it('asks for the format, what to include and the file, and takes the usual choices', async () => {
    const { deps, requests, noted } = exportsOf();
    const path = join(root, 'a.html');
    editor.picks.push('HTML');
    editor.multiPicks.push({ rows: ['Tool Output', 'Thinking', 'Images', 'Mask Secrets'] });
    editor.saves.push(path);
    await exportSessions([s1], deps);
    expect({ requests, noted, shown: editor.shown, suggested: held.suggested }).toEqual({
      requests: [
        {
          format: 'html',
          scope: { kind: 'sessions', ids: ['s1'] },
          path,
          leftOut: { toolOutput: false, thinking: false, images: false, hidden: true },
          masksSecrets: true,
          language: 'en',
        },
      ],
      noted: [`${path} s1`],
      shown: ['Session exported to a.html.'],
      suggested: ['/w/One a b.html {"HTML":["html"]}'],
    });
    expect(editor.preselected).toEqual([['Tool Output', 'Thinking', 'Images', 'Mask Secrets']]);
  });

  it('passes each choice on', async () => {
    const { deps, requests } = exportsOf();
    editor.picks.push('Hermes Database');
    editor.multiPicks.push({ rows: ['Hidden Messages'] });
    editor.saves.push(join(root, 'a.db'));
    await exportSessions([s1, { id: 's2', title: null }], deps);
    expect(requests[0]).toMatchObject({
      format: 'hermes',
      scope: { kind: 'sessions', ids: ['s1', 's2'] },
      leftOut: { toolOutput: true, thinking: true, images: true, hidden: false },
      masksSecrets: false,
    });
    expect(held.suggested).toEqual(['/w/Sessions.db {"SQLite":["db"]}']);
  });

  it('keeps everything in JSON, where only secrets are asked for', async () => {
    const { deps, requests } = exportsOf({ sessions: 2, maskedSecrets: 3 });
    editor.picks.push('JSON');
    editor.multiPicks.push({ rows: ['Mask Secrets'] });
    editor.saves.push(join(root, 'all.json'));
    await exportAllSessions(deps);
    expect([requests[0]?.scope, requests[0]?.leftOut, requests[0]?.masksSecrets]).toEqual([
      { kind: 'all' },
      { toolOutput: false, thinking: false, images: false, hidden: true },
      true,
    ]);
    expect([editor.offered[1], editor.shown, held.suggested]).toEqual([
      ['Mask Secrets | The file is complete only without this'],
      ['Sessions exported to all.json: 2. Secrets masked: 3.'],
      ['/w/project.json {"JSON":["json"]}'],
    ]);
  });

  it('writes nothing when the user cancels at any step', async () => {
    const { deps, requests, noted } = exportsOf();
    editor.picks.push(undefined, 'HTML', 'HTML');
    editor.multiPicks.push({}, { rows: [] });
    editor.saves.push(undefined);
    for (let step = 0; step < 3; step++) await exportSessions([s1], deps);
    await exportSessions([], deps);
    expect([requests, noted, editor.shown, editor.offered.length]).toEqual([[], [], [], 5]);
  });

  it('opens what it wrote with the button: a page in the browser, a document in the editor', async () => {
    const { deps } = exportsOf();
    editor.picks.push('HTML', 'Markdown', 'Markdown');
    editor.multiPicks.push({ rows: [] }, { rows: [] }, { rows: [] });
    editor.saves.push('/tmp/a.html', '/tmp/a.md', '/tmp/b.md');
    editor.messageButtons.push('Open', 'Open', undefined);
    const run = async (_request: ExportRequest): Promise<ExportedFile> => ({
      ...{ sessions: 1, sessionIds: [], maskedSecrets: 0, bytes: 7 },
    });
    for (let time = 0; time < 3; time++) await exportSessions([s1], { ...deps, run });
    expect(held.opened).toEqual(['browser /tmp/a.html', 'vscode.open /tmp/a.md']);
  });
});

describe('a place that only the editor reaches', () => {
  const exportTo = async (rows: readonly string[], path: string) => {
    const { deps, requests, noted } = exportsOf();
    editor.picks.push('Markdown');
    editor.multiPicks.push({ rows });
    editor.saves.push(`vscode-remote:${path}`);
    await exportSessions([s1], deps);
    return { written: requests.map((request) => request.path), noted };
  };

  it('gets a copy of the file, and nothing is left here', async () => {
    const { written, noted } = await exportTo([], '/there.md');
    const there = readFileSync(join(root, 'there.md'), 'utf8');
    expect([there, readdirSync(join(root, 'copies')), noted]).toEqual(['content', [], []]);
    expect([written[0]?.startsWith(join(root, 'copies')), written[0]?.endsWith('there.md')]).toEqual([true, true]);
    expect(editor.shown).toEqual(['Session exported to there.md.']);
  });
});
