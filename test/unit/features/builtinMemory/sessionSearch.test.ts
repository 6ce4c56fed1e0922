import { expect, test } from 'vitest';
import { type SearchedStore, SessionSearch } from '../../../../src/features/builtinMemory/core/sessionSearch';
import { sessionSearchTool } from '../../../../src/features/builtinMemory/core/builtinProvider';
import { snippetOf } from '../../../../src/store/search/snippet';
import { searchTerms } from '../../../../src/store/search/searchTerms';
import type { Message } from '../../../../src/transcript/message';
import type { SessionSummary } from '../../../../src/transcript/session';
import { fakeSecrets } from '../../../support/fakeSecrets';
import { aToolCall } from '../../../support/toolCalls';

const key = fakeSecrets.find(({ name }) => name === 'GitHub ghp')?.secret ?? '';
const session: SessionSummary = {
  id: 's1',
  title: null,
  titleSource: null,
  parentSessionId: null,
  parentKind: null,
  conversationId: 's1',
  model: null,
  folder: null,
  startedAt: 1,
  lastActiveAt: 1,
  endedAt: null,
  endReason: null,
  pinned: false,
  archived: false,
  trashedAt: null,
  private: false,
  preview: null,
  turnCount: 1,
  messageCount: 1,
  lastTurn: null,
  queuedCount: 0,
  branchOf: null,
  unread: false,
  problem: null,
};

function storeWith(text: string, summary: Partial<SessionSummary> = {}): SearchedStore {
  const message: Message = {
    uid: 'm1',
    sessionId: 's1',
    turnUid: 't1',
    position: 1,
    createdAt: 1,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'user',
    parts: [{ kind: 'text', text }],
  };
  return {
    search: async ({ text: words }) => [
      {
        sessionId: 's1',
        conversationId: 's1',
        position: 1,
        sessionTitle: null,
        messageUid: 'm1',
        role: 'user',
        createdAt: 1,
        ...snippetOf(text, searchTerms(words)?.terms ?? []),
      },
    ],
    getMessage: async () => message,
    getSession: async () => session,
    listSessions: async () => [{ ...session, ...summary }],
    readTranscript: async () => Promise.reject(new Error('not read here')),
  };
}

async function told(store: SearchedStore, input: unknown): Promise<string> {
  const bound = sessionSearchTool(new SessionSearch(store), () => null).bind(input);
  if (bound.kind !== 'ready') throw new Error('it cannot be called');
  return (await bound.run(new AbortController().signal, aToolCall())).text;
}

test.each([
  ['ends in the middle of a secret', `deploy ${'x '.repeat(92)}${key}`, key.slice(0, 6)],
  ['begins in the middle of one', `${'a,'.repeat(60)}token=${key},and,more,of,it,deploy it`, key.slice(-6)],
])('a snippet that %s contains nothing of it', async (_name, text, half) => {
  const [hit] = await storeWith(text).search({ text: 'deploy', limit: 1 });
  expect(hit?.snippet).toContain(half);
  expect(hit?.snippet).not.toContain(key);
  const answer = await told(storeWith(text), { query: 'deploy' });
  expect(answer).toContain('deploy');
  expect([key.slice(0, 6), key.slice(-6)].filter((part) => answer.includes(part))).toEqual([]);
});

test('the beginning of a prompt, cut in the middle of a secret, contains nothing of the secret', async () => {
  const preview = `${'x '.repeat(50)}${key}`.slice(0, 117) + 'abc';
  const answer = await told(storeWith('', { preview, title: `Deploy with ${key.slice(0, 18)}…` }), {});
  expect(answer).toContain('x x …');
  expect(answer).toContain('"Deploy with …"');
});
