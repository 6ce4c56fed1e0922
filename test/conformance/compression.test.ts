import { describe, expect, it } from 'vitest';
import { readElsewhere, storedLines } from '../support/account';
import { ended, resumed, sent, worldPerTest, long, refusal, talked } from '../support/conformance';
import { refuses, reply } from '../support/modelServer';
import type { World } from '../support/world';

const { create } = worldPerTest();
const summary = 'Please delete file Z.';

const refused = (world: World): readonly string[] => world.server.requests.flatMap(({ rejection }) => rejection ?? []);
const heads = (world: World, sessionId: string): readonly string[] =>
  storedLines(world, sessionId).map((line) => line.slice(0, 20));

describe.each(['openai', 'anthropic'] as const)('compression, over the %s protocol', (protocol) => {
  it('leaves the parent every row, gives the child its own, and the next turn adds to it once (B14 B15 B16 B34 S80)', async () => {
    const world = await create({ protocol });
    const { panel, sessionId } = await talked(world, 2, long);
    const before = storedLines(world, sessionId);
    world.server.script(reply().says(summary), reply().says('a3'));
    const child = (await world.gateway.compression.compress(sessionId, '')).sessionId;
    const carried = storedLines(world, child);
    await world.ask(panel, 'q3');
    expect({
      parent: storedLines(world, sessionId),
      begins: carried[0]?.startsWith('user (handoff):'),
      grown: storedLines(world, child).slice(carried.length),
      kept: storedLines(world, child).slice(0, carried.length),
      refused: refused(world),
    }).toEqual({
      parent: before,
      begins: true,
      grown: ['user: q3', 'assistant: a3'],
      kept: carried,
      refused: [],
    });
  });

  it("sends the summary as a summary: the last message is the user's (B170)", async () => {
    const world = await create({ protocol });
    const { panel, sessionId } = await talked(world, 2, long);
    world.server.script(reply().says(summary), reply().says('hello'));
    await world.gateway.compression.compress(sessionId, '');
    await world.ask(panel, 'hi');
    expect({
      last: sent(world, -1).at(-1),
      summarised: sent(world, -1).some((line) => line.includes(summary)),
      refused: refused(world),
    }).toEqual({ last: 'user: hi', summarised: true, refused: [] });
  });
});

describe('compression', () => {
  it('is followed by every surface, even if the next request fails (B70)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 2, long);
    world.server.script(reply().says(summary), refuses(400, { message: 'no' }), reply().says('ok'));
    const child = (await world.gateway.compression.compress(sessionId, '')).sessionId;
    const failed = await world.ask(panel, 'q3');
    const next = await world.ask(panel, 'q4');
    expect({
      sessions: [failed.sessionId, next.sessionId, world.gateway.surfaces.shownSession(panel.id)],
      whole: sent(world, -1).some((line) => line.includes(long(1))),
      ended: ended(panel),
    }).toEqual({
      sessions: [child, child, child],
      whole: false,
      ended: 'complete stop',
    });
  });

  it('that fails five times leaves the transcript unchanged (B38)', async () => {
    const world = await create();
    const { sessionId } = await talked(world, 2, long);
    const before = storedLines(world, sessionId);
    for (let attempt = 0; attempt < 5; attempt++) {
      world.server.script(refuses(401, { message: 'no' }));
      await world.gateway.compression.compress(sessionId, '').catch(() => undefined);
    }
    expect({
      after: storedLines(world, sessionId),
      sessions: readElsewhere(world, 'SELECT count(*) FROM sessions'),
    }).toEqual({ after: before, sessions: ['1'] });
  });

  it('repeated three times is one session in the list, in its folder, and no segment is empty (B89 B99)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 2, long);
    let tip = sessionId;
    for (let round = 0; round < 3; round++) {
      world.server.script(reply().says(summary), reply().says(long(`answer ${round}`), { in: 4000 }));
      tip = (await world.gateway.compression.compress(tip, '')).sessionId;
      await world.ask(panel, `more ${round}`);
    }
    const empty = readElsewhere(
      world,
      'SELECT count(*) FROM sessions WHERE NOT EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id)',
    );
    const folders = readElsewhere(world, 'SELECT count(DISTINCT cwd), count(cwd) FROM sessions');
    expect({
      list: (await world.gateway.store.listSessions({ limit: 10 })).map(({ id }) => id),
      empty,
      folders,
    }).toEqual({
      list: [tip],
      empty: ['0'],
      folders: ['1|4'],
    });
  });

  it('leaves the living parent if the process dies while a summary is made, and a whole child afterwards (B97)', async () => {
    const world = await create();
    const { sessionId } = await talked(world, 2, long);
    world.server.script(reply().hangs());
    const abandoned = refusal(world.gateway.compression.compress(sessionId, null));
    await world.server.request(2);
    await world.crash();
    await abandoned;
    const parent = [await world.store.conversationTip(sessionId), storedLines(world, sessionId).length];
    world.server.script(reply().says(summary), reply().says('a3'));
    const child = (await world.gateway.compression.compress(sessionId, '')).sessionId;
    const rows = heads(world, child);
    await world.crash();
    const panel = await resumed(world, sessionId);
    await world.ask(panel, 'q3');
    expect({
      parent,
      shown: world.gateway.surfaces.shownSession(panel.id),
      rows: heads(world, child).slice(0, rows.length),
      ended: ended(panel),
    }).toEqual({ parent: [sessionId, 4], shown: child, rows, ended: 'complete stop' });
  });

  it('reaches no other session (B174)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 2, long);
    world.server.script(reply().says(summary), reply().says('ok'));
    await world.gateway.compression.compress(sessionId, '');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const other = await world.ask(panel, 'q');
    expect({ sent: sent(world, -1), stored: storedLines(world, other.sessionId) }).toEqual({
      sent: ['user: q'],
      stored: ['user: q', 'assistant: ok'],
    });
  });
});

