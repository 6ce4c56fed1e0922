import { feedHandlers } from '../../../src/host/chat/find/feedHandlers';
import type { TranscriptPage, TranscriptQuery } from '../../../src/store/requests';
import { session } from '../builders/viewMessages';
import type { StoredConversation } from './feedStates';

/** The host's own answers about a conversation that is stored as given, without a store. Null for what they are not about. */
export function storedFeed({
  messages,
  turns,
}: StoredConversation): (name: unknown, payload: unknown) => Promise<unknown> | null {
  const readTranscript = async ({ before, after, limit }: TranscriptQuery): Promise<TranscriptPage> => {
    const [from, to] = [after ?? Number.NEGATIVE_INFINITY, before ?? Number.POSITIVE_INFINITY];
    const among = messages.filter(({ position }) => position > from && position < to);
    const page = after === undefined ? among.slice(-limit) : among.slice(0, limit);
    const uids = new Set(page.map(({ turnUid }) => turnUid));
    const [first, last] = [page[0]?.position ?? to, page.at(-1)?.position ?? from];
    return {
      messages: page,
      turns: turns.filter(({ uid }) => uids.has(uid)),
      versions: [],
      hasEarlier: messages.some(({ position }) => position < first),
      later: messages.filter(({ position }) => position > last).length,
      total: messages.length,
    };
  };
  const sessions = {
    getMessage: async (uid: string) => messages.find((message) => message.uid === uid) ?? null,
    getSession: async () => session(),
  };
  const { requests: handlers } = feedHandlers(
    { gateway: { store: { readTranscript } }, sessions, files: { ofTurns: async () => ({}) } },
    () => undefined,
  );
  return (name, payload) => {
    if (typeof payload !== 'object' || payload === null) return null;
    const sessionId = session().id;
    const [limit, text] = [Reflect.get(payload, 'limit'), Reflect.get(payload, 'text')];
    const rows = typeof limit === 'number' ? limit : 60;
    if (name === 'loadEarlier')
      return readTranscript({ sessionId, before: Number(Reflect.get(payload, 'before')), limit: rows }).then(
        (page) => ({ ...page, changes: {} }),
      );
    if (name === 'loadLater')
      return handlers.loadLater({
        sessionId,
        after: Reflect.get(payload, 'after') === null ? null : Number(Reflect.get(payload, 'after')),
        limit: rows,
      });
    if (name === 'loadAround')
      return handlers.loadAround({ sessionId, messageUid: String(Reflect.get(payload, 'messageUid')), limit: rows });
    if (name === 'findInSession')
      return handlers.findInSession({
        sessionId,
        text: String(text),
        matchCase: Reflect.get(payload, 'matchCase') === true,
        tools: Reflect.get(payload, 'tools') === true,
      });
    return null;
  };
}
