/** Works on items in order, two at a time, so that one is read and converted while the store writes the other. An item
 *  waits for those before it with one of its keys. Once `isStopped`, no further item is begun. Rejects with the first
 *  failure, after everything that was begun has ended. */
export async function runConcurrently<T>(
  items: readonly T[],
  keysOf: (item: T) => { readonly own: string; readonly others: readonly string[] },
  work: (item: T, index: number) => Promise<void>,
  isStopped: () => boolean,
): Promise<void> {
  const begun = new Map<string, Promise<void>>();
  let next = 0;
  const begin = (item: T, index: number): Promise<void> => {
    const { own, others } = keysOf(item);
    const earlier = [own, ...others].map((key) => begun.get(key));
    const done = Promise.all(earlier).then(() => work(item, index));
    begun.set(own, done);
    return done;
  };
  const lane = async (): Promise<void> => {
    for (let item = items[next]; item !== undefined && !isStopped(); item = items[next]) {
      await begin(item, next++);
    }
  };
  for (const ended of await Promise.allSettled([lane(), lane()])) if (ended.status === 'rejected') throw ended.reason;
}
