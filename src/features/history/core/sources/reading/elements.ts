/** An element of a JSON list: its text, or its length when it is longer than the limit. */
type Element =
  | { readonly kind: 'text'; readonly number: number; readonly text: string }
  | { readonly kind: 'tooLong'; readonly number: number; readonly characters: number };

/** Splits a JSON list into the texts of its elements, without parsing them. Yields nothing for a file that is no
 *  list. With `key`: the list under that key of the object that the file is. An element that the end of the file cuts
 *  off is yielded as far as it goes. */
export async function* elements(
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  key: string | null = null,
): AsyncGenerator<Element> {
  const splitter = new Splitter(limit, key);
  const decoder = new TextDecoder('utf-8');
  for await (const piece of bytes) {
    yield* splitter.take(decoder.decode(piece, { stream: true }));
    if (splitter.isDone) return;
  }
  yield* splitter.take(decoder.decode());
  yield* splitter.end();
}

class Splitter {
  isDone = false;
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  private number = 0;
  private text = '';
  private characters = 0;
  private readonly finder: KeyFinder | null;

  constructor(
    private readonly limit: number,
    key: string | null,
  ) {
    this.finder = key === null ? null : new KeyFinder(key);
  }

  *take(piece: string): Generator<Element> {
    let start = 0;
    for (let at = 0; at < piece.length && !this.isDone; at++) {
      const character = piece[at] ?? '';
      if (this.depth === 0) {
        if (this.finder !== null) this.depth = this.finder.isAtList(character) ? 1 : 0;
        else if (character === '[') this.depth = 1;
        else if (character.trim() !== '') this.isDone = true;
        start = at + 1;
        continue;
      }
      if (!this.endsElement(character)) continue;
      this.keep(piece.slice(start, at));
      start = at + 1;
      yield* this.end();
      this.isDone = this.depth === 0;
    }
    if (!this.isDone && this.depth > 0) this.keep(piece.slice(start));
  }

  *end(): Generator<Element> {
    const { text, characters } = this;
    this.text = '';
    this.characters = 0;
    if (characters > this.limit) yield { kind: 'tooLong', number: ++this.number, characters };
    else if (text.trim() !== '') yield { kind: 'text', number: ++this.number, text };
  }

  private endsElement(character: string): boolean {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.inString) {
      if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.inString = false;
    } else if (character === '"') this.inString = true;
    else if (character === '[' || character === '{') this.depth++;
    else if (character === ']' || character === '}') this.depth--;
    else return character === ',' && this.depth === 1;
    return this.depth === 0;
  }

  private keep(text: string): void {
    this.characters += text.length;
    this.text = this.characters > this.limit ? '' : this.text + text;
  }
}

/** Finds the list under a key of the outermost object. */
class KeyFinder {
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  private text = '';

  constructor(private readonly key: string) {}

  /** True at the character that begins the list. */
  isAtList(character: string): boolean {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.inString = false;
      if (this.inString && this.text.length <= this.key.length) this.text += character;
      return false;
    }
    if (character === '"') {
      this.inString = true;
      this.text = '';
    }
    if (character === '[' && this.depth === 1 && this.text === this.key) return true;
    if (character === '[' || character === '{') this.depth++;
    if (character === ']' || character === '}') this.depth--;
    return false;
  }
}
