import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { projectRoot, waitFor, type Workbench } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { ApprovalCard } from './workPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const everything = path.join(projectRoot(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const works = `"${process.execPath}" "${everything}" stdio`;
/** Says something and ends. */
const fails = `"${process.execPath}" -e "console.error('no database here'); process.exit(3)"`;

const { server, vscode, open, refused } = await scriptedVscode({
  settings: { 'hermes.terminal.sandbox': 'off' },
});
const picture = picturesIn('add-server');
let workbench: Workbench;
let panel: ChatPanel;
let file: string;

beforeAll(async () => {
  panel = await open();
  ({ workbench } = panel);
  file = path.join(vscode().sampleFolder(), '.vscode/mcp.json');
});

const saved = (): unknown => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null);
const field = () => workbench.page.locator('.quick-input-widget input.input');

/** Answers the questions from the command on, up to the question of trust, which is answered too. Resolves with what the first two fields held before. */
async function enter(command: string, name: string): Promise<readonly string[]> {
  const proposed: string[] = [];
  for (const [asked, text] of [
    ['Command that starts the server', command],
    ['A name for this server', name],
  ] as const) {
    await workbench.page.locator('.quick-input-widget', { hasText: asked }).waitFor();
    proposed.push(await field().inputValue());
    await workbench.answerInput(asked, text);
  }
  await workbench.quickInputRow('This Folder').click();
  const question = workbench.dialog();
  await question.getByText(`Trust the MCP server “${name}”?`).waitFor();
  await question.getByRole('button', { name: 'Trust and Start' }).click();
  return proposed;
}

const begin = (): Promise<void> => workbench.runAndChoose('Hermes: Manage MCP Servers', 'Add Server…');

test('a server that does not start is not saved; Edit brings back what was entered, and nothing is saved on Cancel', async () => {
  const dialog = workbench.dialog();
  await begin();
  const proposed = await enter(fails, 'broken');
  await dialog.getByText('The MCP server “broken” didn’t start.').waitFor();
  await picture(panel, 'failed');
  const words = await dialog.innerText();
  await dialog.getByRole('button', { name: 'Edit' }).click();
  const again = await enter(fails, 'broken');
  await dialog.getByText('The MCP server “broken” didn’t start.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  const field = await workbench.openPick('Hermes: Manage MCP Servers', /No MCP servers yet/);
  await field.press('Escape');
  expect({
    proposed,
    again,
    reason: words.includes('no database here'),
    told: words.includes('Nothing was saved.'),
    saved: saved(),
  }).toEqual({
    proposed: ['', 'node'],
    again: [fails, 'broken'],
    reason: true,
    told: true,
    saved: null,
  });
});

test('a server is corrected after its test failed, saved to .vscode/mcp.json once it works, and its tool is used', async () => {
  const dialog = workbench.dialog();
  await begin();
  await enter(fails, 'everything');
  await dialog.getByText('The MCP server “everything” didn’t start.').waitFor();
  const before = saved();
  await dialog.getByRole('button', { name: 'Edit' }).click();
  const again = await enter(works, 'everything');
  const toast = await workbench.waitForToast(/The MCP server “everything” works and was saved\. It offers \d+ tools\./);
  await picture(panel, 'saved');
  await waitFor('the server to run', () =>
    vscode().extensionLog(EXTENSION_ID).includes('The MCP server everything is running'),
  );
  server.script(
    reply().calls('mcp_everything_echo', { message: 'added just now' }, { id: 'echo' }),
    reply().says('It came back.'),
  );
  await panel.send('Echo something.');
  await (await ApprovalCard.asks(panel, 'Use echo from the MCP server everything?')).press('Allow Once');
  await panel.answered('It came back.');
  const tools: unknown = server.requests.at(-1)?.body['tools'];
  const offered = Array.isArray(tools) ? tools.filter((tool) => JSON.stringify(tool).includes('mcp_everything_')) : [];

  // Known from now on, also in the next window, and its name is taken.
  panel = await panel.reload();
  await begin();
  await workbench.answerInput('Command that starts the server', works);
  await workbench.answerInput('A name for this server', 'everything');
  await workbench.page.getByText('An MCP server with this name already exists.').waitFor();
  await field().press('Escape');
  expect({
    before,
    again,
    count: Number(/offers (\d+)/.exec(toast)?.[1]) >= offered.length && offered.length > 0,
    told: server.requests.at(-1)?.outline.find((line) => line.startsWith('tool echo: ')),
    saved: saved(),
    refused: refused(),
    errors: workbench.errors(),
  }).toEqual({
    before: null,
    again: [fails, 'everything'],
    count: true,
    told: expect.stringContaining('Echo: added just now'),
    saved: {
      servers: { everything: { type: 'stdio', command: process.execPath, args: [everything, 'stdio'] } },
    },
    refused: [],
    errors: [],
  });
});
