import * as vscode from 'vscode';
import { Owner } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { invisibleCharacters } from '../../../transcript/text/invisibleCharacters';
import { editorLanguage } from '../core/fence';

/** run: one fully visible line, which may be run · place: anything else, which is put into the terminal but not run
 *  · refused: with the reason, for the user. */
type ShellCode =
  | { readonly kind: 'run' | 'place'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: 'unseen' | 'empty' };

// A terminal obeys control characters, which the user does not see. Zero-width characters and those that reorder text
// are not visible either.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]/u;

/** In characters. Code does not wrap, and text beyond the right edge is not read. */
const longestLine = 120;

/** Extracts the commands of a block of shell code. A recorded session ("$ npm test" and its output) yields only its
 *  commands. */
export function shellCode(code: string, language: string): ShellCode {
  const lines = withoutPrompts(code.replace(/\r\n?/g, '\n').split('\n'), language);
  const text = lines.join('\n').replace(/^\n+|\s+$/g, '');
  if (text.trim() === '') return { kind: 'refused', reason: 'empty' };
  if (invisible.test(text.replace(/[\n\t]/g, ''))) return { kind: 'refused', reason: 'unseen' };
  return { kind: isSeenWhole(code) ? 'run' : 'place', text };
}

/** True when a user who pressed the button has seen all of the code: one line of visible length, without runs of
 *  spaces that push the rest out of sight, and without invisible characters. A tab typed into a shell would trigger
 *  completion. */
function isSeenWhole(code: string): boolean {
  const line = code.replace(/\r?\n$/, '');
  return [...line].length <= longestLine && !/ {2}/.test(line) && !invisibleCharacters.test(line);
}

function withoutPrompts(lines: readonly string[], language: string): readonly string[] {
  const prompt = promptOf(language);
  const commands = lines.filter((line) => prompt.test(line));
  return commands.length === 0 ? lines : commands.map((line) => line.replace(prompt, ''));
}

function promptOf(language: string): RegExp {
  const id = editorLanguage(language);
  if (id === 'powershell') return /^PS(?: [^>\n]{0,200})?> /;
  return id === 'bat' ? /^[A-Z]:\\[^>\n]{0,200}> ?/ : /^(?:[\w.-]+@[\w.-]+:\S{1,200} ?)?\$ /;
}
/** Milliseconds to wait for the shell integration of a new terminal. After that, the shell counts as one without it. */
const readyTimeoutMs = 3000;

/** Terminal for code from answers. Uses its own terminal, so that nothing is typed into a program that the user left
 *  running in theirs. */
export class CodeTerminal extends Owner {
  private readonly busy = new Set<vscode.Terminal>();
  private terminal: vscode.Terminal | null = null;

  constructor() {
    super();
    this.lifetime.register(
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) => void this.busy.add(terminal)),
    );
    this.lifetime.register(
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => void this.busy.delete(terminal)),
    );
    this.lifetime.register(vscode.window.onDidCloseTerminal((terminal) => this.closed(terminal)));
  }

  /** Runs a single, fully visible line after the user confirms it. Pastes anything else and leaves it to the user to
   *  run. In Restricted Mode, only shows a warning. */
  async take(code: string, language: string): Promise<void> {
    if (!vscode.workspace.isTrusted)
      return warn(
        t('Commands are disabled in Restricted Mode. Nothing was run. Trust this folder first, or copy the code.'),
      );
    const read = shellCode(code, language);
    if (read.kind === 'refused') {
      return warn(
        read.reason === 'empty'
          ? t('This code contains no command. Nothing was run.')
          : t(
              'This code contains invisible characters, so what you see is not what would run. Nothing was run. Copy it into an editor to inspect it.',
            ),
      );
    }
    // The requesting page may hold injected script, so confirm first. Pasted text waits for Enter.
    if (read.kind === 'run' && !(await isWanted(read.text))) return;
    const terminal = await this.ready();
    if (read.kind === 'run') this.started(terminal, read.text);
    else await pasted(read.text);
  }

  private started(terminal: vscode.Terminal, command: string): void {
    // Mark it busy now: a second click must not type into the program that this command starts.
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
      name: t('Code from Hermes'),
      iconPath: new vscode.ThemeIcon('terminal'),
    }));
    opened.show(false);
    await integrated(opened);
    return opened;
  }
}

async function isWanted(command: string): Promise<boolean> {
  const run = t('Run');
  return (
    (await vscode.window.showInformationMessage(
      t('Run this command in the terminal?'),
      { modal: true, detail: command },
      run,
    )) === run
  );
}

/** Resolves when the shell reports that it takes commands, or after the timeout. */
async function integrated(terminal: vscode.Terminal): Promise<void> {
  if (terminal.shellIntegration !== undefined) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, readyTimeoutMs);
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

/** Pastes text into the active terminal. Text with line breaks that is sent to a shell would run line by line. The
 *  editor's own paste avoids that: it marks the text as pasted for shells that support that, and asks first for
 *  others. */
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
