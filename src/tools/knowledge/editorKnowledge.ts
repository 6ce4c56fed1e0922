/** Position in a file. Lines and columns count from 1; a column counts UTF-16 units. */
export interface CodePlace {
  /** Absolute path. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export const severities = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof severities)[number];

export interface Problem extends CodePlace {
  readonly severity: Severity;
  readonly message: string;
  /** Source of the report ("ts", "eslint"), with its code if it has one; empty when unknown. */
  readonly source: string;
}

export interface CodeSymbol {
  readonly name: string;
  /** Readable name: "function", "class". */
  readonly kind: string;
  readonly place: CodePlace;
  readonly endLine: number;
  /** Name of the enclosing symbol, if the language provides it; else empty. */
  readonly container: string;
  readonly children: readonly CodeSymbol[];
}

export interface OpenEditor {
  /** Absolute path of a file, or else the tab's label. */
  readonly path: string;
  readonly isFile: boolean;
  readonly isActive: boolean;
  readonly hasUnsavedChanges: boolean;
}

export interface OpenEditors {
  readonly editors: readonly OpenEditor[];
  /** Selection in the active editor. `text` is empty when there is only a cursor. */
  readonly selection: {
    readonly path: string;
    readonly isFile: boolean;
    readonly startLine: number;
    readonly endLine: number;
    readonly text: string;
  } | null;
}

/** Information from the editor and its language extensions. `null` when no language extension supports the file.
 *  Changes nothing. A request for a file opens it for the language extensions only, not for the user. */
export interface EditorKnowledge {
  /** Null: of all files. */
  problems(path: string | null): readonly Problem[];
  documentSymbols(path: string): Promise<readonly CodeSymbol[] | null>;
  workspaceSymbols(query: string): Promise<readonly CodeSymbol[]>;
  references(at: CodePlace): Promise<readonly CodePlace[] | null>;
  definitions(at: CodePlace): Promise<readonly CodePlace[] | null>;
  /** Markdown, one entry per language extension with a result. */
  hover(at: CodePlace): Promise<readonly string[] | null>;
  openEditors(): OpenEditors;
}
