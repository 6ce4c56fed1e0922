import type * as formulas from './formulas';

/** Maximum milliseconds of such work before yielding to keys and frames. */
const sliceMs = 8;

let loaded: typeof formulas | null = null;
let loading: Promise<void> | null = null;
/** Math that is still shown as its source. */
const due = new Set<HTMLElement>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Shows the math of a closed block as formulas: at once when the program for it is loaded, so that the block does not
 *  change its height later. The first math of a page loads it. */
export function showFormulas(block: Element): void {
  for (const math of block.querySelectorAll<HTMLElement>('.math, .math-block'))
    if (math.shadowRoot === null) due.add(math);
  if (due.size > 0 && timer === null) showDue();
}

function showDue(): void {
  timer = null;
  if (loaded === null) return void load().then(() => loaded !== null && showDue());
  const started = performance.now();
  for (const math of due) {
    if (performance.now() - started > sliceMs) {
      timer ??= setTimeout(showDue, 0);
      return;
    }
    due.delete(math);
    if (math.isConnected) loaded.showFormula(math);
  }
}

/** Loads once; after a failure the next math retries. Until then math stays source. */
function load(): Promise<void> {
  return (loading ??= import('./formulas').then(
    async (module) => {
      await module.prepareFormulas();
      loaded = module;
    },
    () => {
      loading = null;
      due.clear();
    },
  ));
}
