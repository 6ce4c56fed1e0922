import path from 'node:path';
import { packageExtension } from '../../scripts/package.mjs';
import { ChatPanel } from '../e2e/chatPanel';
import { EXTENSION_ID } from '../support/extensionId';
import { WorkRepository } from '../e2e/workRepository';
import { type ModelServer, startModelServer } from '../support/modelServer';
import { VscodeSession, waitFor, type Workbench, write } from '../support/vscode';
import { Camera, viewport } from './camera';
import { answers, breaksOff, changes, failure, listing, stream } from './conversations';
import { storeSessions } from './storedSessions';

export interface PictureOptions {
  /** Where the pictures go. */
  readonly folder: string;
  readonly say: (line: string) => void;
  /** Takes only states whose name contains this; the way there is gone in any case. */
  readonly only?: string;
  /** Every state in every theme and width; otherwise only key states are. */
  readonly all?: boolean;
}

/** What a scene is played with. */
export interface Stage {
  readonly session: VscodeSession;
  readonly server: ModelServer;
  readonly camera: Camera;
  readonly workbench: Workbench;
  panel: ChatPanel;
}

/** Takes pictures of the panel and the tabs in a real VS Code, from the packaged extension (or the one that HERMES_VSIX names): key states in each
 *  theme and width. A scene that fails is named, and the next one is played. */
export async function takePictures({
  folder,
  say,
  only = '',
  all = false,
}: PictureOptions): Promise<{ readonly bytes: number; readonly failed: readonly string[] }> {
  const file = process.env['HERMES_VSIX'] || (await packageExtension(() => undefined)).file;
  const server = await startModelServer({ models: ['qwen3-coder'] });
  const session = await VscodeSession.start({
    vsix: [file],
    viewport,
    settings: {
      'hermes.providers': [
        {
          name: 'Local',
          protocol: 'openai',
          baseUrl: server.url,
          models: [{ id: 'qwen3-coder', contextWindow: 128_000 }],
        },
      ],
      'window.commandCenter': false,
      'hermes.notifications': 'never',
    },
  });
  try {
    const repository = WorkRepository.create(session);
    const workbench = await session.open(repository.folder);
    await workbench.page.locator('#workbench\\.parts\\.sidebar').waitFor();
    await workbench.page.keyboard.press('Control+b');
    const camera = new Camera({ folder, say, only, all }, workbench);
    const stage: Stage = { session, server, camera, workbench, panel: await ChatPanel.open(workbench) };
    await firstSteps(stage);
    await returned(stage, repository.folder);
    const failed: string[] = [];
    for (const scene of [changes, answers, transcripts, stream, failure, breaksOff, listing]) {
      await scene(stage).catch((error: unknown) => {
        failed.push(`${scene.name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
    return { bytes: camera.bytes, failed };
  } finally {
    await session.dispose();
    await server.close();
  }
}

async function firstSteps({ camera, workbench, panel }: Stage): Promise<void> {
  await panel.button(/Try the Demo/).waitFor();
  await camera.shoot('empty-no-model', { isKey: true });
  await workbench.runCommand('Hermes: Get Started');
  await workbench.page.getByText('Choose a model').first().waitFor();
  await camera.shoot('walkthrough', { part: 'tab' });
  await workbench.runCommand('View: Close All Editors');
}

/** The window as somebody finds it who has been here before. */
async function returned(stage: Stage, folder: string): Promise<void> {
  const { session, workbench, camera } = stage;
  const [storage = ''] = session.workspaceStorageFolders(EXTENSION_ID);
  await workbench.page.goto('about:blank');
  await waitFor('the extension host to end', () => session.server.extensionHostPids().length === 0);
  await storeSessions(storage);
  session.settings.update({ 'hermes.model': 'Local/qwen3-coder' });
  await workbench.open(folder);
  stage.panel = await ChatPanel.open(workbench);
  await stage.panel.frame.getByText('Recent sessions').waitFor();
  // A window that comes back opens the steps again.
  await workbench.runCommand('View: Close All Editors');
  await camera.shoot('empty');
}

/** The tabs: what is stored, branches, a check, what was repaired, the search. */
async function transcripts({ camera, workbench, panel }: Stage): Promise<void> {
  await resume(workbench, panel, 'How do retries work', 'Retries are spaced by');
  await workbench.runCommand('Hermes: Check and Repair… › Verify Session');
  const tab = workbench.editorWebview(EXTENSION_ID, 0);
  await tab
    .getByText(/Storage consistent/)
    .first()
    .waitFor();
  // From its beginning: the prompt, the calls, the answer.
  const first = tab.locator('[role=row][data-uid]').first();
  await camera.shoot('transcript-verified', {
    part: 'tab',
    isKey: true,
    pose: () => first.evaluate((row) => row.closest('.grid-scroller')?.scrollTo(0, 0)),
  });
  await workbench.runCommand('View: Close All Editors');
  await resume(workbench, panel, 'Two prompts in a row', 'None does');
  await workbench.runCommand('Hermes: Open Transcript');
  await workbench.editorWebview(EXTENSION_ID, 0).getByRole('row').first().waitFor();
  await camera.shoot('transcript-repaired', { part: 'tab' });
  await workbench.runCommand('View: Close All Editors');
  await workbench.runCommand('Hermes: Search in Sessions');
  const search = workbench.editorWebview(EXTENSION_ID, 0);
  await write(search.getByRole('textbox', { name: 'Search all sessions' }), 'retry');
  await search.locator('[data-result]').first().waitFor();
  await camera.shoot('search', { part: 'tab' });
  await workbench.runCommand('View: Close All Editors');
}

async function resume(workbench: Workbench, panel: ChatPanel, title: string, text: string): Promise<void> {
  await workbench.runAndChoose('Hermes: Resume Session…', title);
  await panel.sees(text);
}

/** Default place of the pictures. */
export function pictureFolder(root: string): string {
  return path.join(root, 'docs', 'screenshots');
}
