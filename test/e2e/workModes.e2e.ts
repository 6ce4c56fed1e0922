import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { RecordedRequest } from '../support/modelServer';
import { reply, startModelServer, type ModelServer } from '../support/modelServer';
import {
  projectRoot,
  readStateDb,
  type Row,
  type VscodeSessionOptions,
  waitFor,
  type Workbench,
} from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, sharedVscode, test } from './vscodeTest';
import { ApprovalCard, chooseMode, settled, toolRow } from './workPanel';
import { fix, fixLines, WorkRepository } from './workRepository';

const pictures = path.join(projectRoot(), '.vscode-test/screenshots/work');

let server: ModelServer;
let repository: WorkRepository;
let workbench: Workbench;
let panel: ChatPanel;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const settings = (): VscodeSessionOptions => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
    'hermes.model': 'Local/test-model',
  },
  machineSettings: { 'hermes.terminal.sandbox': 'off' },
});
const running = sharedVscode(settings);

beforeEach(async () => {
  if (panel === undefined) {
    repository = WorkRepository.create(running());
    workbench = await running().open(repository.folder);
    panel = await ChatPanel.open(workbench);
    await workbench.resizeSecondarySideBar(460);
  } else {
    await workbench.runCommand('Hermes: New Session');
    await panel.sees('Hermes works in your folder');
  }
  repository.breakAgain();
  return () =>
    expect({ unplayed: server.unplayed, refused: server.requests.flatMap(({ rejection }) => rejection ?? []) }).toEqual(
      { unplayed: 0, refused: [] },
    );
});

const stored = (sql: string): readonly Row[] =>
  readStateDb(running().workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
const told = (callId: string, request: RecordedRequest | undefined = server.requests.at(-1)): string =>
  request?.outline.find((line) => line.startsWith(`tool ${callId}: `))?.replace(`tool ${callId}: `, '') ?? '';
const offered = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body['tools'] ?? []);

async function answered(text: string): Promise<void> {
  await panel.waitForAnswer(`the answer "${text}"`, (answer) => answer === text);
  await settled(panel);
}

test('a card that is open when the window reloads is there again; if the user denies it with a reason, the model gets the reason', async () => {
  server.script(
    reply().says('I would change it.').calls('edit_file', fix, { id: 'denied' }),
    reply().says('I leave it.'),
  );
  await panel.send('Fix the retry.');
  const lines = await (await ApprovalCard.asks(panel, `Edit ${fix.path}?`)).changedLines();
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  const again = await ApprovalCard.asks(panel, `Edit ${fix.path}?`);
  const linesAgain = await again.changedLines();
  await workbench.screenshot(pictures, 'reload-card');
  await again.button('Deny with Reason…').click();
  await workbench.screenshot(pictures, 'deny-reason');
  await again.card.getByRole('button', { name: 'Cancel' }).click();
  await again.deny('Leave that file alone, the test is wrong.');
  await answered('I leave it.');
  await toolRow(panel, `edit_file ${fix.path}`, 'denied').waitFor();
  expect({
    lines,
    linesAgain,
    over: (await workbench.toasts()).filter((text) => text.includes('Hermes asks')),
    fixed: repository.isFixed,
    told: told('denied'),
    decision: stored("SELECT decision FROM approvals WHERE call_id = 'denied'"),
    turn: stored('SELECT outcome, stop_reason FROM turns ORDER BY id DESC LIMIT 1'),
  }).toEqual({
    lines: fixLines,
    linesAgain: fixLines,
    over: [],
    fixed: false,
    told: expect.stringContaining('Leave that file alone, the test is wrong.'),
    decision: [{ decision: JSON.stringify({ kind: 'deny', reason: 'Leave that file alone, the test is wrong.' }) }],
    turn: [{ outcome: 'complete', stop_reason: 'stop' }],
  });
});

