import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { account, sound, storedLines } from '../support/account';
import { askUntil, gate, repairs, sent, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import type { RecordingSurface } from '../support/recordingSurface';
import type { World } from '../support/world';

const { create } = worldPerTest();
const full = new StoreError('full', 'The disk is full. Free some space.', 'database or disk is full');
const call = '[list_directory {"path":"nowhere"}]';
const result = 'tool: failed: There is no file or folder at nowhere.';

/** A turn of two requests. While the second runs, another hand does `damage` to the store. */
async function damagedTurn(world: World, panel: RecordingSurface, damage: string): Promise<string> {
  const held = gate();
  world.server.script(
    reply().says('First I look.').calls('list_directory', { path: 'nowhere' }),
    reply().startsAfter(held.opened).says('Then I am done.'),
    reply().says('Yes.'),
  );
  const { sessionId } = await world.send(panel, 'Look');
  while (world.server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  world.damageStore(damage);
  held.open();
  await panel.untilSettled(1);
  await world.idle();
  return sessionId;
}

/** A session whose answer was shown, is gone from the store, and could not be written again with its turn. The disk is well again. */
async function owing(world: World): Promise<{ readonly panel: RecordingSurface; readonly sessionId: string }> {
  const panel = world.surface();
  const { sessionId } = await askUntil(world, panel, 'Hi', 'Hello ');
  const mend = world.breakStore(() => full);
  await panel.untilSettled(1);
  world.damageStore('DELETE FROM stream_chunks');
  world.damageStore("DELETE FROM messages WHERE role = 'assistant'");
  mend();
  const mendAgain = world.breakStore((method) => (method === 'putMessages' ? full : null));
  await panel.untilSettled(2);
  await world.idle();
  mendAgain();
  return { panel, sessionId };
}

/** Without the row that closes a turn in which nothing was said, which a repair leaves out where an answer was put back. */
const spoken = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !line.includes('(Stopped before an answer'));

describe.each(['openai', 'anthropic'] as const)(
  'text that was shown and is missing from the store, over the %s protocol',
  (protocol) => {
    it('B09 is inserted before the tool call that follows it, which stays, and the model receives both', async () => {
      const world = await create({ protocol });
      const panel = world.surface();
      const sessionId = await damagedTurn(
        world,
        panel,
        "UPDATE messages SET parts = json_remove(parts, '$[0]'), content = '' WHERE role = 'assistant'",
      );
      const after = await account(world, panel, sessionId);
      await world.ask(panel, 'Sure?');
      expect({ after, repairs: repairs(world), sent: sent(world, 2) }).toEqual({
        after: {
          ...sound,
          backfills: 1,
          stored: ['user: Look', `assistant: First I look. ${call}`, result, 'assistant: Then I am done.'],
        },
        repairs: 0,
        sent: [
          'user: Look',
          'assistant: First I look.',
          expect.stringMatching(/^assistant: calls list_directory /),
          expect.stringMatching(/^tool .*nowhere/),
          'assistant: Then I am done.',
          'user: Sure?',
        ],
      });
    });

    it('B09 is inserted where it was delivered, with the calls shown with it, and not at the end of its turn', async () => {
      const world = await create({ protocol });
      const panel = world.surface();
      const sessionId = await damagedTurn(world, panel, "DELETE FROM messages WHERE role = 'assistant'");
      const after = await account(world, panel, sessionId);
      await world.ask(panel, 'Sure?');
      expect({ after, repairs: repairs(world), sent: sent(world, 2) }).toEqual({
        after: {
          ...sound,
          backfills: 1,
          stored: ['user: Look', `assistant: First I look. ${call}`, result, 'assistant: Then I am done.'],
        },
        repairs: 0,
        sent: [
          'user: Look',
          'assistant: First I look.',
          expect.stringMatching(/^assistant: calls list_directory /),
          expect.stringMatching(/^tool .*nowhere/),
          'assistant: Then I am done.',
          'user: Sure?',
        ],
      });
    });

    it('S60 and could not be written after its turn is written before the next prompt of the session is answered', async () => {
      const world = await create({ protocol });
      world.server.script(reply().says('Hello ').pauses(50).says('world'), reply().says('I am well.'));
      const { panel, sessionId } = await owing(world);
      await world.ask(panel, 'How are you?');
      const { stored, missing, refused } = await account(world, panel, sessionId);
      expect({
        stored: spoken(stored),
        missing,
        refused,
        sent: sent(world, 1).filter((line) => line.startsWith('assistant')),
      }).toEqual({
        stored: ['user: Hi', 'assistant: Hello ', 'user: How are you?', 'assistant: I am well.'],
        missing: [],
        refused: [],
        sent: ['assistant: Hello '],
      });
    });
  },
);

describe('text that is still to be stored', () => {
  it('S60 is written before the window closes', async () => {
    const world = await create();
    world.server.script(reply().says('Hello ').pauses(50).says('world'));
    const { sessionId } = await owing(world);
    const before = spoken(storedLines(world, sessionId));
    await world.reopen();
    expect({ before, after: spoken(storedLines(world, sessionId)) }).toEqual({
      before: ['user: Hi'],
      after: ['user: Hi', 'assistant: Hello '],
    });
  });

  it('S60 is inserted where it was delivered, even after a later turn of its session', async () => {
    const world = await create();
    world.server.script(reply().says('Hello ').pauses(50).says('world'), reply().says('I am well.'));
    const { panel, sessionId } = await owing(world);
    const mend = world.breakStore((method) => (method === 'putMessages' ? full : null));
    await world.ask(panel, 'How are you?');
    mend();
    const before = spoken(storedLines(world, sessionId));
    await world.gateway.switchSession(panel.id, { reason: 'new_session' });
    await world.reopen();
    expect({ before, after: spoken(storedLines(world, sessionId)) }).toEqual({
      before: ['user: Hi', 'user: How are you?', 'assistant: I am well.'],
      after: ['user: Hi', 'assistant: Hello ', 'user: How are you?', 'assistant: I am well.'],
    });
  });

  it('S60 is dropped once its session is erased, and restores nothing of it', async () => {
    const world = await create();
    world.server.script(reply().says('Hello ').pauses(50).says('world'));
    const { sessionId } = await owing(world);
    await world.gateway.forgetSession(sessionId);
    const before = world.logLines.length;
    await world.reopen();
    expect({
      stored: storedLines(world, sessionId),
      errors: world.logLines.slice(before).filter((line) => line.startsWith('error')),
    }).toEqual({ stored: [], errors: [] });
  });

  it('S60 is part of a branch that is created before it could be written', async () => {
    const world = await create();
    world.server.script(reply().says('Hello ').pauses(50).says('world'));
    const { panel, sessionId } = await owing(world);
    const { sessionId: branch } = await world.gateway.switchSession(panel.id, {
      reason: 'branch',
      sessionId,
      from: null,
    });
    expect(spoken(storedLines(world, branch ?? ''))).toEqual(['user: Hi', 'assistant: Hello ']);
  });
});

it('B09 a fully stored turn leaves one log line with its length, at the finest level, and none of its text', async () => {
  const world = await create();
  world.server.script(reply().thinks('Let me see.').says('Hello world'));
  const panel = world.surface();
  await world.ask(panel, 'Hi');
  expect(world.traceLines).toEqual([
    `Turn ${panel.settled[0]?.turn.uid}: 22 characters in 1 message were delivered, and all are stored.`,
  ]);
});
