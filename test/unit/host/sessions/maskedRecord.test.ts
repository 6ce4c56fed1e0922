import { expect, test } from 'vitest';
import { maskedMessage, maskedSession, maskedTurn } from '../../../../src/history/export/readable/maskedRecord';
import type { Message } from '../../../../src/transcript/message';
import type { Turn } from '../../../../src/transcript/turn';
import { fakeSecrets } from '../../../support/fakeSecrets';
import { session } from '../scriptedGateway';

const key = fakeSecrets.find(({ name }) => name === 'Stripe secret')?.secret ?? '';
const base = {
  sessionId: 's1',
  turnUid: 't1',
  position: 1,
  createdAt: 1_795_161_600,
  visibility: { kind: 'shown' },
  carriedFrom: null,
} as const;

const messages: readonly Message[] = [
  {
    ...base,
    uid: 'u1',
    role: 'user',
    parts: [
      { kind: 'text', text: `Use ${key}` },
      { kind: 'attachment', label: '.env', source: 'file:.env', text: `{"client_secret":"${key}"}` },
      { kind: 'image', mediaType: 'image/png', dataBase64: key },
    ],
  },
  {
    ...base,
    uid: 'a1',
    role: 'assistant',
    state: 'final',
    lastSeq: 1,
    model: null,
    finishReason: 'stop',
    usage: null,
    parts: [
      { kind: 'thinking', text: key },
      { kind: 'text', text: `With ${key}.` },
      { kind: 'toolCall', callId: 'c1', name: 'run', arguments: `{"command":"curl -u ${key}"}` },
    ],
  },
  {
    ...base,
    uid: 'r1',
    role: 'tool',
    parts: [
      {
        kind: 'toolResult',
        callId: 'c1',
        name: 'run',
        outcome: 'failed',
        text: key,
        details: { lines: [key, 3, null] },
      },
    ],
  },
];
const turn: Turn = {
  uid: 't1',
  sessionId: 's1',
  userMessageUid: 'u1',
  model: 'm',
  startedAt: 0,
  usage: null,
  supersedes: null,
  state: 'settled',
  settledAt: 1,
  outcome: 'failed',
  stopReason: 'error',
  failure: { cause: 'network', sentence: key, technical: `GET ${key}` },
};

test('an export has no secret in any text, and what is stored stays as it is', () => {
  const stored = JSON.stringify(messages);
  const record = {
    session: maskedSession(session('s1', { title: `About ${key}` })),
    messages: messages.map((message) => maskedMessage(message)),
    turns: [maskedTurn(turn)],
  };
  expect(record).toMatchObject({
    session: { title: 'About [secret]' },
    messages: [
      { parts: [{ text: 'Use [secret]' }, { label: '.env', text: '{"client_secret":[secret]}' }, { dataBase64: key }] },
      { parts: [{ text: '[secret]' }, { text: 'With [secret].' }, { arguments: '{"command":"curl -u [secret]"}' }] },
      { parts: [{ text: '[secret]', details: { lines: ['[secret]', 3, null] } }] },
    ],
    turns: [{ failure: { sentence: '[secret]', technical: 'GET [secret]' } }],
  });
  expect(JSON.stringify(messages)).toBe(stored);
});
