import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sandboxProblem } from '../../scripts/sandboxInstall.mjs';
import { reply } from '../support/modelServer';
import { ApprovalCard, changedLines, toolRow, toolRows } from './workPanel';
import { fix, fixLines, TestHold, WorkRepository } from './workRepository';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const hold = new TestHold();
const { server, vscode, open, query, refused } = await scriptedVscode({ env: hold.env });
afterAll(() => hold.dispose());
const picture = picturesIn('work');

const todos = (...states: readonly string[]) => ({
  items: ['Find what waits too long', 'Correct it', 'Run the tests'].map((text, index) => ({
    text,
    state: states[index] ?? 'pending',
  })),
});

test('a failing test is fixed: searched, read, run, edited and run again, each step approved, stored and shown; the edit is reverted byte for byte', async () => {
  server.script(
    reply()
      .says('I look for it first.')
      .calls('todo_write', todos('active'))
      .calls('search_files', { query: 'FIRST_WAIT_MS' }, { id: 'search' }),
    reply().calls('read_file', { path: fix.path }, { id: 'read' }),
    reply().says('The tests will tell.').calls('run_command', { command: 'npm test' }, { id: 'run1' }),
    reply().says('The wait doubles once too often.').calls('edit_file', fix, { id: 'edit' }),
    reply().calls('run_command', { command: 'npm test' }, { id: 'run2' }),
    reply().calls('todo_write', todos('done', 'done', 'done'), { id: 'todos' }),
    reply().says('The first retry waits **200 ms** again, and all tests pass.'),
  );
  const repository = WorkRepository.create(vscode());
  const before = repository.text;
  const panel = await open(repository.folder);
  const { workbench } = panel;
  await workbench.resizeSecondarySideBar(460);
  const git = repository.gitState();
  hold.hold();
  await panel.composer.click();
  await panel.send('The retry test fails. Please fix it.');

  // The command is asked for, and allowed for the session by keyboard
  const asksToRun = await ApprovalCard.asks(panel, 'Run npm test?');
  await picture(panel, 'task-1-command-card');
  const cardOfCommand = {
    buttons: await asksToRun.buttons(),
    reasons: await asksToRun.reasons(),
    waits: await toolRow(panel, 'run_command npm test', 'waiting for approval').count(),
    saysIfConfined: /in the sandbox|Commands are not sandboxed/.exec(await asksToRun.card.innerText())?.[0],
  };
  expect(query('SELECT state, approval_id IS NOT NULL AS asks FROM turns')).toEqual([{ state: 'waiting', asks: 1 }]);
  await asksToRun.pressByKeyboard('Allow for Session');

  // Its output is seen while it runs
  const running = toolRow(panel, 'run_command npm test', 'running');
  const live = running.getByRole('region', { name: 'Output' });
  await live.getByText('waits double, up to ten seconds').waitFor();
  await picture(panel, 'task-2-running');
  const buttonsWhileRunning = await running
    .getByRole('button')
    .evaluateAll((buttons) =>
      buttons.slice(1).map((button) => button.getAttribute('aria-label') ?? button.textContent),
    );
  hold.release();

  // The edit is asked for with its lines, and allowed once by mouse
  const asksToEdit = await ApprovalCard.asks(panel, `Edit ${fix.path}?`);
  await picture(panel, 'task-3-edit-card');
  const cardOfEdit = {
    lines: await asksToEdit.changedLines(),
    reasons: await asksToEdit.reasons(),
    onDisk: repository.isFixed,
  };
  await asksToEdit.press('Allow');

  // The tests run again without a question
  await panel.answered('The first retry waits 200 ms again, and all tests pass.');
  const edited = repository.text;
  await picture(panel, 'task-4-done');
  // The search and both lists of todos are folded into one row.
  await panel.frame.getByRole('button', { name: 'Searched for “FIRST_WAIT_MS” · updated todos' }).click();
  await toolRow(panel, 'search_files FIRST_WAIT_MS', 'done').waitFor();
  expect({
    cardOfCommand,
    buttonsWhileRunning,
    cardOfEdit,
    fixed: repository.isFixed,
    rows: await toolRows(panel),
    status: repository.status(),
    git: repository.gitState(),
    refused: refused(),
    unplayed: server.unplayed,
  }).toEqual({
    cardOfCommand: {
      buttons: ['Allow Once', 'Allow for Session', 'Deny'],
      reasons: [],
      waits: 1,
      saysIfConfined: sandboxProblem() === undefined ? 'in the sandbox' : 'Commands are not sandboxed',
    },
    buttonsWhileRunning: ['Stop run_command', 'Continue in Background', 'Open Output'],
    cardOfEdit: { lines: fixLines, reasons: [], onDisk: false },
    fixed: true,
    rows: [
      'todo_write, done',
      'todo_write, done',
      'search_files FIRST_WAIT_MS, done',
      `read_file ${fix.path}, done`,
      'run_command npm test, failed',
      `edit_file ${fix.path}, done`,
      'run_command npm test, done',
    ],
    status: ` M ${fix.path}\n`,
    git,
    refused: [],
    unplayed: 0,
  });

  // What the model was told of each step
  const told = (callId: string): string =>
    server.requests.at(-1)?.outline.find((line) => line.startsWith(`tool ${callId}:`)) ?? '';
  expect(told('search')).toContain('src/retry.js');
  expect(told('run1')).toMatch(/exit(ed)? (with )?code 1/i);
  expect(told('run2')).toContain('# fail 0');

  // Rows in state.db: each question decided before its result, each result behind its call
  const rows = query(
    `SELECT m.role, m.tool_name AS tool, m.tool_call_id AS call, m.state FROM messages m WHERE active = 1 ORDER BY position`,
  );
  expect(
    rows.map(({ role, tool, call, state }) => [role, tool, call, state].filter((value) => value !== null).join(' ')),
  ).toEqual([
    'user final',
    'assistant final',
    expect.stringMatching(/^tool todo_write call_\d+ final$/),
    'tool search_files search final',
    'assistant final',
    'tool read_file read final',
    'assistant final',
    'tool run_command run1 final',
    'assistant final',
    'tool edit_file edit final',
    'assistant final',
    'tool run_command run2 final',
    'assistant final',
    'tool todo_write todos final',
    'assistant final',
  ]);
  expect(
    query(`
    SELECT a.call_id AS call, a.state, json_extract(a.decision, '$.kind') AS decision, json_extract(a.decision, '$.scope') AS scope, json_extract(a.decision, '$.rules[0]') AS rule,
      call.timestamp <= a.requested_at AND a.requested_at <= a.decided_at AND a.decided_at <= result.timestamp AND call.position < result.position AS inOrder
    FROM approvals a JOIN messages call ON call.uid = a.message_uid JOIN messages result ON result.tool_call_id = a.call_id ORDER BY a.requested_at`),
  ).toEqual([
    { call: 'run1', state: 'decided', decision: 'allow', scope: 'session', rule: 'run(npm test *)', inOrder: 1 },
    { call: 'edit', state: 'decided', decision: 'allow', scope: 'once', rule: null, inOrder: 1 },
  ]);
  expect(query('SELECT state, outcome, stop_reason FROM turns')).toEqual([
    { state: 'settled', outcome: 'complete', stop_reason: 'stop' },
  ]);

  // The row of the edit opens to its lines; the bar opens VS Code's multi-file diff editor
  const editRow = toolRow(panel, `edit_file ${fix.path}`, 'done');
  await editRow.getByRole('button', { name: /^Edited/ }).click();
  expect(await changedLines(editRow.getByRole('region', { name: 'Changes' }))).toEqual(fixLines);
  const bar = panel.frame.getByRole('group', { name: 'Changed files' });
  expect(await bar.innerText()).toMatch(/1 file changed\s+\+1\s+−1/);
  await bar.getByRole('button', { name: 'Review' }).click();
  for (const text of ['(attempt - 1)', '(attempt - 2)'])
    await workbench.page.locator('.view-line', { hasText: text }).first().waitFor();
  await picture(panel, 'task-5-diff');

  // Reverted, byte for byte
  await bar.getByRole('button', { name: 'Revert', exact: true }).click();
  await bar.getByText('reverted').waitFor();
  await picture(panel, 'task-6-reverted');
  expect({
    text: repository.text,
    status: repository.status(),
    git: repository.gitState(),
    // What the revert replaced is recorded too, and can be undone.
    reviewed: query('SELECT reviewed FROM file_changes'),
  }).toEqual({ text: before, status: '', git, reviewed: [{ reviewed: 'reverted' }, { reviewed: null }] });
  expect(edited).not.toBe(before);

  // The transcript tab has every step
  await workbench.runCommand('Hermes: Open Transcript');
  const transcript = await workbench.waitForWebview(EXTENSION_ID, 'editor');
  const grid = transcript.getByRole('grid', { name: 'Transcript' });
  await grid.getByRole('row').nth(15).waitFor();
  const titles = await grid.locator('h2').allInnerTexts();
  await picture(panel, 'task-7-transcript');
  expect(titles.map((title) => title.toLowerCase())).toEqual([
    'tool call: todo_write',
    'tool call: search_files',
    'result of todo_write: done',
    'result of search_files: done',
    'tool call: read_file',
    'result of read_file: done',
    'tool call: run_command',
    'result of run_command: failed',
    'tool call: edit_file',
    'result of edit_file: done',
    'tool call: run_command',
    'result of run_command: done',
    'tool call: todo_write',
    'result of todo_write: done',
  ]);
  expect(workbench.errors()).toEqual([]);
  expect(fs.existsSync(path.join(repository.folder, '.git/index.lock'))).toBe(false);
});
