import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evidenceText, LineChain } from '../../../../src/features/history/core/export/evidence';
import type { ExportedFile } from '../../../../src/features/history/core/export/exportFile';
import type { ThreadRequest } from '../../../../src/features/history/core/export/exportMessages';
import { editor, type FakeUri } from '../answeringEditor';
import { exportAllSessions, exportSessions, SigningKey } from '../../../../src/features/history/host/exportSession';

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
        readFile: async (uri: FakeUri) => fs.readFileSync(pathOf(uri)),
        delete: async (uri: FakeUri) => fs.rmSync(pathOf(uri)),
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
const evidence = (): string =>
  evidenceText({ file: 'a', chain: new LineChain().finish(), madeAt: 1, privateKey: null });

/** Exports that write the word "content". `ending`: replaces parts of what a run returns. */
function exportsOf(ending: Partial<ExportedFile> = {}) {
  const [requests, noted] = [new Array<ThreadRequest>(), new Array<string>()];
  return {
    requests,
    noted,
    deps: {
      store: () => '/store',
      copies: join(root, 'copies'),
      signingKey: async () => 'the key',
      noteExport: (path: string, ids: readonly string[]) => void noted.push(`${path} ${ids.join()}`),
      run: async (_store: string, request: ThreadRequest): Promise<ExportedFile> => {
        requests.push(request);
        writeFileSync(request.path, 'content');
        const hasEvidence = request.evidence !== null;
        if (hasEvidence) writeFileSync(`${request.path}.evidence.json`, evidence());
        return { sessions: 1, sessionIds: ['s1'], maskedSecrets: 0, hasEvidence, bytes: 7, ...ending };
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
          evidence: null,
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
    editor.multiPicks.push({ rows: ['Hidden Messages', 'Evidence File'] });
    editor.saves.push(join(root, 'a.db'));
    await exportSessions([s1, { id: 's2', title: null }], deps);
    expect(requests[0]).toMatchObject({
      format: 'hermes',
      scope: { kind: 'sessions', ids: ['s1', 's2'] },
      leftOut: { toolOutput: true, thinking: true, images: true, hidden: false },
      masksSecrets: false,
      evidence: { privateKey: 'the key' },
    });
    expect(held.suggested).toEqual(['/w/Sessions.db {"SQLite":["db"]}']);
  });

  it('keeps everything in JSON, where only secrets and evidence are asked for', async () => {
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
      [
        'Mask Secrets | The file is complete only without this',
        'Evidence File | Signed. Shows later changes of the file',
      ],
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
    const run = async (_store: string, _request: ThreadRequest): Promise<ExportedFile> => ({
      ...{ sessions: 1, sessionIds: [], maskedSecrets: 0, hasEvidence: false, bytes: 7 },
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

  it('gets copies of the file and its evidence, and nothing is left here', async () => {
    const { written, noted } = await exportTo(['Evidence File'], '/there.md');
    const there = ['there.md', 'there.md.evidence.json'].map((name) => readFileSync(join(root, name), 'utf8'));
    expect([there, readdirSync(join(root, 'copies')), noted]).toEqual([['content', evidence()], [], []]);
    expect([written[0]?.startsWith(join(root, 'copies')), written[0]?.endsWith('there.md')]).toEqual([true, true]);
    expect(editor.shown).toEqual(['Session exported to there.md. Evidence: there.md.evidence.json.']);
  });

  it('loses the evidence of the file that is replaced there, and no other file', async () => {
    const path = join(root, 'there.md.evidence.json');
    await exportTo(['Evidence File'], '/there.md');
    await exportTo([], '/there.md');
    const isGone = !existsSync(path);
    writeFileSync(path, 'mine');
    await exportTo([], '/there.md');
    expect([isGone, readFileSync(path, 'utf8')]).toEqual([true, 'mine']);
  });
});

describe('the signing key', () => {
  /** Secret storage, in which `others` of another window arrive between `get` and `store`. */
  const secretsOf = (others: readonly string[] = []) => {
    const stored = new Map<string, string>();
    const arriving = [...others];
    let fails = false;
    return {
      stored,
      failNext: () => (fails = true),
      secrets: {
        get: async (name: string) => {
          if (fails) throw new Error(`locked ${String((fails = false))}`);
          return stored.get(name);
        },
        store: async (name: string, value: string) => void stored.set(name, arriving.shift() ?? value),
      },
    };
  };

  it('is an Ed25519 key that is made once and kept', async () => {
    const { secrets, stored } = secretsOf();
    const key = new SigningKey(secrets);
    const keys = [...(await Promise.all([key.get(), key.get()])), await new SigningKey(secrets).get()];
    expect([new Set(keys).size, [...stored.values()][0], createPrivateKey(keys[0] ?? '').asymmetricKeyType]).toEqual([
      1,
      keys[0],
      'ed25519',
    ]);
  });

  it('is that of the window that stored its own last', async () => {
    const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(await new SigningKey(secretsOf([other]).secrets).get()).toBe(other);
  });
});
