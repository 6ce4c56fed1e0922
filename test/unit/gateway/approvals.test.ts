import { afterEach, describe, expect, it } from 'vitest';
import { retriesOfACall } from '../../../src/store/ownership/storeCalls';
import type { ApprovalPolicy } from '../../../src/tools/approval/approvalPolicy';
import type { ApprovalDecision } from '../../../src/transcript/approval';
import { askingTools } from '../../support/askingTools';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions, full } from '../../support/world';
import { askUntil, gate } from '../../support/conformance';

let world: World;
afterEach(() => world.close());

const once: ApprovalDecision = { kind: 'allow', scope: 'once' };

async function asking(options: WorldOptions = {}, during?: Parameters<typeof askingTools>[0]) {
  const asks = askingTools(during);
  world = await World.create({ tools: asks.tools, ...options });
  return { ...asks, panel: world.surface() };
}

const tools = async (sessionId: string): Promise<readonly string[]> =>
  (await world.lines(sessionId)).filter((line) => line.startsWith('tool'));
const planNotes = (): readonly boolean[] =>
  world.server.requests.map(({ outline }) => outline.some((line) => line.includes('(Plan mode:')));

/** Asks as the cautious policy does, knows rules, and writes down what it is told to remember. */
function ruledPolicy(remembered: string[]): ApprovalPolicy {
  return {
    judge: ({ tool, asked: { access }, sessionRules }) => {
      const rule = `${tool}(${access.kind === 'edit' ? (access.paths[0]?.shown ?? '') : '*'})`;
      return sessionRules.includes(rule)
        ? { kind: 'allow' }
        : { kind: 'ask', request: { tool, access, subject: rule, reasons: ['change'], rules: [rule], preview: null } };
    },
    remember: async (decision) =>
      void remembered.push(
        decision.kind === 'allow' && decision.scope !== 'once'
          ? `${decision.scope} ${decision.rules.join()}`
          : decision.kind,
      ),
  };
}

describe('Plan mode', () => {
  it('refuses tools that could change something, and ends when the plan is approved', async () => {
    const { panel, ran } = await asking({ mode: 'plan' });
    world.server.script(
      reply().calls('change', { name: 'a.ts' }).calls('look', { name: 'a.ts' }),
      reply().calls('present', { name: 'plan' }),
      reply().calls('change', { name: 'a.ts' }),
      reply().says('Done.'),
    );
    const { sessionId } = await world.send(panel, 'change it');
    await world.gateway.approvals.decide((await panel.question()).id, once);
    await world.gateway.approvals.decide((await panel.question(2)).id, once);
    await panel.untilSettled(1);
    expect({
      ran,
      refusal: (await tools(sessionId))[0],
      notes: planNotes(),
      mode: await world.gateway.approvals.mode(panel.id, sessionId),
      told: panel.sessionEvents.flatMap((event) => (event.kind === 'modeChanged' ? [event.mode] : [])),
    }).toEqual({
      ran: ['look a.ts', 'present plan', 'change a.ts'],
      refusal:
        'tool: denied: Plan mode: change could change something, so it was not run. Only look, for now; ' +
        'then present a plan.',
      notes: [true, true, false, false],
      mode: 'ask',
      told: ['ask'],
    });
  });

  it('asks before running tools that a server calls read-only, and refuses its other tools', async () => {
    const { panel, ran } = await asking({ mode: 'plan' });
    world.server.script(
      reply().calls('ask_server', { name: 'set' }).calls('ask_server', { name: 'get' }),
      reply().says('Done.'),
    );
    const { sessionId } = await world.send(panel, 'look');
    await world.gateway.approvals.decide((await panel.question()).id, once);
    await panel.untilSettled(1);
    expect([ran, await tools(sessionId), await world.gateway.approvals.mode(panel.id, sessionId)]).toEqual([
      ['ask_server get'],
      [
        'tool: denied: Plan mode: ask_server could change something, so it was not run. Only look, for ' +
          'now; then present a plan.',
        'tool: done: ask_server get is done',
      ],
      'plan',
    ]);
  });

  it('has nothing to approve when it is off', async () => {
    const { panel, ran } = await asking();
    world.server.script(reply().calls('present', { name: 'plan' }), reply().says('Well.'));
    const { sessionId } = await world.ask(panel, 'go');
    expect([ran, await tools(sessionId), panel.questions]).toEqual([
      [],
      [
        'tool: failed: Plan mode is off, so there is nothing to approve: do the work. What needs it is ' +
          'asked for call by call.',
      ],
      [],
    ]);
  });
});

