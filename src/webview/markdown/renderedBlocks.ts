import { fillBlock } from './blockElements';
import type { Block } from './blocks';
import { blockClosed } from './closedBlocks';
import { keepCodeTexts } from './codeTexts';
import type { MarkdownActions } from './markdownActions';
import { sanitizedFragments } from './sanitizer';
import { skipWhenFar } from '../offscreenElements';

/** Number of blocks per element: more than a screenful. */
const runLength = 24;

/** DOM elements of an answer's blocks, one each. Managed by hand: an answer may have a thousand blocks, one of which
 *  changes with a delta. Comparing identical strings costs nothing; comparing virtual DOM elements does. */
export class RenderedBlocks {
  private blocks: readonly Block[] = [];
  private readonly elements: HTMLElement[] = [];
  private readonly runs: BlockRuns;

  constructor(container: HTMLElement) {
    this.runs = new BlockRuns(container);
  }

  /** Updates the elements to match these blocks. */
  show(after: readonly Block[], actions: MarkdownActions): void {
    const before = this.blocks;
    this.blocks = after;
    let same = 0;
    while (same < after.length && same < before.length && this.isRendered(same, before[same], after[same])) same++;
    this.render(after, same);
    while (this.elements.length > after.length) this.runs.pop(this.elements.pop());
    for (let index = firstToClose(before, same); index < after.length; index++) {
      const element = this.elements[index];
      const block = after[index];
      if (element === undefined || block?.closed !== true) continue;
      keepCodeTexts(element, block.codes);
      blockClosed(element, actions);
    }
  }

  private isRendered(index: number, before: Block | undefined, after: Block | undefined): boolean {
    if (before === after) return true;
    if (before === undefined || after === undefined) return false;
    if (before.code !== undefined && after.code !== undefined) return this.appendCode(index, before, after);
    return before.html === after.html;
  }

  /** Appends text to growing code without parsing, escaping or sanitizing it again. */
  private appendCode(index: number, { key, code: before }: Block, { key: place, code: after }: Block): boolean {
    if (key !== place || before === undefined || after === undefined || !after.startsWith(before)) return false;
    const text = this.elements[index]?.querySelector('pre > code')?.firstChild;
    if (!(text instanceof Text) || text.nextSibling !== null || text.length !== before.length) return false;
    if (after.length > before.length) text.appendData(after.slice(before.length));
    return true;
  }

  private render(after: readonly Block[], from: number): void {
    for (const [at, fragment] of sanitizedFragments(after.slice(from).map(({ html }) => html)).entries()) {
      const index = from + at;
      const element = this.elements[index] ?? document.createElement('div');
      fillBlock(element, fragment);
      if (index < this.elements.length) continue;
      element.className = 'markdown-block';
      this.elements.push(element);
      this.runs.append(element, index);
    }
  }
}

/** Returns the index from which blocks may have been closed or re-rendered: the first block that was open, or that
 *  has changed. */
function firstToClose(before: readonly Block[], same: number): number {
  const open = before.findIndex(({ closed }, index) => index >= before.length - 2 && !closed);
  return open === -1 ? same : Math.min(open, same);
}

/** Elements that hold the blocks of a text, a run of blocks each. A full run skips layout and paint while it is far
 *  from the viewport. */
class BlockRuns {
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
