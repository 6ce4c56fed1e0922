import type { Reference } from '../../protocol/codeProtocol';

/** What can be done with code in an answer beside copying it. `info`: what stands behind its fence. */
export interface CodeBlockActions {
  insert(code: string): void;
  apply(code: string, info: string): void;
  newFile(code: string, info: string): void;
  run(code: string, info: string): void;
}

/** Names in an answer that lead somewhere. */
export interface ReferenceActions {
  /** In the order of the texts, of which there are at most `maxReferences`; rejects where nobody can tell. */
  resolve(texts: readonly string[]): Promise<readonly Reference[]>;
  openSymbol(name: string): void;
}

/** What can be done with what is inside an answer. */
export interface MarkdownActions {
  openLink(href: string): void;
  copy(text: string): void;
  /** Absent where code can only be copied. */
  readonly code?: CodeBlockActions;
  /** Absent where names stay text. */
  readonly references?: ReferenceActions;
}
