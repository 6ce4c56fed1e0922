import { expect, it } from 'vitest';
import { sessionDbWorld, answer, openTurn, prompt, runningTurn, complete, settle } from '../../support/sessionDbWorld';

it('measures sessions, images, file contents, the index and free pages', async () => {
  const { db } = await sessionDbWorld();
  runningTurn(db, { text: 'Small' });
  settle(db, 't1', complete, [answer('a1', 'Short', 't1')]);
  db.createSession({ id: 's2', startedAt: 1 });
  openTurn(db, { sessionId: 's2', turnUid: 't2', userUid: 'u2', text: 'Large' });
  settle(db, 't2', complete, [answer('a2', 'x'.repeat(50_000), 't2', 's2')]);
  db.createSession({ id: 's3', startedAt: 1 });
  const image = { kind: 'image', mediaType: 'image/png', dataBase64: 'A'.repeat(40_000) } as const;
  db.openTurn({
    turnUid: 't3',
    sessionId: 's3',
    userMessage: { ...prompt('u3', 'See', 't3', 's3'), parts: [{ kind: 'text', text: 'See' }, image] },
    model: 'm',
    startedAt: 1,
  });
  db.indexBatch(100);
  const { sessions, ...whole } = db.storeSizes();
  const named = Object.fromEntries(sessions.map((size) => [size.sessionId, size]));
  expect({
    order: sessions.map(({ sessionId }) => sessionId),
    images: [named['s1']?.imageBytes, named['s3']?.imageBytes],
    text: (named['s2']?.textBytes ?? 0) >= 100_000 && (named['s3']?.textBytes ?? 0) < 1000,
    messages: sessions.map(({ messages }) => messages),
    index: whole.searchIndexBytes > 0,
    parts: whole.fileBytes > 140_000,
  }).toEqual({
    order: ['s2', 's3', 's1'],
    images: [0, 40_000],
    text: true,
    messages: [2, 1, 2],
    index: true,
    parts: true,
  });
});
