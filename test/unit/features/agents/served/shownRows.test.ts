import { expect, test } from 'vitest';
import { ShownRows } from '../../../../../src/features/agents/served/shownRows';
import type { Chunk, Message } from '../../../../../src/transcript/message';

const chunk = (seq: number, start: number, text: string): Chunk => ({
  messageUid: 'm',
  seq,
  part: 0,
  kind: 'text',
  start,
  text,
});
const row = (parts: readonly object[], role = 'assistant', uid = 'm'): Message =>
  ({ uid, role, parts, visibility: { kind: 'shown' } }) as never;
const answer = row([
  { kind: 'text', text: 'One two three' },
  { kind: 'toolCall', callId: 'c', name: 'read_file', arguments: '{"path":"a.txt"}' },
]);
const result = row([{ kind: 'toolResult', callId: 'c', name: 'read_file', outcome: 'done', text: 'A' }], 'tool', 'r');

const textOf = (updates: readonly object[]): string =>
  updates
    .map((update) => update as { readonly sessionUpdate: string; readonly content?: { readonly text?: string } })
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    .map(({ content }) => content?.text ?? '')
    .join('');

test('chunks, the row after them, and a repeated row show each word and call once', () => {
  const rows = new ShownRows();
  const updates = [
    rows.chunk(chunk(1, 0, 'One ')),
    rows.chunk(chunk(2, 4, 'two ')),
    rows.chunk(chunk(2, 4, 'two ')),
    rows.row(answer),
    rows.row(result),
    rows.row(answer),
    rows.row(result),
  ].flat();
  expect([textOf(updates), updates.length]).toEqual(['One two three', 5]);
});

test('a replay gives the same text, ids and calls as the stream', () => {
  const live = new ShownRows();
  live.chunk(chunk(1, 0, 'One two three'));
  const calls = [live.row(answer), live.row(result)].flat();
  const replayed = new ShownRows();
  const again = [replayed.row(answer), replayed.row(result)].flat();
  expect([textOf(again), again.slice(1)]).toEqual(['One two three', calls]);
});

test('a call id that the model uses again belongs to the newest call', () => {
  const rows = new ShownRows();
  rows.row(answer);
  rows.row(result);
  rows.row({ ...answer, uid: 'n' });
  expect([rows.toolCallId('c'), rows.running('c').length]).toEqual(['n/c', 1]);
});

test('rows that are hidden show nothing', () => {
  expect(new ShownRows().row({ ...answer, visibility: { kind: 'closing' } })).toEqual([]);
});
