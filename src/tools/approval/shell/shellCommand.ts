/** One word of a command, after quotes are removed. */
export interface ShellWord {
  /** Text that the program gets. Parts that the shell would insert are missing here; the flags report them. */
  readonly text: string;
  readonly source: string;
  /** `$NAME`, `$( )`, backticks, `<( )`: may be anything, including several words. */
  readonly hasExpansion: boolean;
  /** True when the shell inserts only numbers (`$?`, `$$`, `$#`), written as 0 in `text`. */
  readonly isNumbered: boolean;
  /** `*`, `?`, `[ ]`, `{a,b}`, and what other shells expand: may be any matching file name, or several. */
  readonly hasGlob: boolean;
  /** True when it begins with an unquoted `~` or `~/`, which `text` keeps. */
  readonly hasTilde: boolean;
  readonly isQuoted: boolean;
}

export interface ShellRedirect {
  readonly kind: 'read' | 'write';
  readonly target: ShellWord;
}

/** One simple command anywhere in the text. */
export interface ShellPart {
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  /** True when the command's input is text that contains shell expansions. */
  readonly hasExpandedInput: boolean;
  /** True when its input is the output of the command before it. */
  readonly isPiped: boolean;
  /** As written, without the bodies of here-documents. */
  readonly source: string;
}

export interface ShellScript {
  /** Every command that may run, in text order. Commands inside a substitution come before the command that contains
   *  it. */
  readonly parts: readonly ShellPart[];
  /** True when a command may run more than once. */
  readonly hasLoop: boolean;
}

/** Reported when the text cannot be parsed well enough to tell what would run. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}
