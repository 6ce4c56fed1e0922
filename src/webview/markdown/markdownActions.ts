import type { Reference, codeCommands, codeRequests, CodeResults } from '../../protocol/codeProtocol';
import type { HostConnection } from '../rpc';

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

/** Messages of every view that shows answers with code. */
interface CodeProtocol {
  readonly commands: typeof codeCommands;
  readonly requests: typeof codeRequests;
  readonly results: CodeResults;
  readonly notifications: object;
}

/** Operations of the host on code and names in answers. */
export function codeActionsOf(
  host: Pick<HostConnection<CodeProtocol>, 'send' | 'request'>,
): Required<Pick<MarkdownActions, 'code' | 'references'>> {
  return {
    code: {
      insert: (code) => host.send('insertCode', { code }),
      apply: (code, info) => host.send('applyCode', { code, info }),
      newFile: (code, info) => host.send('newCodeFile', { code, info }),
      run: (code, info) => host.send('runCode', { code, info }),
    },
    references: {
      resolve: (texts) => host.request('resolveReferences', { texts }),
      openSymbol: (name) => host.send('openSymbol', { name }),
    },
  };
}