describe('a tool that needs no approval', () => {
  it('does not run if a rule denies it by name', async () => {
    const denying: ApprovalPolicy = {
      ...ruledPolicy([]),
      judge: ({ tool }) => ({ kind: 'deny', sentence: `${tool} is denied.` }),
    };
    const { panel, ran } = await asking({ approvals: denying });
    world.server.script(
      reply().calls('look', { name: 'a' }),
      reply().calls('look', { name: 'a' }).calls('look', { name: 'b' }),
      reply().says('Done.'),
    );
    const { sessionId } = await world.ask(panel, 'look');
    expect([ran, await tools(sessionId)]).toEqual([
      [],
      ['tool: denied: look is denied.', 'tool: denied: look is denied.', 'tool: denied: look is denied.'],
    ]);
  });
});

describe('the mode of a session', () => {
  it('is chosen in the empty state of one surface, applies to the session that starts there, and to no other', async () => {
    const { panel } = await asking();
    world.server.otherwise(reply().says('ok'));
    const other = world.surface();
    await world.gateway.approvals.setMode(panel.id, null, 'auto');
    const before = [
      await world.gateway.approvals.mode(panel.id, null),
      await world.gateway.approvals.mode(other.id, null),
    ];
    const first = await world.ask(panel, 'one');
    const shown = (await world.gateway.snapshot(first.sessionId, 10)).mode;
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const next = [
      await world.gateway.approvals.mode(panel.id, null),
      await world.store.sessionMode((await world.ask(panel, 'two')).sessionId),
    ];
    expect({ before, shown, next }).toEqual({ before: ['auto', 'ask'], shown: 'auto', next: ['ask', null] });
  });
});

describe('an allow rule', () => {
  it('for the session is not asked for again; one for the workspace is stored before the call runs', async () => {
    const remembered: string[] = [];
    const keptBefore: (readonly string[])[] = [];
    const { panel, ran } = await asking(
      { approvals: ruledPolicy(remembered) },
      (name) => name === 'change b.ts' && keptBefore.push([...remembered]),
    );
    world.server.script(
      reply().calls('change', { name: 'a.ts' }).calls('change', { name: 'a.ts' }).calls('change', { name: 'b.ts' }),
      reply().says('Done.'),
    );
    await world.send(panel, 'go');
    await world.gateway.approvals.decide((await panel.question()).id, {
      kind: 'allow',
      scope: 'session',
      rules: ['change(a.ts)'],
    });
    await world.gateway.approvals.decide((await panel.question(2)).id, {
      kind: 'allow',
      scope: 'workspace',
      rules: ['change(b.ts)'],
    });
    await panel.untilSettled(1);
    expect({ ran, keptBefore, asked: panel.questions.length }).toEqual({
      ran: ['change a.ts', 'change a.ts', 'change b.ts'],
      keptBefore: [['workspace change(b.ts)']],
      asked: 2,
    });
  });

  it('cannot be empty, and an empty one decides nothing', async () => {
    const { panel } = await asking();
    world.server.script(reply().calls('change', { name: 'a.ts' }));
    await world.send(panel, 'go');
    const { id } = await panel.question();
    await expect(
      world.gateway.approvals.decide(id, { kind: 'allow', scope: 'user', rules: [' '] }),
    ).rejects.toMatchObject({ causeClass: 'invalid' });
    await expect(world.gateway.approvals.decide('nowhere', once)).rejects.toMatchObject({ causeClass: 'notFound' });
    expect((await world.store.approval(id))?.state).toEqual({ kind: 'pending' });
  });
});

