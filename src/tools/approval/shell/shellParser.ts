import { NotUnderstood, type ShellPart, type ShellRedirect, type ShellScript, type ShellWord } from './shellCommand';
import { invisibleCharacters } from '../../../transcript/text/invisibleCharacters';
import { WordReader } from './wordReader';

/** Words that only structure commands. A command follows them. */
const transparent = new Set(['!', '{', '}', 'if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'do', 'done']);
/** Words that are not followed by a plain command. */
const foreign = new Set(
  'for case esac select function coproc [[ in end begin foreach repeat nocorrect noglob - switch and or not'.split(' '),
);

const maxLength = 20_000;

/** Parses the part of the shell language that Bash, zsh, dash, and fish understand in the same way, and finds every
 *  command in it. Returns `NotUnderstood` for everything else instead of guessing: an error here asks the user, and
 *  never runs a command without approval. */
export function parseShell(text: string): ShellScript | NotUnderstood {
  if (text.length > maxLength) return new NotUnderstood('The command is too long.');
  if (invisibleCharacters.test(text.replace(/[\t\n]/g, ' ')))
    return new NotUnderstood('The command contains characters that cannot be seen.');
  try {
    const parser = new ShellParser(text);
    parser.list(null);
    return { parts: parser.parts, hasLoop: parser.hasLoop };
  } catch (error) {
    if (error instanceof NotUnderstood) return error;
    throw error;
  }
}

/** Command that is being parsed. */
class OpenPart {
  readonly assignments: { name: string; value: ShellWord }[] = [];
  readonly words: ShellWord[] = [];
  readonly redirects: ShellRedirect[] = [];
  hasExpandedInput = false;

  constructor(
    readonly start: number,
    /** After `}`, `fi`, `done`, or `)` only redirections may follow. */
    readonly isAfterGroup: boolean,
    readonly isPiped = false,
  ) {}

  get isEmpty(): boolean {
    return this.assignments.length === 0 && this.words.length === 0 && this.redirects.length === 0;
  }
}

interface AwaitedBody {
  readonly part: OpenPart;
  readonly delimiter: string;
  readonly stripsTabs: boolean;
  readonly isLiteral: boolean;
}

class ShellParser {
  readonly parts: ShellPart[] = [];
  hasLoop = false;
  private readonly bodies: AwaitedBody[] = [];
  private readonly reader: WordReader;

  constructor(
    private readonly text: string,
    private depth = 0,
  ) {
    this.reader = new WordReader(text, {
      substitution: (reader) => this.substitution(reader),
      backticks: (inner) => this.nested(inner),
    });
  }

  /** Reads commands up to and including the closing bracket, or to the end. */
  list(closing: ')' | null): void {
    if (++this.depth > 20) throw new NotUnderstood('The command is nested too deeply.');
    const pendingBefore = this.bodies.length;
    let part = new OpenPart(this.reader.at, false);
    const finish = (isAfterGroup = false): void => {
      this.keep(part);
      // After a pipe, a line end changes nothing.
      part = new OpenPart(this.reader.at, isAfterGroup, part.isEmpty && part.isPiped);
    };
    for (;;) {
      this.reader.skipBlanks();
      const next = this.reader.peek();
      if (next === '') {
        if (closing !== null) throw new NotUnderstood('A bracket is not closed.');
        finish();
        break;
      }
      if (next === ')') {
        if (closing === null) throw new NotUnderstood('A bracket closes nothing.');
        finish();
        this.reader.at++;
        break;
      }
      if (next === '\n') {
        finish();
        this.reader.at++;
        this.readBodies(pendingBefore);
      } else if (next === '#') {
        this.comment();
      } else if (next === '(') {
        if (!part.isEmpty || part.isAfterGroup || this.reader.peek(1) === '(')
          throw new NotUnderstood('A bracket stands where none is expected.');
        this.reader.at++;
        this.list(')');
        part = new OpenPart(this.reader.at, true);
      } else if (this.redirection(part)) {
        continue;
      } else if (/[;&|]/.test(next)) {
        finish();
        const isPipe = this.separator();
        part = new OpenPart(this.reader.at, false, isPipe);
      } else {
        const group = this.word(part);
        if (group !== null) part = group;
      }
    }
    if (this.bodies.length > pendingBefore) throw new NotUnderstood('A here-document has no text.');
    this.depth--;
  }

  private keep(part: OpenPart): void {
    if (part.isEmpty) return;
    this.parts.push({
      assignments: part.assignments,
      words: part.words,
      redirects: part.redirects,
      hasExpandedInput: part.hasExpandedInput,
      isPiped: part.isPiped,
      source: this.text.slice(part.start, this.reader.at).trim(),
    });
  }

  /** Reads the sign between two commands. Returns true for a pipe. */
  private separator(): boolean {
    const two = this.reader.peek() + this.reader.peek(1);
    if (two === ';;' || two === ';&' || two === ';|') throw new NotUnderstood('The command uses a case construct.');
    this.reader.at += two === '&&' || two === '||' || two === '|&' ? 2 : 1;
    return two.startsWith('|') && two !== '||';
  }

  /** Reads one word into the part. Returns a new part when the word only structures commands. */
  private word(part: OpenPart): OpenPart | null {
    const start = this.reader.at;
    const word = this.reader.word();
    if (part.isAfterGroup && !transparent.has(word.source))
      throw new NotUnderstood('A word follows a group of commands.');
    if (part.words.length === 0) {
      if (!word.isQuoted && part.isEmpty && transparent.has(word.source)) {
        if (word.source === 'while' || word.source === 'until') this.hasLoop = true;
        return new OpenPart(this.reader.at, ['}', 'fi', 'done'].includes(word.source));
      }
      if (foreign.has(word.source)) throw new NotUnderstood(`The command uses ${word.source}.`);
      const assigned = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(this.text.slice(start, this.reader.at));
      if (assigned !== null) {
        const [prefix, name = ''] = assigned;
        part.assignments.push({
          name,
          value: { ...word, text: word.text.slice(prefix.length), source: word.source.slice(prefix.length) },
        });
        return null;
      }
      if (/^[A-Za-z_][A-Za-z0-9_]*(\[|\+=)/.test(word.source))
        throw new NotUnderstood('The command assigns in a way that is not understood.');
    }
    part.words.push(word);
    return null;
  }

  /** Reads a redirection, with the file number before it. */
  private redirection(part: OpenPart): boolean {
    const found = /^(\d*)(<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)|^(&>>|&>)/.exec(
      this.text.slice(this.reader.at, this.reader.at + 12),
    );
    if (found === null) return false;
    const operator = found[2] ?? found[3] ?? '';
    if ((operator === '<' || operator === '>') && this.text[this.reader.at + found[0].length] === '(') return false;
    this.reader.at += found[0].length;
    this.reader.skipBlanks();
    if (/^$|[\n;&|()<>#]/.test(this.reader.peek())) throw new NotUnderstood('A redirection leads nowhere.');
    const target = this.reader.word();
    // zsh reads `>!` as an operator, so the file is the next word.
    if (/^[!|&]/.test(target.source)) throw new NotUnderstood('A redirection is not understood.');
    if (operator === '<<' || operator === '<<-') this.awaitBody(part, target, operator === '<<-');
    else if (operator === '<<<') part.hasExpandedInput ||= target.hasExpansion || target.hasGlob || target.hasTilde;
    else if ((operator === '>&' || operator === '<&') && /^(\d+|-)$/.test(target.source)) return true;
    else if (operator === '<&') throw new NotUnderstood('A redirection is not understood.');
    else part.redirects.push({ kind: operator === '<' ? 'read' : 'write', target });
    return true;
  }

  private awaitBody(part: OpenPart, delimiter: ShellWord, stripsTabs: boolean): void {
    if (!/^\w+$/.test(delimiter.text) || !/^(\w+|'\w+'|"\w+"|\\\w+)$/.test(delimiter.source))
      throw new NotUnderstood('The end of a here-document is not understood.');
    this.bodies.push({ part, delimiter: delimiter.text, stripsTabs, isLiteral: delimiter.isQuoted });
    // A part without words would be dropped.
    if (part.isEmpty && part.isAfterGroup) throw new NotUnderstood('A here-document is given to a group of commands.');
  }

  private readBodies(from: number): void {
    for (const { part, delimiter, stripsTabs, isLiteral } of this.bodies.splice(from)) {
      const lines: string[] = [];
      for (;;) {
        if (this.reader.at >= this.text.length) throw new NotUnderstood('A here-document has no end.');
        const line = this.reader.line();
        if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) break;
        lines.push(line);
      }
      if (isLiteral) continue;
      const body = lines.join('\n');
      if (body.includes('\\')) throw new NotUnderstood('A here-document contains a backslash.');
      if (!/[$`]/.test(body)) continue;
      const index = this.parts.findIndex((kept) => kept.words === part.words);
      const kept = this.parts[index];
      if (kept !== undefined) this.parts[index] = { ...kept, hasExpandedInput: true };
      if (/\$\(|`/.test(body) && body.includes('"'))
        throw new NotUnderstood('A here-document contains commands and quotation marks.');
      const inner = new ShellParser(`"${body.replaceAll('"', "'")}"`, this.depth);
      inner.list(null);
      this.hasLoop ||= inner.hasLoop;
      // The whole body parses as one quoted word; keep only the commands in it.
      this.parts.push(...inner.parts.slice(0, -1));
    }
  }

  /** Reads after `$(` or `<(`. */
  private substitution(reader: WordReader): void {
    if (reader !== this.reader) throw new NotUnderstood('A substitution is not understood.');
    this.list(')');
  }

  private nested(text: string): void {
    const inner = new ShellParser(text, this.depth);
    inner.list(null);
    this.hasLoop ||= inner.hasLoop;
    this.parts.push(...inner.parts);
  }

  /** Shells differ in where a comment begins. So it may not contain anything that would act as a command if it were
   *  not a comment. */
  private comment(): void {
    if (/[^\p{L}\p{N} \t.,:?!/_#+=@%-]/u.test(this.reader.line(false)))
      throw new NotUnderstood('A comment contains signs that could be commands.');
  }
}
