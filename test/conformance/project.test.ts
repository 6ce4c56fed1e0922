import { describe, expect, it } from 'vitest';
import type { ProjectContext } from '../../src/agent/project/projectContext';
import { delegateTaskTool } from '../../src/tools/delegate/delegateTask';
import { account, readElsewhere, sound } from '../support/account';
import { askingTools } from '../support/askingTools';
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
      argumentHint: null,
      forUser: true,
      forModel: true,
      isForked: false,
    },
  ],
  agents: [],
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

describe('an agent of the project', () => {
  const agent = {
    name: 'looker',
    description: 'Looks',
    path: '.claude/agents/looker.md',
    body: 'Only look.',
    tools: ['look', 'fetch'],
    withoutTools: ['fetch'],
    models: [],
    forUser: true,
    forModel: true,
    forSessions: true,
    handoffs: [],
    origin: 'folder',
  } as const;

  it('is a type of sub-agent with its instructions, and with its tools alone', async () => {
    const asks = askingTools();
    const world = await create({
      tools: [...asks.tools, delegateTaskTool()],
      project: () => ({ ...project, agents: [agent] }),
    });
    world.server.script(
      reply().calls('delegate_task', { task: 'Look', agent: 'looker' }),
      reply().calls('look', { name: 'a' }).calls('change', { name: 'b' }).calls('fetch', { name: 'c' }),
      reply().says('Done.'),
      reply().says('All done.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    const [child = ''] = readElsewhere(world, "SELECT id FROM sessions WHERE parent_kind = 'delegate'");
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({
      ran: asks.ran,
      refused: (await world.lines(child)).filter((line) => line.startsWith('tool: failed: There is no tool named'))
        .length,
      system: world.server.requests[1]?.outline[0]?.includes('# Your task as “looker”\n\nOnly look.'),
      others: world.server.requests[0]?.outline[0]?.includes('Only look.'),
      last: stored.at(-1),
      rest,
    }).toEqual({ ran: ['look a'], refused: 2, system: true, others: false, last: 'assistant: All done.', rest: sound });
  });

  it('runs a call that the user allowed although its file has no such tool, and offers the tool no more', async () => {
    const { tools, ran } = askingTools();
    let agents: ProjectContext['agents'] = [];
    const world = await create({ tools, project: () => ({ ...project, agents }) });
    world.server.script(reply().calls('change', { name: 'a' }), reply().says('Done.'));
    const first = world.surface();
    await world.gateway.customAgents.choose(first.id, null, 'looker');
    const { sessionId } = await world.send(first, 'go');
    await first.until(() => first.turnEvents.some(({ kind }) => kind === 'approvalRequested'));
    await world.crash();
    agents = [agent];
    const panel = await resumed(world, sessionId);
    const pending = await world.gateway.approvals.pending(sessionId);
    await world.gateway.approvals.decide(pending?.id ?? '', { kind: 'allow', scope: 'once' });
    await world.settles(panel);
    const offered = JSON.stringify(world.server.requests.at(-1)?.body['tools']);
    expect([ran, offered.includes('"change"'), offered.includes('"look"')]).toEqual([['change a'], false, true]);
  });

  it('answers in a session once the user chose it there, also after a crash, until they choose the usual one', async () => {
    const asks = askingTools();
    const world = await create({
      tools: [...asks.tools, delegateTaskTool()],
      project: () => ({ ...project, agents: [agent] }),
    });
    const isLooker = (index: number): boolean =>
      world.server.requests[index]?.outline[0]?.includes('# Your task as “looker”\n\nOnly look.') === true;
    const has = (index: number, tool: string): boolean =>
      JSON.stringify(world.server.requests[index]?.body['tools']).includes(`"${tool}"`);
    world.server.script(
      reply().says('I look.'),
      reply().says('Still.'),
      reply().says('Usual.'),
      reply().says('Other.'),
    );
    const first = world.surface();
    await world.gateway.customAgents.choose(first.id, null, 'looker');
    const { sessionId } = await world.ask(first, 'go');
    await world.crash();
    const panel = await resumed(world, sessionId);
    await world.ask(panel, 'and now?');
    const chosen = await world.gateway.customAgents.chosen(panel.id, sessionId);
    await world.gateway.customAgents.choose(panel.id, sessionId, null);
    await world.ask(panel, 'and you?');
    await world.ask(world.surface(), 'elsewhere');
    expect({
      isLooker: [0, 1, 2, 3].map(isLooker),
      tools: ['look', 'change', 'fetch', 'delegate_task'].map((tool) => has(1, tool)),
      usual: has(2, 'change'),
      chosen,
      ...(await account(world, panel, sessionId)),
    }).toMatchObject({
      isLooker: [true, true, false, false],
      tools: [true, false, false, false],
      usual: true,
      chosen: 'looker',
      ...sound,
    });
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
