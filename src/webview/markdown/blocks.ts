import type { Tokens } from 'marked';
import { codesIn, isCode, isList, isQuote } from './codeTexts';
import { lexBlocks, renderBlock, type LexedBlocks, type LinkDefinitions } from './renderer';
import { looksHostile } from '../../transcript/text/markdownParser';

/** Number of characters of code above which it is parsed like anything else, and limited by its length. */
const longest = 100_000;

/** A top-level block of an answer. `key` is its position in the source: a block keeps it while more text arrives. */
export interface Block {
  readonly key: number;
  readonly html: string;
  /** True when nothing will be added to the block. */
  readonly closed: boolean;
  /** Texts of its code blocks, in order. */
  readonly codes: readonly string[];
  /** For growing code: its whole text. */
  readonly code?: string;
}

type Token = LexedBlocks['tokens'][number];

/** Keeps the parse result of a text that grows at its end, so that a delta costs only the open end and not the whole
 *  answer.
 *
 *  Blocks up to the last but one are frozen. The last is always open. The one before it may still join it ("1. a",
 *  blank, "2" is a list and a paragraph until ". b" makes it one list), so both are parsed again. A link definition
 *  can change any earlier block: then everything is parsed again. Code that is still open is not parsed: added text
 *  is more code. `render` always returns what parsing the whole text would return. */
export class MarkdownBlocks {
  private frozen: readonly Block[] = [];
  private frozenText = '';
  private frozenLinks: LinkDefinitions = {};
  private growing: GrowingCode | null = null;

  /** Returns the blocks of `source`; `complete` closes the last one too. */
  render(source: string, complete: boolean): readonly Block[] {
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    return (complete ? null : this.grow(text)) ?? this.parse(text, complete);
  }

  /** Returns the blocks when the text only got more of the open code at its end; null when it may have got anything
   *  else. */
  private grow(text: string): readonly Block[] | null {
    const fence = this.growing === null ? null : grown(this.growing.fence, text);
    if (this.growing === null || fence === null) return null;
    this.growing = { ...this.growing, fence };
    return [...this.growing.ahead, codeBlock(this.growing.key, this.growing.lang, codeIn(fence))];
  }

  private parse(text: string, complete: boolean): readonly Block[] {
    if (!text.startsWith(this.frozenText)) this.forget();
    const tail = lexBlocks(text.slice(this.frozenText.length), this.frozenLinks);
    if (this.frozen.length > 0 && definitionsAmong(tail.tokens).length > 0) {
      this.forget();
      return this.parse(text, complete);
    }
    return this.renderAndFreeze(text, tail, complete);
  }

  private renderAndFreeze(text: string, tail: LexedBlocks, complete: boolean): readonly Block[] {
    const before = this.frozen;
    const firstOpen = startOfOpenBlocks(tail.tokens);
    const rendered: Block[] = [];
    let at = this.frozenText.length;
    tail.tokens.forEach((token, index) => {
      if (index === firstOpen && index > 0)
        this.freeze([...before, ...rendered], text.slice(0, at), tail.tokens.slice(0, index));
      const closed = complete || index < tail.tokens.length - 1;
      if (token.type !== 'space' && token.type !== 'def')
        rendered.push({ key: at, html: renderBlock(token), codes: codesIn(token), closed });
      at += token.raw.length;
    });
    const blocks = [...before, ...rendered];
    this.growing = complete ? null : growingCode(text, tail.tokens.at(-1), blocks);
    return (this.growing === null ? null : this.grow(text)) ?? blocks;
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
    this.growing = null;
  }
}

/** Open code at the end of a text, and the blocks before it. */
interface GrowingCode {
  readonly fence: OpenFence;
  readonly ahead: readonly Block[];
  readonly key: number;
  readonly lang: string | undefined;
}

function growingCode(text: string, last: Token | undefined, blocks: readonly Block[]): GrowingCode | null {
  const key = blocks.at(-1)?.key;
  if (last === undefined || key === undefined || !isCode(last)) return null;
  const fence = openFence(text, last, key);
  return fence === null ? null : { fence, ahead: blocks.slice(0, -1), key, lang: last.lang };
}

/** Builds the HTML only on request: growing code is appended to without it. */
function codeBlock(key: number, lang: string | undefined, text: string): Block {
  return {
    key,
    closed: false,
    code: text,
    codes: [text],
    get html() {
      return renderBlock({ type: 'code', raw: text, text, ...(lang === undefined ? {} : { lang }) });
    },
  };
}

// The first definition of a label wins, as in CommonMark.
function definitionsIn(tokens: readonly Token[]): LinkDefinitions {
  const found: Record<string, LinkDefinitions[string]> = {};
  for (const { tag, href, title } of definitionsAmong(tokens))
    if (!Object.hasOwn(found, tag)) found[tag] = { href, title };
  return found;
}

/** Includes quotes and lists: a definition counts wherever it is. */
function definitionsAmong(tokens: readonly Token[]): readonly Tokens.Def[] {
  return tokens.flatMap((token) => {
    if (isDefinition(token)) return [token];
    if (isList(token)) return token.items.flatMap((item) => definitionsAmong(item.tokens));
    return isQuote(token) ? definitionsAmong(token.tokens) : [];
  });
}

function isDefinition(token: Token): token is Tokens.Def {
  return token.type === 'def';
}

/** Index of the last block but one, not counting spaces; 0 while there are fewer. */
function startOfOpenBlocks(tokens: readonly Token[]): number {
  let found = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]?.type === 'space') continue;
    if (++found === 2) return index;
  }
  return 0;
}

/** Code without its closing fence yet, at the end of a text: any added text belongs to it until a line closes it. */
interface OpenFence {
  /** The text so far, including the code. */
  readonly text: string;
  /** Position in the text at which the code begins. */
  readonly from: number;
  /** Matches a line that would close it. */
  readonly closing: RegExp;
}

/** Returns the open fence when `token`, which begins at `at` and is the last one of `text`, is one; else null.
 *  Leaves indented fences to the parser, which removes the indentation from each line. */
function openFence(text: string, token: Token, at: number): OpenFence | null {
  const opening = token.type === 'code' ? /^(`{3,}|~{3,})[^\n]*\n/.exec(token.raw) : null;
  if (opening === null || opening[1] === undefined || at + token.raw.length !== text.length) return null;
  const fence = {
    text,
    from: at + opening[0].length,
    closing: new RegExp(`^ {0,3}${opening[1]}${opening[1].slice(0, 1)}* *$`, 'm'),
  };
  return mayClose(fence, text, fence.from) ? null : fence;
}

/** Returns the same fence in the current text; null when it may be closed, or is not certain to be the same code. */
function grown(fence: OpenFence, text: string): OpenFence | null {
  const isCertain =
    text.length - fence.from <= longest && text.startsWith(fence.text) && !text.includes('\0', fence.text.length);
  return isCertain && !mayClose(fence, text, fence.text.length) ? { ...fence, text } : null;
}

/** Returns its code as the parser would: without the end of its last line, unless empty lines follow. */
function codeIn({ text, from }: OpenFence): string {
  const endsLine = text.length > from + 1 && text.endsWith('\n') && !text.endsWith('\n\n');
  return endsLine ? text.slice(from, -1) : text.slice(from);
}

function mayClose({ closing, from }: Pick<OpenFence, 'closing' | 'from'>, text: string, added: number): boolean {
  const line = text.lastIndexOf('\n', added - 1) + 1;
  return closing.test(text.slice(Math.max(from, line))) || looksHostile(text.slice(Math.max(from, line - 2000)));
}
