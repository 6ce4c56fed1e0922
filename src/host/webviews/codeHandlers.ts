import type { codeCommands, codeRequests, CodeResults, Reference } from '../../protocol/codeProtocol';
import { Slot } from '../common/slot';
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

/** Code actions for the views of a window: those of a feature. Without one, code stays in the answer and names are no
 *  links. */
export class FeatureCodeActions extends Slot<CodeActions> implements CodeActions {
  async insert(code: string): Promise<void> {
    await this.current?.insert(code);
  }

  async apply(code: string, info: string): Promise<void> {
    await this.current?.apply(code, info);
  }

  async newFile(code: string, info: string): Promise<void> {
    await this.current?.newFile(code, info);
  }

  async run(code: string, info: string): Promise<void> {
    await this.current?.run(code, info);
  }

  async resolve(texts: readonly string[]): Promise<readonly Reference[]> {
    return this.current?.resolve(texts) ?? texts.map(() => null);
  }

  async openSymbol(name: string): Promise<void> {
    await this.current?.openSymbol(name);
  }
}

/** For answers about another folder: their names do not refer to files of this window. Code can still be taken from
 *  them. */
export function withoutNames(actions: CodeActions): CodeActions {
  return {
    insert: (code) => actions.insert(code),
    apply: (code, info) => actions.apply(code, info),
    newFile: (code, info) => actions.newFile(code, info),
    run: (code, info) => actions.run(code, info),
    resolve: (texts) => Promise.resolve(texts.map(() => null)),
    openSymbol: (name) => actions.openSymbol(name),
  };
}

interface CodeHandlers {
  readonly commands: CommandHandlers<typeof codeCommands>;
  readonly requests: RequestHandlers<typeof codeRequests, CodeResults>;
}

export function codeHandlers(actions: CodeActions): CodeHandlers {
  return {
    commands: {
      insertCode: ({ code }) => actions.insert(code),
      applyCode: ({ code, info }) => actions.apply(code, info),
      newCodeFile: ({ code, info }) => actions.newFile(code, info),
      runCode: ({ code, info }) => actions.run(code, info),
      openSymbol: ({ name }) => actions.openSymbol(name),
    },
    requests: { resolveReferences: ({ texts }) => actions.resolve(texts) },
  };
}
