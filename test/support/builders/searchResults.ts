import type { SearchResult, SearchPage, SearchSession } from '../../../src/features/search/protocol/searchProtocol';
import { afternoon, session } from './viewMessages';

/** A hit of the words given, wherever they stand in the snippet. */
export function searchHit(
  messageUid: string,
  snippet: string,
  words: readonly string[],
  change: Partial<SearchResult> = {},
): SearchResult {
  const { id, conversationId, title } = session();
  const matches = words.flatMap((word) =>
    [...snippet.matchAll(new RegExp(word, 'gi'))].map(({ index }) => ({ start: index, end: index + word.length })),
  );
  return {
    sessionId: id,
    conversationId,
    sessionTitle: title,
    messageUid,
    role: 'user',
    createdAt: afternoon,
    snippet,
    matches,
    ...change,
  };
}

export function searchSession(change: Partial<SearchSession> = {}): SearchSession {
  const { id, conversationId, title, lastActiveAt, archived } = session();
  return {
    id,
    conversationId,
    title,
    preview: 'Why does upload.test.ts fail on CI only?',
    lastActiveAt,
    turnCount: 4,
    archived,
    private: false,
    branchOf: null,
    ...change,
  };
}

export function searchPage(change: Partial<SearchPage> = {}): SearchPage {
  return { hits: [], hasMore: false, sessions: [], titled: [], indexLeft: 0, ...change };
}
