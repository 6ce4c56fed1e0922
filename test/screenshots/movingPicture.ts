import fs from 'node:fs';
import path from 'node:path';
import { packageExtension } from '../../scripts/package.mjs';
import { ChatPanel } from '../e2e/chatPanel';
import { VscodeSession, type Workbench } from '../support/vscode';
import { arranged, readmeSettings, readmeViewport } from './readmeWindow';
import { Recorder } from './recorder';
import { smallPng } from './smallPng';

export interface MovingPictureOptions {
  /** The picture goes here. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** Records what Pull the Plug does in a real VS Code, from the packaged extension (or the one that HERMES_VSIX names): a prompt, an answer that is
 *  being written, the death of the extension host, and the same answer after the restart. The end is also a still. */
export async function recordMovingPicture({ folder, say }: MovingPictureOptions): Promise<{ readonly bytes: number }> {
  const file = process.env['HERMES_VSIX'] || (await packageExtension(() => undefined)).file;
  fs.mkdirSync(folder, { recursive: true });
  const session = await VscodeSession.start({
    vsix: [file],
    viewport: readmeViewport,
    settings: { ...readmeSettings, 'hermes.model': 'Demo/script' },
  });
  try {
    const workbench = await session.open(session.sampleFolder());
    await arranged(workbench, 'retry.js', 580);
    const recorder = Recorder.start(workbench.page, readmeViewport);
    await pulledPlug(session, workbench);
    const { bytes, frames, seconds } = await recorder.save(path.join(folder, 'pull-the-plug.png'));
    say(`pull-the-plug: ${frames} frames, ${seconds} seconds, ${Math.round(bytes / 1024)} KB`);
    const still = smallPng(await workbench.page.screenshot({ animations: 'disabled' }), 256);
    fs.writeFileSync(path.join(folder, 'pull-the-plug-still.png'), still);
    return { bytes };
  } finally {
    await session.dispose();
  }
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
