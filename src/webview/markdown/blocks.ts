import type { Tokens } from 'marked';
import { lexBlocks, renderBlock, type LexedBlocks, type LinkDefinitions } from './renderer';

/** A top-level block of an answer. `key` is its place in the source: a block keeps it while more text arrives. */
export interface Block {
  readonly key: number;
  readonly html: string;
}

type Token = LexedBlocks['tokens'][number];

/** Keeps what was parsed of a text that grows at its end, so that a delta costs the open tail and not the whole answer.
 *
 *  Blocks up to the last but one are frozen. The last is open by nature; the one before it may still join it ("1. a", blank, "2" is a list and a
 *  paragraph until ". b" makes it one list), so both are parsed again. A link definition can change any earlier block: then all is
 *  parsed again. `render` always gives what parsing the whole text would give. */
export class MarkdownBlocks {
  private frozen: readonly Block[] = [];
  private frozenText = '';
  private frozenLinks: LinkDefinitions = {};

  /** The blocks of `source`; `complete` closes the last one too (its code is highlighted). */
  render(source: string, complete: boolean): readonly Block[] {
    const text = source.replace(/\r\n?/g, '\n');
    if (!text.startsWith(this.frozenText)) this.forget();
    const tail = lexBlocks(text.slice(this.frozenText.length), this.frozenLinks);
    if (this.frozen.length > 0 && tail.tokens.some((token) => token.type === 'def')) {
      this.forget();
      return this.render(text, complete);
    }
    return this.drawAndFreeze(text, tail, complete);
  }

  private drawAndFreeze(text: string, tail: LexedBlocks, complete: boolean): readonly Block[] {
    const before = this.frozen;
    const firstOpen = startOfOpenBlocks(tail.tokens);
    const drawn: Block[] = [];
    let at = this.frozenText.length;
    tail.tokens.forEach((token, index) => {
      if (index === firstOpen && index > 0) this.freeze([...before, ...drawn], text.slice(0, at), tail.tokens.slice(0, index));
      const closed = complete || index < tail.tokens.length - 1;
      if (token.type !== 'space' && token.type !== 'def') drawn.push({ key: at, html: renderBlock(token, closed) });
      at += token.raw.length;
    });
    return [...before, ...drawn];
  }

  private freeze(blocks: readonly Block[], text: string, tokens: readonly Token[]): void {
    this.frozen = blocks;
    this.frozenText = text;
    this.frozenLinks = { ...definitionsIn(tokens), ...this.frozenLinks };
  }

  private forget(): void {
    this.frozen = [];
    this.frozenText = '';
    this.frozenLinks = {};
  }
}

// The first definition of a label counts, as in CommonMark.
function definitionsIn(tokens: readonly Token[]): LinkDefinitions {
  const found: Record<string, LinkDefinitions[string]> = {};
  for (const token of tokens) {
    if (isDefinition(token) && !Object.hasOwn(found, token.tag)) found[token.tag] = { href: token.href, title: token.title };
  }
  return found;
}

function isDefinition(token: Token): token is Tokens.Def {
  return token.type === 'def';
}

/** Index of the last block but one, spaces not counted; 0 while there are fewer. */
function startOfOpenBlocks(tokens: readonly Token[]): number {
  let found = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]?.type === 'space') continue;
    if (++found === 2) return index;
  }
  return 0;
}
