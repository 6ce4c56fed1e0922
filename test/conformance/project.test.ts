import { describe, expect, it } from 'vitest';
import type { ProjectContext } from '../../src/agent/project/projectContext';
import { account, sound } from '../support/account';
import { worldPerTest, resumed } from '../support/conformance';
import { reply } from '../support/modelServer';
import { RecordingMemory } from '../support/recordingMemory';

const { create } = worldPerTest();

const project: ProjectContext = {
  rules: [{ path: 'AGENTS.md', text: 'Use tabs.', appliesTo: null, origin: 'folder' }],
  prompts: [
    {
      name: 'review',
      description: null,
      argumentHint: null,
      path: '.claude/commands/review.md',
      body: 'Review $ARGUMENTS with care.',
      placeholders: 'claude',
      origin: 'folder',
    },
  ],
  skills: [
    {
      name: 'release',
      description: 'How to release',
      path: '.claude/skills/release/SKILL.md',
      body: 'Tag it.',
      files: [],
      origin: 'folder',
    },
  ],
  hooks: [],
  left: [],
};

describe('project instructions for agents', () => {
  it("are part of the system prompt, and the project's skills can be read", async () => {
    const world = await create({ project: () => project });
    world.server.script(reply().calls('read_skill', { name: 'release' }), reply().says('Tag it.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'How do we release?');
    const system = world.server.requests[0]?.outline[0] ?? '';
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({
      rules: system.includes('<rules file="AGENTS.md">\nUse tabs.\n</rules>'),
      skills: system.includes('- release: How to release'),
      read: stored[2]?.includes('Tag it.'),
      rest,
    }).toEqual({
      rules: true,
      skills: true,
      read: true,
      rest: sound,
    });
  });

  it('stay unchanged for the agent that was created with them', async () => {
    let text = 'Use tabs.';
    const world = await create({
      project: () => ({ ...project, rules: [{ path: 'AGENTS.md', text, appliesTo: null, origin: 'folder' }] }),
    });
    world.server.script(reply().calls('list_directory', { path: '.' }), reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    await world.ask(panel, 'first question');
    text = 'Use blanks.';
    await world.ask(panel, 'second question');
    expect(new Set(world.server.requests.map(({ outline }) => outline[0])).size).toBe(1);
  });
});

describe('a prompt that names a prompt file', () => {
  it('is stored and shown as written, sent as the file says, and sent with the same bytes from then on', async () => {
    const world = await create({ project: () => project, memory: (log) => [new RecordingMemory(log)] });
    world.server.script(reply().says('Fine.'), reply().says('Still.'), reply().says('Yes.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, '/review src/a.ts');
    await world.ask(panel, 'And now?');
    await world.reopen();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'Sure?');
    const sent =
      "user: (The person ran /review. What follows is the project's file .claude/commands/review.md.)\n\nReview src/a.ts with care.";
    expect({
      sent: world.server.requests.map(({ outline }) => outline[1] === sent),
      found: (await world.store.search({ text: 'care', limit: 5 })).length,
      memory: world.memoryLog[1],
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      sent: [true, true, true],
      found: 0,
      memory: expect.stringContaining('/review src/a.ts -> Fine.'),
      ...sound,
      stored: [
        'user: /review src/a.ts',
        'assistant: Fine.',
        'user: And now?',
        'assistant: Still.',
        'user: Sure?',
        'assistant: Yes.',
      ],
    });
  });
});
