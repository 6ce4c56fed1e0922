import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { defineTool } from '../../src/tools/tool';
import { account, sound, storedLines } from '../support/account';
import { image } from '../support/builders/messages';
import { ended, seeded, sent, talked, worldPerTest } from '../support/conformance';
import { refuses, reply } from '../support/modelServer';
import { halfCharacters } from '../support/wellFormed';

const { create } = worldPerTest();

describe.each(['openai', 'anthropic'] as const)(
  'the store keeps exactly what was said, over the %s protocol',
  (protocol) => {
    it('half a surrogate pair neither stops a save nor makes stored and shown text differ (B130)', async () => {
      const world = await create({ protocol });
      world.server.script(
        reply().thinks('\udc00 hm', { in: 'whole' }).says('\ud800x', { in: 'whole' }),
        reply().says('後で'),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'a\ud800b');
      await world.ask(panel, 'later');
      expect({ shown: panel.delivered.map(({ text }) => text), ...(await account(world, panel, sessionId)) }).toEqual({
        shown: ['\ufffd hm\ufffdx', '後で'],
        ...sound,
        stored: ['user: a\ufffdb', 'assistant: <\ufffd hm> \ufffdx', 'user: later', 'assistant: 後で'],
      });
    });

    it("half a surrogate pair in a call's arguments or a tool's metadata stops no request; the store keeps what the model wrote (B131)", async () => {
      const torn = defineTool({
        name: 'torn',
        description: 'Half a \ud83d',
        schema: v.looseObject({ 'key \ud83d': v.optional(v.picklist(['\ud83d'])) }),
        readOnly: true,
        run: () => Promise.resolve({ outcome: 'done', text: 'half \ud83d' }),
      });
      const world = await create({ protocol, tools: [torn] });
      world.server.script(
        reply().calls('torn', { path: 'nowhere \ud83d', deep: [{ '\ud83d': ['\udc00'] }] }),
        reply().says('Not there.'),
        reply().says('Yes.'),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'look');
      await world.ask(panel, 'really?');
      const { stored, ...rest } = await account(world, panel, sessionId);
      expect({
        stored: stored[1],
        halves: world.server.requests.flatMap(({ body }) => halfCharacters(body)),
        asked: world.server.requests.length,
        ...rest,
      }).toEqual({
        stored: `assistant: [torn ${JSON.stringify({ path: 'nowhere \ud83d', deep: [{ '\ud83d': ['\udc00'] }] })}]`,
        halves: [],
        asked: 3,
        ...sound,
      });
    });

    it('an error about ASCII changes no stored character (B132)', async () => {
      const world = await create({ protocol });
      world.server.script(
        reply().says('東京は晴れ 🌤。'),
        refuses(400, { message: "'ascii' codec can't encode characters" }),
        reply().says('そうです。'),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, '天気は？');
      await world.ask(panel, '本当？');
      await world.ask(panel, 'では');
      expect(await account(world, panel, sessionId)).toEqual({
        ...sound,
        stored: [
          'user: 天気は？',
          'assistant: 東京は晴れ 🌤。',
          'user: 本当？',
          'assistant (closing): (The request failed before an answer.)',
          'user: では',
          'assistant: そうです。',
        ],
      });
    });

    it('an unreadable row costs only that row (B137)', async () => {
      const world = await create({ protocol });
      const { panel, sessionId } = await talked(world, 2);
      world.damageStore("UPDATE messages SET parts = '{broken', tool_calls = '{broken' WHERE content = 'a1'");
      const listed = (await world.gateway.store.listSessions({ limit: 10 })).length;
      world.server.script(reply().says('a3'));
      await world.ask(panel, 'q3');
      const lines = await world.lines(sessionId);
      expect({
        listed,
        says: lines[1]?.includes('couldn’t be read'),
        others: lines.filter((_, index) => index !== 1),
        ended: ended(panel),
      }).toEqual({
        listed: 1,
        says: true,
        others: ['user: q1', 'user: q2', 'assistant: a2', 'user: q3', 'assistant: a3'],
        ended: 'complete stop',
      });
    });

    it('an image is stored as an image and goes with every request (B140)', async () => {
      const world = await create({ protocol });
      world.server.script(reply().says('one'), reply().says('two'));
      const { panel, sessionId } = await seeded(world, (history) => history.user('look', image).assistant('A cat.'));
      await world.ask(panel, 'sure?');
      await world.ask(panel, 'really?');
      const withPicture = world.server.requests.map(({ body }) => JSON.stringify(body).includes(image.dataBase64));
      expect({ withPicture, first: storedLines(world, sessionId)[0] }).toEqual({
        withPicture: [true, true],
        first: 'user: look [image]',
      });
    });
  },
);

describe('the store keeps exactly what was said', () => {
  it('a prompt that is sent again goes out as it was written, to the last blank (B106)', async () => {
    const world = await create();
    world.server.script(refuses(401, { message: 'no' }), reply().says('ok'));
    const panel = world.surface();
    await world.ask(panel, '  ab\n\n\tcd  ');
    await world.gateway.versions.retry(panel.id, panel.settled[0]?.turn.uid ?? '');
    await world.settles(panel, 2);
    expect([sent(world, 0), sent(world, 1)]).toEqual([['user:   ab\n\n\tcd  '], ['user:   ab\n\n\tcd  ']]);
  });

  it('a store that fails reports its error class and its own message (B136)', async () => {
    const world = await create();
    world.server.script(reply().says('one ').pauses(30).says('two'));
    const panel = world.surface();
    let appends = 0;
    world.breakStore((method) =>
      method === 'appendChunks' && ++appends > 1
        ? new StoreError('corrupt', 'The file is damaged. Reload the window.', 'database disk image is malformed')
        : null,
    );
    await world.send(panel, 'count');
    await panel.untilSettled(1);
    const failure = panel.settled[0]?.turn.failure;
    expect([failure?.cause, failure?.technical]).toEqual(['corrupt', 'database disk image is malformed']);
  });
});
