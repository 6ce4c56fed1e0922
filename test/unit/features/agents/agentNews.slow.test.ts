import { afterEach, expect, test } from 'vitest';
import { readCommands } from '../../../../src/features/agents/core/storedSession';
import { HostedWorld, script } from '../../../support/acpAgent/hostedWorld';

let hosted: HostedWorld;
afterEach(() => hosted.close());

const usage = (used: number, amount: number) => ({
  update: { sessionUpdate: 'usage_update', used, size: 1000, cost: { amount, currency: 'USD' } },
});

test('commands are stored for the session and for new ones, as text of one line and with names that can be typed', async () => {
  hosted = await HostedWorld.create({
    quirks: {
      commands: [
        { name: 'review', description: 'Looks\n\u202eat  it', input: { hint: 'what' } },
        { name: '/$skill' },
        { name: 'memory show', description: 7 },
        { name: 'rm -rf ;' },
        { name: 3 },
      ],
    },
  });
  const { world } = hosted;
  const surface = world.surface();
  await world.ask(surface, script({ wait: 30 }, { say: 'hello' }));
  const session = await world.store.getSession(world.gateway.surfaces.shownSession(surface.id) ?? '');
  const read = (conversationId: string | null) => readCommands(world.store, conversationId, 'scripted');
  expect(await read(session?.conversationId ?? '')).toEqual([
    { name: 'review', description: 'Looks at it', hint: 'what' },
    { name: '$skill', description: '', hint: null },
    { name: 'memory show', description: '', hint: null },
  ]);
  expect(await read(null)).toHaveLength(3);
  expect(await read('another')).toHaveLength(3);
});

test('the context that the agent reports is the one that is shown, also in the next window; its cost counts once', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  // So long that a history of ours might have to be compressed.
  await world.ask(surface, script(usage(100, 0.5), { say: 'one '.repeat(5000) }));
  const sessionId = world.gateway.surfaces.shownSession(surface.id) ?? '';
  await hosted.reopen();
  const next = world.surface();
  await world.gateway.switching.switchSession(next.id, { reason: 'resume', sessionId });
  expect(await world.gateway.compression.contextUse(sessionId)).toEqual({
    tokens: 100,
    counted: true,
    window: 1000,
    parts: null,
  });
  await world.ask(next, script(usage(300, 0.75), { say: 'two' }));
  const turns = next.settled.map(({ turn }) => turn.usage?.costUsd);
  expect(turns).toEqual([0.25]);
  expect((await world.gateway.compression.contextUse(sessionId)).tokens).toBe(300);
  expect(world.logLines.filter((line) => line.includes('compressed'))).toEqual([]);
});

test('words of a sub-agent are part of the call that started it, and not of the answer', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  const nested = (update: object) => ({ update: { ...update, _meta: { claudeCode: { parentToolUseId: 'task' } } } });
  const call = { toolCallId: 'task', title: 'Look around', kind: 'think' };
  await world.ask(
    surface,
    script(
      { update: { sessionUpdate: 'tool_call', status: 'in_progress', ...call } },
      nested({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I look.' } }),
      nested({ sessionUpdate: 'tool_call', toolCallId: 'grep', title: 'Grep', kind: 'search', status: 'completed' }),
      // More than is stored at a time, and more in the same moment.
      nested({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'A'.repeat(500) } }),
      nested({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'SECOND' } }),
      nested({ sessionUpdate: 'tool_call', toolCallId: 'read', title: 'Read', kind: 'read', status: 'completed' }),
      nested({ sessionUpdate: 'plan', entries: [{ content: 'not ours', status: 'pending' }] }),
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 'task', status: 'completed' } },
      { wait: 100 },
      // One that works in the background speaks after its call has ended.
      nested({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'LAST' } }),
      { say: 'Done.' },
    ),
  );
  const sessionId = world.gateway.surfaces.shownSession(surface.id) ?? '';
  expect(surface.deliveredText).toBe('Done.');
  const results = (await world.rows(sessionId)).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'toolResult' ? [`${part.name} ${part.outcome}: ${part.text}`] : [])),
  );
  expect(results).toEqual([
    `agent_tool done: I look.\n• Grep\n${'A'.repeat(500)}SECOND\n• Read\nLAST`,
    'search_files done: ',
    'read_file done: ',
  ]);
});

