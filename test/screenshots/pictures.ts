import fs from 'node:fs';
import path from 'node:path';
import { packageExtension } from '../../scripts/package.mjs';
import { ChatPanel } from '../e2e/chatPanel';
import { EXTENSION_ID } from '../e2e/extensionId';
import { refuses, reply, startModelServer } from '../support/modelServer';
import { VscodeSession, type Workbench } from '../support/vscode';

export interface PictureOptions {
  /** Where the pictures go. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

const themes = [
  { id: 'dark', name: 'Dark Modern' },
  { id: 'light', name: 'Light Modern' },
  { id: 'contrast-dark', name: 'Default High Contrast' },
  { id: 'contrast-light', name: 'Default High Contrast Light' },
] as const;
const widths = [300, 450, 900] as const;

const answer = [
  'The retry timer in [src/retry.js:1](src/retry.js#L1) doubles its pause after every attempt. Three things matter:',
  '1. `waitBefore(attempt)` returns milliseconds, **not** seconds.\n2. The pause is capped.\n3. Tests should inject the clock.',
  '```js\nexport function waitBefore(attempt) {\n  return Math.min(1000 * 2 ** attempt, 30_000);\n}\n```',
  '| Attempt | Pause |\n| --- | --- |\n| 1 | 2 s |\n| 2 | 4 s |\n| 5 | 30 s |',
].join('\n\n');

/** Takes pictures of the panel and the transcript tab in a real VS Code, from the packaged extension (or the one that HERMES_VSIX names): each
 *  state in each theme and width. */
export async function takePictures({ folder, say }: PictureOptions): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  const file = process.env['HERMES_VSIX'] || (await packageExtension(() => undefined)).file;
  const server = await startModelServer();
  const session = await VscodeSession.start({
    vsix: [file],
    viewport: { width: 1440, height: 900 },
    settings: {
      'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model', contextWindow: 128_000 }] }],
      'window.commandCenter': false,
    },
  });
  try {
    const workbench = await session.open(session.sampleFolder());
    await workbench.runCommand('View: Close Primary Side Bar');
    let panel = await ChatPanel.open(workbench);
    const shoot = async (state: string): Promise<void> => {
      for (const theme of themes) {
        await workbench.setTheme(theme.name);
        for (const width of widths) {
          await workbench.resizeSecondarySideBar(width);
          await workbench.page.waitForTimeout(250);
          await workbench.screenshot(folder, `${state}-${theme.id}-${width}`);
        }
      }
      say(`${state}: ${themes.length * widths.length} pictures`);
    };
    await panel.button(/Try the Demo/).waitFor();
    await shoot('empty');
    session.settings.update({ 'hermes.model': 'Local/test-model' });
    await workbench.reload();
    panel = await ChatPanel.attach(workbench);
    server.script(
      reply().thinks('The person asks how retries work. I should look at the code.').says('I look at the code.').calls('search_files', { query: 'waitBefore' }).calls('read_file', { path: 'src/retry.js' }).calls('list_directory', { path: '.' }),
      reply().says(answer),
    );
    await panel.send('How do retries work here, and what should I watch out for in tests?');
    await panel.waitForAnswer('the answer', (text) => text.includes('30 s'));
    await panel.frame.locator('[data-state=saved]').last().waitFor();
    await shoot('answered');
    server.script(reply().says('Let me begin with the tests: ').says(' one two three'.repeat(40), { every: 30 }).hangs());
    await panel.send('Now go through the tests one by one.');
    await panel.waitForAnswer('the beginning', (text) => text.startsWith('Let me begin') && text.length > 200);
    await panel.composer.fill('Also update the docs');
    await panel.button('Queue').click();
    await shoot('streaming');
    await panel.button('Stop').click();
    await panel.sees(/You stopped this answer/);
    await workbench.runCommand('Hermes: New Session');
    await panel.frame.getByText('Recent sessions').waitFor();
    server.script(refuses(401, { message: 'Incorrect API key provided.' }));
    await panel.send('Why does upload.test.js fail on CI only?');
    await panel.button('Retry').waitFor();
    await shoot('failed');
    await transcript(workbench, panel);
    await shoot('transcript');
  } finally {
    await session.dispose();
    await server.close();
  }
}

async function transcript(workbench: Workbench, panel: ChatPanel): Promise<void> {
  await workbench.runCommand('Hermes: Resume Session…');
  await workbench.quickInputRow('How do retries work').click();
  await panel.sees('The retry timer in');
  await workbench.runCommand('Hermes: Open Transcript');
  const tab = await workbench.waitForWebview(EXTENSION_ID, 'editor');
  await tab.getByRole('row').first().waitFor();
}

/** Default place of the pictures. */
export function pictureFolder(root: string): string {
  return path.join(root, '.vscode-test', 'screenshots');
}
