import fs from 'node:fs';
import path from 'node:path';
import { packageExtension } from '../../scripts/package.mjs';
import { ChatPanel } from '../e2e/chatPanel';
import { VscodeSession, type Workbench } from '../support/vscode';
import { Recorder } from './recorder';

/** As wide as README pages show a picture, so that its text keeps its size. */
const viewport = { width: 900, height: 620 };
const panelWidth = 580;

export interface MovingPictureOptions {
  /** The picture goes here. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** Records what Pull the Plug does in a real VS Code, from the packaged extension (or the one that HERMES_VSIX names): a prompt, an answer that is
 *  being written, the death of the extension host, and the same answer after the restart. */
export async function recordMovingPicture({ folder, say }: MovingPictureOptions): Promise<{ readonly bytes: number }> {
  const file = process.env['HERMES_VSIX'] || (await packageExtension(() => undefined)).file;
  fs.mkdirSync(folder, { recursive: true });
  const session = await VscodeSession.start({
    vsix: [file],
    viewport,
    settings: {
      'hermes.model': 'Demo/script',
      'hermes.notifications': 'never',
      'window.commandCenter': false,
      'workbench.layoutControl.enabled': false,
      'workbench.activityBar.location': 'hidden',
      'workbench.colorTheme': 'Dark Modern',
      'editor.minimap.enabled': false,
      'editor.wordWrap': 'on',
    },
  });
  try {
    const workbench = await session.open(session.sampleFolder());
    await arranged(workbench);
    const recorder = Recorder.start(workbench.page, viewport);
    await pulledPlug(session, workbench);
    const { bytes, frames, seconds } = await recorder.save(path.join(folder, 'pull-the-plug.png'));
    say(`pull-the-plug: ${frames} frames, ${seconds} seconds, ${Math.round(bytes / 1024)} KB`);
    return { bytes };
  } finally {
    await session.dispose();
  }
}

/** A file beside the panel, and no more. */
async function arranged(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const panel = await ChatPanel.open(workbench);
  // In a container a strip says that sessions go with it; a user reads it once.
  const dismiss = panel.button('Don’t Show Again');
  if (await dismiss.isVisible()) await dismiss.click();
  await page.locator('#workbench\\.parts\\.sidebar').waitFor();
  await page.keyboard.press('Control+b');
  await page.keyboard.press('Control+p');
  await page.locator('.quick-input-widget input.input').fill('retries.md');
  await workbench.quickInputRow('retries.md').click();
  await page.locator('.tab.active', { hasText: 'retries.md' }).waitFor();
  await workbench.resizeSecondarySideBar(panelWidth);
  await page.mouse.move(2, viewport.height - 2);
  await panel.composer.focus();
  await page.waitForTimeout(500);
}

async function pulledPlug(session: VscodeSession, workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const pid = await session.extensionHostPid();
  await page.waitForTimeout(600);
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input.input').waitFor();
  await page.waitForTimeout(300);
  await page.keyboard.type('check and repair', { delay: 40 });
  await workbench.quickInputRow('Hermes: Check and Repair…').waitFor();
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
  await workbench.quickInputRow('Pull the Plug…').click();
  const yes = workbench.dialog().getByRole('button', { name: 'Pull the Plug' });
  await yes.waitFor();
  await page.waitForTimeout(2_000);
  await yes.click();
  await session.waitForNewExtensionHost(pid);
  const after = await ChatPanel.attach(workbench);
  await after.frame
    .getByRole('status')
    .filter({ hasText: /characters shown are saved\./ })
    .waitFor();
  await page.waitForTimeout(1_000);
}
