import type {
  composerRequests,
  ComposerResults,
  EarlierPrompt,
  PromptHistoryPage,
} from '../../protocol/composerProtocol';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { StoreStatus } from '../storage/storeStatus';
import type { ChatSurface } from './chatSurface';
import type { RequestHandlers } from '../webviews/viewEndpoint';
import { answerText, type Message } from '../../transcript/message';
import { isWritten, mentionsAgain } from '../../transcript/promptHistory';

/** Rows read at once. */
const pageSize = 200;
/** Reading for one response stops once it has this many prompts, or after this many pages. */
const enough = 30;
const mostPages = 10;

/** Prompts of a session's conversation before a position, newest first. A long range without prompts ends a
 *  response early; the next request continues at `before`. */
export async function promptHistory(
  gateway: GatewayPart<'store', 'readTranscript'>,
  sessionId: string,
  before: number | null,
): Promise<PromptHistoryPage> {
  const prompts: EarlierPrompt[] = [];
  let place = before;
  for (let pages = 0; pages < mostPages && prompts.length < enough; pages++) {
    const { messages, hasEarlier } = await gateway.store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(place === null ? {} : { before: place }),
    });
    prompts.push(...messages.filter(isWritten).toReversed().map(asWritten));
    const first = messages[0]?.position;
    if (!hasEarlier || first === undefined) return { prompts, before: null };
    place = first;
  }
  return { prompts, before: place };
}

function asWritten({ uid, parts }: Message): EarlierPrompt {
  return { uid, text: answerText(parts), mentions: mentionsAgain(parts) };
}

interface ComposerHandlerDeps {
  readonly gateway: GatewayPart<'efforts', 'setEffort'> &
    GatewayPart<'customAgents', 'choose'> &
    GatewayPart<'store', 'readTranscript'>;
  readonly store: Pick<StoreStatus, 'settled'>;
}

/** Handles the requests of a composer. The gateway emits no event for what applies to new sessions. */
export function composerHandlers(
  { gateway, store }: ComposerHandlerDeps,
  page: Pick<ChatSurface, 'id' | 'effortChanged' | 'agentChanged'>,
): RequestHandlers<typeof composerRequests, ComposerResults> {
  return {
    setEffort: async ({ sessionId, effort }) => {
      await store.settled();
      await gateway.efforts.setEffort(page.id, sessionId, effort);
      if (sessionId === null) await page.effortChanged();
      return null;
    },
    setAgent: async ({ sessionId, agent }) => {
      await store.settled();
      await gateway.customAgents.choose(page.id, sessionId, agent);
      if (sessionId === null) await page.agentChanged();
      return null;
    },
    promptHistory: ({ sessionId, before }) => promptHistory(gateway, sessionId, before),
  };
}
