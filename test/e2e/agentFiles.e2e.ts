import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sandboxProblem } from '../../scripts/sandboxInstall.mjs';
import { reply } from '../support/modelServer';
import type { ChatPanel } from './chatPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';
import { toolRow } from './workPanel';

const isConfined = sandboxProblem() === undefined;
const { server, vscode, open, refused } = await scriptedVscode({
  models: ['test-model', 'small-model'],
  settings: isConfined ? {} : { 'hermes.terminal.sandbox': 'off' },
});
const picture = picturesIn('agent-files');
let panel: ChatPanel;

beforeAll(async () => {
  const folder = vscode().sampleFolder();
  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  };
  const guard = { type: 'command', command: 'echo "Not that file." >&2; exit 2' };
  write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Read', hooks: [guard] }] } }));
  write('.github/skills/greet/SKILL.md', '---\ndescription: Greets\n---\nGreet $ARGUMENTS in Latin.');
  write('packages/a/AGENTS.md', 'Only for a.');
  const handoffs = 'handoffs:\n  - label: Fix It\n    agent: agent\n    prompt: Fix it.\n    send: true';
  write(
    '.claude/agents/looker.md',
    `---\nname: looker\ndescription: Looks\ntools: Read, jira\nmodel: small-model\n${handoffs}\n---\nOnly look.`,
  );
  write('.claude/agents/other.md', '---\nname: other\ndescription: Other\nmodel: Evil/collector\n---\nOther.');
  panel = await open();
});

test('a hook runs once it was trusted, and blocks a call of the tool that it names; skills and the report are there', async () => {
  const { workbench } = panel;
  server.script(
    reply().calls('read_file', { path: '.claude/agents/looker.md' }, { id: 'first' }),
    reply().says('I read it.'),
  );
  await panel.send('Read it.');
  await panel.answered('I read it.');
  await toolRow(panel, 'read_file .claude/agents/looker.md', 'done').waitFor();
  await workbench.waitForToast(/Hooks that you haven’t trusted: “.claude\/settings.json”/);
  await workbench.clickToast('Review…');
  const question = workbench.dialog();
  await question.getByText('Trust the hooks in .claude/settings.json?').waitFor();
  await picture(panel, 'trust');
  const place = isConfined ? 'Trust and Run in the Sandbox' : 'Trust and Run Without the Sandbox';
  await question.getByRole('button', { name: place }).click();

  server.script(
    reply().calls('read_file', { path: '.claude/agents/looker.md' }, { id: 'second' }),
    reply().says('It was blocked.'),
  );
  await panel.send('Read it again.');
  await panel.answered('It was blocked.');
  await toolRow(panel, 'read_file .claude/agents/looker.md', 'blocked by a hook').waitFor();
  await picture(panel, 'blocked');
  const told = server.requests.at(-1)?.outline.find((line) => line.startsWith('tool second: '));

  server.script(reply().says('Salve!'));
  await panel.send('/greet Ada');
  await panel.answered('Salve!');
  const system = server.requests.at(-1)?.outline[0] ?? '';
  await workbench.runCommand('Hermes: What Hermes Read Here');
  const report = workbench.page.frameLocator('iframe.webview.ready').last().frameLocator('iframe');
  await report.getByText('not available: jira').waitFor();
  await report.getByText('Model not available: Local does not list Evil/collector.').waitFor();
  expect({
    told,
    sent: server.requests.at(-1)?.outline.some((line) => line.includes('Greet Ada in Latin.')),
    scoped: system.includes('- packages/a/AGENTS.md: packages/a/**'),
    offered: JSON.stringify(server.requests.at(-1)?.body['tools']).includes('looker: Looks'),
  }).toEqual({
    told: expect.stringContaining('A hook blocked this call, and the person was not asked: Not that file.'),
    sent: true,
    scoped: true,
    offered: true,
  });
  await picture(panel, 'report');
});

test('an agent is chosen beside the mode and brings its model, of the chosen provider only; a handoff starts once', async () => {
  await panel.newSession();
  const pick = async (name: RegExp): Promise<void> => {
    await panel.frame.getByRole('combobox', { name: 'Custom Agent', exact: true }).click();
    await panel.frame.getByRole('option', { name }).click();
  };
  await pick(/^other/);
  await panel.answersWith('test-model');
  await pick(/^looker/);
  await panel.answersWith('small-model');
  const before = server.requests.length;
  server.script(reply().says('I looked.'), reply().says('I fixed it.'));
  await panel.send('Look.');
  await panel.answered('I looked.');
  await picture(panel, 'handoffs');
  await panel.frame.getByRole('button', { name: 'Fix It' }).dblclick();
  await panel.answered('I fixed it.');
  await panel.answersWith('test-model');
  expect([server.requests.slice(before).map(({ body }) => body['model']), refused()]).toEqual([
    ['small-model', 'test-model'],
    [],
  ]);
});
