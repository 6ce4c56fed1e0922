import type { codeCommands, codeRequests, CodeResults, Reference } from '../../protocol/codeProtocol';
import type { Slot } from '../common/slot';
import type { CommandHandlers, RequestHandlers } from './viewEndpoint';

/** Actions on the code and names of an answer. If an action fails, a notification says so and what is safe. */
export interface CodeActions {
  insert(code: string): Promise<void>;
  /** `info`: the text after the opening fence. Resolves when the user has decided. */
  apply(code: string, info: string): Promise<void>;
  newFile(code: string, info: string): Promise<void>;
  run(code: string, info: string): Promise<void>;
  resolve(texts: readonly string[]): Promise<readonly Reference[]>;
  openSymbol(name: string): Promise<void>;
}

interface CodeHandlers {
  readonly commands: CommandHandlers<typeof codeCommands>;
  readonly requests: RequestHandlers<typeof codeRequests, CodeResults>;
}

/** The actions are those of a feature. Without one, code stays in the answer and names are no links. `hasNames`: false
 *  for answers about another folder, whose names do not refer to files of this window; code can still be taken. */
export function codeHandlers(actions: Pick<Slot<CodeActions>, 'current'>, hasNames = true): CodeHandlers {
  return {
    commands: {
      insertCode: async ({ code }) => actions.current?.insert(code),
      applyCode: async ({ code, info }) => actions.current?.apply(code, info),
      newCodeFile: async ({ code, info }) => actions.current?.newFile(code, info),
      runCode: async ({ code, info }) => actions.current?.run(code, info),
      openSymbol: async ({ name }) => actions.current?.openSymbol(name),
    },
    requests: {
      resolveReferences: async ({ texts }) =>
        (hasNames ? actions.current?.resolve(texts) : undefined) ?? texts.map(() => null),
    },
  };
}
