import { signal } from '@preact/signals';

let importAll: () => Promise<void> = () => Promise.reject(new Error('Nothing loads the code of the regions.'));
let loading: Promise<void> | null = null;

/** Sets how the code of all regions is loaded: once, and given to each by `provide`. */
export function setLazyComponents(load: () => Promise<void>): void {
  importAll = load;
}

/** Loads the code of all regions once. After a failure the next call retries. */
export function loadLazyComponents(): Promise<void> {
  return (loading ??= importAll().catch((error: unknown) => {
    loading = null;
    throw error;
  }));
}

/** Code of a region that shows only after an action of the user or an agent: loaded after the first paint, which it
 *  would delay. */
export class LazyComponents<Code> {
  private readonly loaded = signal<Code | null>(null);

  /** Null until loaded. A component that reads it renders again then. */
  get value(): Code | null {
    return this.loaded.value;
  }

  /** The same, without rendering again. */
  peek(): Code | null {
    return this.loaded.peek();
  }

  provide(code: Code): void {
    this.loaded.value = code;
  }

  async load(): Promise<Code> {
    await loadLazyComponents();
    const code = this.peek();
    if (code === null) throw new Error('The code of this region was not provided.');
    return code;
  }
}
