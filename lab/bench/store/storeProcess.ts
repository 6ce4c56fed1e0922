import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ContestantName } from './contestants';
import type { Order } from './storeProgram';

type Answer = { readonly values: readonly number[] } | { readonly error: string };

/** A process with one way of storing: no two share a heap or caches. */
export class StoreProcess {
  private readonly child: ChildProcess;
  private answered: ((answer: Answer) => void) | undefined;

  private constructor(programs: string) {
    this.child = fork(join(programs, 'storeProgram.js'));
    this.child.on('message', (answer: Answer) => this.answered?.(answer));
    this.child.on('exit', (code) => this.answered?.({ error: `The process ended with ${code}.` }));
  }

  /** Starts a process that has the store in `folder` open; `ms`: how long opening took. */
  static async open(
    name: ContestantName,
    folder: string,
    programs: string,
  ): Promise<{ readonly opened: StoreProcess; readonly ms: number }> {
    const opened = new StoreProcess(programs);
    const [ms = 0] = await opened.order({ order: 'open', name, folder, programs });
    return { opened, ms };
  }

  order(order: Order): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.answered = (answer) => ('error' in answer ? reject(new Error(answer.error)) : resolve(answer.values));
      this.child.send(order);
    });
  }

  async close(): Promise<void> {
    await this.order({ order: 'close' });
    this.stop();
  }

  stop(): void {
    this.answered = undefined;
    this.child.kill();
  }
}
