import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, beforeEach, expect } from 'vitest';
import type { RecordedRequest } from '../support/modelServer';
import { reply } from '../support/modelServer';
import { waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { ApprovalCard, chooseMode, toolRow } from './workPanel';
import { fix, fixLines, WorkRepository } from './workRepository';
import { picturesIn, scriptedSettings, scriptedVscode } from './scriptedVscode';
import { test } from './vscodeTest';

const settings = { 'hermes.terminal.sandbox': 'off' };
const { server, vscode, open, query, refused } = await scriptedVscode({ settings });
const picture = picturesIn('work');
let repository: WorkRepository;
let panel: ChatPanel;

beforeAll(async () => {
  repository = WorkRepository.create(vscode());
  panel = await open(repository.folder);
  await panel.workbench.resizeSecondarySideBar(460);
});
beforeEach(async () => {
  await panel.newSession();
  repository.breakAgain();
  return () => expect({ unplayed: server.unplayed, refused: refused() }).toEqual({ unplayed: 0, refused: [] });
});

const told = (callId: string, request: RecordedRequest | undefined = server.requests.at(-1)): string =>
  request?.outline.find((line) => line.startsWith(`tool ${callId}: `))?.replace(`tool ${callId}: `, '') ?? '';
const offered = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body['tools'] ?? []);

test('a card that is open when the window reloads is there again; if the user denies it with a reason, the model gets the reason', async () => {
  server.script(
    reply().says('I would change it.').calls('edit_file', fix, { id: 'denied' }),
    reply().says('I leave it.'),
  );
  await panel.send('Fix the retry.');
  const lines = await (await ApprovalCard.asks(panel, `Edit ${fix.path}?`)).changedLines();
  panel = await panel.reload();
  const again = await ApprovalCard.asks(panel, `Edit ${fix.path}?`);
  const linesAgain = await again.changedLines();
  await picture(panel, 'reload-card');
  await again.button('More Actions…').click();
  await again.button('Deny with Reason…').click();
  await picture(panel, 'deny-reason');
  await again.card.getByRole('button', { name: 'Cancel' }).click();
  await again.deny('Leave that file alone, the test is wrong.');
  await panel.answered('I leave it.');
  await toolRow(panel, `edit_file ${fix.path}`, 'denied').waitFor();
  expect({
    lines,
    linesAgain,
    over: (await panel.workbench.toasts()).filter((text) => text.includes('Hermes asks')),
    fixed: repository.isFixed,
    told: told('denied'),
    decision: query("SELECT decision FROM approvals WHERE call_id = 'denied'"),
    turn: query('SELECT outcome, stop_reason FROM turns ORDER BY id DESC LIMIT 1'),
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
  await picture(panel, 'plan-card');
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
  await panel.answered('Carried out.');
  await picture(panel, 'plan-done');
  expect({
    seen,
    mode,
    stored: query('SELECT mode FROM sessions ORDER BY started_at DESC LIMIT 1'),
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
    asked: query("SELECT count(*) AS asked FROM approvals WHERE call_id IN ('auto', 'new')"),
  }).toEqual({ fixed: true, added: true, asked: [{ asked: 0 }] });
  await card.deny('Not needed.');
  await panel.answered('Both done.');
  const bar = panel.frame.getByRole('group', { name: 'Changed files' });
  await bar.getByRole('button', { name: /^2 files changed/ }).click();
  await bar.getByRole('listitem').nth(1).waitFor();
  await picture(panel, 'auto-files');
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

test('in Restricted Mode nothing is written, run or started: the model and the user get a sentence about it', async ({
  startVscode,
}) => {
  const restricted = await startVscode({
    workspaceTrust: true,
    settings: { ...scriptedSettings(server), ...settings, 'security.workspace.trust.startupPrompt': 'never' },
  });
  const untrusted = WorkRepository.create(restricted);
  fs.mkdirSync(path.join(untrusted.folder, '.vscode'));
  fs.writeFileSync(
    path.join(untrusted.folder, '.vscode/mcp.json'),
    JSON.stringify({ servers: { everything: { command: 'touch', args: [path.join(untrusted.folder, 'started')] } } }),
  );
  panel = await ChatPanel.open(await restricted.open(untrusted.folder));
  await chooseMode(panel, 'Edit Automatically');
  server.script(
    reply()
      .calls('edit_file', fix, { id: 'rEdit' })
      .calls('run_command', { command: 'touch ran' }, { id: 'rRun' })
      .calls('read_file', { path: fix.path }, { id: 'rRead' }),
    reply().says('I may only read.'),
  );
  await panel.send('Fix it.');
  await panel.answered('I may only read.');
  await panel.sees('Restricted Mode: Hermes can only read files.');
  await picture(panel, 'restricted');
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
