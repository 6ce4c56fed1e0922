import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../../src/base/clock';
import { MirrorTerminals } from '../../../src/host/terminal/mirrorTerminal';
import { openReadOnly } from '../../../src/host/terminal/terminalFeature';
import { OutputFolder } from '../../../src/tools/terminal/outputFolder';
import { RunningCommands } from '../../../src/tools/terminal/runningCommands';
import { chooseShell } from '../../../src/tools/terminal/shell';
import { terminalTools } from '../../../src/tools/terminal/runCommandTool';
import type { ToolOutput } from '../../../src/tools/tool';
import { noCommandCheckpoint, unconfined } from '../../support/terminalWorld';
import { aToolCall } from '../../support/toolCalls';

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let again = 0; again < 400; again++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`never came: ${what}`);
}

suite('Terminal', () => {
  let home: string;
  let running: RunningCommands;
  let mirrors: MirrorTerminals;
  const hermes = (): readonly vscode.Terminal[] => vscode.window.terminals.filter(({ name }) => name === 'Hermes');

  setup(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-host-terminal-')));
    running = new RunningCommands();
    mirrors = new MirrorTerminals(running, systemClock);
  });
  teardown(async () => {
    running.dispose();
    mirrors.dispose();
    await until('no terminal is left', () => hermes().length === 0);
    rmSync(home, { recursive: true, force: true });
  });

  const run = (command: string): Promise<ToolOutput> => {
    const [tool] = terminalTools({
      shell: () => chooseShell(vscode.env.shell, process.platform, existsSync),
      environment: async () => ({ PATH: process.env['PATH'] ?? '' }),
      resolveFolder: async () => ({ path: home, shown: '.', isInside: true }),
      isReadOnly: () => true,
      checkpoint: noCommandCheckpoint,
      discards: () => ({ kind: 'nothing' }),
      confinement: unconfined,
      outputs: new OutputFolder(() => join(home, 'outputs'), systemClock),
      running,
      timeoutSeconds: () => 60,
      clock: systemClock,
      platform: process.platform,
    });
    const bound = tool?.bind({ command });
    assert.ok(bound?.kind === 'ready');
    return bound.run(new AbortController().signal, aToolCall());
  };

  test("a conversation's commands are shown in one terminal; another one replaces a closed terminal", async () => {
    assert.equal((await run('echo one')).outcome, 'done');
    await until('it is there', () => hermes().length === 1);
    await run('echo two; exit 3');
    assert.equal(hermes().length, 1);
    hermes()[0]?.dispose();
    await until('it is closed', () => hermes().length === 0);
    await run('echo three');
    await until('another is there', () => hermes().length === 1);
  });

  test('Ctrl-C in it stops the running command', async () => {
    const output = run('echo up; sleep 1000');
    await until('it runs', () => running.alive.length === 1 && hermes().length === 1);
    hermes()[0]?.show();
    // Sent as the person's own key would be.
    await until('it is stopped', () => (hermes()[0]?.sendText('\u0003', false), running.alive.length === 0));
    const { outcome, text } = await output;
    assert.deepEqual([outcome, text.startsWith('The person stopped this command')], ['interrupted', true]);
  });

  test('an output opens read-only', async () => {
    const file = join(home, 'output.log');
    writeFileSync(file, 'line\n');
    await openReadOnly(file);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.fsPath, file);
    await vscode.commands.executeCommand('type', { text: 'changed' });
    assert.equal(editor?.document.getText(), 'line\n');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
