import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sandboxProblem } from '../../scripts/sandboxInstall.mjs';
import { reply } from '../support/modelServer';
import { waitFor, type Workbench } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { ApprovalCard, chooseMode, toolRow } from './workPanel';
import { WorkRepository } from './workRepository';
import { picturesIn, scriptedVscode } from './scriptedVscode';

const themes = ['Light Modern', 'Default High Contrast', 'Dark Modern'];

if (sandboxProblem() === undefined) {
  const { server, vscode, open, query } = await scriptedVscode();
  const picture = picturesIn('work');
  let repository: WorkRepository;
  let workbench: Workbench;
  let panel: ChatPanel;
  beforeAll(async () => {
    repository = WorkRepository.create(vscode());
    panel = await open(repository.folder);
    ({ workbench } = panel);
    await workbench.resizeSecondarySideBar(460);
  });

  const told = (callId: string): string =>
    server.requests.at(-1)?.outline.find((line) => line.startsWith(`tool ${callId}: `)) ?? '';

  test('in Edit Automatically a command runs in the sandbox without a question, and the mode menu says why', async () => {
    for (const theme of themes) {
      await workbench.setTheme(theme);
      await panel.frame.getByRole('combobox', { name: 'Mode', exact: true }).click();
      await panel.frame
        .getByText(
          'Commands run in a sandbox: they can change only the open folders, can’t read secrets, and can reach only hosts you allow.',
        )
        .waitFor();
      await picture(panel, `sandbox-modes-${theme.replaceAll(' ', '-')}`);
      await workbench.page.keyboard.press('Escape');
    }
    await chooseMode(panel, 'Edit Automatically');
    server.script(
      reply().calls('run_command', { command: 'echo made > src/made.js && node --version' }, { id: 'inside' }),
      reply().says('It is made.'),
    );
    await panel.send('Make it.');
    await panel.answered('It is made.');
    await toolRow(panel, 'run_command echo made > src/made.js && node --version', 'done').waitFor();
    expect({
      made: fs.readFileSync(path.join(repository.folder, 'src/made.js'), 'utf8'),
      asked: query("SELECT count(*) AS asked FROM approvals WHERE call_id = 'inside'"),
      told: told('inside').includes('Exit code 0'),
    }).toEqual({ made: 'made\n', asked: [{ asked: 0 }], told: true });
  });

  test('the row names what the sandbox stops; running without it is a separate question, with the reason', async () => {
    const outside = path.join(repository.folder, '..', 'outside.txt');
    // Words say nothing of what a program does.
    fs.writeFileSync(
      path.join(repository.folder, 'evil.sh'),
      `echo evil > .git/hooks/pre-commit\necho x > ${outside}\ncurl -sS -m 5 https://registry.example.org/\necho evil > AGENTS.md\nexit 1\n`,
    );
    const command = 'sh evil.sh';
    server.script(reply().calls('run_command', { command }, { id: 'stopped' }), reply().says('It was kept from it.'));
    await panel.send('Try that.');
    await panel.answered('It was kept from it.');
    // The editor hides a notification after a while.
    await workbench.waitForToast('AGENTS.md appeared while “sh evil.sh” ran in the sandbox.');
    await picture(panel, 'sandbox-taken-out');
    const isTakenOut = !fs.existsSync(path.join(repository.folder, 'AGENTS.md'));
    await workbench.clickToast('Restore Files');
    await waitFor('the file to be back', () => fs.existsSync(path.join(repository.folder, 'AGENTS.md')));
    fs.rmSync(path.join(repository.folder, 'AGENTS.md'));
    const line = panel.frame.getByText(/^Blocked by the sandbox: /);
    await line.waitFor();
    const words = await line.innerText();
    await panel.frame.getByText('Removed from the folder: AGENTS.md').waitFor();
    for (const theme of themes) {
      await workbench.setTheme(theme);
      await picture(panel, `sandbox-blocked-${theme.replaceAll(' ', '-')}`);
    }
    expect({
      words: ['write to .git/hooks/pre-commit', 'connect to registry.example.org'].filter((each) =>
        words.includes(each),
      ).length,
      told: told('stopped').includes('which kept it from this: '),
      hook: fs.existsSync(path.join(repository.folder, '.git/hooks/pre-commit')),
      isTakenOut,
    }).toEqual({ words: 2, told: true, hook: false, isTakenOut: true });

    await panel.button('Run Without the Sandbox…').last().click();
    await waitFor(
      'the prompt that asks for it',
      async () => (await panel.composer.inputValue()) === 'Run this again without the sandbox: `sh evil.sh`',
    );
    server.script(
      reply().calls(
        'run_command',
        { command: `echo x > ${outside}`, without_sandbox: 'It writes beside the project.' },
        { id: 'outside' },
      ),
      reply().says('Written.'),
    );
    await panel.composer.press('Enter');
    const card = await ApprovalCard.asks(panel, `Run echo x > ${outside}?`);
    await picture(panel, 'sandbox-outside-card');
    expect([
      await card.buttons(),
      (await card.card.innerText()).includes('Outside the sandbox. Agent’s reason: It writes beside the project.'),
      await card.reasons(),
    ]).toEqual([
      ['Allow Once', 'Deny'],
      true,
      expect.arrayContaining(['Runs with all your permissions, outside the sandbox.']),
    ]);
    await card.press('Allow Once');
    await panel.answered('Written.');
    expect(fs.readFileSync(outside, 'utf8')).toBe('x\n');
  });

  test('a host is asked for once, and can be allowed from then on', async () => {
    const command = 'curl -sS -m 5 -o /dev/null https://registry.example.org/ || true';
    server.script(
      reply().calls('run_command', { command, hosts: ['registry.example.org'] }, { id: 'first' }),
      reply().calls('run_command', { command, hosts: ['registry.example.org'] }, { id: 'second' }),
      reply().says('Asked it twice.'),
    );
    await panel.send('Ask the registry.');
    const card = await ApprovalCard.asks(panel, `Run ${command}?`);
    await picture(panel, 'sandbox-host-card');
    expect((await card.card.innerText()).includes('in the sandbox · connects to registry.example.org')).toBe(true);
    await card.press('Allow for Session');
    await panel.answered('Asked it twice.');
    expect(query("SELECT call_id FROM approvals WHERE call_id IN ('first', 'second')")).toEqual([{ call_id: 'first' }]);
  });
}
