import * as vscode from 'vscode';
import { t, shownList } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import { plainText, endOf } from '../../tools/terminal/plainText';
import { duration } from '../../tools/terminal/commandOutputText';
import type { RunningCommands, StartedCommand } from '../../tools/terminal/runningCommands';

const apartMs = 50;
/** Maximum number of characters written at once: the terminal cannot report that it is too slow. */
const mostPerWrite = 64 * 1024;
/** Maximum number of characters of output that are kept before the terminal first opens. */
const mostBefore = 256 * 1024;

/** Text on its way to a terminal: in order, at most every `apartMs`, with a note when there is too much to show. */
export class MirrorFeed {
  private write: ((text: string) => void) | null = null;
  private waiting = '';
  private leftOut = 0;
  private cancel: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly skipped: (characters: number) => string,
  ) {}

  /** Called when the terminal can render text. */
  open(write: (text: string) => void): void {
    this.write = write;
    this.flush();
  }

  add(text: string): void {
    this.waiting += text;
    this.keepTo(this.write === null ? mostBefore : mostPerWrite);
    if (this.write !== null) this.cancel ??= this.clock.after(apartMs, () => this.flush());
  }

  flush(): void {
    this.cancel?.();
    this.cancel = null;
    if (this.write === null) return;
    const note = this.leftOut === 0 ? '' : `\r\n\u001b[0;2m${this.skipped(this.leftOut)}\u001b[0m\r\n`;
    const text = `${note}${forTerminal(this.waiting)}`;
    this.waiting = '';
    this.leftOut = 0;
    if (text !== '') this.write(text);
  }

  dispose(): void {
    this.cancel?.();
    this.write = null;
  }

  private keepTo(characters: number): void {
    if (this.waiting.length <= characters) return;
    const kept = endOf(this.waiting, characters);
    this.leftOut += this.waiting.length - kept.length;
    this.waiting = kept;
  }
}

/** A terminal returns to the start of the line only after a carriage return. */
function forTerminal(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

const interrupt = '\u0003';

/** Terminals of the editor that show the commands an agent runs. One per conversation, created with its first
 *  command, without taking the focus. Closing one stops no command; the next command opens a new one. */
export class MirrorTerminals implements Disposable {
  private readonly open = new Map<string, MirrorTerminal>();
  private readonly starting: Disposable;

  constructor(
    running: RunningCommands,
    private readonly clock: Clock,
  ) {
    this.starting = running.onDidStart((command) => this.of(command.conversationId).show(command));
  }

  /** Shows the terminal of a conversation's commands. */
  reveal(conversationId: string): void {
    this.open.get(conversationId)?.terminal.show(true);
  }

  dispose(): void {
    this.starting.dispose();
    for (const mirror of this.open.values()) mirror.terminal.dispose();
    this.open.clear();
  }

  private of(conversationId: string): MirrorTerminal {
    const known = this.open.get(conversationId);
    // The editor marks a terminal as ended before it notifies the pseudoterminal.
    if (known !== undefined && known.terminal.exitStatus === undefined) return known;
    const made: MirrorTerminal = new MirrorTerminal(this.clock, () => {
      if (this.open.get(conversationId) === made) this.open.delete(conversationId);
    });
    this.open.set(conversationId, made);
    return made;
  }
}

/** One terminal: the commands, their colored output, and how they ended. Ctrl-C in it stops its running commands. */
class MirrorTerminal implements vscode.Pseudoterminal {
  private readonly writes = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.writes.event;
  readonly terminal: vscode.Terminal;
  private readonly feed: MirrorFeed;
  private readonly shown = new Set<StartedCommand>();
  private readonly listening = new Emitter<void>();

  constructor(
    clock: Clock,
    private readonly onClosed: () => void,
  ) {
    this.feed = new MirrorFeed(clock, (count) =>
      t('… {count} characters skipped because output came too fast; the output file has everything …', {
        count: String(count),
      }),
    );
    this.terminal = vscode.window.createTerminal({
      name: 'Hermes',
      pty: this,
      iconPath: new vscode.ThemeIcon('terminal'),
      isTransient: true,
    });
  }

  open(): void {
    this.feed.open((text) => this.writes.fire(text));
  }

  close(): void {
    this.feed.dispose();
    this.listening.fire();
    this.listening.dispose();
    this.onClosed();
  }

  handleInput(data: string): void {
    if (!data.includes(interrupt)) return;
    for (const { process } of this.shown) if (process.isAlive) void process.stopForPerson();
  }

  show(started: StartedCommand): void {
    const { process, command, folder } = started;
    this.shown.add(started);
    // The model wrote the command: it must not contain terminal control codes.
    this.feed.add(`\u001b[0;2m${plainText(folder)}\u001b[0m $ \u001b[1m${plainText(command)}\u001b[0m\n`);
    const decoder = new TextDecoder();
    const output = process.onOutput((bytes) => this.feed.add(decoder.decode(bytes, { stream: true })));
    const closing = this.listening.event(() => output.dispose());
    void process.ended.then((end) => {
      const how =
        end.signal !== null
          ? t('ended by {signal}', { signal: end.signal })
          : t('exit code {code}', { code: String(end.exitCode ?? '?') });
      const left =
        end.left.length === 0
          ? ''
          : ` · ${t('still running: {processes}', { processes: shownList(end.left.map(({ pid, name }) => `${plainText(name)} (${pid})`)) })}`;
      this.feed.add(`\u001b[0m\n\u001b[0;2m${how} · ${duration(end.ms)}${left}\u001b[0m\n\n`);
    });
    void process.closed.then(() => {
      output.dispose();
      closing.dispose();
      this.shown.delete(started);
    });
  }
}
