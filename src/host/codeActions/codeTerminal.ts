import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { shellCode } from './shellCode';

/** How long a shell that was just opened may take until it says that it is ready; then it is taken for one that never does. */
const readyPatienceMs = 3000;

/** The terminal that code of answers goes into: one of our own, so that nothing is typed into a program that a person left running in theirs. */
export class CodeTerminal implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly busy = new Set<vscode.Terminal>();
  private terminal: vscode.Terminal | null = null;

  constructor() {
    this.lifetime.register(
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) => void this.busy.add(terminal)),
    );
    this.lifetime.register(
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => void this.busy.delete(terminal)),
    );
    this.lifetime.register(vscode.window.onDidCloseTerminal((terminal) => this.closed(terminal)));
  }

  /** One line that is seen whole is run once the person has confirmed it; anything else is put there and waits for the person. In a restricted folder nothing happens but a sentence. */
  async take(code: string, language: string): Promise<void> {
    if (!vscode.workspace.isTrusted)
      return warn(
        vscode.l10n.t(
          'Commands are disabled in Restricted Mode. Nothing was run. Trust this folder first, or copy the code.',
        ),
      );
    const read = shellCode(code, language);
    if (read.kind === 'refused') {
      return warn(
        read.reason === 'empty'
          ? vscode.l10n.t('This code contains no command. Nothing was run.')
          : vscode.l10n.t(
              'This code contains invisible characters, so what you see is not what would run. Nothing was run. Copy it into an editor to inspect it.',
            ),
      );
    }
    // The page that asks may hold script of somebody else; what is pasted waits for Enter.
    if (read.kind === 'run' && !(await isWanted(read.text))) return;
    const terminal = await this.ready();
    if (read.kind === 'run') this.started(terminal, read.text);
    else await pasted(read.text);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private started(terminal: vscode.Terminal, command: string): void {
    // Counts from now on: what is pressed again at once does not go to the program that this one starts.
    if (terminal.shellIntegration !== undefined) this.busy.add(terminal);
    terminal.sendText(command, true);
  }

  private closed(terminal: vscode.Terminal): void {
    this.busy.delete(terminal);
    if (this.terminal === terminal) this.terminal = null;
  }

  private async ready(): Promise<vscode.Terminal> {
    const known = this.terminal;
    if (known !== null && known.exitStatus === undefined && !this.busy.has(known)) {
      known.show(false);
      return known;
    }
    const opened = (this.terminal = vscode.window.createTerminal({
      name: vscode.l10n.t('Code from Hermes'),
      iconPath: new vscode.ThemeIcon('terminal'),
    }));
    opened.show(false);
    await integrated(opened);
    return opened;
  }
}

async function isWanted(command: string): Promise<boolean> {
  const run = vscode.l10n.t('Run');
  return (
    (await vscode.window.showInformationMessage(
      vscode.l10n.t('Run this command in the terminal?'),
      { modal: true, detail: command },
      run,
    )) === run
  );
}

/** Resolves when the shell takes commands, as far as it says so. */
async function integrated(terminal: vscode.Terminal): Promise<void> {
  if (terminal.shellIntegration !== undefined) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, readyPatienceMs);
    const listening = vscode.window.onDidChangeTerminalShellIntegration(
      (change) => void (change.terminal === terminal && done()),
    );
    function done(): void {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    }
  });
}

/** Text with line ends that is sent to a shell is run line by line. Pasted by the editor it is not: the editor marks it as pasted for shells that know
 *  that, and asks first where they do not. */
async function pasted(text: string): Promise<void> {
  const before = await vscode.env.clipboard.readText();
  await vscode.env.clipboard.writeText(text);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.paste');
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}

function warn(sentence: string): void {
  void vscode.window.showWarningMessage(sentence);
}
