import { expect, test } from 'vitest';
import { codexSource } from '../../../../../../src/features/history/core/sources/codex/codexSource';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { findHistory, outlineOf, placesWith } from '../../../../../support/history/readHistory';

const day = '/x/sessions/2026/11/28';
const origin = `${day}/rollout-2026-11-28T01-00-00-aaaa.jsonl`;
const fork = `${day}/rollout-2026-11-28T02-00-00-bbbb.jsonl`;
const places = placesWith({ codex: '/x' });

function line(type: string, payload: object): string {
  return `${JSON.stringify({ timestamp: '2026-11-28T01:00:00Z', type, payload })}\n`;
}
const said = (role: string, text: string): string =>
  line('response_item', {
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
const begun = (id: string, base?: object): string =>
  line('session_meta', {
    id,
    cli_version: '0.171.0',
    ...(base === undefined ? {} : { history_mode: 'paginated', history_base: base }),
  });

const before = begun('aaaa') + said('user', 'Plant a tree.') + said('assistant', 'It is planted.');
const whole = before + said('user', 'Water it.') + said('assistant', 'It is wet.');
const baseAt = (threadId: string, text: string): object => ({
  thread_id: threadId,
  end_ordinal_exclusive: text.split('\n').length - 1,
  end_byte_offset: Buffer.byteLength(text),
});
const forked = (base: object): string => begun('bbbb', base) + said('user', 'Name it.') + said('assistant', 'Oak.');

async function messagesOf(files: Readonly<Record<string, string>>, id: string): Promise<readonly string[]> {
  const outline = await outlineOf(codexSource(new MemoryFiles(files)), places, id);
  return outline.filter((one) => !one.startsWith('facts') && !one.startsWith('in '));
}

test('a fork begins with what its origin said before it', async () => {
  expect(await messagesOf({ [origin]: whole, [fork]: forked(baseAt('aaaa', before)) }, 'bbbb')).toEqual([
    expect.stringContaining('shown user: Plant a tree.'),
    expect.stringContaining('shown assistant: It is planted.'),
    expect.stringContaining('shown user: Name it.'),
    expect.stringContaining('shown assistant: Oak.'),
    expect.stringContaining('described before'),
  ]);
});

test('a fork of a fork begins with both, and a rollback reaches into its origin', async () => {
  const second = `${day}/rollout-2026-11-28T03-00-00-cccc.jsonl`;
  const text = forked(baseAt('aaaa', before));
  const back = line('event_msg', { type: 'thread_rolled_back', num_turns: 2 });
  const files = {
    [origin]: whole,
    [fork]: text,
    [second]: begun('cccc', baseAt('bbbb', text)) + back + said('user', 'Again.'),
  };

  expect((await messagesOf(files, 'cccc')).filter((one) => / (?:user|assistant): /.test(one))).toEqual([
    expect.stringContaining('abandoned user: Plant a tree.'),
    expect.stringContaining('abandoned assistant: It is planted.'),
    expect.stringContaining('abandoned user: Name it.'),
    expect.stringContaining('abandoned assistant: Oak.'),
    expect.stringContaining('shown user: Again.'),
  ]);
});

test('a further file of the same thread continues the one before', async () => {
  const next = `${day}/rollout-2026-11-28T04-00-00-aaaa.jsonl`;
  const files = { [origin]: whole, [next]: begun('aaaa', baseAt('aaaa', whole)) + said('user', 'Is it dry?') };
  const { sessions, skipped } = await findHistory(codexSource(new MemoryFiles(files)), places);

  expect(sessions.map(({ id, location, lineage }) => [id, location.path, lineage])).toEqual([['aaaa', next, null]]);
  expect(skipped.map(({ place, kind }) => [place.path, kind])).toEqual([[origin, 'repeated']]);
  expect((await messagesOf(files, 'aaaa')).filter((one) => one.includes('user: '))).toEqual([
    expect.stringContaining('Plant a tree.'),
    expect.stringContaining('Water it.'),
    expect.stringContaining('Is it dry?'),
  ]);
});

test('says that the origin of a fork is missing', async () => {
  expect(await messagesOf({ [fork]: forked(baseAt('aaaa', before)) }, 'bbbb')).toContainEqual(
    expect.stringContaining('The session continues aaaa, whose file is not here.'),
  );
});

test('two rollouts that name each other end', async () => {
  const files = {
    [origin]: begun('aaaa', { thread_id: 'bbbb' }) + said('user', 'One'),
    [fork]: forked({ thread_id: 'aaaa' }),
  };
  expect(await messagesOf(files, 'bbbb')).toContainEqual(expect.stringContaining('user: One'));
});