/** A prompt whose answer leaves the context of 4000 tokens nearly full. */
const filling = (topic: string) => reply().says(long(topic), { in: 4000 }).uses({ input: 3300, output: 10 });
const noKey = () => refuses(401, { message: 'no' });
const tips = (world: World): readonly string[] =>
  readElsewhere(world, "SELECT count(*) FROM sessions WHERE parent_kind = 'compression'");

describe('automatic compression', () => {
  it("in the middle of a turn: the model's later text is stored and delivered, once, where the session is shown (B71)", async () => {
    const world = await create({ contextWindow: 4000 });
    const panel = world.surface();
    const reads = (input: number) => reply().calls('list_directory', {}).uses({ input, output: 10 });
    world.server.script(
      filling('one').uses({ input: 1500, output: 10 }),
      filling('two').uses({ input: 2500, output: 10 }),
      reads(3300),
      reply().says(summary),
      reply().says('There are none.'),
    );
    await world.ask(panel, 'q1');
    const { sessionId } = await world.ask(panel, 'q2');
    await world.ask(panel, 'Which files are there?');
    const tip = world.gateway.surfaces.shownSession(panel.id) ?? '';
    expect({
      moved: tip !== sessionId,
      last: storedLines(world, tip).at(-1),
      delivered: panel.delivered.at(-1)?.text,
      times: panel.deliveredText.split('There are none.').length - 1,
      refused: refused(world),
      ended: ended(panel),
    }).toEqual({
      moved: true,
      last: 'assistant: There are none.',
      delivered: 'There are none.',
      times: 1,
      refused: [],
      ended: 'complete stop',
    });
  });

  it('keeps its cool-down across a reload, and from a new session (B172)', async () => {
    const world = await create({ contextWindow: 4000 });
    let panel = world.surface();
    const half = filling('one').uses({ input: 1500, output: 10 });
    world.server.script(half, filling('two'), noKey(), filling('three'));
    await world.ask(panel, 'q1');
    const { sessionId } = await world.ask(panel, 'q2');
    await world.send(panel, 'q3');
    await world.settles(panel, 3);
    const asked = [world.server.requests.length];
    await world.reopen();
    panel = await resumed(world, sessionId);
    world.server.script(filling('four'));
    await world.ask(panel, 'q4');
    asked.push(world.server.requests.length);
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    world.server.script(half, filling('two'), reply().says(summary), reply().says('done'));
    await world.ask(panel, 'q1');
    await world.ask(panel, 'q2');
    await world.send(panel, 'q3');
    await world.settles(panel, 4);
    asked.push(world.server.requests.length);
    expect({
      asked,
      compressed: tips(world),
      meta: readElsewhere(world, "SELECT count(*) FROM state_meta WHERE key LIKE 'compression:%' AND value <> ''"),
    }).toEqual({ asked: [4, 5, 9], compressed: ['1'], meta: ['1'] });
  });

  it('in its cool-down still makes one attempt for a request refused as too long, and never abandons the session (B173)', async () => {
    const world = await create({ contextWindow: 4000 });
    const panel = world.surface();
    world.server.script(filling('one'), filling('two'), noKey(), filling('three'));
    await world.ask(panel, 'q1');
    const { sessionId } = await world.ask(panel, 'q2');
    await world.ask(panel, 'q3');
    const tooLong = () => refuses(400, { message: "This model's maximum context length is 4096 tokens." });
    world.server.script(tooLong(), noKey());
    await world.ask(panel, 'q4');
    const failed = {
      ended: ended(panel),
      shown: world.gateway.surfaces.shownSession(panel.id),
      requests: world.server.requests.length,
    };
    world.server.script(tooLong(), reply().says(summary), reply().says('a5'));
    await world.ask(panel, 'q5');
    expect({
      failed,
      ended: ended(panel),
      compressed: tips(world),
      last: storedLines(world, world.gateway.surfaces.shownSession(panel.id) ?? '').at(-1),
    }).toEqual({
      failed: { ended: 'failed error context', shown: sessionId, requests: 6 },
      ended: 'complete stop',
      compressed: ['1'],
      last: 'assistant: a5',
    });
  });
});
