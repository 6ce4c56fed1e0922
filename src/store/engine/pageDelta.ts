/** Equal bytes between two changes that cost less inside one range than a second range would. */
const mergedGap = 4;

/** Returns the bytes of `after` that differ from `before`, as ranges: two bytes for the equal bytes to skip, two for
 *  the length, then the bytes. Both have the same length, at most 65,536. Null when that would take more than `most`
 *  bytes. */
export function changedBytes(before: Uint8Array, after: Uint8Array, most: number): Uint8Array | null {
  const into = new Uint8Array(most);
  let used = 0;
  let written = 0;
  for (let at = nextChange(before, after, 0); at < after.length;) {
    const end = endOfChange(before, after, at);
    const length = end - at;
    if (used + 4 + length > most) return null;
    into[used] = (at - written) >> 8;
    into[used + 1] = (at - written) & 0xff;
    into[used + 2] = length >> 8;
    into[used + 3] = length & 0xff;
    into.set(after.subarray(at, end), used + 4);
    used += 4 + length;
    written = end;
    at = nextChange(before, after, end);
  }
  return into.subarray(0, used);
}

/** The reverse of `changedBytes`. Throws a `RangeError` when the ranges do not fit. */
export function withChangedBytes(before: Uint8Array, changes: Uint8Array): Uint8Array {
  const after = before.slice();
  let at = 0;
  for (let from = 0; from < changes.length;) {
    const [skipHigh = 0, skipLow = 0, lengthHigh = 0, lengthLow = 0] = changes.subarray(from, from + 4);
    const length = lengthHigh * 256 + lengthLow;
    at += skipHigh * 256 + skipLow;
    after.set(changes.subarray(from + 4, from + 4 + length), at);
    at += length;
    from += 4 + length;
  }
  return after;
}

function nextChange(before: Uint8Array, after: Uint8Array, from: number): number {
  let at = from;
  while (at < after.length && before[at] === after[at]) at++;
  return at;
}

function endOfChange(before: Uint8Array, after: Uint8Array, from: number): number {
  let end = from + 1;
  for (let at = end; at < after.length && at - end <= mergedGap; at++) if (before[at] !== after[at]) end = at + 1;
  return end;
}