describe('a single call', () => {
  it('can be stopped: the model is notified, and the turn continues', async () => {
    const { panel, holds } = await asking();
    holds.set('a.ts', new Promise(() => undefined));
    world.server.script(
      reply().calls('look', { name: 'a.ts' }, { id: 'call-a' }).calls('look', { name: 'b.ts' }),
      reply().says('I go on.'),
    );
    const { sessionId } = await world.send(panel, 'go');
    await panel.until(() =>
      panel.turnEvents.some((event) => event.kind === 'activity' && event.activity.kind === 'runningTool'),
    );
    await world.gateway.turns.stopCall(sessionId, 'call-a');
    await panel.untilSettled(1);
    expect([await tools(sessionId), panel.settled.map(({ turn }) => turn.stopReason)]).toEqual([
      ['tool: interrupted: The person stopped this call. It may have run in part.', 'tool: done: look b.ts is done'],
      ['stop'],
    ]);
  });

  it('can be left running if its tool supports it', async () => {
    let proceeds = (): void => undefined;
    const proceeded = new Promise<void>((resolve) => (proceeds = resolve));
    const { panel, holds } = await asking({}, (_name, call) => call.proceed.addEventListener('abort', proceeds));
    holds.set('a.ts', proceeded);
    world.server.script(reply().calls('look', { name: 'a.ts' }, { id: 'call-a' }), reply().says('On.'));
    const { sessionId } = await world.send(panel, 'go');
    await panel.until(() =>
      panel.turnEvents.some((event) => event.kind === 'activity' && event.activity.kind === 'runningTool'),
    );
    await world.gateway.turns.proceedCall(sessionId, 'call-a');
    await panel.untilSettled(1);
    expect(await tools(sessionId)).toEqual(['tool: done: look a.ts is done']);
  });
});

