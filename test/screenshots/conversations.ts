import type { Locator } from 'playwright-core';
import { ChatPanel } from '../e2e/chatPanel';
import { SessionsView } from '../e2e/sessionsView';
import { ApprovalCard, settled } from '../e2e/workPanel';
import { fix } from '../e2e/workRepository';
import { refuses, reply } from '../support/modelServer';
import { write } from '../support/vscode';
import type { Stage } from './pictures';
import { withoutNotice } from './readmeWindow';

const answer = [
  'Retries are spaced by [src/retry.js:5](src/retry.js#L5): the pause **doubles** after every attempt. Three things matter in tests:',
  '1. `waitBefore(attempt)` returns milliseconds, and the first retry is attempt 2.\n2. The pause is capped at ten seconds.\n3. `sleep` comes in as a parameter, so no test has to wait:',
  '```js\nconst waits = [];\nawait retry(failing, {\n  retries: 2,\n  sleep: async (ms) => waits.push(ms), // recorded, not waited\n});\nassert.deepEqual(waits, [200, 400]);\n```',
  '| Attempt | Pause |\n| ---: | ---: |\n| 2 | 200 ms |\n| 3 | 400 ms |\n| 8 and later | 10 s |',
  'The reasons are in `docs/retries.md`.',
].join('\n\n');

const steps = (...states: readonly string[]) => ({
  items: ['Find what waits too long', 'Correct it', 'Run the tests'].map((text, index) => ({
    text,
    state: states[index] ?? 'pending',
  })),
});

/** A failing test is fixed: the command is asked for, then the edit; what was changed stands below the answer. */
export async function changes({ server, camera, panel }: Stage): Promise<void> {
  server.script(
    reply()
      .says('I look for it first.')
      .calls('todo_write', steps('active'))
      .calls('search_files', { query: 'FIRST_WAIT_MS' }),
    reply().calls('read_file', { path: fix.path }),
    reply().says('The tests will tell.').calls('run_command', { command: 'npm test' }),
    reply().says('The wait doubles once too often.').calls('edit_file', fix),
    reply().calls('run_command', { command: 'npm test' }),
    reply().calls('todo_write', steps('done', 'done', 'done')),
    reply()
      .says('The first retry waits **200 ms** again, and all tests pass.')
      .uses({ input: 6_420, output: 388, cached: 5_120 }),
  );
  await panel.send('The retry test fails. Please fix it.');
  const command = await ApprovalCard.asks(panel, 'Run npm test?');
  await withoutNotice(panel);
  await camera.shoot('approval-command');
  await command.press('Allow for Session');
  const edit = await ApprovalCard.asks(panel, `Edit ${fix.path}?`);
  await camera.shoot('approval-edit', { isKey: true });
  await edit.press('Allow');
  await panel.waitForAnswer('the answer', (text) => text.endsWith('all tests pass.'));
  await settled(panel);
  await camera.shoot('changed-files', { isKey: true });
}

/** An answer with code, a table and links; words found in it; the lists of models and modes; a branch of it. */
export async function answers({ server, camera, panel, workbench }: Stage): Promise<void> {
  await newSession({ panel, workbench });
  server.script(
    reply()
      .thinks('The person asks how retries work. The code and its notes will say.')
      .calls('search_files', { query: 'waitBefore' })
      .calls('read_file', { path: 'src/retry.js' })
      .calls('read_file', { path: 'docs/retries.md' }),
    reply().says(answer).uses({ input: 3_180, output: 412, cached: 2_048 }),
  );
  await panel.send('How do retries work here, and what should I watch out for in tests?');
  await panel.waitForAnswer('the answer', (text) => text.includes('The reasons are in'));
  await settled(panel);
  await camera.shoot('answered', { isKey: true });
  await camera.shoot('model-picker', {
    pose: () => opened(panel.frame.getByRole('combobox', { name: 'Model', exact: true })),
  });
  await workbench.page.keyboard.press('Escape');
  await camera.shoot('mode-picker', {
    pose: () => opened(panel.frame.getByRole('combobox', { name: 'Mode', exact: true })),
  });
  await workbench.page.keyboard.press('Escape');
  await panel.composer.focus();
  await workbench.page.keyboard.press('Control+f');
  await write(panel.frame.getByRole('textbox', { name: 'Find' }), 'pause');
  await panel.frame
    .getByRole('search')
    .getByText(/\d of \d/)
    .waitFor();
  await camera.shoot('find');
  await workbench.page.keyboard.press('Escape');
  await panel.send('/branch Retries, with jitter');
  await panel.button(/^Branched from/).waitFor();
  server.script(
    reply().says(
      'Jitter keeps clients apart that failed together. One line in `waitBefore` does it: `return pause * (0.5 + Math.random() / 2)`.',
    ),
  );
  await panel.send('And with jitter?');
  await panel.waitForAnswer('the answer', (text) => text.startsWith('Jitter keeps'));
  await settled(panel);
  await camera.shoot('branch');
}

