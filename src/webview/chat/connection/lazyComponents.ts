import { signal } from '@preact/signals';

/** Code of a region that shows only after an action of the user or an agent: loaded after the first paint, which it
 *  would delay. */
export class LazyComponents<Code> {
  private readonly loaded = signal<Code | null>(null);
  private loading: Promise<Code> | null = null;

  constructor(private readonly importCode: () => Promise<Code>) {}

  /** Null until loaded. A component that reads it renders again then. */
  get value(): Code | null {
    return this.loaded.value;
  }

  /** The same, without rendering again. */
  peek(): Code | null {
    return this.loaded.peek();
  }

  /** Loads the code once. After a failure the next call retries. */
  load(): Promise<Code> {
    return (this.loading ??= this.importCode().then(
      (code) => (this.loaded.value = code),
      (error: unknown) => {
        this.loading = null;
        throw error;
      },
    ));
  }
}

const regions: LazyComponents<unknown>[] = [];

/** Code that `importCode` imports, now or with that of the other regions after the first paint. */
export function lazyComponents<Code>(importCode: () => Promise<Code>): LazyComponents<Code> {
  const region = new LazyComponents(importCode);
  regions.push(region);
  return region;
}

/** Loads the code of all regions. */
export async function loadLazyComponents(): Promise<void> {
  await Promise.all(regions.map((region) => region.load()));
}
