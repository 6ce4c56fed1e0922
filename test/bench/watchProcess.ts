/** Watches the memory of the process and the stalls of this thread until `stop`. `mostMemory`: bytes, with all threads.
 *  `longestStallMs`: the longest time in which this thread had no turn. */
export function watchProcess(): { stop: () => { mostMemory: number; longestStallMs: number } } {
  let [mostMemory, longestStallMs, last] = [0, 0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longestStallMs = Math.max(longestStallMs, now - last - 5);
    last = now;
    mostMemory = Math.max(mostMemory, process.memoryUsage().rss);
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return { mostMemory, longestStallMs };
    },
  };
}