/** The sessions below the chat, in every state that was played before. */
export async function listing({ camera, workbench }: Stage): Promise<void> {
  const sessions = await SessionsView.open(workbench);
  await sessions.row('Today').waitFor();
  await camera.shoot('sessions');
  await workbench.runCommand('Hermes: Focus Chat');
}

/** An answer that is being written, with prompts that wait. */
export async function stream({ server, camera, panel, workbench }: Stage): Promise<void> {
  await newSession({ panel, workbench });
  const words =
    'Let me go through the tests one by one. `retry.test.js` covers the pauses, the end of patience and `Retry-After`; nothing there waits for a real timer. `upload.test.js` is another matter: ';
  server.script(reply().thinks('Which tests are there?').says(words, { every: 20 }).hangs());
  await panel.send('Go through the tests one by one.');
  await panel.waitForAnswer('the beginning', (text) => text.endsWith('another matter:'));
  for (const text of ['Also update the docs', 'Then write the changelog entry, in one sentence']) {
    await write(panel.composer, text);
    await panel.button('Queue').click();
    await panel.frame.getByRole('list', { name: 'Queued messages' }).getByText(text).waitFor();
  }
  await camera.shoot('streaming', { isKey: true });
  for (const _ of [1, 2])
    await panel.frame
      .getByRole('list', { name: 'Queued messages' })
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
  await panel.button('Stop').click();
  await panel.sees(/You stopped this answer/);
  await camera.shoot('stopped');
}

/** A key that is refused. */
export async function failure({ server, camera, panel, workbench }: Stage): Promise<void> {
  await newSession({ panel, workbench });
  server.script(refuses(401, { message: 'Incorrect API key provided.' }));
  await panel.send('Why does upload.test.js fail on CI only?');
  await panel.button('Retry').waitFor();
  await camera.shoot('failed');
}

/** The extension host is killed in the middle of an answer, by accident and on purpose. */
export async function breaksOff(stage: Stage): Promise<void> {
  const { server, camera, session, workbench, panel } = stage;
  await newSession({ panel, workbench });
  server.script(
    reply()
      .says('The test waits for a real timer, and CI has one core. Three ways out, from the smallest to the largest: ')
      .says('pass `sleep` in; '.repeat(3), { every: 20 })
      .hangs(),
  );
  await panel.send('Why does upload.test.js fail on CI only?');
  await panel.waitForAnswer('the beginning', (text) => text.endsWith('sleep in;'));
  const killed = await session.killExtensionHost();
  await session.waitForNewExtensionHost(killed);
  stage.panel = await ChatPanel.attach(workbench);
  await stage.panel.button('Continue').waitFor();
  await camera.shoot('interrupted', { isKey: true });
  const pid = await session.extensionHostPid();
  await workbench.runCommand('Hermes: Check and Repair… › Pull the Plug…');
  await workbench.dialog().getByRole('button', { name: 'Pull the Plug' }).click();
  await session.waitForNewExtensionHost(pid);
  stage.panel = await ChatPanel.attach(workbench);
  await stage.panel.frame
    .getByRole('status')
    .filter({ hasText: /characters shown are saved\./ })
    .waitFor();
  await camera.shoot('plug-pulled');
}

async function newSession({ panel, workbench }: Pick<Stage, 'panel' | 'workbench'>): Promise<void> {
  await workbench.runCommand('Hermes: New Session');
  await panel.frame.getByText('Recent sessions').waitFor();
  await panel.composer.focus();
}

async function opened(picker: Locator): Promise<void> {
  if ((await picker.getAttribute('aria-expanded')) !== 'true') await picker.click();
}
