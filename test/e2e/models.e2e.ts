import { expect, test } from 'vitest';
import { reply, startModelServer } from '../support/modelServer';
import { type Settings, type Workbench, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, sharedVscode, windowOn } from './vscodeTest';

const key = 'private-0123456789';
const vscode = sharedVscode(() => ({ extensions: ['fake-lm'] }));

/** A window that has just been opened, on a folder of its own, for a person who has set up nothing but this. */
function windowWith(name: string, settings: Settings = {}): Promise<Workbench> {
  return windowOn(vscode(), vscode().sampleFolder(name), {
    'hermes.providers': undefined,
    'hermes.model': undefined,
    ...settings,
  });
}

test("the empty state offers the editor's models, and the chosen one answers and reads files", async () => {
  const workbench = await windowWith('of-the-editor');
  const panel = await ChatPanel.open(workbench);
  await write(panel.composer, 'call read_file {"path":"package.json"}');
  await panel.button(/Use VS Code’s Models/).click();
  await workbench.quickInputRow('Echo').click();
  await panel.answersWith('Echo');
  await panel.composer.press('Enter');
  const answer = await panel.waitForAnswer('the answer after the tool', (text) => text.includes('parcel-post'));
  expect({
    answer: /The tool said: 1\s+\{.*"name": "parcel-post"/s.test(answer),
    model: vscode().settings.read()['hermes.model'],
    errors: workbench.errors(),
  }).toEqual({ answer: true, model: 'Editor/hermes-test/echo', errors: [] });
});

test('an editor model whose provider breaks off keeps its partial answer, and says so', async () => {
  const panel = await ChatPanel.open(await windowWith('breaks-off', { 'hermes.model': 'Editor/hermes-test/fails' }));
  await panel.send('Go on.');
  await panel.sees(/The test provider failed on purpose/);
  const { text: answer } = await panel.waitForSettledAnswer('what was said before it');
  // The last word is said right before the failure: the editor drops what its provider said less than about 30 ms before.
  expect(
    'This answer breaks off after one more'.startsWith(answer) && answer.startsWith('This answer breaks off after'),
  ).toBe(true);
});

test('Demo answers without a network, from the folder, and says that it is a script', async () => {
  const workbench = await windowWith('demo');
  const before = workbench.errors().length;
  const panel = await ChatPanel.open(workbench);
  await panel.button(/Try the Demo/).click();
  await panel.sees('Demo: scripted, not AI');
  await panel.send('Search for "waitBefore"');
  const found = await panel.waitForAnswer('what was found', (text) => text.includes('src/retry.js'));
  await panel.frame
    .getByRole('link', { name: /src\/retry\.js/ })
    .first()
    .click();
  await workbench.page.locator('.tabs-container .tab', { hasText: 'retry.js' }).first().waitFor();
  expect({ found: found.includes('waitBefore'), errors: workbench.errors().slice(before) }).toEqual({
    found: true,
    errors: [],
  });
});

test('a pasted key is tested at its own address, kept in secret storage, and used from then on', async () => {
  const server = await startModelServer({ key });
  try {
    server.script(reply().says('The key is good.'), reply().says('Still good.'));
    const workbench = await windowWith('pasted-key');
    const panel = await ChatPanel.open(workbench);
    await panel.button(/Paste a Key/).click();
    await workbench.answerInput('secret storage', key);
    await workbench.quickInputRow('Another Endpoint').click();
    await workbench.answerInput('Base URL.', server.url);
    await workbench.quickInputRow('OpenAI').click();
    await workbench.answerInput('A name for this endpoint', 'Private');
    await workbench.quickInputRow('test-model').click();
    await panel.answersWith('test-model');
    await panel.send('Is the key good?');
    await panel.answered('The key is good.');
    const again = await panel.reload();
    await again.send('Still?');
    await again.answered('Still good.');
    const settings = vscode().settings.read();
    expect({
      providers: settings['hermes.providers'],
      model: settings['hermes.model'],
      leaked: [JSON.stringify(settings), vscode().extensionLog(EXTENSION_ID)].some((text) => text.includes(key)),
    }).toEqual({
      providers: [{ name: 'Private', protocol: 'openai', baseUrl: server.url }],
      model: 'Private/test-model',
      leaked: false,
    });
  } finally {
    await server.close();
  }
});
