import { describe, expect, it } from 'vitest';
import { account, sound, storedLines } from '../support/account';
import { gate, repairs, sent, withoutRetryPause, worldPerTest, owing } from '../support/conformance';
import { reply } from '../support/modelServer';
import type { RecordingSurface } from '../support/recordingSurface';
import { type World } from '../support/world';

const { create } = worldPerTest();
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
  await world.server.request(1);
  world.damageStore(damage);
  held.open();
  await world.settles(panel, 1);
  return sessionId;
}

/** Without the row that closes a turn in which nothing was said, which a repair leaves out where an answer was put back. */
const spoken = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !line.includes('(Stopped before an answer'));

describe.each(['openai', 'anthropic'] as const)(
  'text that was shown and is missing from the store, over the %s protocol',
  (protocol) => {
    it.each([
      [
        'before the tool call that follows it, which stays',
        "UPDATE messages SET parts = json_remove(parts, '$[0]'), content = '' WHERE role = 'assistant'",
      ],
      [
        'where it was delivered, with the calls shown with it, and not at the end of its turn',
        "DELETE FROM messages WHERE role = 'assistant'",
      ],
    ])('is inserted %s, and the model receives both (B09)', async (_where, damage) => {
      const world = await create({ protocol });
      const panel = world.surface();
      const sessionId = await damagedTurn(world, panel, damage);
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

    it('and could not be written after its turn, which the log says, is written before the next prompt of the session is answered (S60)', async () => {
      const world = await create({ protocol, clock: withoutRetryPause });
      const { panel, sessionId } = await owing(world);
      const isLogged = world.logLines.some((line) => line.includes('What was shown could not be written afterwards.'));
      world.server.script(reply().says('I am well.'));
      await world.ask(panel, 'How are you?');
      const { stored, missing, refused } = await account(world, panel, sessionId);
      expect({
        stored: spoken(stored),
        missing,
        refused,
        isLogged,
        sent: sent(world, 1).filter((line) => line.startsWith('assistant')),
      }).toEqual({
        stored: ['user: Hi', 'assistant: Hello ', 'user: How are you?', 'assistant: I am well.'],
        missing: [],
        refused: [],
        isLogged: true,
        sent: ['assistant: Hello '],
      });
    });
  },
);

describe('text that is still to be stored', () => {
  it('is written before the window closes (S60)', async () => {
    const world = await create({ clock: withoutRetryPause });
    const { sessionId } = await owing(world);
    const before = spoken(storedLines(world, sessionId));
    await world.reopen();
    expect({ before, after: spoken(storedLines(world, sessionId)) }).toEqual({
      before: ['user: Hi'],
      after: ['user: Hi', 'assistant: Hello '],
    });
  });

  it('is inserted where it was delivered, even after a later turn of its session (S60)', async () => {
    const world = await create({ clock: withoutRetryPause });
    const { panel, sessionId } = await owing(world);
    world.server.script(reply().says('I am well.'));
    const mend = world.failing(['putMessages']);
    await world.ask(panel, 'How are you?');
    mend();
    const before = spoken(storedLines(world, sessionId));
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.reopen();
    expect({ before, after: spoken(storedLines(world, sessionId)) }).toEqual({
      before: ['user: Hi', 'user: How are you?', 'assistant: I am well.'],
      after: ['user: Hi', 'assistant: Hello ', 'user: How are you?', 'assistant: I am well.'],
    });
  });

  it('is dropped once its session is erased, and restores nothing of it (S60)', async () => {
    const world = await create({ clock: withoutRetryPause });
    const { sessionId } = await owing(world);
    await world.gateway.actions.forget(sessionId);
    const before = world.logLines.length;
    await world.reopen();
    expect({
      stored: storedLines(world, sessionId),
      errors: world.logLines.slice(before).filter((line) => line.startsWith('error')),
    }).toEqual({ stored: [], errors: [] });
  });

  it('is part of a branch that is created before it could be written (S60)', async () => {
    const world = await create({ clock: withoutRetryPause });
    const { panel, sessionId } = await owing(world);
    const { sessionId: branch } = await world.gateway.switching.switchSession(panel.id, {
      reason: 'branch',
      sessionId,
      from: null,
    });
    expect(spoken(storedLines(world, branch ?? ''))).toEqual(['user: Hi', 'assistant: Hello ']);
  });
});

it('a fully stored turn leaves one log line with its length, at the finest level, and none of its text (B09)', async () => {
  const world = await create();
  world.server.script(reply().thinks('Let me see.').says('Hello world'));
  const panel = world.surface();
  await world.ask(panel, 'Hi');
  expect(world.traceLines).toEqual([
    `Turn ${panel.settled[0]?.turn.uid}: 22 characters in 1 message were delivered, and all are stored.`,
  ]);
});
