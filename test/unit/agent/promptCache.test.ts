import { afterEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/transcript/json';
import { reply } from '../../support/modelServer';
import { RecordingMemory } from '../../support/recordingMemory';
import { World } from '../../support/world';
import { resumed } from '../../support/conformance';

/** How far the service looks back from a mark for something it has stored, in blocks. */
const lookBack = 20;

interface Block {
  readonly text: string;
  readonly isMarked: boolean;
}

function block(where: string, value: JsonValue): Block {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { text: `${where} ${JSON.stringify(value)}`, isMarked: false };
  const entries = Object.entries(value);
  const bare = entries.filter(([name]) => name !== 'cache_control');
  return { text: `${where} ${JSON.stringify(Object.fromEntries(bare))}`, isMarked: bare.length < entries.length };
}

const list = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** A request in the order in which the service caches it: tools, system prompt, messages. */
function blocksOf(body: { readonly [key: string]: JsonValue }): readonly Block[] {
  const messages = list(body['messages']).flatMap((message) => {
    if (typeof message !== 'object' || message === null || !('role' in message)) return [];
    return list(message['content']).map((part) => block(String(message['role']), part));
  });
  return [
    ...list(body['tools']).map((tool) => block('tool', tool)),
    ...list(body['system']).map((part) => block('system', part)),
    ...messages,
  ];
}

/** What the service reads from its cache in each request, of how many blocks. */
function cacheReads(
  requests: readonly (readonly Block[])[],
): readonly { readonly read: number; readonly of: number }[] {
  const stored = new Set<string>();
  return requests.map((blocks) => {
    const prefix = (length: number): string =>
      blocks
        .slice(0, length)
        .map(({ text }) => text)
        .join('\n');
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index + 1] : []));
    const candidates = marks.flatMap((mark) =>
      Array.from({ length: Math.min(lookBack, mark) }, (_, back) => mark - back),
    );
    const read = Math.max(0, ...candidates.filter((length) => stored.has(prefix(length))));
    for (const mark of marks) stored.add(prefix(mark));
    return { read, of: blocks.length };
  });
}

let world: World;
afterEach(() => world.close());

describe('the cache of an Anthropic service', () => {
  it('holds the whole previous request: each request pays only for new input, across tools, recall, a cut-off answer, a branch and another window', async () => {
    const recalls = ['', '- the parser is recursive', '', ''];
    world = await World.create({
      protocol: 'anthropic',
      continuesBroken: false,
      memory: (log) => [new RecordingMemory(log, { recall: () => recalls.shift() ?? '' })],
    });
    world.server.script(
      reply()
        .thinks('Hm.')
        .says('Looking.')
        .calls('list_directory', { path: 'one' })
        .calls('list_directory', { path: 'two' }),
      reply().says('Nothing.'),
      reply().says('Half ').drops(),
      reply().says('Again.').calls('list_directory', { path: 'three' }),
      reply().says('Done.'),
      reply().says('In the branch.'),
      reply().says('Later.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first question');
    await world.ask(panel, 'second question');
    await world.ask(panel, 'third question');
    await world.gateway.switching.switchSession(panel.id, { reason: 'branch', sessionId, from: null });
    await world.ask(panel, 'fourth question');
    await world.reopen();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'fifth question');
    const reads = cacheReads(world.server.requests.map(({ body }) => blocksOf(body)));
    const before = reads.map(({ of }) => of);
    // The fifth question goes on behind the third: the branch holds the same beginning.
    expect(reads.map(({ read }) => read)).toEqual([
      0,
      before[0],
      before[1],
      before[2],
      before[3],
      before[4],
      before[4],
    ]);
  });
});