test('in Plan mode an edit is refused and a plan is asked about; if allowed, the mode is Ask Before Edits and the edit is asked for', async () => {
  server.script(
    reply().calls('edit_file', fix, { id: 'tooEarly' }),
    reply()
      .says('A plan, then.')
      .calls(
        'exit_plan_mode',
        { plan: '## The retry\n\n1. Correct `waitBefore` in `src/retry.js`\n2. Run the tests' },
        { id: 'plan' },
      ),
    reply().calls('edit_file', fix, { id: 'planned' }),
    reply().says('Carried out.'),
  );
  await chooseMode(panel, 'Plan');
  await panel.send('Plan how to fix the retry.');
  const card = await ApprovalCard.asks(panel, 'Ready to start?');
  await workbench.screenshot(pictures, 'plan-card');
  const plan = card.card.getByRole('region', { name: 'Plan' });
  const seen = {
    heading: await plan.getByRole('heading').innerText(),
    items: await plan.getByRole('listitem').allInnerTexts(),
    refused: told('tooEarly'),
    buttons: await card.buttons(),
    fixed: repository.isFixed,
  };
  await card.press('Start, Ask Before Edits');
  const edit = await ApprovalCard.asks(panel, `Edit ${fix.path}?`);
  const picker = panel.frame.getByRole('combobox', { name: 'Mode', exact: true });
  await picker.filter({ hasText: 'Ask Before Edits' }).waitFor();
  const mode = await picker.innerText();
  await edit.press('Allow');
  await answered('Carried out.');
  await workbench.screenshot(pictures, 'plan-done');
  expect({
    seen,
    mode,
    stored: stored('SELECT mode FROM sessions ORDER BY started_at DESC LIMIT 1'),
    fixed: repository.isFixed,
  }).toEqual({
    seen: {
      heading: 'The retry',
      items: ['Correct waitBefore in src/retry.js', 'Run the tests'],
      refused: expect.stringContaining('Plan mode: edit_file could change something, so it was not run.'),
      buttons: ['Start, Ask Before Edits', 'Start, Edit Automatically', 'Keep Planning…'],
      fixed: false,
    },
    mode: 'Ask Before Edits',
    stored: [{ mode: 'ask' }],
    fixed: true,
  });
});

test('in Edit Automatically an edit is made without a card, is listed, and Revert restores the file; a command is still asked for', async () => {
  const before = repository.text;
  server.script(
    reply()
      .calls('edit_file', fix, { id: 'auto' })
      .calls('write_file', { path: 'src/new.js', content: 'export const added = 1;\n' }, { id: 'new' }),
    reply().calls('run_command', { command: 'npm test' }, { id: 'runs' }),
    reply().says('Both done.'),
  );
  await chooseMode(panel, 'Edit Automatically');
  await panel.send('Fix the retry, and add a file.');
  const card = await ApprovalCard.asks(panel, 'Run npm test?');
  expect({
    fixed: repository.isFixed,
    added: fs.existsSync(path.join(repository.folder, 'src/new.js')),
    asked: stored("SELECT count(*) AS asked FROM approvals WHERE call_id IN ('auto', 'new')"),
  }).toEqual({ fixed: true, added: true, asked: [{ asked: 0 }] });
  await card.deny('Not needed.');
  await answered('Both done.');
  const bar = panel.frame.getByRole('group', { name: 'Changed files' });
  await bar.getByRole('button', { name: /^2 files changed/ }).click();
  await bar.getByRole('listitem').nth(1).waitFor();
  await workbench.screenshot(pictures, 'auto-files');
  const files = await bar
    .getByRole('listitem')
    .evaluateAll((items) =>
      items.map((item) => (item.querySelector('.files-fold')?.textContent ?? '').replace(/\s+/g, ' ')),
    );
  await bar.getByRole('button', { name: 'Revert', exact: true }).first().click();
  await bar.getByText('reverted').first().waitFor();
  const now = (): object => ({
    retry: repository.text,
    isAdded: fs.existsSync(path.join(repository.folder, 'src/new.js')),
  });
  await waitFor('both files to be as they were', () => isDeepStrictEqual(now(), { retry: before, isAdded: false }), {
    seen: now,
  });
  expect({ files, status: repository.status() }).toEqual({
    files: [expect.stringContaining('retry.js'), expect.stringContaining('new.js')],
    status: '',
  });
});

