import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { reviveStoreError } from '../../../../src/store/storeError';
import type { BuiltStoreWorker } from '../../../support/storeWorker';
import type { WindowAnswer, WindowOrder, WindowReport } from './storeWindow';

/** A window in a process of its own, as VS Code's extension hosts are. */
export class WindowProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<
    number,
    { resolve: (answer: WindowAnswer) => void; reject: (error: Error) => void }
  >();
  private lastId = 0;
  /** The highest chunk number this window's store has acknowledged. */
  acknowledged = 0;

  constructor(built: BuiltStoreWorker) {
    this.child = fork(join(built.folder, 'storeWindow.js'), { serialization: 'advanced' });
    this.child.on('message', (report: WindowReport) => this.hear(report));
    this.child.on('exit', () => this.rejectAll());
  }

  order(order: WindowOrder): Promise<WindowAnswer> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.send({ ...order, id });
    });
  }

  open(storageFolder: string): Promise<WindowAnswer> {
    return this.order({ order: 'open', storageFolder });
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  /** As `kill -9` does it. Resolves when the process is gone. */
  kill(): Promise<void> {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return resolve();
      this.child.once('exit', () => resolve());
      this.child.kill('SIGKILL');
    });
  }

  private hear(report: WindowReport): void {
    if (report.report === 'acknowledged') {
      this.acknowledged = report.seq;
      return;
    }
    const waiting = this.waiting.get(report.id);
    this.waiting.delete(report.id);
    if (report.report === 'done') waiting?.resolve(report.value);
    else waiting?.reject(reviveStoreError(report.error));
  }

  private rejectAll(): void {
    for (const { reject } of this.waiting.values()) reject(new Error('The window has died.'));
    this.waiting.clear();
  }
}
