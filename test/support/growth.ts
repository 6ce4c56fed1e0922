/** CPU time of this process in milliseconds: other programs on the machine do not count. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** CPU time of a fixed piece of work, in milliseconds: about 60 on a machine of 2024, more on a slower or busier one. Below
 *  this a garbage collection or a compilation weighs more than the work that is measured. The least of two, since one may fall into
 *  this work also. */
function noiseMs(): number {
  return Math.min(noiseOnceMs(), noiseOnceMs());
}

function noiseOnceMs(): number {
  return cpuMs(() => {
    let words = 0;
    for (let round = 0; round < 9000; round++) {
      words += `A line of words ${round} that is `.repeat(10).replace(/\w+/g, (word) => word.toUpperCase()).length;
    }
    if (words === 0) throw new Error('impossible');
  });
}

/**
 * True when work on four times the input costs at most `limit` times as much: about 4 when the cost is in proportion to the input, 16 when it
 * grows with the square, 64 with the cube. Compares within one run, so a slow machine changes nothing. `work` gets the share of the input to
 * take. One that exceeds the limit is measured up to four more times, since a collection of garbage that other tests left may fall
 * into the larger run; then its least growth is returned.
 */
export function growsAtMost(limit: number, work: (share: number) => void): true | number {
  const growth = (): number => {
    const quarter = cpuMs(() => work(0.25));
    return cpuMs(() => work(1)) / Math.max(quarter, noiseMs());
  };
  let least = Infinity;
  for (let attempt = 0; attempt < 5 && least > limit; attempt++) least = Math.min(least, growth());
  return least <= limit || least;
}