test('a server of .vscode/mcp.json starts after the user trusts it, and its tool needs approval', async () => {
  const everything = path.join(projectRoot(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  fs.mkdirSync(path.join(repository.folder, '.vscode'), { recursive: true });
  fs.writeFileSync(
    path.join(repository.folder, '.vscode/mcp.json'),
    JSON.stringify({ servers: { everything: { command: process.execPath, args: [everything, 'stdio'] } } }),
  );
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  server.script(reply().says('Not yet.'));
  await panel.send('Is it there?');
  await answered('Not yet.');
  await workbench.waitForToast('This folder defines MCP servers that you haven’t trusted: “everything”.');
  const withoutTrust = offered(server.requests.at(-1));
  await workbench.screenshot(pictures, 'mcp-notice');
  await workbench.clickToast('Review…');
  const question = workbench.dialog();
  await question.getByText('Trust the MCP server “everything”?').waitFor();
  await workbench.screenshot(pictures, 'mcp-trust');
  const detail = await question.innerText();
  await question.getByRole('button', { name: 'Trust and Start' }).click();
  // A turn waits a few seconds for a server that is being started, then goes on without it.
  await waitFor('the server to run', () =>
    running().extensionLog(EXTENSION_ID).includes('The MCP server everything is running'),
  );
  server.script(
    reply().calls('mcp_everything_echo', { message: 'from the server' }, { id: 'echo' }),
    reply().says('It came back.'),
  );
  await panel.send('Echo something.');
  const card = await ApprovalCard.asks(panel, 'Use echo from the MCP server everything?');
  await workbench.screenshot(pictures, 'mcp-card');
  const seen = { reasons: await card.reasons(), buttons: await card.buttons() };
  await card.press('Allow Once');
  await answered('It came back.');
  await workbench.screenshot(pictures, 'mcp-done');
  expect({
    detail: detail.includes(everything) && detail.includes('Not in the sandbox: it is turned off'),
    before: withoutTrust.includes('mcp_'),
    offered: offered(server.requests.at(-1)).includes('"mcp_everything_echo"'),
    seen,
    told: told('echo'),
  }).toEqual({
    detail: true,
    before: false,
    offered: true,
    seen: {
      reasons: ['The MCP server controls what this tool does.'],
      buttons: ['Allow Once', 'Allow for Session', 'Always…', 'Deny', 'Deny with Reason…'],
    },
    told: expect.stringContaining('Echo: from the server'),
  });
});

test('in Restricted Mode nothing is written, run or started: the model and the user get a sentence about it', async ({
  startVscode,
}) => {
  const restricted = await startVscode({
    ...settings(),
    workspaceTrust: true,
    settings: { ...settings().settings, 'security.workspace.trust.startupPrompt': 'never' },
  });
  const untrusted = WorkRepository.create(restricted);
  fs.mkdirSync(path.join(untrusted.folder, '.vscode'));
  fs.writeFileSync(
    path.join(untrusted.folder, '.vscode/mcp.json'),
    JSON.stringify({ servers: { everything: { command: 'touch', args: [path.join(untrusted.folder, 'started')] } } }),
  );
  const window = await restricted.open(untrusted.folder);
  panel = await ChatPanel.open(window);
  await chooseMode(panel, 'Edit Automatically');
  server.script(
    reply()
      .calls('edit_file', fix, { id: 'rEdit' })
      .calls('run_command', { command: 'touch ran' }, { id: 'rRun' })
      .calls('read_file', { path: fix.path }, { id: 'rRead' }),
    reply().says('I may only read.'),
  );
  await panel.send('Fix it.');
  await answered('I may only read.');
  await panel.sees('Restricted Mode: Hermes can only read files.');
  await window.screenshot(pictures, 'restricted');
  expect({
    edit: told('rEdit'),
    run: told('rRun'),
    read: told('rRead').includes('FIRST_WAIT_MS'),
    offered: offered(server.requests.at(-1)).includes('mcp_'),
    fixed: untrusted.isFixed,
    files: fs.readdirSync(untrusted.folder).filter((name) => name === 'ran' || name === 'started'),
    cards: await panel.frame.getByRole('alertdialog').count(),
  }).toEqual({
    edit: expect.stringContaining('Restricted Mode: this workspace is not trusted'),
    run: expect.stringContaining('Restricted Mode: this workspace is not trusted'),
    read: true,
    offered: false,
    fixed: false,
    files: [],
    cards: 0,
  });
});
