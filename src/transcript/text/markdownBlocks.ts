import { longestRead } from './codeSpans';
import { htmlBlockAt, type HtmlBlock } from './htmlSyntax';

/** Block that contains other blocks. `indent`: indentation of its content in columns. `isBare`: nothing follows the
 *  list mark yet. */
type Container =
  { readonly kind: 'quote' } | { readonly kind: 'item'; readonly indent: number; readonly isBare: boolean };

/** Innermost open block. `paragraph.text`: its lines so far, without their indentation. */
type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'fence'; readonly mark: string; readonly length: number }
  | { readonly kind: 'indentedCode' }
  | { readonly kind: 'html'; readonly block: HtmlBlock };

/** Blocks that are open after a line. */
export interface OpenBlocks {
  readonly containers: readonly Container[];
  readonly leaf: Leaf;
}

/** Line with its place among the blocks. `holds`: kind of its text. `inline`: the text in which code spans are
 *  searched, up to the end of the line. */
interface PlacedLine {
  readonly holds: 'inline' | 'code' | 'html';
  readonly inline: string;
  readonly after: OpenBlocks;
}

export const noBlocks: OpenBlocks = { containers: [], leaf: { kind: 'none' } };

/** Places the next line of a document (without its line end) by the block rules of CommonMark 0.31: containers,
 *  fences, indented code, HTML blocks, and lazy paragraph lines. Pure. Leaves out blocks that do not affect where
 *  code is (lists as a whole, tables, link definitions). */
export function placeLine(before: OpenBlocks, line: string): PlacedLine {
  const cursor = new LineCursor(line);
  const matched = matchContainers(before.containers, cursor);
  const isWhole = matched.length === before.containers.length;
  const continued = isWhole ? continueLeaf(before.leaf, matched, cursor) : null;
  if (continued !== null) return continued;
  return openBlocks(before, matched, cursor);
}

/** Containers that continue in this line, outermost first. Moves the cursor after their marks. */
function matchContainers(containers: readonly Container[], cursor: LineCursor): readonly Container[] {
  const matched: Container[] = [];
  for (const container of containers) {
    const continues =
      container.kind === 'quote'
        ? cursor.takeQuoteMark()
        : cursor.isBlank
          ? !container.isBare
          : cursor.takeIndent(container.indent);
    if (!continues) break;
    matched.push(container);
  }
  return matched;
}

/** Line as part of the open code or HTML block. Null when it is not one: the block ends, or the leaf is a paragraph
 *  or nothing. */
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
  // True when this line may interrupt a paragraph; another container ends it.
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
    // Line of the paragraph, or a lazy one: its containers stay open without their marks.
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

/** Paragraph with one more line. A long one stops growing: text before its first backtick does not affect code
 *  spans, and text with backticks is not parsed to its end. */
function longerParagraph(paragraph: string, line: string): string {
  if (paragraph.length <= longestRead) return `${paragraph}\n${line}`;
  return paragraph.includes('`') ? paragraph : line;
}

type OpenedLeaf =
  | { readonly kind: 'line'; readonly inline: string }
  | { readonly kind: 'fence'; readonly mark: string; readonly length: number }
  | { readonly kind: 'html'; readonly block: HtmlBlock };

/** Leaf that begins with `text`. `mayBeLazy`: the line may still belong to a paragraph although it lacks the marks
 *  of its containers. */
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

/** Marks the containers as non-empty. */
function filled(containers: readonly Container[]): readonly Container[] {
  return containers.map((container) =>
    container.kind === 'item' && container.isBare ? { ...container, isBare: false } : container,
  );
}

/** Position in a line, in characters and in columns (a tab reaches to the next multiple of four). */
class LineCursor {
  private offset = 0;
  private column = 0;

  constructor(private readonly line: string) {}

  /** Columns of white space at the position. */
  get indent(): number {
    return this.textColumn() - this.column;
  }

  get isBlank(): boolean {
    return this.text === '';
  }

  /** Rest of the line without its indentation. */
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

  /** Skips that many columns of white space. Returns false and skips nothing when there are fewer. */
  takeIndent(columns: number): boolean {
    if (this.indent < columns) return false;
    this.takeColumns(columns);
    return true;
  }

  /** Reads a list mark with the white space after it. Within a paragraph, accepts only a bullet or a "1", followed
   *  by text. */
  takeListMark(isInParagraph: boolean): (Container & { readonly kind: 'item' }) | null {
    const { indent, text } = this;
    const mark = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(text);
    if (mark === null || indent >= 4) return null;
    const isBare = !/\S/.test(text.slice(mark[0].length));
    if (isInParagraph && (isBare || (mark[1] !== undefined && Number(mark[1]) !== 1))) return null;
    this.skipIndent();
    this.take(mark[0].length);
    const spaces = this.indent;
    // More than four columns count as one column and indented code.
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