test('a sub-agent with a session of its own is one call; news of a session that was not named is left out', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  const said = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const state = (name: string, sessionId = 'child') => ({
    update: { sessionUpdate: 'subagent_update', sessionId, title: 'Helper', state: { state: name } },
  });
  await world.ask(
    surface,
    script(
      { session: 'stranger', update: said('not mine') },
      state('running'),
      { session: 'child', update: said('Helping.') },
      { session: 'child', update: { sessionUpdate: 'usage_update', used: 9, size: 10 } },
      { session: 'child', ...state('running', 'grandchild') },
      { session: 'grandchild', update: said('Digging.') },
      { session: 'child', ...state('idle', 'grandchild') },
      state('idle'),
      { say: 'Done.' },
    ),
  );
  const sessionId = world.gateway.surfaces.shownSession(surface.id) ?? '';
  expect(surface.deliveredText).toBe('Done.');
  const results = (await world.rows(sessionId)).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'toolResult' ? [`${part.name} ${part.outcome}: ${part.text}`] : [])),
  );
  expect(results).toEqual(['agent_tool done: Helping.', 'agent_tool done: Digging.']);
  expect((await world.gateway.compression.contextUse(sessionId)).counted).toBe(false);
});

const forking = { loadSession: true, sessionCapabilities: { resume: {}, fork: {} } };

test.each([
  ['forks the session of the agent', { quirks: { capabilities: forking }, forked: ['agent-session-1'], asked: 0 }],
  ['offers the transcript where the agent cannot fork', { quirks: {}, forked: [], asked: 1 }],
])('a branch of the newest answer %s', async (_name, { quirks, forked, asked }) => {
  hosted = await HostedWorld.create({ quirks });
  const { world } = hosted;
  const surface = world.surface();
  const branch = async (from: string | null): Promise<void> => {
    const sessionId = world.gateway.surfaces.shownSession(surface.id) ?? '';
    await world.gateway.switching.switchSession(surface.id, { reason: 'branch', sessionId, from });
  };
  await world.ask(surface, 'first');
  await branch(null);
  await world.send(surface, 'second');
  if (asked > 0) {
    await surface.until(({ questions }) => questions.length > 0);
    await world.gateway.approvals.decide(surface.questions[0]?.id ?? '', { kind: 'deny', reason: null });
  }
  await surface.untilSettled(2);
  expect(hosted.logged('forked')).toEqual(forked);
  expect(surface.questions).toHaveLength(asked);
  expect(surface.deliveredText).toContain('echo: second');
});

test('a branch from an earlier answer is not a fork: the agent knows more than is above', async () => {
  hosted = await HostedWorld.create({ quirks: { capabilities: forking } });
  const { world } = hosted;
  const surface = world.surface();
  const branch = async (from: string | null): Promise<void> => {
    const sessionId = world.gateway.surfaces.shownSession(surface.id) ?? '';
    await world.gateway.switching.switchSession(surface.id, { reason: 'branch', sessionId, from });
  };
  await world.ask(surface, 'first');
  await world.ask(surface, 'second');
  const rows = await world.rows(world.gateway.surfaces.shownSession(surface.id) ?? '');
  await branch(rows[1]?.uid ?? '');
  await world.send(surface, 'third');
  await surface.until(({ questions }) => questions.length > 0);
  await world.gateway.approvals.decide(surface.questions[0]?.id ?? '', { kind: 'deny', reason: null });
  await surface.untilSettled(3);
  expect(hosted.logged('forked')).toEqual([]);
});

test.each([
  ['kinds that it names', { loadSession: true, mcpCapabilities: { http: true } }, ['files', 'web'], ['feed', 'gone']],
  ['programs only, where it names none', {}, ['files'], ['web', 'feed', 'gone']],
])('an agent gets MCP servers of the %s, and a line names each other one', async (_name, capabilities, given, left) => {
  const http = { url: 'https://example.org/mcp', headers: { 'X-Key': 'its own' } };
  hosted = await HostedWorld.create({
    quirks: { capabilities },
    servers: () =>
      Promise.resolve([
        { kind: 'stdio', name: 'files', command: '/bin/files', args: ['-r'], environment: { TOKEN: 'its own' } },
        { kind: 'http', name: 'web', ...http },
        { kind: 'sse', name: 'feed', ...http },
        { name: 'gone', problem: 'Not trusted.' },
      ]),
  });
  const surface = hosted.world.surface();
  await hosted.world.ask(surface, 'hello');
  const [servers] = hosted.logged('servers') as [readonly { readonly name: string }[]];
  expect(servers.map(({ name }) => name)).toEqual(given);
  expect(servers[0]).toEqual({
    name: 'files',
    command: '/bin/files',
    args: ['-r'],
    env: [{ name: 'TOKEN', value: 'its own' }],
  });
  const rows = await hosted.world.rows(hosted.world.gateway.surfaces.shownSession(surface.id) ?? '');
  const notes = rows.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'toolResult' ? [part.text] : [])));
  expect(notes.map((text) => /server “(\w+)”/.exec(text)?.[1])).toEqual(left);
});
