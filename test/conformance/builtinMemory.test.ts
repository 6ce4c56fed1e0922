import { describe, expect, it } from 'vitest';
import { BuiltinMemory } from '../support/builtinMemory';
import { worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import type { World } from '../support/world';

const { create } = worldPerTest();

async function remembering(): Promise<{ readonly world: World; readonly builtin: BuiltinMemory }> {
  const builtin = new BuiltinMemory();
  const world = await create({ memory: builtin.memory });
  builtin.world = world;
  return { world, builtin };
}

function systemOf(world: World, index: number): string {
  return world.server.requests.at(index)?.outline.find((line) => line.startsWith('system:')) ?? '';
}

/** What the newest tool result said to the model. */
function toldByTool(world: World): string {
  return world.server.requests.at(-1)?.outline.findLast((line) => line.startsWith('tool')) ?? '';
}

describe('text that the model saves to memory', () => {
  it('is on disk before the turn continues, not in the running prompt, and in the prompt of the session that /new starts (B187)', async () => {
    const { world, builtin } = await remembering();
    world.server.script(
      reply().calls('memory', { action: 'add', content: 'Deploys go through bluebird' }),
      reply().says('Noted.'),
      reply().says('Again.'),
      reply().says('Bluebird.'),
    );
    const panel = world.surface();
    await world.ask(panel, 'Remember how we deploy');
    await world.ask(panel, 'And now?');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.ask(panel, 'How do we deploy?');
    expect({
      file: builtin.text('workspace/MEMORY.md'),
      frozen: systemOf(world, 0) === systemOf(world, 1) && systemOf(world, 1) === systemOf(world, 2),
      holds: [0, 1, 2, 3].map((index) => systemOf(world, index).includes('- Deploys go through bluebird')),
      refused: world.server.requests.map(({ rejection }) => rejection),
      told: world.server.requests[1]?.outline.at(-1)?.includes('Saved.'),
    }).toEqual({
      file: 'Deploys go through bluebird\n',
      frozen: true,
      holds: [false, false, false, true],
      refused: [null, null, null, null],
      told: true,
    });
  });

  it('is in the prompt of a window that opens later', async () => {
    const { world } = await remembering();
    world.server.script(
      reply().calls('memory', { action: 'add', target: 'user', content: 'Prefers German' }),
      reply().says('Noted.'),
      reply().says('Ja.'),
    );
    await world.ask(world.surface(), 'I prefer German');
    await world.reopen();
    await world.ask(world.surface(), 'Hello there, what now?');
    expect(systemOf(world, -1)).toContain('## About the person, everywhere (14 of 1375 characters)\n- Prefers German');
  });
});

describe('a private session', () => {
  it('has neither the memory tool nor the stored memory', async () => {
    const { world } = await remembering();
    world.server.script(
      reply().calls('memory', { action: 'add', content: 'Deploys go through bluebird' }),
      reply().says('Noted.'),
      reply().says('a'),
    );
    const panel = world.surface();
    await world.ask(panel, 'Remember how we deploy');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session', private: true });
    await world.ask(panel, 'How do we deploy?');
    const names = (index: number): boolean[] =>
      ['"memory"', '"session_search"', '"read_file"'].map((name) =>
        JSON.stringify(world.server.requests.at(index)?.body['tools'] ?? []).includes(name),
      );
    expect([
      names(0),
      names(-1),
      systemOf(world, -1).includes('bluebird'),
      systemOf(world, -1).includes('# Memory'),
    ]).toEqual([[true, true, true], [false, false, true], false, false]);
  });
});

describe('session_search', () => {
  it('finds text of earlier sessions, with session, date and message, and reads on from there', async () => {
    const { world } = await remembering();
    const panel = world.surface();
    world.server.script(reply().says('The retry timer uses the real clock, see marmalade.ts.'));
    const earlier = await world.ask(panel, 'Why does the upload test fail?');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const uid = (await world.rows(earlier.sessionId)).at(-1)?.uid ?? '';
    world.server.script(
      reply().calls('session_search', { query: 'marmalade' }),
      reply().calls('session_search', { message: uid }),
      reply().says('It was the timer.'),
    );
    await world.ask(panel, 'What was it with marmalade again?');
    const answers = world.server.requests.flatMap(({ outline }) => outline.filter((line) => line.startsWith('tool')));
    expect(answers[0]).toMatch(
      new RegExp(
        `1\\. You in .*session ${earlier.sessionId}\\), \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d, message ${uid}\\n   The retry timer uses the real clock, see marmalade\\.ts`,
      ),
    );
    expect(answers[0]).not.toContain('2. ');
    expect(toldByTool(world)).toMatch(
      /--- The person, .*\nWhy does the upload test fail\?\n--- You, .*\nThe retry timer/,
    );
  });

  it('excludes private, trashed and forgotten sessions, text that was taken back, and the current session', async () => {
    const { world } = await remembering();
    const panel = world.surface();
    const said = async (answer: string, privately = false): Promise<string> => {
      await world.gateway.switching.switchSession(panel.id, { reason: 'new_session', private: privately });
      world.server.script(reply().says(answer));
      return (await world.ask(panel, 'Tell me of it')).sessionId;
    };
    const hidden = await said('marmalade in private', true);
    const trashed = await said('marmalade in the trash');
    const forgotten = await said('marmalade forgotten');
    const rewound = await said('marmalade taken back');
    const kept = await said('marmalade kept');
    const uids = await Promise.all(
      [hidden, trashed, rewound, kept].map(async (id) => (await world.rows(id)).at(-1)?.uid ?? ''),
    );
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId: rewound });
    await world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId: rewound, turns: 1 });
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.gateway.actions.trash(trashed);
    await world.gateway.actions.forget(forgotten);
    const calls = [{ query: 'marmalade' }, {}, ...uids.map((message) => ({ message }))];
    world.server.script(...calls.map((input) => reply().calls('session_search', input)), reply().says('marmalade now'));
    await world.ask(panel, 'marmalade?');
    const [found = '', recent = '', ...reads] =
      world.server.requests.at(-1)?.outline.filter((line) => line.startsWith('tool')) ?? [];
    expect({
      found: [...found.matchAll(/marmalade [a-z ]*/g)].map(([text]) => text.trim()),
      recent: [hidden, trashed, forgotten, kept].map((id) => recent.includes(id)),
      reads: reads.map((text) => text.includes('There is no such message')),
      kept: reads.at(-1)?.includes('marmalade kept'),
    }).toEqual({
      found: ['marmalade kept'],
      recent: [false, false, false, true],
      reads: [true, true, true, false],
      kept: true,
    });
  });
});
