import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runConcurrently } from '../../../../../../src/features/history/core/import/historyImport';

interface Item {
  readonly own: string;
  readonly others: readonly string[];
}

const item = (own: string, ...others: string[]): Item => ({ own, others });

/** Work that ends only when it is told to. */
class RunningLanes {
  readonly events: string[] = [];
  isStopped = false;
  private readonly open = new Map<number, (error?: Error) => void>();
  readonly done: Promise<unknown>;

  constructor(items: readonly Item[]) {
    this.done = runConcurrently(
      items,
      (one) => one,
      ({ own }, index) =>
        new Promise<void>((resolve, reject) => {
          this.events.push(`begin ${own}${index}`);
          this.open.set(index, (error) => {
            this.events.push(`end ${own}${index}`);
            if (error === undefined) resolve();
            else reject(error);
          });
        }),
      () => this.isStopped,
    ).then(
      () => 'done',
      (error: unknown) => String(error),
    );
  }

  async end(index: number, error?: Error): Promise<void> {
    await setImmediate();
    const end = this.open.get(index);
    if (end === undefined) throw new Error(`${index} was not begun: ${this.events.join()}`);
    end(error);
    await setImmediate();
  }
}

describe('items in two lanes', () => {
  it('are begun in order, two at a time', async () => {
    const lanes = new RunningLanes([item('a'), item('b'), item('c')]);
    await lanes.end(1);
    expect(lanes.events).toEqual(['begin a0', 'begin b1', 'end b1', 'begin c2']);
    await lanes.end(2);
    await lanes.end(0);
    expect(await lanes.done).toBe('done');
  });

  it('wait for an earlier one with the same key, or with the key of another that they depend on', async () => {
    const lanes = new RunningLanes([item('a'), item('a'), item('b', 'a'), item('c')]);
    await lanes.end(0);
    expect(lanes.events).toEqual(['begin a0', 'end a0', 'begin a1']);
    await lanes.end(1);
    expect(lanes.events.slice(3)).toEqual(['end a1', 'begin b2', 'begin c3']);
    await lanes.end(2);
    await lanes.end(3);
    expect(await lanes.done).toBe('done');
  });

  it('are not begun after a stop, and those in progress end', async () => {
    const lanes = new RunningLanes([item('a'), item('b'), item('c')]);
    lanes.isStopped = true;
    await lanes.end(0);
    await lanes.end(1);
    expect([await lanes.done, lanes.events.length]).toEqual(['done', 4]);
  });

  it('end with the first failure, after the others that were begun', async () => {
    const lanes = new RunningLanes([item('a'), item('b')]);
    await lanes.end(0, new Error('no'));
    await lanes.end(1);
    expect([await lanes.done, lanes.events.at(-1)]).toEqual(['Error: no', 'end b1']);
  });

  it('are none when there is none', async () => {
    expect(await new RunningLanes([]).done).toBe('done');
  });
});
