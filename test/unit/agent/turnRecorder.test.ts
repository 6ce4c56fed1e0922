import { beforeEach, expect, test } from 'vitest';
import { TurnRecorder } from '../../../src/agent/turnRecorder';
import { idsFrom } from '../../../src/base/ids';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { ManualClock } from '../../support/manualClock';

let clock: ManualClock;
let commits: { readonly text: string; readonly atMs: number; done(): void }[];
let shown: string[];
let settled: string[];
let recorder: TurnRecorder;

beforeEach(() => {
  clock = new ManualClock();
  commits = [];
  shown = [];
  settled = [];
  const store: Pick<SessionStore, 'appendChunks' | 'settleTurn'> = {
    appendChunks: ({ chunks }) =>
      new Promise((resolve) => {
        const text = chunks.map((chunk) => chunk.text).join('');
        commits.push({ text, atMs: clock.monotonicMs(), done: () => resolve(undefined) });
      }),
    settleTurn: ({ messages }) => {
      settled.push(JSON.stringify(messages));
      return Promise.reject(new Error('the end of this test'));
    },
  };
  recorder = new TurnRecorder(
    store as SessionStore,
    clock,
    idsFrom((count) => new Uint8Array(count)),
    { sessionId: 's', turnUid: 't', model: 'm' },
    (event: TurnEvent) => {
      if (event.kind === 'delivered') shown.push(event.chunks.map((chunk) => chunk.text).join(''));
    },
    () => undefined,
  );
});

/** Lets what is due happen. */
const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve));
async function done(commit: number): Promise<void> {
  await turnOfEvents();
  commits[commit]?.done();
  await turnOfEvents();
}

test('the first text is stored at once, and what comes within a frame of it together', async () => {
  const start = clock.monotonicMs();
  recorder.deliver('text', 'one ');
  await done(0);
  recorder.deliver('text', 'two ');
  await clock.advance(30);
  recorder.deliver('text', 'three ');
  await clock.advance(49);
  const before = commits.length;
  await clock.advance(1);
  await done(1);
  expect([before, commits.map(({ text, atMs }) => [text, atMs - start]), shown]).toEqual([
    1,
    [
      ['one ', 0],
      ['two three ', 80],
    ],
    ['one ', 'two three '],
  ]);
});

test('a flush waits for no frame, also when it comes while text is being stored', async () => {
  recorder.deliver('text', 'one ');
  await turnOfEvents();
  recorder.deliver('text', 'two ');
  const flushed = recorder.flush();
  await done(0);
  await done(1);
  await flushed;
  recorder.deliver('text', 'three ');
  await turnOfEvents();
  const held = commits.length;
  const again = recorder.flush();
  await done(2);
  await again;
  expect([held, shown]).toEqual([2, ['one ', 'two ', 'three ']]);
});

test('text keeps its pace after a flush', async () => {
  recorder.deliver('text', 'one ');
  const flushed = recorder.flush();
  await done(0);
  await flushed;
  recorder.deliver('text', 'two ');
  await turnOfEvents();
  expect(commits).toHaveLength(1);
});

test('a stop waits for no frame, and stores no text that was not shown, also when it comes while text is being stored', async () => {
  recorder.deliver('text', 'one ');
  await turnOfEvents();
  recorder.deliver('text', 'two ');
  const stopped = recorder.settle({ outcome: 'interrupted', stopReason: 'user', failure: null }, 'drop', null);
  const failed = expect(stopped).rejects.toThrow('the end of this test');
  await done(0);
  await failed;
  expect([shown, commits.length, settled.join().includes('one '), settled.join().includes('two')]).toEqual([
    ['one '],
    1,
    true,
    false,
  ]);
});
