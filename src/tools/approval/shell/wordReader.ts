import { NotUnderstood, type ShellWord } from './shellCommand';

interface Substitutions {
  /** The reader is after the opening bracket on entry, and after the closing one on return. */
  substitution(reader: WordReader): void;
  backticks(inner: string): void;
}

/** Reads words with their quotes and escapes, one character at a time. */
export class WordReader {
  at = 0;

  constructor(
    private readonly text: string,
    private readonly inner: Substitutions,
  ) {}

  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }

  /** Rest of the line. Consumes the line end when `takesEnd`. */
  line(takesEnd = true): string {
    const end = this.text.indexOf('\n', this.at);
    const line = this.text.slice(this.at, end === -1 ? this.text.length : end);
    this.at = end === -1 ? this.text.length : end + (takesEnd ? 1 : 0);
    return line;
  }

  skipBlanks(): void {
    for (;;) {
      if (/^[ \t]$/.test(this.peek())) this.at++;
      else if (this.peek() === '\\' && this.peek(1) === '\n') this.at += 2;
      else return;
    }
  }

  word(): ShellWord {
    const start = this.at;
    const found = { text: '', hasExpansion: false, hasNumber: false, hasGlob: false, hasTilde: false, isQuoted: false };
    const tilde = /^~(?=[/ \t\n;&|()<>]|$)/.test(this.text.slice(this.at, this.at + 2));
    if (this.peek() === '~' && !tilde) found.hasExpansion = true;
    if (this.peek() === '=') found.hasGlob = true;
    found.hasTilde = tilde;
    for (;;) {
      const next = this.peek();
      if (next === '' || /[ \t\n;&|]/.test(next)) break;
      if (next === '(') throw new NotUnderstood('A bracket stands where none is expected.');
      if (next === ')') break;
      if (next === '<' || next === '>') {
        if (this.peek(1) !== '(') break;
        this.at += 2;
        this.inner.substitution(this);
        found.hasExpansion = true;
      } else if (next === "'") found.text += this.single(found);
      else if (next === '"') this.double(found);
      else if (next === '\\') found.text += this.escaped(found);
      else if (next === '$') this.dollar(found);
      else if (next === '`') this.backticks(found);
      else {
        // In zsh, a `#` in a pattern can repeat the character before it, depending on its options.
        if (/[*?[\]{}^#]/.test(next)) found.hasGlob = true;
        found.text += next;
        this.at++;
      }
    }
    const { hasNumber, ...word } = found;
    return {
      ...word,
      hasExpansion: word.hasExpansion || hasNumber,
      isNumbered: hasNumber && !word.hasExpansion,
      source: this.text.slice(start, this.at),
    };
  }

  private single(found: { isQuoted: boolean }): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end === -1) throw new NotUnderstood('A quotation mark is not closed.');
    const content = this.text.slice(this.at + 1, end);
    // In fish, a backslash escapes the quotation mark; in other shells it does not.
    if (content.endsWith('\\')) throw new NotUnderstood('A backslash stands ahead of a quotation mark.');
    found.isQuoted = true;
    this.at = end + 1;
    return content;
  }

  private double(found: { text: string; hasExpansion: boolean; hasNumber: boolean; isQuoted: boolean }): void {
    found.isQuoted = true;
    this.at++;
    for (;;) {
      const next = this.peek();
      if (next === '') throw new NotUnderstood('A quotation mark is not closed.');
      if (next === '"') break;
      if (next === '\\') {
        const escaped = this.peek(1);
        if (escaped === '\n') found.text += '';
        else found.text += /[$`"\\]/.test(escaped) ? escaped : `\\${escaped}`;
        this.at += 2;
      } else if (next === '$') this.dollar(found, true);
      else if (next === '`') this.backticks(found);
      else {
        found.text += next;
        this.at++;
      }
    }
    this.at++;
  }

  private escaped(found: { isQuoted: boolean }): string {
    const next = this.peek(1);
    if (next === '') throw new NotUnderstood('The command ends in a backslash.');
    // fish interprets \x41, \n, and the like where other shells read the letter.
    if (/[A-Za-z0-9]/.test(next)) throw new NotUnderstood('A backslash stands ahead of a letter.');
    this.at += 2;
    if (next === '\n') return '';
    found.isQuoted = true;
    return next;
  }

  private dollar(found: { text: string; hasExpansion: boolean; hasNumber: boolean }, inDouble = false): void {
    const rest = this.text.slice(this.at, this.at + 80);
    const number = /^\$[?#$](?![A-Za-z0-9_{([])/.exec(rest);
    const name = /^\$([A-Za-z_][A-Za-z0-9_]*(?!\[|[A-Za-z0-9_])|[0-9@*!-]|\{[A-Za-z_][A-Za-z0-9_]*\}(?!\[))/.exec(rest);
    if (rest.startsWith('$((') || rest.startsWith('$[')) throw new NotUnderstood('The command calculates.');
    if (rest.startsWith('$(')) {
      this.at += 2;
      this.inner.substitution(this);
      found.hasExpansion = true;
    } else if (number !== null) {
      // The actual number is unknown: a link may be named with any of them.
      found.text += '0';
      found.hasNumber = true;
      this.at += 2;
    } else if (name !== null) {
      this.at += name[0].length;
      found.hasExpansion = true;
    } else if (
      /^\$([ \t\n/.,:%)|;&]|$)/.test(rest) ||
      (inDouble && rest.startsWith('$"')) ||
      (inDouble && /^\$[\\|)]/.test(rest))
    ) {
      found.text += '$';
      this.at++;
    } else {
      throw new NotUnderstood('An expansion is not understood.');
    }
  }

  private backticks(found: { hasExpansion: boolean }): void {
    const end = this.text.indexOf('`', this.at + 1);
    if (end === -1) throw new NotUnderstood('A backtick is not closed.');
    const content = this.text.slice(this.at + 1, end);
    if (content.includes('\\')) throw new NotUnderstood('A backslash stands between backticks.');
    this.inner.backticks(content);
    this.at = end + 1;
    found.hasExpansion = true;
  }
}
