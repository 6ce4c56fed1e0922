import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import type { ToolProgress } from '../../transcript/turnEvent';
import type { CommandProcess } from './commandProcess';

const apartMs = 100;
/** Characters of the output's end that surfaces show while a command runs. */
export const tailCharacters = 8000;

/** Reports a command's output to surfaces, at most ten times a second, and its last state on dispose. */
export class OutputReport implements Disposable {
  private cancel: (() => void) | null = null;
  private isDue = false;
  private readonly listening: Disposable;

  constructor(
    private readonly command: CommandProcess,
    private readonly report: (progress: ToolProgress) => void,
    private readonly clock: Clock,
  ) {
    this.listening = command.onOutput(() => this.onOutput());
  }

  dispose(): void {
    this.listening.dispose();
    this.cancel?.();
    if (this.isDue) this.emitReport();
  }

  private onOutput(): void {
    this.isDue = true;
    if (this.cancel !== null) return;
    this.emitReport();
    this.cancel = this.clock.after(apartMs, () => {
      this.cancel = null;
      if (this.isDue) this.onOutput();
    });
  }

  private emitReport(): void {
    this.isDue = false;
    const { file, ends } = this.command;
    this.report({ kind: 'output', file: file.path, bytes: ends.bytes, tail: ends.tail(tailCharacters) });
  }
}
