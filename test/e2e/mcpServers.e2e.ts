import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { projectRoot, waitFor, type Workbench, write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { ApprovalCard } from './workPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';

const scripted = path.join(projectRoot(), 'test/mcp/scriptedServer.mjs');
const everything = path.join(projectRoot(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const { server, open, query, refused } = await scriptedVscode({ settings: { 'hermes.terminal.sandbox': 'off' } });
const picture = picturesIn('mcp-servers');
let workbench: Workbench;
let panel: ChatPanel;
let remote: ChildProcess | undefined;
let port = 0;

beforeAll(async () => {
  panel = await open();
  ({ workbench } = panel);
});
afterAll(() => void remote?.kill());

async function startRemote(): Promise<void> {
  remote = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  await waitFor('the server', async () => (await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => null)) !== null);
}

/** From the command to the saved server, for all folders: nobody is asked to trust what they typed. */
async function add(typed: string, name: string): Promise<void> {
  await workbench.runAndChoose('Hermes: Manage MCP Servers', 'Add Server…');
  await workbench.answerInput('Command that starts the server', typed);
  await workbench.answerInput('A name for this server', name);
  await workbench.quickInputRow('All Folders').click();
  await workbench.waitForToast(new RegExp(`The MCP server “${name}” works and was saved`));
}

/** The model calls a tool of a server; the user allows it. */
async function calls(
  prompt: string,
  tool: string,
  of: string,
  args: Readonly<Record<string, string>> = {},
): Promise<void> {
  server.script(reply().calls(`mcp_${of}_${tool}`, args), reply().says(`${prompt}: done.`));
  await panel.send(prompt);
  await (await ApprovalCard.asks(panel, `Use ${tool} from the MCP server ${of}?`)).press('Allow Once');
}

const lastRequest = (): string => JSON.stringify(server.requests.at(-1)?.body['messages']);

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a form of a server is a card that comes back after a reload, and the call does not run twice', async () => {
  await add(`"${process.execPath}" "${everything}" stdio`, 'everything');
  const send = () => panel.frame.getByRole('button', { name: 'Send Answers' });
  await calls('Ask me', 'trigger-elicitation-request', 'everything');
  await send().waitFor();
  await picture(panel, 'form');
  await panel.frame.locator('.input-card input[required]').first().fill('Ann');
  await send().click();
  await panel.answered('Ask me: done.');
  const answered = lastRequest();

  await calls('Ask again', 'trigger-elicitation-request', 'everything');
  await send().waitFor();
  panel = await panel.reload();
  ({ workbench } = panel);
  await panel.frame.getByRole('button', { name: 'Decline' }).click();
  await panel.answered('Ask again: done.');
  const [left] = query("SELECT count(*) AS count FROM approvals WHERE state = 'pending'");
  expect([answered.includes('Ann'), server.requests.at(-1)?.outline.at(-1), left?.['count']]).toEqual([
    true,
    expect.stringContaining('may have run in part'),
    0,
  ]);
});

test('a prompt of a server asks for its arguments, and is seen before it is sent; a resource is stored with the turn', async () => {
  const { composer } = panel;
  const field = workbench.page.locator('.quick-input-widget input.input');
  await composer.pressSequentially('/mcp_');
  await panel.frame.getByRole('option', { name: /mcp_everything_completable-prompt/ }).waitFor();
  await picture(panel, 'prompts');
  await write(composer, '/mcp_everything_completable-prompt');
  await composer.press('Enter');
  await write(field, 'Eng');
  // What is proposed before that has rows at the same places.
  await workbench.page.locator('.quick-input-list .label-name').filter({ hasText: /^Eng$/ }).waitFor();
  await workbench.quickInputRow('Engineering').click();
  await workbench.quickInputRow('Bob').click();
  await panel.frame.getByRole('list', { name: 'Attachments' }).getByText('everything: Team Management').waitFor();
  const sent = server.requests.length;

  await composer.pressSequentially('@features');
  await panel.frame.getByRole('option', { name: /everything: features\.md/ }).waitFor();
  await picture(panel, 'resources');
  await composer.press('Enter');
  server.script(reply().says('Promoted.'));
  await composer.press('Enter');
  await panel.answered('Promoted.');
  const [row] = query("SELECT parts FROM messages WHERE role = 'user' ORDER BY id DESC LIMIT 1");
  const wire = lastRequest();
  expect({
    unsent: sent,
    before: server.requests.length,
    prompt: wire.includes('Please promote Bob to the head of the Engineering team.'),
    resource: wire.includes('# Everything Server - Features'),
    stored: String(row?.['parts']).includes('resource:everything:demo://resource/static/document/features.md'),
  }).toEqual({ unsent: sent, before: sent + 1, prompt: true, resource: true, stored: true });
});

test('the same server over HTTP: a tool, a form, and a template that is filled in', async () => {
  port = await freePort();
  await startRemote();
  await add(`http://127.0.0.1:${port}/mcp`, 'remote');
  await calls('Echo', 'echo', 'remote', { message: 'over the wire' });
  await panel.answered('Echo: done.');
  const echoed = lastRequest();
  await calls('Ask me there', 'trigger-elicitation-request', 'remote');
  await panel.frame.locator('.input-card input[required]').first().fill('Zoe');
  await panel.frame.getByRole('button', { name: 'Send Answers' }).click();
  await panel.answered('Ask me there: done.');
  const answered = lastRequest();

  const { composer } = panel;
  await composer.pressSequentially('Look at @remote:');
  await panel.frame.getByRole('option', { name: /remote: Dynamic Text Resource/ }).click();
  await workbench.answerInput('resourceId', '42');
  await panel.composerHas('Look at @remote: Dynamic Text Resource (42) ');
  server.script(reply().says('Looked.'));
  await composer.press('Enter');
  await panel.answered('Looked.');
  expect([
    echoed.includes('Echo: over the wire'),
    answered.includes('Zoe'),
    lastRequest().includes('Resource 42: This is a plaintext resource'),
    refused(),
    workbench.errors(),
  ]).toEqual([true, true, true, [], []]);
});

test('servers whose process is killed between two turns answer in the next one', async () => {
  await add(`"${process.execPath}" "${scripted}"`, 'scripted');
  const pid = async (prompt: string): Promise<number> => {
    await calls(prompt, 'pid', 'scripted');
    await panel.answered(`${prompt}: done.`);
    return Number(/\d+$/.exec(server.requests.at(-1)?.outline.at(-1) ?? '')?.[0]);
  };
  const first = await pid('Which process');
  process.kill(first, 'SIGKILL');
  const second = await pid('Which process now');

  const ended = new Promise((resolve) => remote?.once('exit', resolve));
  remote?.kill('SIGKILL');
  await ended;
  await startRemote();
  await calls('Echo again', 'echo', 'remote', { message: 'after its end' });
  await panel.answered('Echo again: done.');
  expect([first > 0, second > 0, first === second, lastRequest().includes('Echo: after its end'), refused()]).toEqual([
    ...[true, true, false, true],
    [],
  ]);
});
