import { afterEach, describe, expect, it } from 'vitest';
import { delegateTaskTool } from '../../../src/tools/delegate/delegateTask';
import type { Approval, ApprovalDecision } from '../../../src/transcript/approval';
import type { Message } from '../../../src/transcript/message';
import type { ToolResultPart } from '../../../src/transcript/part';
import { askingTools } from '../../support/askingTools';
import { reply, type Reply } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';
import { resumed } from '../../support/conformance';

let world: World;
afterEach(() => world.close());

const once: ApprovalDecision = { kind: 'allow', scope: 'once' };

async function delegating(options: WorldOptions = {}, during?: Parameters<typeof askingTools>[0]) {
  const asks = askingTools(during);
  world = await World.create({ ...options, tools: [...asks.tools, delegateTaskTool()] });
  return { ...asks, panel: world.surface() };
}

/** Answers by what is asked: the sub-agent's requests by their task, the others in their order. */
function answers(tasks: Readonly<Record<string, readonly Reply[]>>, own: readonly Reply[]): void {
  const asked = new Map<string, number>();
  world.server.otherwise(({ outline }) => {
    const prompt = outline.find((line) => line.startsWith('user:')) ?? '';
    const task = Object.keys(tasks).find((name) => prompt.includes(name)) ?? '';
    const count = asked.get(task) ?? 0;
    asked.set(task, count + 1);
    return (task === '' ? own : (tasks[task] ?? []))[count] ?? reply().says('nothing more');
  });
}

const results = (rows: readonly Message[]): readonly ToolResultPart[] =>
  rows.flatMap((row) => (row.role === 'tool' ? [row.parts[0]] : []));
const delegates = (): readonly string[] =>
  world.query("SELECT id FROM sessions WHERE parent_kind = 'delegate' ORDER BY rowid").map(({ id }) => String(id));
const only = (): string => delegates()[0] ?? expect.unreachable();
const asked = (panel: RecordingSurface): readonly (Approval | null)[] =>
  panel.turnEvents.flatMap((event) => (event.kind === 'subAgentAsks' ? [event.approval] : []));
async function question(panel: RecordingSurface, count = 1): Promise<Approval> {
  const questions = (): readonly Approval[] => asked(panel).flatMap((approval) => approval ?? []);
  await panel.until(() => questions().length >= count);
  return questions()[count - 1] ?? expect.unreachable();
}

describe('a task handed to a sub-agent', () => {
  it('runs in a session of its own, whose final answer is the result of the call', async () => {
    const { panel, ran } = await delegating();
    answers(
      { 'Look at a.ts': [reply().says('I look.').calls('look', { name: 'a.ts' }), reply().says('It is empty.')] },
      [
        reply().calls(
          'delegate_task',
          { task: 'Look at a.ts', context: 'It is new.', title: 'Look around' },
          { id: 'call-d' },
        ),
        reply().says('So it is empty.'),
      ],
    );
    const { sessionId } = await world.ask(panel, 'go');
    const child = await world.store.getSession(only());
    const [result] = results(await world.rows(sessionId));
    expect({
      ran,
      child: [child?.parentSessionId, child?.parentKind, child?.title, child?.conversationId],
      by: world.query('SELECT delegated_by FROM sessions WHERE delegated_by IS NOT NULL')[0]?.['delegated_by'],
      listed: (await world.gateway.store.listSessions({ limit: 9 })).map(({ id }) => id),
      own: await world.lines(sessionId),
      its: await world.lines(only()),
      details: { ...Object(result?.details), ms: 0 },
      told: panel.turnEvents.flatMap((event) => (event.kind === 'toolProgress' ? [event.progress] : [])),
      memory: world.memoryLog.filter((line) => line.includes(only())),
    }).toEqual({
      ran: ['look a.ts'],
      child: [sessionId, 'delegate', 'Look around', only()],
      by: 'call-d',
      listed: [sessionId],
      own: [
        'user: go',
        expect.stringContaining('assistant: [delegate_task '),
        'tool: done: It is empty.',
        'assistant: So it is empty.',
      ],
      its: [
        'user: Look at a.ts\n\nIt is new.',
        'assistant: I look. [look {"name":"a.ts"}]',
        'tool: done: look a.ts is done',
        'assistant: It is empty.',
      ],
      details: {
        kind: 'delegate',
        sessionId: only(),
        title: 'Look around',
        turns: 2,
        ms: 0,
        tokens: expect.anything(),
      },
      told: [
        { kind: 'session', sessionId: only() },
        { kind: 'step', call: expect.objectContaining({ name: 'look' }), outcome: null, steps: 1 },
        { kind: 'step', call: expect.objectContaining({ name: 'look' }), outcome: 'done', steps: 1 },
      ],
      memory: [`delegation ${sessionId} to ${only()}: Look at a.ts -> It is empty.`],
    });
  });

  it('is not delegated further, and with read_only uses only read-only tools', async () => {
    const { panel } = await delegating();
    answers({ 'Look only': [reply().calls('change', { name: 'a.ts' }), reply().says('I cannot.')] }, [
      reply().calls('delegate_task', { task: 'Look only', read_only: true }),
      reply().says('Well.'),
    ]);
    await world.ask(panel, 'go');
    const [, refused] = await world.lines(only()).then((lines) => lines.filter((line) => !line.startsWith('user')));
    expect([
      refused?.includes('There is no tool named "change"'),
      /\bdelegate_task\b/.test(refused ?? ''),
      refused?.includes('look, fetch'),
    ]).toEqual([true, false, true]);
  });

  it('accepts no prompts from the user, and is deleted only with the session it belongs to', async () => {
    const { panel } = await delegating();
    answers({ Count: [reply().says('Three.')] }, [
      reply().calls('delegate_task', { task: 'Count' }),
      reply().says('Three it is.'),
    ]);
    const { sessionId } = await world.ask(panel, 'go');
    const child = only();
    const other = await resumed(world, child);
    await expect(world.send(other, 'and now?')).rejects.toMatchObject({ causeClass: 'invalid' });
    await expect(world.gateway.actions.trash(child)).rejects.toMatchObject({ causeClass: 'invalid' });
    const queue = await world.store.queue(child);
    const { sessionIds } = await world.gateway.actions.forget(sessionId);
    expect([
      queue,
      sessionIds,
      await world.store.getSession(child),
      world.gateway.surfaces.shownSession(other.id),
    ]).toEqual([[], [sessionId, child], null, null]);
  });
});

