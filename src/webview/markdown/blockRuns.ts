import { skipWhenFar } from '../offscreenElements';

/** Number of blocks per element: more than a screenful. */
const runLength = 24;

/** Elements that hold the blocks of a text, a run of blocks each. A full run skips layout and paint while it is far
 *  from the viewport. */
export class BlockRuns {
  private readonly runs: HTMLElement[] = [];

  constructor(private readonly container: HTMLElement) {}

  /** Appends the next block; `index` is its position. */
  append(block: HTMLElement, index: number): void {
    if (index % runLength === 0) {
      const full = this.runs.at(-1);
      if (full !== undefined) skipWhenFar(full);
      const run = document.createElement('div');
      run.className = 'markdown-run';
      this.runs.push(run);
      this.container.append(run);
    }
    this.runs.at(-1)?.append(block);
  }

  /** Removes the last block. */
  pop(block: HTMLElement | undefined): void {
    block?.remove();
    if (this.runs.at(-1)?.firstChild === null) this.runs.pop()?.remove();
  }
}
