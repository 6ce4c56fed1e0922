import { rounded } from './figures';

export interface Watched {
  readonly seconds: number;
  /** Processor time of the process, with all its threads: other work on the machine changes it little. */
  readonly cpuSeconds: number;
  /** Growth of the process, with all its threads, at most. */
  readonly memoryMegabytes: number;
  /** The longest time in which this thread had no turn. */
  readonly longestStallMs: number;
}

/** Watches this process until `stop`. */
export function watchProcess(): { readonly elapsedMs: () => number; readonly stop: () => Watched } {
  const [started, memory, cpu] = [performance.now(), process.memoryUsage().rss, process.cpuUsage()];
  let [mostMemory, longestStallMs, last] = [memory, 0, started];
  const timer = setInterval(() => {
    const now = performance.now();
    longestStallMs = Math.max(longestStallMs, now - last - 5);
    last = now;
    mostMemory = Math.max(mostMemory, process.memoryUsage().rss);
  }, 5);
  const elapsedMs = (): number => performance.now() - started;
  const stop = (): Watched => {
    clearInterval(timer);
    const { user, system } = process.cpuUsage(cpu);
    return {
      seconds: elapsedMs() / 1000,
      cpuSeconds: rounded((user + system) / 1e6, 2),
      memoryMegabytes: Math.round((mostMemory - memory) / 1e6),
      longestStallMs: Math.round(longestStallMs),
    };
  };
  return { elapsedMs, stop };
}
