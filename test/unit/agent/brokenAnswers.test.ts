import { afterEach, describe, expect, it } from 'vitest';
import { reply } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';

let world: World;
let panel: RecordingSurface;
afterEach(() => world.close());

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await World.create(options);
  panel = world.surface();
}

/** How the session's last turn ended, what it shows, and how many requests were made for it. */
async function outcome(sessionId: string) {
  const [turn] = world.query(
    'SELECT outcome, stop_reason, failure IS NOT NULL AS told FROM turns ORDER BY started_at DESC, rowid DESC LIMIT 1',
  );
  return {
    lines: await world.lines(sessionId),
    shown: panel.deliveredText,
    end: `${String(turn?.['outcome'])} ${String(turn?.['stop_reason'])}`,
    isTold: turn?.['told'] === 1,
    requests: world.server.requests.length,
  };
}

describe.each(['openai', 'anthropic'] as const)('an answer whose connection to %s breaks', (protocol) => {
  it('is continued once, as one answer, and its turn tells of it', async () => {
    await begin({ protocol });
    world.server.script(reply().says('The quick brown ').drops(), reply().says('fox jumps.'));
    const { sessionId } = await world.ask(panel, 'Tell.');
    expect(await outcome(sessionId)).toEqual({
      lines: ['user: Tell.', 'assistant: The quick brown fox jumps.'],
      shown: 'The quick brown fox jumps.',
      end: 'complete stop',
      isTold: true,
      requests: 2,
    });
    expect(JSON.stringify(world.server.requests[1]?.body)).toContain('The quick brown');
  });

  it('does not say again what was shown, where the model begins its sentence anew', async () => {
    await begin({ protocol });
    const sentence = 'The quick brown fox jumps over the lazy dog beside';
    world.server.script(
      reply().says(`Well. ${sentence} the`).drops(),
      reply().says(`${sentence} the river, and sleeps.`),
    );
    const { sessionId } = await world.ask(panel, 'Tell.');
    expect((await outcome(sessionId)).lines[1]).toBe(`assistant: Well. ${sentence} the river, and sleeps.`);
  });

  it('keeps what was shown when the connection breaks again', async () => {
    await begin({ protocol });
    world.server.script(reply().says('One. ').drops(), reply().says('Two. ').drops(), reply().says('Three.'));
    const { sessionId } = await world.ask(panel, 'Count.');
    expect(await outcome(sessionId)).toMatchObject({
      shown: 'One. Two. ',
      end: 'interrupted connectionLost',
      requests: 2,
    });
  });

  it('is asked for again where only thinking was shown', async () => {
    await begin({ protocol });
    world.server.script(reply().thinks('Hm.').drops(), reply().thinks('Hm. Now.').says('Done.'));
    const { sessionId } = await world.ask(panel, 'Tell.');
    expect(await outcome(sessionId)).toMatchObject({ end: 'complete stop', isTold: true, requests: 2 });
    const thinking = (await world.rows(sessionId))[1]?.parts.flatMap((part) =>
      part.kind === 'thinking' ? [part.text] : [],
    );
    expect(thinking?.join('')).toBe('Hm. Now.');
  });

  it('is told of at the end of a turn that went on with tools', async () => {
    await begin({ protocol });
    world.server.script(
      reply().says('I look ').drops(),
      reply().says('first.').calls('list_files', { path: '.' }),
      reply().says('Nothing there.'),
    );
    const { sessionId } = await world.ask(panel, 'Look.');
    expect(await outcome(sessionId)).toMatchObject({ end: 'complete stop', isTold: true, requests: 3 });
    expect((await world.lines(sessionId))[1]).toContain('I look first.');
  });
});
