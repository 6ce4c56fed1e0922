import type { codeCommands, codeRequests, CodeResults } from '../../protocol/codeProtocol';
import type { HostConnection } from '../rpc';
import type { MarkdownActions } from './markdownActions';

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
      resolve: (texts) => host.request('resolveReferences', { texts: [...texts] }),
      openSymbol: (name) => host.send('openSymbol', { name }),
    },
  };
}
