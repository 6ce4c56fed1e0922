/** Where something stands. Lines and columns count from 1; a column counts UTF-16 units. */
export interface CodePlace {
  /** Absolute. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export const severities = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof severities)[number];

export interface Problem extends CodePlace {
  readonly severity: Severity;
  readonly message: string;
  /** What reports it ("ts", "eslint"), with its code where it has one; empty where it does not say. */
  readonly source: string;
}

export interface CodeSymbol {
  readonly name: string;
  /** As people say it: "function", "class". */
  readonly kind: string;
  readonly place: CodePlace;
  readonly endLine: number;
  /** What it stands in, where the language says; else empty. */
  readonly container: string;
  readonly children: readonly CodeSymbol[];
}

export interface OpenEditor {
  /** Absolute path of a file, else the tab's label. */
  readonly path: string;
  readonly isFile: boolean;
  readonly isActive: boolean;
  readonly hasUnsavedChanges: boolean;
}

export interface OpenEditors {
  readonly editors: readonly OpenEditor[];
  /** Of the editor in use; text is empty where only the cursor stands there. */
  readonly selection: {
    readonly path: string;
    readonly isFile: boolean;
    readonly startLine: number;
    readonly endLine: number;
    readonly text: string;
  } | null;
}

/** What the editor and its language extensions know. `null` where no language extension answers for the file. Nothing is changed, and what is
 *  asked of a file opens it for the language extensions only, not for the person. */
export interface EditorKnowledge {
  /** Null: of every file. */
  problems(path: string | null): readonly Problem[];
  documentSymbols(path: string): Promise<readonly CodeSymbol[] | null>;
  workspaceSymbols(query: string): Promise<readonly CodeSymbol[]>;
  references(at: CodePlace): Promise<readonly CodePlace[] | null>;
  definitions(at: CodePlace): Promise<readonly CodePlace[] | null>;
  /** Markdown, one per language extension that has something to say. */
  hover(at: CodePlace): Promise<readonly string[] | null>;
  openEditors(): OpenEditors;
}
