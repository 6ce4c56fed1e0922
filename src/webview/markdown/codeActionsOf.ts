import type { codeCommands, codeRequests, CodeResults } from '../../protocol/codeProtocol';
import type { HostConnection } from '../rpc';
import type { MarkdownActions } from './markdownActions';

/** What every view says that shows answers with code in them. */
interface CodeProtocol {
  readonly commands: typeof codeCommands;
  readonly requests: typeof codeRequests;
  readonly results: CodeResults;
  readonly notifications: object;
}

/** What the host does with code and names of answers. */
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
      resolve: (texts) => host.request('resolveReferences', { texts: [...texts] }),
      openSymbol: (name) => host.send('openSymbol', { name }),
    },
  };
}
