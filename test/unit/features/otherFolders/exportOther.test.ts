import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ExportRegister } from '../../../../src/features/history/core/export/exportRegister';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { inProcessStore } from '../../../support/inProcessStore';
import { backupWorld, type BackupWorld } from '../backup/core/backupWorld';
import { editor } from '../../host/answeringEditor';
import { exportSessions } from '../../../../src/features/history/host/exportSession';
import { OtherTranscripts } from '../../../../src/features/otherFolders/host/otherTranscripts';
import type { OpenCopies } from '../../../../src/features/otherFolders/host/openCopies';
import type { OtherFolders } from '../../../../src/features/otherFolders/host/otherFolders';
import type { OtherStore } from '../../../../src/store/library/otherStore';
import type { ExportSessions } from '../../../../src/host/window/featurePoints';
import type { WindowContext } from '../../../../src/host/window/windowContext';

vi.mock('vscode', () => import('../../host/answeringEditor'));

let root: string;
let world: BackupWorld;
beforeEach(async () => {
  world = await backupWorld();
  root = mkdtempSync(join(tmpdir(), 'hermes-other-export-'));
});
afterEach(() => {
  world.remove();
  rmSync(root, { recursive: true });
});

it('reads the other folder, and notes the file beside the store of this window', async () => {
  const [here, there, path] = [join(root, 'here'), join(root, 'there'), join(root, 'a.md')];
  for (const folder of [here, there]) mkdirSync(folder);
  const copy = world.open();
  copy.operations.createSession({ id: 's1', startedAt: 1, title: 'One' });
  const read: string[] = [];
  let open = 0;
  const exporting = {
    run: async () => {
      writeFileSync(path, 'content');
      return { sessions: 1, sessionIds: ['s1'], maskedSecrets: 0, bytes: 7 };
    },
    copies: join(root, 'copies'),
    noteExport: (...noted: [string, readonly string[]]) =>
      new ExportRegister(new NodeFileSystem(), here, () => 1).noteExport(...noted),
  };
  const exporter: ExportSessions = (chosen, store) => {
    read.push(store);
    return exportSessions(chosen, exporting);
  };
  const copies = {
    open: async (folder: string) => {
      read.push(folder);
      open++;
      return { store: inProcessStore(copy), close: () => void open-- };
    },
  };
  const window = { context: {}, exporter: { current: exporter } } as unknown as WindowContext;
  const transcripts = new OtherTranscripts(window, {} as OtherFolders, copies as unknown as OpenCopies);
  const store = { folder: there } as OtherStore;
  editor.picks.push('Markdown');
  editor.multiPicks.push({ rows: [] });
  editor.saves.push(path);
  await transcripts.export({ store, sessionId: 's1' });
  await transcripts.export({ store, sessionId: 'gone' });
  copy.close();
  const noted = new ExportRegister(new NodeFileSystem(), here, () => 1).exports();
  expect({
    read,
    open,
    noted: noted.map((each) => [each.path, each.sessionIds]),
    there: readdirSync(there),
    exists: existsSync(path),
    shown: editor.shown,
  }).toEqual({
    read: [there, there, there],
    open: 0,
    noted: [[path, ['s1']]],
    there: [],
    exists: true,
    shown: ['Session exported to a.md.', 'This session no longer exists.'],
  });
});
