import type { composerRequests, ComposerResults } from '../../../protocol/composerProtocol';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { StoreStatus } from '../../storage/storeStatus';
import type { RequestHandlers } from '../../webviews/viewEndpoint';
import { promptHistory } from './promptHistory';

interface ComposerHandlerDeps {
  readonly surfaceId: string;
  readonly gateway: GatewayPart<'efforts', 'setEffort'> & GatewayPart<'store', 'readTranscript'>;
  readonly store: Pick<StoreStatus, 'settled'>;
  /** Called when the effort for new sessions changed: the gateway emits no event for it. */
  readonly onNewEffort: () => Promise<void>;
}

/** Handles the requests of a composer. */
export function composerHandlers({
  surfaceId,
  gateway,
  store,
  onNewEffort,
}: ComposerHandlerDeps): RequestHandlers<typeof composerRequests, ComposerResults> {
  return {
    setEffort: async ({ sessionId, effort }) => {
      await store.settled();
      await gateway.efforts.setEffort(surfaceId, sessionId, effort);
      if (sessionId === null) await onNewEffort();
      return null;
    },
    promptHistory: ({ sessionId, before }) => promptHistory(gateway, sessionId, before),
  };
}
