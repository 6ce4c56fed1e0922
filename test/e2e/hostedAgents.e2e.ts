import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program, script } from '../support/acpAgent/hostedWorld';
import { ChatPanel } from './chatPanel';
import { scriptedVscode } from './scriptedVscode';
import { numberedWords } from './words';

const disk = join(mkdtempSync(join(tmpdir(), 'hermes-agent-')), 'disk.json');
const quirks = JSON.stringify({ commands: [{ name: 'deploy', description: 'Ships it' }] });
const { vscode, open, query } = await scriptedVscode({
  settings: {
    'hermes.model': 'Scripted/default',
    'hermes.agents': {
      Scripted: { command: process.execPath, args: [program], env: { ACP_DISK: disk, ACP_QUIRKS: quirks } },
    },
  },
});

const logged = (name: string): readonly unknown[] =>
  (JSON.parse(readFileSync(disk, 'utf8')) as { readonly log: readonly Readonly<Record<string, unknown>>[] }).log
    .filter((entry) => Object.hasOwn(entry, name))
    .map((entry) => entry[name]);

const stored = (like: string): readonly string[] =>
  query(
    "SELECT content FROM messages WHERE role = 'assistant' AND active = 1 AND content LIKE ? ORDER BY position",
    like,
  ).map((row) => String(row['content']));

test('an agent answers in the panel: it is killed, the window is reloaded, its host is killed, and nothing shown is lost', async () => {
  let panel = await open();
  await panel.answersWith('Scripted');
  const said = (name: string, from: number, count: number) => ({ say: numberedWords(`${name}${from}-`, count) });

  const usage = { sessionUpdate: 'usage_update', used: 250, size: 1000 };
  await panel.ask(
    script({ think: 'hm' }, { update: usage }, { say: 'Hello from the agent.' }),
    'Hello from the agent.',
  );
  await panel.sees('25%');

  // A command of the agent, chosen from the list, is text for it.
  await panel.composer.pressSequentially('/dep');
  await panel.sees('Ships it');
  await panel.composer.press('Enter');
  await panel.composerHas('/deploy');
  await panel.composer.press('Enter');
  await panel.answered('echo: /deploy');

  // A question of the agent, with our card.
  const toolCall = { toolCallId: 'run', kind: 'execute', title: 'make', rawInput: { command: 'make' } };
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  await panel.send(
    script(
      { ask: { toolCall, options } },
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 'run', status: 'completed', rawOutput: 'made it' } },
      { say: 'Made.' },
    ),
  );
  await panel.sees('Run this command?');
  await panel
    .button(/^Allow/)
    .first()
    .click();
  await panel.answered('Made.');
  expect(logged('answered')).toEqual([{ outcome: { outcome: 'selected', optionId: 'yes' } }]);

  // The agent is killed in the middle of its answer.
  await panel.send(script(said('a', 1, 60), { wait: 200 }, { kill: true }));
  const cut = await panel.waitForSettledAnswer('the cut answer', (text) => text.startsWith('a1-'));
  expect(stored('a1-%').map((text) => text.trim())).toEqual([cut.text]);
  expect(cut.state).toBe('interrupted');

  await panel.ask(script({ say: 'Again.' }), 'Again.');
  expect(logged('resumed')).toHaveLength(1);

  // The window is reloaded, and the session goes on.
  panel = await panel.reload();
  await panel.ask(script({ say: 'After the reload.' }), 'After the reload.');
  expect(logged('resumed')).toHaveLength(2);

  // The extension host is killed in the middle of an answer.
  const words = numberedWords('k-', 300);
  await panel.send(script(...words.split(' ').map((word) => ({ say: `${word} `, wait: 8 })), { hang: true }));
  const seen = await panel.waitForAnswer('words of the answer', (text) => text.startsWith('k-') && text.length > 200);
  const pid = await vscode().extensionHostPid();
  await vscode().killExtensionHost();
  await vscode().waitForNewExtensionHost(pid);
  panel = await ChatPanel.attach(panel.workbench);
  const redrawn = await panel.waitForSettledAnswer('the answer again', (text) => text.startsWith('k-'));
  expect(redrawn.state).toBe('interrupted');
  expect(redrawn.text.startsWith(seen)).toBe(true);
  expect(stored('k-%').map((text) => text.trim())).toEqual([redrawn.text]);

  await panel.ask(script({ say: 'And on.' }), 'And on.');
  const prompts = logged('prompt').map(String);
  expect(prompts.at(-1)).toContain(seen.slice(-100));
  // The agent of the killed host is gone.
  const started = logged('started').map(Number);
  const left = started.slice(0, -1).filter((process_) => isAlive(process_));
  expect(left).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
