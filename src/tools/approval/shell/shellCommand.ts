/** One word of a command after quotes were taken away. */
export interface ShellWord {
  /** What the program gets. What the shell would put in is missing here, and said by the flags. */
  readonly text: string;
  readonly source: string;
  /** `$NAME`, `$( )`, backticks, `<( )`: may be anything, also several words. */
  readonly hasExpansion: boolean;
  /** All that the shell puts in are numbers (`$?`, `$$`, `$#`), which stand in `text` as 0. */
  readonly isNumbered: boolean;
  /** `*`, `?`, `[ ]`, `{a,b}` and what other shells expand: may be any file name that fits, also several. */
  readonly hasGlob: boolean;
  /** Begins with an unquoted `~` or `~/`, which is kept in `text`. */
  readonly hasTilde: boolean;
  readonly isQuoted: boolean;
}

export interface ShellRedirect {
  readonly kind: 'read' | 'write';
  readonly target: ShellWord;
}

/** One simple command, wherever in the text it stands. */
export interface ShellPart {
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  /** Text that is given to the command and in which the shell puts something in. */
  readonly hasExpandedInput: boolean;
  /** As written, without the bodies of here-documents. */
  readonly source: string;
}

export interface ShellScript {
  /** Every command that may run, in the order of the text, those inside of substitutions before the one they stand in. */
  readonly parts: readonly ShellPart[];
  /** A command may run more than once. */
  readonly hasLoop: boolean;
}

/** Something that is not understood well enough to say what would run. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}
