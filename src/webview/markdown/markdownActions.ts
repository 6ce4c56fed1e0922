import type { Reference } from '../../protocol/codeProtocol';

/** Actions for code in an answer besides copying. `info`: the text after its opening fence. */
interface CodeBlockActions {
  insert(code: string): void;
  apply(code: string, info: string): void;
  newFile(code: string, info: string): void;
  run(code: string, info: string): void;
}

/** Links for names in an answer. */
export interface ReferenceActions {
  /** Resolves to references in the order of the texts, at most `maxReferences`; rejects when the host cannot answer
   *  now. */
  resolve(texts: readonly string[]): Promise<readonly Reference[]>;
  openSymbol(name: string): void;
}

/** Actions for the content of an answer. */
export interface MarkdownActions {
  openLink(href: string): void;
  copy(text: string): void;
  /** Absent when code can only be copied. */
  readonly code?: CodeBlockActions;
  /** Absent when names stay text. */
  readonly references?: ReferenceActions;
}
