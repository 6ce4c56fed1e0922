import { afterAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { processesOf, waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { ApprovalCard, toolRow } from './workPanel';
import { fix, TestHold, WorkRepository } from './workRepository';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';

const hold = new TestHold();
const { server, vscode, open, query, ask, refused } = await scriptedVscode({ env: hold.env });
afterAll(() => hold.dispose());

/** A window in which the extension host is killed, again and again. */
class KilledWindow {
  #kills = 0;

  constructor(public panel: ChatPanel) {}

  /** kill -9, and the panel as it is drawn by the next host. */
  async kill(): Promise<void> {
    const pid = await vscode().killExtensionHost();
    // VS Code restarts a killed host by itself only twice in five minutes; a reload resets the count.
    this.#kills += 1;
    if (this.#kills % 2 === 0) await this.panel.workbench.reload();
    await vscode().waitForNewExtensionHost(pid);
    this.panel = await ChatPanel.attach(this.panel.workbench);
  }

  /** The newest turn as it is stored, with its results in order. */
  turn(): Readonly<Record<string, unknown>> {
    const [turn] = query('SELECT uid, state, outcome, stop_reason AS reason FROM turns ORDER BY id DESC LIMIT 1');
    const results = query(
      `SELECT json_extract(parts, '$[0].outcome') AS outcome FROM messages WHERE role = 'tool' AND active = 1 AND turn_uid = '${String(turn?.['uid'])}' ORDER BY position`,
    );
    return {
      state: turn?.['state'],
      outcome: turn?.['outcome'],
      reason: turn?.['reason'],
      results: results.map(({ outcome }) => outcome),
    };
  }

  async waitUntilCrashed(): Promise<void> {
    await waitFor('the turn to be settled by the next host', () => this.turn()['reason'] === 'crash');
    await this.panel.settled();
  }

  /** The next prompt is taken by a server that refuses invalid sequences; gives what the model was told ahead of it. */
  async goOn(prompt: string): Promise<readonly string[]> {
    await ask(this.panel, prompt, `Heard ${prompt}.`);
    return server.requests.at(-1)?.outline ?? [];
  }
}

const run = { command: 'npm test' };
const mayHaveRun = expect.stringContaining('It may have run');

test('a host killed at any step of the work leaves an honest record, and the session continues', async () => {
  const repository = WorkRepository.create(vscode());
  const window = new KilledWindow(await open(repository.folder));

  // While a card is open: it is shown again, and the task goes on with Allow
  server.script(reply().says('Once.').calls('edit_file', fix, { id: 'edit1' }), reply().says('It is corrected.'));
  await window.panel.send('Fix it, first.');
  await ApprovalCard.asks(window.panel, `Edit ${fix.path}?`);
  await window.kill();
  const again = await ApprovalCard.asks(window.panel, `Edit ${fix.path}?`);
  expect({
    turn: window.turn(),
    approvals: query('SELECT state FROM approvals'),
    onDisk: repository.isFixed,
    requests: server.requests.length,
  }).toEqual({
    turn: { state: 'waiting', outcome: null, reason: null, results: [] },
    approvals: [{ state: 'pending' }],
    onDisk: false,
    requests: 1,
  });
  await again.press('Allow');
  await window.panel.answered('It is corrected.');
  expect({
    turn: window.turn(),
    onDisk: repository.isFixed,
    told: (await window.goOn('one')).filter((line) => line.includes('edit1')).length,
  }).toEqual({
    turn: { state: 'settled', outcome: 'complete', reason: 'stop', results: ['done'] },
    onDisk: true,
    told: 2,
  });

  // While a command runs: interrupted, it may have run, and nothing of it is left running
  repository.breakAgain();
  await window.panel.newSession();
  hold.hold();
  server.script(reply().says('Twice.').calls('run_command', run, { id: 'run2' }));
  await window.panel.send('Run the tests.');
  await (await ApprovalCard.asks(window.panel, 'Run npm test?')).press('Allow for Session');
  await toolRow(window.panel, 'run_command npm test', 'running').getByText('waits double').waitFor();
  await window.kill();
  await window.waitUntilCrashed();
  await toolRow(window.panel, 'run_command npm test', 'interrupted').waitFor();
  await window.panel.sees('Interrupted: the extension host stopped after 1 word. Everything shown is saved.');
  await waitFor(
    'the command to be ended',
    () => !processesOf(vscode().root).some(({ command }) => command.includes('--test')),
  );
  expect({
    turn: window.turn(),
    told: (await window.goOn('two')).filter((line) => line.startsWith('tool run2')),
  }).toEqual({
    turn: { state: 'settled', outcome: 'interrupted', reason: 'crash', results: ['interrupted'] },
    told: [mayHaveRun],
  });
  hold.release();

  // The rule of the session holds behind the kill
  server.script(reply().calls('run_command', run, { id: 'run3' }), reply().says('They were run without a question.'));
  await window.panel.send('Run them again.');
  await window.panel.answered('They were run without a question.');

  // While the model is asked with the edit's result: the edit is on disk, on record, and can be reverted
  await window.panel.newSession();
  const before = repository.text;
  const held = gate();
  server.script(
    reply().says('Thrice.').calls('edit_file', fix, { id: 'edit4' }),
    reply().startsAfter(held.opened).says('Too late.'),
  );
  const asked = server.requests.length + 1;
  await window.panel.send('Fix it, please.');
  await (await ApprovalCard.asks(window.panel, `Edit ${fix.path}?`)).press('Allow');
  await waitFor('the model to be asked with the result', () => server.requests.length > asked);
  await window.kill();
  held.open();
  await window.waitUntilCrashed();
  expect({ turn: window.turn(), onDisk: repository.isFixed }).toEqual({
    turn: { state: 'settled', outcome: 'interrupted', reason: 'crash', results: ['done'] },
    onDisk: true,
  });
  await window.panel.frame
    .getByRole('group', { name: 'Changed files' })
    .getByRole('button', { name: 'Revert', exact: true })
    .click();
  await window.panel.frame.getByRole('group', { name: 'Changed files' }).getByText('reverted').waitFor();
  expect({
    back: repository.text === before,
    told: (await window.goOn('three')).filter((line) => line.startsWith('tool edit4')).length,
  }).toEqual({ back: true, told: 1 });

  // At the moment of the decision: whatever came first, record and file say the same
  await window.panel.newSession();
  server.script(reply().says('Now.').calls('edit_file', fix, { id: 'edit5' }));
  server.otherwise(reply().says('Made.'));
  await window.panel.send('Fix it, at last.');
  await (await ApprovalCard.asks(window.panel, `Edit ${fix.path}?`)).button('Allow').click();
  await window.kill();
  const outcome = await waitFor('what became of the decision', async () => {
    if (await window.panel.frame.getByRole('alertdialog').isVisible()) return 'asked again';
    return window.turn()['state'] === 'settled' ? 'decided' : undefined;
  });
  if (outcome === 'asked again') await (await ApprovalCard.asks(window.panel, `Edit ${fix.path}?`)).press('Allow');
  await window.panel.settled();
  const [result] = query(
    "SELECT json_extract(parts, '$[0].outcome') AS outcome, json_extract(parts, '$[0].text') AS text FROM messages WHERE tool_call_id = 'edit5'",
  );
  console.log(
    `killed at the decision: ${outcome}; the result is "${String(result?.['outcome'])}", the file is ${repository.isFixed ? 'changed' : 'unchanged'}`,
  );
  if (result?.['outcome'] === 'done') expect(repository.isFixed).toBe(true);
  else expect(result).toEqual({ outcome: 'interrupted', text: mayHaveRun });
  await window.goOn('four');

  // While the answer streams behind the work: what was shown is kept
  await window.panel.newSession();
  const whole = numberedWords('w', 300);
  server.script(
    reply().calls('read_file', { path: fix.path }, { id: 'read6' }),
    reply().says(whole.slice(0, 1200), { every: 10 }).hangs(),
  );
  await window.panel.send('Explain it.');
  const shown = await window.panel.waitForAnswer('some words', (text) => text.length > 200);
  await window.kill();
  await window.waitUntilCrashed();
  const { text: kept } = await window.panel.waitForSettledAnswer(
    'the words that were shown',
    (text) => text.length >= shown.length,
  );
  expect({ begins: kept.startsWith(shown), prefix: whole.startsWith(kept), turn: window.turn() }).toEqual({
    begins: true,
    prefix: true,
    turn: { state: 'settled', outcome: 'interrupted', reason: 'crash', results: ['done'] },
  });
  await window.goOn('five');

  expect({
    refused: refused(),
    integrity: query('PRAGMA integrity_check'),
    open: query("SELECT state FROM turns WHERE state <> 'settled'"),
  }).toEqual({
    refused: [],
    integrity: [{ integrity_check: 'ok' }],
    open: [],
  });
});
