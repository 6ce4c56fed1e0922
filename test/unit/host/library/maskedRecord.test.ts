import { expect, test } from 'vitest';
import {
  maskedMessage,
  maskedSession,
  maskedTurn,
} from '../../../../src/features/history/core/export/readable/maskedRecord';
import type { Message } from '../../../../src/transcript/message';
import { fakeSecrets } from '../../../support/fakeSecrets';
import { answer, call, prompt, result, settledTurn } from '../../../support/builders/viewMessages';
import { session } from '../scriptedGateway';

const key = fakeSecrets.find(({ name }) => name === 'Stripe secret')?.secret ?? '';
const messages: readonly Message[] = [
  {
    ...prompt({ uid: 'u1', position: 1 }, ''),
    parts: [
      { kind: 'text', text: `Use ${key}` },
      { kind: 'attachment', label: '.env', source: 'file:.env', text: `{"client_secret":"${key}"}` },
      { kind: 'image', mediaType: 'image/png', dataBase64: key },
    ],
  },
  answer({ uid: 'a1', position: 2 }, [
    { kind: 'thinking', text: key },
    `With ${key}.`,
    call('c1', 'run', { command: `curl -u ${key}` }),
  ]),
  result({ uid: 'r1', position: 3 }, 'c1', 'run', key, 'failed', { lines: [key, 3, null] }),
];
const failure = { cause: 'network', sentence: key, technical: `GET ${key}` } as const;
const turn = settledTurn('t1', 'u1', { outcome: 'failed', stopReason: 'error', failure });

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
      {
        parts: [{ text: 'Use [secret]' }, { label: '.env', text: '{"client_secret":"[secret]"}' }, { dataBase64: key }],
      },
      { parts: [{ text: '[secret]' }, { text: 'With [secret].' }, { arguments: '{"command":"curl -u [secret]"}' }] },
      { parts: [{ text: '[secret]', details: { lines: ['[secret]', 3, null] } }] },
    ],
    turns: [{ failure: { sentence: '[secret]', technical: 'GET [secret]' } }],
  });
  expect(JSON.stringify(messages)).toBe(stored);
});
