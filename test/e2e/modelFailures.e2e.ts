import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, refuses, reply, type Scripted, startModelServer } from '../support/modelServer';
import { freePort, waitFor, type VscodeSession } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { sharedVscode } from './vscodeTest';

let server: ModelServer;
let unreachable: number;
let panel: ChatPanel | undefined;

beforeAll(async () => {
  server = await startModelServer({ models: ['test-model', 'other-model'] });
  unreachable = await freePort();
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [
      { name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] },
      {
        name: 'Gone',
        protocol: 'openai',
        baseUrl: `http://127.0.0.1:${unreachable}/v1`,
        models: [{ id: 'gone-model' }],
      },
      {
        name: 'Keyless',
        protocol: 'openai',
        baseUrl: 'https://models.example.invalid/v1',
        models: [{ id: 'keyless-model' }],
      },
    ],
    'hermes.model': 'Local/test-model',
  },
}));

/** Sends a prompt that fails, and reads what the panel says of it. */
async function failure(
  session: VscodeSession,
  prompt: string,
  script: readonly Scripted[],
  model: string | null = null,
): Promise<{ readonly said: string; readonly prompt: boolean; readonly buttons: readonly string[] }> {
  panel ??= await ChatPanel.open(await session.open(session.sampleFolder()));
  const shown = panel;
  await shown.workbench.runCommand('Hermes: New Session');
  await waitFor('the empty state', async () => ((await shown.messages()).length === 0 ? true : undefined));
  if (model !== null) await chooseModel(shown, model);
  server.script(...script);
  await shown.send(prompt);
  await shown.button('Retry').waitFor();
  const turn = shown.frame.getByRole('article', { name: /^You/ }).locator('xpath=ancestor::*[1]');
  await turn.first().waitFor();
  const feed = shown.frame.getByRole('feed', { name: 'Conversation' });
  return {
    said: (await feed.innerText()).replace(/\s+/g, ' '),
    prompt: (await shown.prompts()).some(({ text }) => text === prompt),
    buttons: (await feed.getByRole('button').allInnerTexts()).filter((text) =>
      /^(Retry|Choose Model|Set a Key|Set Up Model|Set Up Model…|Set New Key|Show Details|Continue)/.test(text.trim()),
    ),
  };
}

async function chooseModel(shown: ChatPanel, name: string): Promise<void> {
  const { workbench } = shown;
  await workbench.runAndChoose('Hermes: Select Model…', name, name);
  await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await shown.frame.getByRole('combobox', { name: 'Model', exact: true }).filter({ hasText: name }).waitFor();
}

test.each([
  ['a wrong key', [refuses(401, { message: 'Incorrect API key provided.' })], /key.*(401|refused|needs)/i],
] as const)('%s is reported in a sentence with the next step, and the prompt is kept', async (name, script, said) => {
  const seen = await failure(vscode(), `Prompt for ${name}`, script);
  expect({ prompt: seen.prompt, retry: seen.buttons.includes('Retry') }).toEqual({ prompt: true, retry: true });
  expect(seen.said).toMatch(said);
  expect(seen.said).toMatch(/Your prompt is saved\./);
});

test('Retry answers the same prompt after the cause is fixed, and the failed attempt is hidden', async () => {
  const shown = panel;
  if (shown === undefined) throw new Error('no panel');
  server.script(reply().says('Better now.'));
  await shown.button('Retry').click();
  await shown.waitForAnswer('the answer', (text) => text === 'Better now.');
  await waitFor('one prompt to be shown', async () => ((await shown.prompts()).length === 1 ? true : undefined));
});

test.each([
  ['a server that is not there', 'gone-model', /(refused|running|reach|connect)/i],
  ['a key that was never set', 'keyless-model', /No key is set for Keyless/],
] as const)('%s is reported in a sentence with the next step', async (name, model, said) => {
  const seen = await failure(vscode(), `Prompt for ${name}`, [], model);
  expect({ prompt: seen.prompt, retry: seen.buttons.includes('Retry') }).toEqual({ prompt: true, retry: true });
  expect(seen.said).toMatch(said);
  expect(seen.said).toMatch(/Your prompt is saved\./);
});
