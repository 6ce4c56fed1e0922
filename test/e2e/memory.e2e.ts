import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { projectRoot, write } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode, storage, refused } = await scriptedVscode();

test("what the model saves is on disk and in the next session; earlier sessions are found; the folder's rules and prompt files are used", async () => {
  const folder = vscode().sampleFolder();
  fs.writeFileSync(path.join(folder, 'AGENTS.md'), 'Answer in one sentence.\n');
  fs.mkdirSync(path.join(folder, '.claude/commands'), { recursive: true });
  fs.writeFileSync(
    path.join(folder, '.claude/commands/review.md'),
    '---\ndescription: Review a file\nargument-hint: [file]\n---\nReview $ARGUMENTS with care.\n',
  );
  const workbench = await vscode().open(folder);
  const panel = await ChatPanel.open(workbench);
  const systemOf = (index: number): string => server.requests.at(index)?.outline[0] ?? '';

  server.script(
    reply().calls('memory', { action: 'add', content: 'Deploys go through bluebird' }),
    reply().says('Noted, marmalade.'),
  );
  await panel.ask('Remember how we deploy', 'Noted, marmalade.');
  const file = path.join(storage(), 'memories/MEMORY.md');
  const saved = fs.readFileSync(file, 'utf8');

  await panel.newSession();
  server.script(reply().calls('session_search', { query: 'marmalade' }), reply().says('Through bluebird.'));
  await panel.ask('How do we deploy?', 'Through bluebird.');
  const found = server.requests.at(-1)?.outline.at(-1) ?? '';

  await write(panel.composer, '');
  await panel.composer.pressSequentially('/rev');
  await panel.frame.getByRole('option', { name: /\/review/ }).waitFor();
  // The list is drawn for each letter: what stands there for "/re" holds others too.
  await panel.frame.getByRole('option').nth(1).waitFor({ state: 'detached' });
  const offered = await panel.frame.getByRole('option').allInnerTexts();
  await workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots'), 'prompt-files');
  server.script(reply().says('Reviewed.'));
  await panel.ask('/review src/upload.ts', 'Reviewed.');

  await workbench.runAndChoose('Hermes: Open Memory', 'Notes, in this workspace');
  await workbench.page.getByRole('tab', { name: /^MEMORY\.md/ }).waitFor();
  await workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots'), 'open-memory');

  expect({
    saved,
    mode: fs.statSync(file).mode & 0o777,
    beside: fs.readdirSync(path.dirname(file)),
    inPrompt: [systemOf(0), systemOf(-1)].map((system) => system.includes('- Deploys go through bluebird')),
    rules: systemOf(0).includes('Answer in one sentence.'),
    found: /marmalade/.test(found) && /session \d{8}_/.test(found),
    offered,
    shown: (await panel.prompts()).at(-1)?.text,
    sent: server.requests.at(-1)?.outline.at(-1)?.includes('Review src/upload.ts with care.'),
    refused: refused(),
  }).toEqual({
    saved: 'Deploys go through bluebird\n',
    mode: 0o600,
    beside: ['MEMORY.md'],
    inPrompt: [false, true],
    rules: true,
    found: true,
    offered: [expect.stringContaining('Review a file')],
    shown: '/review src/upload.ts',
    sent: true,
    refused: [],
  });
});
