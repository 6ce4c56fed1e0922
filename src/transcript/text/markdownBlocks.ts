import { longestRead } from './codeSpans';
import { htmlBlockAt, type HtmlBlock } from './htmlSyntax';

/** A block that holds other blocks. `indent`: columns its content is indented by. `isBare`: nothing follows the list mark yet. */
type Container =
  { readonly kind: 'quote' } | { readonly kind: 'item'; readonly indent: number; readonly isBare: boolean };

/** The innermost open block. `paragraph.text`: its lines so far, without their indentation. */
type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'fence'; readonly mark: string; readonly length: number }
  | { readonly kind: 'indentedCode' }
  | { readonly kind: 'html'; readonly block: HtmlBlock };

/** The blocks that are open after a line. */
export interface OpenBlocks {
  readonly containers: readonly Container[];
  readonly leaf: Leaf;
}

/** A line as it stands in its blocks. `holds`: what its text is. `inline`: the text in which code spans are read, up to the end of the line. */
export interface PlacedLine {
  readonly holds: 'inline' | 'code' | 'html';
  readonly inline: string;
  readonly after: OpenBlocks;
}

export const noBlocks: OpenBlocks = { containers: [], leaf: { kind: 'none' } };

/** Places the next line of a document (without its line end) by the block rules of CommonMark 0.31: containers, fences, indented code, HTML blocks,
 *  and lazy lines of a paragraph. Pure. Blocks that do not matter for where code is (lists as a whole, tables, link definitions) are left out. */
export function placeLine(before: OpenBlocks, line: string): PlacedLine {
  const cursor = new LineCursor(line);
  const matched = matchContainers(before.containers, cursor);
  const isWhole = matched.length === before.containers.length;
  const continued = isWhole ? continueLeaf(before.leaf, matched, cursor) : null;
  if (continued !== null) return continued;
  return openBlocks(before, matched, cursor);
}

/** The containers that go on in this line, outermost first; the cursor stands behind their marks. */
function matchContainers(containers: readonly Container[], cursor: LineCursor): readonly Container[] {
  const matched: Container[] = [];
  for (const container of containers) {
    const goesOn =
      container.kind === 'quote'
        ? cursor.takeQuoteMark()
        : cursor.isBlank
          ? !container.isBare
          : cursor.takeIndent(container.indent);
    if (!goesOn) break;
    matched.push(container);
  }
  return matched;
}