describe('several tasks of one answer', () => {
  it('run in parallel, three at a time, and their results appear in the order of the calls', async () => {
    const running = { now: 0, most: 0 };
    const { panel, holds } = await delegating({}, () => (running.most = Math.max(running.most, ++running.now)));
    const gates = ['one', 'two', 'three', 'four'].map((name) => {
      let open = (): void => undefined;
      holds.set(name, new Promise<void>((resolve) => (open = () => (running.now--, resolve()))));
      return open;
    });
    const task = (name: string): readonly Reply[] => [reply().calls('look', { name }), reply().says(`${name} is done`)];
    answers(
      { 'task one': task('one'), 'task two': task('two'), 'task three': task('three'), 'task four': task('four') },
      [
        ['one', 'two', 'three', 'four'].reduce(
          (answer, name) => answer.calls('delegate_task', { task: `task ${name}` }),
          reply(),
        ),
        reply().says('All done.'),
      ],
    );
    const { sessionId } = await world.send(panel, 'go');
    while (running.now < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    gates[2]?.();
    while (delegates().length < 4) await new Promise((resolve) => setTimeout(resolve, 2));
    for (const index of [3, 1, 0]) gates[index]?.();
    await panel.untilSettled(1);
    expect([running.most, results(await world.rows(sessionId)).map(({ text }) => text)]).toEqual([
      3,
      ['one is done', 'two is done', 'three is done', 'four is done'],
    ]);
  });
});

describe("a sub-agent's question", () => {
  it('appears in the session it works for, which then waits in the list; its rules apply to both', async () => {
    const { panel, ran } = await delegating();
    answers({ Change: [reply().calls('change', { name: 'a.ts' }), reply().says('Changed.')] }, [
      reply().calls('delegate_task', { task: 'Change it', title: 'Change' }, { id: 'call-d' }),
      reply().says('Good.'),
    ]);
    const { sessionId } = await world.send(panel, 'go');
    const approval = await question(panel);
    const own = panel.turnEvents.some(({ kind }) => kind === 'approvalRequested');
    const whileAsked = {
      pending: [
        (await world.gateway.approvals.pending(sessionId))?.id,
        (await world.gateway.approvals.pending(only()))?.id,
        (await world.gateway.snapshot(sessionId, 9)).approval?.id,
      ],
      turn: (await world.store.openTurnOf(sessionId))?.state,
      listed: (await world.gateway.store.listSessions({ limit: 9 })).map(({ lastTurn }) => lastTurn?.state),
      busy: world.gateway.turns.running().map(({ isWaiting }) => isWaiting),
    };
    await world.gateway.approvals.decide(approval.id, { kind: 'allow', scope: 'session', rules: ['change(a.ts)'] });
    await panel.untilSettled(1);
    expect({
      approval: [approval.sessionId, approval.subAgent?.title, approval.subAgent?.callId],
      own,
      whileAsked,
      after: asked(panel).at(-1),
      rules: await world.store.sessionRules(sessionId),
      ran,
    }).toEqual({
      approval: [only(), 'Change', 'call-d'],
      own: false,
      whileAsked: {
        pending: [approval.id, approval.id, approval.id],
        turn: 'running',
        listed: ['waiting'],
        busy: [false, false],
      },
      after: null,
      rules: ['change(a.ts)'],
      ran: ['change a.ts'],
    });
  });

  it('is asked one after the other if several sub-agents ask', async () => {
    const { panel, ran } = await delegating();
    const change = (name: string): readonly Reply[] => [reply().calls('change', { name }), reply().says('Changed.')];
    answers({ 'task a': change('a.ts'), 'task b': change('b.ts') }, [
      reply().calls('delegate_task', { task: 'task a' }).calls('delegate_task', { task: 'task b' }),
      reply().says('Good.'),
    ]);
    await world.send(panel, 'go');
    const first = await question(panel);
    await world.gateway.approvals.decide(first.id, once);
    const second = await question(panel, 2);
    await world.gateway.approvals.decide(second.id, once);
    await panel.untilSettled(1);
    expect([[...ran].sort(), first.id === second.id, asked(panel).at(-1)]).toEqual([
      ['change a.ts', 'change b.ts'],
      false,
      null,
    ]);
  });

  it('follows the mode of the session it works for, as it is at each call', async () => {
    const { panel, ran } = await delegating();
    answers(
      {
        Change: [
          reply().calls('look', { name: 'a.ts' }),
          reply().calls('change', { name: 'a.ts' }),
          reply().says('Not allowed.'),
        ],
      },
      [reply().calls('delegate_task', { task: 'Change it' }), reply().says('Good.')],
    );
    await world.gateway.approvals.setMode(panel.id, null, 'plan');
    await world.ask(panel, 'go');
    expect([ran, results(await world.rows(only())).map(({ outcome }) => outcome)]).toEqual([
      ['look a.ts'],
      ['done', 'denied'],
    ]);
  });
});

describe('a sub-agent ends', () => {
  const stuck = async (options: WorldOptions = {}) => {
    const made = await delegating(options);
    made.holds.set('slow', new Promise(() => undefined));
    answers(
      {
        'task slow': [reply().says('I begin.').calls('look', { name: 'slow' })],
        'task asks': [reply().calls('change', { name: 'a.ts' })],
      },
      [
        reply()
          .calls('delegate_task', { task: 'task slow' }, { id: 'call-1' })
          .calls('delegate_task', { task: 'task asks' }, { id: 'call-2' }),
        reply().says('I go on.'),
      ],
    );
    const { sessionId } = await world.send(made.panel, 'go');
    await question(made.panel);
    while (!made.ran.includes('look slow')) await new Promise((resolve) => setTimeout(resolve, 2));
    return { ...made, sessionId };
  };
  const turns = (): readonly string[] =>
    world
      .query('SELECT state, outcome, stop_reason FROM turns ORDER BY id')
      .map((row) => `${row['state']} ${row['outcome']} ${row['stop_reason']}`);

  it('alone when the user stops it or its call: the other one continues', async () => {
    const { panel, sessionId } = await stuck();
    const waits = (await question(panel)).sessionId;
    await world.gateway.turns.stop(delegates().find((id) => id !== waits) ?? '');
    await world.gateway.turns.stopCall(sessionId, 'call-2');
    await panel.untilSettled(1);
    expect([
      results(await world.rows(sessionId)).map(({ outcome, text }) => `${outcome}: ${text}`),
      panel.settled.at(-1)?.turn.outcome,
    ]).toEqual([
      [
        'interrupted: I begin.\n\n(The person stopped the sub-agent. What it said until then stands ' +
          'above. What it changed stays changed.)',
        'interrupted: (The person stopped the sub-agent. It had said nothing by then. What it changed stays changed.)',
      ],
      'complete',
    ]);
  });

  it('with its window, and does not wait in the store for anything', async () => {
    const { sessionId } = await stuck();
    await world.reopen();
    expect([
      turns(),
      await world.store.pendingApproval(only()),
      results(await world.rows(sessionId)).map(({ outcome }) => outcome),
      await world.store.verifyIntegrity(),
    ]).toEqual([Array(3).fill('settled interrupted windowClosed'), null, ['interrupted', 'interrupted'], []]);
  });
});
