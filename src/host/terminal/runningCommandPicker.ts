import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { duration } from '../../tools/terminal/commandOutputText';
import { plainText } from '../../tools/terminal/plainText';
import type { RunningCommands, StartedCommand } from '../../tools/terminal/runningCommands';
import type { MirrorTerminals } from './mirrorTerminal';

interface CommandItem extends vscode.QuickPickItem {
  readonly started: StartedCommand;
}

/** Lists the running commands of this window. Choosing one shows its terminal; its button stops it. */
export class RunningCommandPicker {
  constructor(
    private readonly running: RunningCommands,
    private readonly mirrors: MirrorTerminals,
    private readonly openOutput: (file: string) => Promise<void>,
  ) {}

  async show(): Promise<void> {
    await Promise.all(this.running.alive.map(({ process }) => process.refresh()));
    const picker = vscode.window.createQuickPick<CommandItem>();
    const stop: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('debug-stop'),
      tooltip: t('Stop'),
    };
    const output: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('output'),
      tooltip: t('Open Output'),
    };
    const fill = (): void => {
      picker.items = this.running.alive.map((started) => ({ ...wordsOf(started), buttons: [output, stop], started }));
      picker.placeholder =
        picker.items.length === 0
          ? t('No Hermes commands are running in this window.')
          : t('Choose a command to show its terminal');
    };
    const changes = this.running.onDidChange(fill);
    picker.title = t('Running Commands');
    picker.onDidHide(() => (changes.dispose(), picker.dispose()));
    picker.onDidAccept(() => {
      const [chosen] = picker.selectedItems;
      picker.hide();
      if (chosen !== undefined) this.mirrors.reveal(chosen.started.conversationId);
    });
    picker.onDidTriggerItemButton(({ item, button }) => {
      if (button === stop) void item.started.process.stopForPerson().then(fill);
      else void this.openOutput(item.started.process.file.path);
    });
    fill();
    picker.show();
  }
}

function wordsOf({ command, folder, process }: StartedCommand): vscode.QuickPickItem {
  const state =
    process.end === null
      ? t('running for {time}', { time: duration(process.runningMs) })
      : t('ended, but some of its processes are still running');
  return {
    label: plainText(command).replace(/\s+/g, ' ').slice(0, 200),
    description: plainText(folder),
    detail: state,
  };
}