/** The line as a part of the open code or HTML block; null where it is not one (the block ends, or the leaf is a paragraph or nothing). */
function continueLeaf(leaf: Leaf, containers: readonly Container[], cursor: LineCursor): PlacedLine | null {
  switch (leaf.kind) {
    case 'fence': {
      const closer = cursor.indent < 4 ? /^(`{3,}|~{3,})[ \t]*$/.exec(cursor.text)?.[1] : undefined;
      const closes = closer !== undefined && closer[0] === leaf.mark && closer.length >= leaf.length;
      return { holds: 'code', inline: '', after: { containers, leaf: closes ? { kind: 'none' } : leaf } };
    }
    case 'indentedCode':
      return cursor.indent >= 4 || cursor.isBlank ? { holds: 'code', inline: '', after: { containers, leaf } } : null;
    case 'html':
      if (cursor.isBlank && leaf.block.endsAtBlank) return null;
      return htmlLine(containers, leaf.block, cursor.text);
    case 'paragraph':
    case 'none':
      return null;
    default:
      return leaf satisfies never;
  }
}

/** Opens the blocks that begin in the rest of the line. */
function openBlocks(before: OpenBlocks, matched: readonly Container[], cursor: LineCursor): PlacedLine {
  const paragraph = before.leaf.kind === 'paragraph' ? before.leaf.text : null;
  const isWhole = matched.length === before.containers.length;
  const containers = [...matched];
  // The paragraph that this line may interrupt; another container ends it.
  let isInParagraph = isWhole && paragraph !== null && !cursor.isBlank;
  for (;;) {
    if (cursor.isBlank) return textLine('', { containers, leaf: { kind: 'none' } });
    if (cursor.indent >= 4) break;
    if (cursor.takeQuoteMark()) containers.push({ kind: 'quote' });
    else {
      const leaf = leafAt(cursor.text, isInParagraph, paragraph !== null && containers.length <= matched.length);
      if (leaf !== null) return placedLeaf(leaf, filled(containers), cursor);
      const item = cursor.takeListMark(isInParagraph);
      if (item === null) break;
      containers.push(item);
    }
    isInParagraph = false;
  }
  const hasNewContainer = containers.length > matched.length;
  if (paragraph !== null && !hasNewContainer) {
    // A line of the paragraph, or a lazy one: its containers stay open without their marks.
    const text = longerParagraph(paragraph, cursor.text);
    return textLine(text, {
      containers: filled(isWhole ? containers : before.containers),
      leaf: { kind: 'paragraph', text },
    });
  }
  const open = filled(containers);
  if (cursor.indent >= 4)
    return { holds: 'code', inline: '', after: { containers: open, leaf: { kind: 'indentedCode' } } };
  return textLine(cursor.text, { containers: open, leaf: { kind: 'paragraph', text: cursor.text } });
}

/** A paragraph with one more line. A long one grows no further: nothing before its first backtick matters for code spans, and one that has backticks
 *  is not read to its end. */
function longerParagraph(paragraph: string, line: string): string {
  if (paragraph.length <= longestRead) return `${paragraph}\n${line}`;
  return paragraph.includes('`') ? paragraph : line;
}

type OpenedLeaf =
  | { readonly kind: 'line'; readonly inline: string }
  | { readonly kind: 'fence'; readonly mark: string; readonly length: number }
  | { readonly kind: 'html'; readonly block: HtmlBlock };

/** The leaf that begins with `text`. `mayBeLazy`: the line may still belong to a paragraph whose containers it does not name. */
function leafAt(text: string, isInParagraph: boolean, mayBeLazy: boolean): OpenedLeaf | null {
  if (/^#{1,6}(?:[ \t]|$)/.test(text)) return { kind: 'line', inline: text };
  const fence = /^`{3,}(?!.*`)|^~{3,}/.exec(text)?.[0];
  if (fence !== undefined) return { kind: 'fence', mark: fence.charAt(0), length: fence.length };
  const block = htmlBlockAt(text, isInParagraph || mayBeLazy);
  if (block !== null) return { kind: 'html', block };
  if (isInParagraph && /^(?:=+|-+)[ \t]*$/.test(text)) return { kind: 'line', inline: '' };
  return /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(text) ? { kind: 'line', inline: '' } : null;
}

function placedLeaf(leaf: OpenedLeaf, containers: readonly Container[], cursor: LineCursor): PlacedLine {
  switch (leaf.kind) {
    case 'line':
      return textLine(leaf.inline, { containers, leaf: { kind: 'none' } });
    case 'fence':
      return { holds: 'code', inline: '', after: { containers, leaf } };
    case 'html':
      return htmlLine(containers, leaf.block, cursor.text);
    default:
      return leaf satisfies never;
  }
}

function htmlLine(containers: readonly Container[], block: HtmlBlock, text: string): PlacedLine {
  const ends = block.end?.test(text) === true;
  return {
    holds: block.isVerbatim ? 'code' : 'html',
    inline: '',
    after: { containers, leaf: ends ? { kind: 'none' } : { kind: 'html', block } },
  };
}

function textLine(inline: string, after: OpenBlocks): PlacedLine {
  return { holds: 'inline', inline, after };
}

/** Something stands in them now. */
function filled(containers: readonly Container[]): readonly Container[] {
  return containers.map((container) =>
    container.kind === 'item' && container.isBare ? { ...container, isBare: false } : container,
  );
}

/** A place in a line, in characters and in columns (a tab reaches to the next multiple of four). */
class LineCursor {
  private offset = 0;
  private column = 0;

  constructor(private readonly line: string) {}

  /** Columns of white space from here. */
  get indent(): number {
    return this.textColumn() - this.column;
  }

  get isBlank(): boolean {
    return this.text === '';
  }

  /** The rest of the line without its indentation. */
  get text(): string {
    return this.line.slice(this.textOffset());
  }

  takeQuoteMark(): boolean {
    if (this.indent >= 4 || this.line[this.textOffset()] !== '>') return false;
    this.skipIndent();
    this.take(1);
    this.takeColumns(1);
    return true;
  }

  /** Takes so many columns of white space; false, and nothing, where there are fewer. */
  takeIndent(columns: number): boolean {
    if (this.indent < columns) return false;
    this.takeColumns(columns);
    return true;
  }

  /** A list mark with the white space behind it. In a paragraph only a bullet or a "1", with text behind it. */
  takeListMark(isInParagraph: boolean): (Container & { readonly kind: 'item' }) | null {
    const { indent, text } = this;
    const mark = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(text);
    if (mark === null || indent >= 4) return null;
    const isBare = !/\S/.test(text.slice(mark[0].length));
    if (isInParagraph && (isBare || (mark[1] !== undefined && Number(mark[1]) !== 1))) return null;
    this.skipIndent();
    this.take(mark[0].length);
    const spaces = this.indent;
    // More than four columns are one column and indented code.
    const padding = isBare || spaces > 4 ? 1 : spaces;
    this.takeColumns(padding);
    return { kind: 'item', indent: indent + mark[0].length + padding, isBare };
  }

  private skipIndent(): void {
    this.column = this.textColumn();
    this.offset = this.textOffset();
  }

  private take(characters: number): void {
    this.offset += characters;
    this.column += characters;
  }

  private takeColumns(count: number): void {
    for (let left = count; left > 0; left--) {
      const character = this.line[this.offset];
      if (character !== ' ' && character !== '\t') return;
      this.column++;
      if (character === ' ' || this.column % 4 === 0) this.offset++;
    }
  }

  private textOffset(): number {
    let offset = this.offset;
    while (this.line[offset] === ' ' || this.line[offset] === '\t') offset++;
    return offset;
  }

  private textColumn(): number {
    let column = this.column;
    for (let offset = this.offset; this.line[offset] === ' ' || this.line[offset] === '\t'; offset++)
      column += this.line[offset] === ' ' ? 1 : 4 - (column % 4);
    return column;
  }
}
