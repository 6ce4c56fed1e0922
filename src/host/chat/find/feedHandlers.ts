import type { feedCommands, FeedPage, FeedResults, feedRequests, FindProgress } from '../../../protocol/feedProtocol';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { Message } from '../../../transcript/message';
import type { TranscriptPage } from '../../../store/requests';
import type { ChatFiles } from '../../webviews/chatFiles';
import type { CommandHandlers, RequestHandlers } from '../../webviews/viewEndpoint';
import { SessionFind } from './findInSession';

interface FeedHandlerDeps {
  readonly gateway: GatewayPart<'store', 'readTranscript'>;
  readonly sessions: Pick<SessionStore, 'getMessage' | 'getSession'>;
  readonly files: Pick<ChatFiles, 'ofTurns'>;
}

interface FeedHandlers {
  readonly commands: CommandHandlers<typeof feedCommands>;
  readonly requests: RequestHandlers<typeof feedRequests, FeedResults>;
}

/** Reads ranges of a conversation for a view, and finds words in it. One per view. */
export function feedHandlers(
  { gateway, sessions, files }: FeedHandlerDeps,
  onFindProgress: (progress: FindProgress) => void,
): FeedHandlers {
  const find = new SessionFind(gateway, onFindProgress);
  const pageOf = async ({ messages, turns, versions, hasEarlier, later }: TranscriptPage): Promise<FeedPage> => ({
    messages,
    turns,
    versions,
    hasEarlier,
    hasLater: later > 0,
    changes: await files.ofTurns(turns.map(({ uid }) => uid)),
  });
  const requests: FeedHandlers['requests'] = {
    loadLater: async ({ sessionId, after, limit }) =>
      pageOf(await gateway.store.readTranscript({ sessionId, limit, after: after ?? Number.MIN_SAFE_INTEGER })),
    loadAround: async ({ sessionId, messageUid, limit }) => {
      const row = await originalRow(sessions, messageUid);
      const [own, shown] = [
        row === null ? null : await sessions.getSession(row.sessionId),
        await sessions.getSession(sessionId),
      ];
      if (row === null || own === null || own.conversationId !== shown?.conversationId) return null;
      const before = await gateway.store.readTranscript({
        sessionId,
        limit: Math.max(1, Math.floor(limit / 2)),
        before: row.position,
      });
      const from = await gateway.store.readTranscript({
        sessionId,
        limit: Math.max(1, Math.ceil(limit / 2)),
        after: row.position - 1,
      });
      const turns = new Map([...before.turns, ...from.turns].map((turn) => [turn.uid, turn]));
      const messages = [...before.messages, ...from.messages];
      return pageOf({
        ...from,
        messages,
        turns: [...turns.values()],
        versions: [...before.versions, ...from.versions],
        hasEarlier: before.hasEarlier,
      });
    },
    findInSession: (query) => find.find(query),
  };
  return { requests, commands: { stopFind: () => find.stop() } };
}

/** Returns the row itself, or the row of an earlier segment that it repeats: the transcript contains that one. Null:
 *  it is not stored. */
export async function originalRow(sessions: Pick<SessionStore, 'getMessage'>, uid: string): Promise<Message | null> {
  let message = await sessions.getMessage(uid);
  const passed = new Set([uid]);
  while (message !== null && message.carriedFrom !== null && !passed.has(message.carriedFrom)) {
    passed.add(message.carriedFrom);
    message = await sessions.getMessage(message.carriedFrom);
  }
  return message;
}
