import * as v from 'valibot';
import type { BenchView } from './benchView';

/** A stretch of work of the page's main thread, in milliseconds on the page's own clock; `work` is processor time. */
export interface Task {
  readonly from: number;
  readonly until: number;
  readonly work: number;
}

const traced = v.object({
  traceEvents: v.array(
    v.object({
      name: v.optional(v.string(), ''),
      pid: v.number(),
      tid: v.number(),
      ts: v.number(),
      dur: v.optional(v.number()),
      tdur: v.optional(v.number()),
      args: v.optional(v.object({ data: v.optional(v.object({ startTime: v.optional(v.number()) })) }), {}),
    }),
  ),
});

/** What the page's thread did while `work` went on, from the browser's own trace. The page must call
 *  `performance.mark('bench-watch')` in it. */
export async function tasksDuring(
  { browser, page }: Pick<BenchView, 'browser' | 'page'>,
  work: () => Promise<void>,
): Promise<readonly Task[]> {
  await browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing'],
  });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = v.parse(traced, JSON.parse(trace.toString()));
  const mark = traceEvents.find(({ name }) => name === 'bench-watch');
  const markedAt = mark?.args.data?.startTime;
  if (mark === undefined || markedAt === undefined)
    throw new Error('The page did not mark the beginning in its trace.');
  const own = traceEvents.filter(({ name, pid, tid }) => pid === mark.pid && tid === mark.tid && /RunTask$/.test(name));
  const clock = (ts: number): number => markedAt + (ts - mark.ts) / 1000;
  return outermost(
    own.map(({ ts, dur = 0, tdur }) => ({ from: clock(ts), until: clock(ts + dur), work: (tdur ?? dur) / 1000 })),
  );
}

/** Without those inside of others: the browser notes a task under two names, one in the other, and its work is to be
 *  counted once. */
export function outermost(tasks: readonly Task[]): readonly Task[] {
  const found: Task[] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const task of [...tasks].sort((left, right) => left.from - right.from || right.until - left.until)) {
    if (task.from >= until) found.push(task);
    until = Math.max(until, task.until);
  }
  return found;
}

/** Work between two moments; of a task that lasts beyond them, its share. */
export function workBetween(tasks: readonly Task[], from: number, until: number): number {
  return tasks.reduce((sum, task) => {
    const shared = Math.min(task.until, until) - Math.max(task.from, from);
    return shared <= 0 ? sum : sum + task.work * Math.min(1, shared / Math.max(task.until - task.from, 0.001));
  }, 0);
}
