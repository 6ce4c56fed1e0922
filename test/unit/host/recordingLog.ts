import type { Log } from '../../../src/base/log';

export class RecordingLog implements Log {
  readonly lines: string[] = [];

  trace(message: string): void {
    this.lines.push(`trace: ${message}`);
  }

  info(message: string): void {
    this.lines.push(`info: ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn: ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error: ${message}`);
  }
}
