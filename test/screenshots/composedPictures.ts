import fs from 'node:fs';
import path from 'node:path';
import { packageExtension } from '../../scripts/package.mjs';
import type { ChatPanel } from '../e2e/chatPanel';
import { ApprovalCard } from '../e2e/workPanel';
import { reply, startModelServer, type ModelServer } from '../support/modelServer';
import { VscodeSession, type Workbench } from '../support/vscode';
import { arranged, atRest, readmeSettings, readmeViewport } from './readmeWindow';
import { smallPng } from './smallPng';

interface ComposedOptions {
  /** The pictures go here. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

const jitter = [
  {
    path: 'src/retry.js',
    edits: [
      { old_text: 'const LONGEST_WAIT_MS = 10_000;', new_text: 'const LONGEST_WAIT_MS = 30_000;' },
      {
        old_text: '  return Math.min(FIRST_WAIT_MS * 2 ** (attempt - 2), LONGEST_WAIT_MS);',
        new_text:
          '  const wait = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 2), LONGEST_WAIT_MS);\n' +
          '  // Clients that failed together come back apart.\n' +
          '  return wait * (0.5 + Math.random() / 2);',
      },
    ],
  },
  { path: 'src/upload.js', old_text: 'retries = 3', new_text: 'retries = 5' },
  {
    path: 'docs/retries.md',
    old_text: 'never more than 10 s:',
    new_text: 'never more than 30 s. Up to half of a wait is left out at random:',
  },
] as const;

/** Takes the README's other pictures in a real VS Code: three edits that are allowed at once, and their review in the
 *  editor. The answers come from a scripted server. */
export async function takeComposedPictures({ folder, say }: ComposedOptions): Promise<{ readonly bytes: number }> {
  const file = process.env['HERMES_VSIX'] || (await packageExtension(() => undefined)).file;
  fs.mkdirSync(folder, { recursive: true });
  const server = await startModelServer({ models: ['qwen3-coder'] });
  const session = await VscodeSession.start({
    vsix: [file],
    viewport: readmeViewport,
    settings: {
      ...readmeSettings,
      'hermes.model': 'Local/qwen3-coder',
      'hermes.sessionTitles': 'prompt',
      'hermes.providers': [
        {
          name: 'Local',
          protocol: 'openai',
          baseUrl: server.url,
          models: [{ id: 'qwen3-coder', contextWindow: 128_000 }],
        },
      ],
    },
  });
  try {
    server.script(reply().says('Hello. What shall we do?'));
    const workbench = await session.open(session.sampleFolder());
    const panel = await arranged(workbench, 'retry.js', 440);
    const bytes = await jittered(server, panel, async (name) => {
      const picture = smallPng(await workbench.page.screenshot({ animations: 'disabled' }), 256);
      fs.writeFileSync(path.join(folder, `${name}.png`), picture);
      say(`${name}: ${Math.round(picture.length / 1024)} KB`);
      return picture.length;
    });
    return { bytes };
  } finally {
    await session.dispose();
    await server.close();
  }
}

async function jittered(
  server: ModelServer,
  panel: ChatPanel,
  shoot: (name: string) => Promise<number>,
): Promise<number> {
  const { workbench } = panel;
  server.script(
    reply()
      .calls('read_file', { path: 'src/retry.js' })
      .calls('read_file', { path: 'src/upload.js' })
      .calls('read_file', { path: 'docs/retries.md' }),
    jitter.reduce(
      (answer, edit) => answer.calls('edit_file', edit),
      reply().says(
        'The pauses are in `src/retry.js`. I add jitter there, raise the cap and the number of retries, and keep the notes true.',
      ),
    ),
    reply().says('Retries now wait between half and all of their pause, at most **30 s**. Uploads retry five times.'),
  );
  await panel.send('Add jitter to the retries, with a cap of 30 s.');
  const card = await ApprovalCard.asks(panel, 'Edit src/retry.js?');
  await atRest(workbench);
  const asked = await shoot('three-edits');
  await card.press('Allow All (3)');
  await panel.waitForSettledAnswer('the answer', (text) => text.endsWith('five times.'));
  await untilMarked(workbench);
  return asked + (await shoot('review-in-editor'));
}

/** Waits for the buttons of the changes in the editor, and goes to the second of them. */
async function untilMarked(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await page
    .locator('.codelens-decoration a', { hasText: /^Keep$/ })
    .nth(1)
    .waitFor();
  await page.locator('.view-line', { hasText: 'Clients that failed' }).click();
  await workbench.statusBarItem(/\d of 4 changes/).waitFor();
  await atRest(workbench);
}