describe('a waiting turn', () => {
  it('names the tools it calls as soon as it continues, so that the agent waits for late tools', async () => {
    const called: (readonly string[])[] = [];
    const { panel } = await asking({ moreTools: async (_signal, names) => (called.push(names), []) });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Done.'));
    await world.send(panel, 'go');
    const { id } = await panel.question();
    await world.gateway.runner.leaveWaiting();
    await world.gateway.approvals.decide(id, once);
    await panel.untilSettled(1);
    expect(called).toEqual([[], ['change']]);
  });

  it('is not ended by a prompt that read its turn while that still ran', async () => {
    const { panel } = await asking();
    const answers = gate();
    world.server.script(reply().waitsFor(answers.opened).calls('change', { name: 'a.ts' }));
    const { sessionId } = await world.send(panel, 'go');
    const held = world.holdCall('promptContext', 'after');
    const sent = world.send(panel, 'and then?');
    await held.reached;
    const before = (await world.store.openTurnOf(sessionId))?.state;
    answers.open();
    await panel.question();
    await world.gateway.runner.leaveWaiting();
    held.release();
    expect([before, (await sent).kind, (await world.store.openTurnOf(sessionId))?.state]).toEqual([
      'running',
      'queued',
      'waiting',
    ]);
  });

  it('is left when the store is released, and continues here within its budget when the user decides here again', async () => {
    const { panel, ran } = await asking({ maxIterations: 2 });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Last words.'));
    const { sessionId } = await world.send(panel, 'go');
    const { id } = await panel.question();
    const marked = world.gateway.turns.running().map(({ isWaiting }) => isWaiting);
    await world.gateway.runner.leaveWaiting();
    const left = [world.gateway.turns.running().length, (await world.store.openTurnOf(sessionId))?.state];
    await world.gateway.approvals.decide(id, once);
    await panel.untilSettled(1);
    // What memory is told behind a turn is told by then.
    await world.gateway.shutdown();
    expect({
      marked,
      left,
      ran,
      reason: panel.settled[0]?.turn.stopReason,
      synced: world.memoryLog.filter((line) => line.startsWith('sync')).map((line) => line.split(': ')[1]),
    }).toEqual({
      marked: [true],
      left: [0, 'waiting'],
      ran: ['change a.ts'],
      reason: 'iterations',
      synced: ['go -> Last words.'],
    });
  });

  it('does not repeat to the model what the turn was sent with: prompt and note appear once', async () => {
    const { panel } = await asking();
    world.server.script(reply().says('half').hangs(), reply().calls('change', { name: 'a.ts' }), reply().says('Done.'));
    const { sessionId } = await askUntil(world, panel, 'first', 'half');
    await world.gateway.turns.stop(sessionId);
    await world.send(panel, 'second');
    const { id } = await panel.question();
    await world.reopen();
    await world.gateway.approvals.decide(id, once);
    await world.idle();
    const [asked, resumed] = [1, 2].map((index) =>
      world.server.requests[index]?.outline.find((line) => line.includes('second')),
    );
    expect([resumed, (await world.store.openTurnOf(sessionId))?.state]).toEqual([asked, undefined]);
  });

  it('continues without another decision after an Allow that was stored although it seemed to fail', async () => {
    const { panel, ran } = await asking();
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Well.'));
    await world.send(panel, 'go');
    const { id } = await panel.question();
    world.failAfter('decideApproval', retriesOfACall + 1, full);
    await expect(world.gateway.approvals.decide(id, once)).rejects.toBe(full);
    await panel.untilSettled(1);
    expect([ran, panel.settled.map(({ turn }) => turn.stopReason)]).toEqual([['change a.ts'], ['stop']]);
  });

  it('ignores an Allow that seemed to fail once the call is denied', async () => {
    const { panel, ran } = await asking();
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Well.'));
    const { sessionId } = await world.send(panel, 'go');
    const { id } = await panel.question();
    world.failAfter('decideApproval', retriesOfACall + 1, full);
    await expect(world.gateway.approvals.decide(id, once)).rejects.toBe(full);
    await world.gateway.approvals.decide(id, { kind: 'deny', reason: null });
    await panel.untilSettled(1);
    expect([ran, (await tools(sessionId))[0]?.startsWith('tool: denied')]).toEqual([[], true]);
  });

  it('does not start if the question cannot be stored: nothing runs, and the turn reports why', async () => {
    const { panel, ran } = await asking();
    world.server.script(reply().calls('change', { name: 'a.ts' }));
    const mend = world.failing(['requestApproval']);
    const { sessionId } = await world.send(panel, 'go');
    await panel.untilSettled(1);
    mend();
    expect([ran, panel.questions, panel.settled.map(({ turn }) => turn.stopReason), await tools(sessionId)]).toEqual([
      [],
      [],
      ['storeFailed'],
      ['tool: cancelled: (Cancelled: this call was not run.)'],
    ]);
  });

  it('has no owner after it is left: if it continues and the program dies, it is settled as cut off', async () => {
    const { panel, holds } = await asking();
    holds.set('a.ts', new Promise(() => undefined));
    world.server.script(reply().calls('change', { name: 'a.ts' }));
    const { sessionId } = await world.send(panel, 'go');
    const { id } = await panel.question();
    const whileWaiting = world.calls.liveTurns;
    await world.gateway.runner.leaveWaiting();
    await world.gateway.approvals.decide(id, once);
    const whileRunning = world.calls.liveTurns.length;
    await world.crash();
    expect([
      whileWaiting,
      whileRunning,
      (await world.store.readTranscript({ sessionId, limit: 9 })).turns.map((turn) =>
        turn.state === 'settled' ? turn.stopReason : turn.state,
      ),
    ]).toEqual([[], 1, ['crash']]);
  });
});
