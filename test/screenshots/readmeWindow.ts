import { ChatPanel } from '../e2e/chatPanel';
import { type Workbench, write } from '../support/vscode';

/** As wide as README pages show a picture, so that its text keeps its size. */
export const readmeViewport = { width: 900, height: 620 };

/** Settings of the window in a picture of the README: a file beside the panel, and no more. */
export const readmeSettings = {
  'hermes.notifications': 'never',
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
  'workbench.activityBar.location': 'hidden',
  'workbench.colorTheme': 'Dark Modern',
  'editor.minimap.enabled': false,
  'editor.wordWrap': 'on',
} as const;

/** Opens `file` beside the panel. Sends a first prompt, dismisses what is said once after it, and begins a new session. */
export async function arranged(workbench: Workbench, file: string, panelWidth: number): Promise<ChatPanel> {
  const { page } = workbench;
  const panel = await ChatPanel.open(workbench);
  await page.locator('#workbench\\.parts\\.sidebar').waitFor();
  await page.keyboard.press('Control+b');
  await write(await workbench.openPick('Go to File...', /Search files by name/), file);
  await workbench.quickInputRow(file.split('/').at(-1) ?? file).click();
  await page.locator('.tab.active', { hasText: file.split('/').at(-1) ?? file }).waitFor();
  await panel.send('Hello');
  await panel.waitForSettledAnswer('the first answer');
  await withoutNotice(panel);
  await workbench.runCommand('Hermes: New Session');
  await panel.frame.getByText('Recent sessions').waitFor();
  await workbench.resizeSecondarySideBar(panelWidth);
  await atRest(workbench);
  await panel.composer.focus();
  return panel;
}

/** In a container a strip says once, after the first prompt, that sessions are deleted with it. */
export async function withoutNotice(panel: ChatPanel): Promise<void> {
  const dismiss = panel.button('Dismiss');
  const isThere = await dismiss.waitFor({ timeout: 3_000 }).then(
    () => true,
    () => false,
  );
  if (isThere) await dismiss.click();
}

/** Takes the mouse out of the way and waits until what moved is still. */
export async function atRest(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  // Other extensions may have something to say.
  await workbench.runCommand('Notifications: Clear All Notifications');
  await page.mouse.move(2, readmeViewport.height - 2);
  await page.waitForTimeout(500);
}
