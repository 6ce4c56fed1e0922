import { restWhenFar } from '../restingElements';

/** Blocks that are kept in one element: more than a screenful. */
const runLength = 24;

/** The elements that hold the blocks of a text, a run of them each. A run that is full rests while it is far from what is seen. */
export class BlockRuns {
  private readonly runs: HTMLElement[] = [];

  constructor(private readonly container: HTMLElement) {}

  /** Puts the next block behind those that are there; `index` is its place among them. */
  append(block: HTMLElement, index: number): void {
    if (index % runLength === 0) {
      const full = this.runs.at(-1);
      if (full !== undefined) restWhenFar(full);
      const run = document.createElement('div');
      run.className = 'markdown-run';
      this.runs.push(run);
      this.container.append(run);
    }
    this.runs.at(-1)?.append(block);
  }

  /** Takes the last block away. */
  pop(block: HTMLElement | undefined): void {
    block?.remove();
    if (this.runs.at(-1)?.firstChild === null) this.runs.pop()?.remove();
  }
}
