import { describe, expect, it } from 'vitest';
import { type HookAnswer, type HookEvent, noAnswer, type TurnHooks } from '../../src/agent/turnHooks';
import { delegateTaskTool } from '../../src/tools/delegate/delegateTask';
import { type AnyTool, defineTool } from '../../src/tools/tool';
import type { HookRun } from '../../src/transcript/hookRun';
import * as v from 'valibot';
import type { ApprovalPolicy } from '../../src/tools/approval/approvalPolicy';
import { cautiousPolicy } from '../support/cautiousPolicy';
import { account, readElsewhere, sound } from '../support/account';
import { askingTools } from '../support/askingTools';
import { ended, gate, resumed, sent, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';

const { create } = worldPerTest();

const run = (outcome: HookRun['outcome'], text = ''): HookRun => ({ event: 'PreToolUse', hook: 'h', outcome, text });

/** Hooks that answer as the test says, and what they were asked, in order. */
function hooksOf(answer: (event: HookEvent) => Partial<HookAnswer> | Promise<Partial<HookAnswer>>): {
  readonly hooks: TurnHooks;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const hooks: TurnHooks = {
    run: async (event) => {
      asked.push(event.call === undefined ? event.name : `${event.name} ${event.call.arguments}`);
      return { ...noAnswer, ...(await answer(event)) };
    },
  };
  return { hooks, asked };
}

/** A tool whose edits the user may allow together: they are shown, and plain. */
function showingEdits(): {
  readonly tools: readonly AnyTool[];
  readonly ran: string[];
  readonly approvals: ApprovalPolicy;
} {
  const ran: string[] = [];
  const edit = defineTool({
    name: 'edit',
    description: 'edit',
    schema: v.object({ name: v.string() }),
    readOnly: false,
    asks: async ({ name }) => ({
      access: { kind: 'edit', paths: [{ path: `/project/${name}`, shown: name, isInside: true }] },
      preview: `+${name}`,
    }),
    run: async ({ name }) => ({ outcome: 'done', text: `edit ${ran.push(name)}` }),
  });
  const approvals: ApprovalPolicy = {
    ...cautiousPolicy,
    judge: (call) => {
      const verdict = cautiousPolicy.judge(call);
      if (verdict.kind !== 'ask') return verdict;
      return { ...verdict, request: { ...verdict.request, reasons: [call.asksFor ?? 'change'] } };
    },
  };
  return { tools: [edit], ran, approvals };
}

const permission = (outcome: HookRun['outcome'], text = ''): HookRun => ({
  ...run(outcome, text),
  event: 'PermissionRequest',
});

const before =
  (answer: Partial<HookAnswer>) =>
  ({ name }: HookEvent): Partial<HookAnswer> =>
    name === 'PreToolUse' ? answer : {};

describe('a hook before a call', () => {
  it('blocks it: the call does not run, nobody is asked, and the result says that a hook did it', async () => {
    const { hooks } = hooksOf(before({ decision: 'deny', reason: 'Not on Fridays.', runs: [run('blocked')] }));
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('I see.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'change it');
    expect({ ran, ...(await account(world, panel, sessionId)) }).toEqual({
      ran: [],
      ...sound,
      stored: [
        'user: change it',
        'assistant: [change {"name":"a.ts"}]',
        'tool: denied: A hook blocked this call, and the person was not asked: Not on Fridays. Respect it; do not try ' +
          'it another way.',
        'assistant: I see.',
      ],
    });
  });

  it('changes its input: that runs, the call stays stored as the model wrote it, and the model is told', async () => {
    const { hooks } = hooksOf(before({ arguments: '{"name":"b.ts"}', runs: [run('changed')] }));
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('look', { name: 'a.ts' }).calls('look', { name: 'c.ts' }), reply().says('Seen.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look');
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({ ran, stored: stored.slice(1, 3), rest }).toEqual({
      ran: ['look b.ts', 'look b.ts'],
      stored: [
        'assistant: [look {"name":"a.ts"}] [look {"name":"c.ts"}]',
        'tool: done: look b.ts is done\n\n(A hook changed the arguments of this call to {"name":"b.ts"}.)',
      ],
      rest: sound,
    });
  });

  it('is told what runs, not what the model wrote: the checked arguments, without what the tool does not know', async () => {
    const { hooks, asked } = hooksOf(
      before({ arguments: '{"name":"b.ts","file_path":"c.ts"}', runs: [run('changed')] }),
    );
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('look', { name: 'a.ts', file_path: 'README.md' }), reply().says('Seen.'));
    await world.ask(world.surface(), 'look');
    expect([ran, asked.slice(2)]).toEqual([
      ['look b.ts'],
      ['PreToolUse {"name":"a.ts"}', 'PostToolUse {"name":"b.ts"}'],
    ]);
  });

  it('never allows what the user is asked for', async () => {
    const { hooks } = hooksOf(before({ runs: [run('passed')] }));
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('I see.'));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'change it');
    const { id } = await panel.question();
    await world.gateway.approvals.decide(id, { kind: 'deny', reason: null });
    await panel.untilSettled(1);
    expect([ran, (await account(world, panel, sessionId)).stored[2]]).toEqual([
      [],
      expect.stringContaining('tool: denied: The person did not allow this: a.ts.'),
    ]);
  });

  it('asks the user about a call that needs no approval; after a kill it is not asked again, and the call runs once', async () => {
    const { hooks, asked } = hooksOf(before({ decision: 'ask', reason: 'Sure?', runs: [run('asked', 'Sure?')] }));
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('look', { name: 'a.ts' }), reply().says('Seen.'));
    const first = world.surface();
    const { sessionId } = await world.send(first, 'look');
    const { id, request } = await first.question();
    await world.crash();
    const panel = await resumed(world, sessionId);
    await world.gateway.approvals.decide(id, { kind: 'allow', scope: 'once' });
    await panel.untilSettled(1);
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({ hooks: request.hooks?.runs, asked: asked.slice(2), ran, end: stored.slice(2), rest }).toEqual({
      hooks: [run('asked', 'Sure?')],
      asked: ['PreToolUse {"name":"a.ts"}', 'PermissionRequest {"name":"a.ts"}', 'PostToolUse {"name":"a.ts"}'],
      ran: ['look a.ts'],
      end: ['tool: done: look a.ts is done', 'assistant: Seen.'],
      rest: sound,
    });
  });

  it('asks the user although they allowed all edits with an earlier one: they did not see what the hook says', async () => {
    const { hooks } = hooksOf(({ name, call }) =>
      name === 'PreToolUse' && call?.arguments.includes('b.ts') === true
        ? { decision: 'ask', reason: 'Generated.', runs: [run('asked', 'Generated.')] }
        : {},
    );
    const { tools, ran, approvals } = showingEdits();
    const world = await create({ tools, approvals, hooks });
    world.server.script(reply().calls('edit', { name: 'a.ts' }).calls('edit', { name: 'b.ts' }), reply().says('Done.'));
    const panel = world.surface();
    await world.send(panel, 'change them');
    const { id } = await panel.question();
    await world.gateway.approvals.decide(id, { kind: 'allow', scope: 'once', together: true });
    const again = await panel.question(2);
    await world.gateway.approvals.decide(again.id, { kind: 'deny', reason: null });
    await panel.untilSettled(1);
    expect([again.request.hooks?.runs, ran]).toEqual([[run('asked', 'Generated.')], ['a.ts']]);
  });

  it('objects to what the user would be asked: nobody is asked, the call does not run, and the result says so', async () => {
    const objects = { decision: 'deny', reason: 'Never.', context: 'See it.', runs: [permission('blocked')] } as const;
    const { hooks, asked } = hooksOf(({ name }) => (name === 'PermissionRequest' ? objects : {}));
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('change', { name: 'a.ts' }).calls('look', { name: 'b.ts' }), reply().says('So.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'change it');
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({ asked: asked.slice(2), ran, result: stored[2], rest }).toEqual({
      asked: [
        'PreToolUse {"name":"a.ts"}',
        'PermissionRequest {"name":"a.ts"}',
        'PreToolUse {"name":"b.ts"}',
        'PostToolUse {"name":"b.ts"}',
      ],
      ran: ['look b.ts'],
      result:
        'tool: denied: A hook blocked this call, and the person was not asked: Never. Respect it; do not try it ' +
        'another way.\n\nSee it.',
      rest: sound,
    });
  });

  it('gets what the user is asked once, also across a kill, and what it says stays with the question and the result', async () => {
    const { hooks, asked } = hooksOf(({ name }) =>
      name === 'PermissionRequest' ? { runs: [permission('passed', 'Known.')] } : {},
    );
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Done.'));
    const first = world.surface();
    const { sessionId } = await world.send(first, 'change it');
    const { id, request } = await first.question();
    await world.crash();
    const panel = await resumed(world, sessionId);
    await world.gateway.approvals.decide(id, { kind: 'allow', scope: 'once' });
    await panel.untilSettled(1);
    const row = readElsewhere(world, "SELECT parts FROM messages WHERE role = 'tool'").join();
    expect({
      onCard: request.hooks?.runs,
      asked: asked.slice(2),
      ran,
      kept: row.includes('Known.'),
    }).toEqual({
      onCard: [permission('passed', 'Known.')],
      asked: ['PreToolUse {"name":"a.ts"}', 'PermissionRequest {"name":"a.ts"}', 'PostToolUse {"name":"a.ts"}'],
      ran: ['change a.ts'],
      kept: true,
    });
  });

  it('objects to an edit that the user allowed together with an earlier one', async () => {
    const { hooks } = hooksOf(({ name, call }) =>
      name === 'PermissionRequest' && call?.arguments.includes('b.ts') === true
        ? { decision: 'deny', reason: 'Generated.', runs: [permission('blocked')] }
        : {},
    );
    const { tools, ran, approvals } = showingEdits();
    const world = await create({ tools, approvals, hooks });
    world.server.script(reply().calls('edit', { name: 'a.ts' }).calls('edit', { name: 'b.ts' }), reply().says('Done.'));
    const panel = world.surface();
    await world.send(panel, 'change them');
    const { id } = await panel.question();
    await world.gateway.approvals.decide(id, { kind: 'allow', scope: 'once', together: true });
    await panel.untilSettled(1);
    expect(ran).toEqual(['a.ts']);
  });

  it('runs when the machine is cut off: nothing that was shown is lost, and the call never runs', async () => {
    const started = gate();
    const never = gate();
    const { hooks } = hooksOf(async ({ name }) => {
      if (name !== 'PreToolUse') return {};
      started.open();
      await never.opened;
      return {};
    });
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().says('Let me look.').calls('look', { name: 'a.ts' }));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'look');
    await started.opened;
    setTimeout(never.open, 20);
    await world.crash();
    const again = await resumed(world, sessionId);
    const { stored } = await account(world, again, sessionId);
    expect({ ran, stored, shown: panel.deliveredText }).toEqual({
      ran: [],
      stored: [
        'user: look',
        'assistant: Let me look. [look {"name":"a.ts"}]',
        expect.stringMatching(/^tool: (?:interrupted|cancelled)/),
        'assistant (closing): (Stopped before an answer: the program ended unexpectedly.)',
      ],
      shown: 'Let me look.',
    });
  });

  it('has answered, and the machine is cut off before the call: it does not run afterwards, and no hook is asked twice', async () => {
    const answered = gate();
    const held = gate();
    let runs = 0;
    const slow = defineTool({
      name: 'slow',
      description: 'slow',
      schema: v.object({}),
      readOnly: false,
      asks: async () => {
        answered.open();
        await held.opened;
        return null;
      },
      run: () => Promise.resolve({ outcome: 'done', text: `ran ${++runs}` }),
    });
    const { hooks, asked } = hooksOf(before({ runs: [run('passed')] }));
    const world = await create({ tools: [slow], hooks });
    world.server.script(reply().calls('slow', {}));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'go');
    await answered.opened;
    const crashing = world.crash();
    held.open();
    await crashing;
    const again = await resumed(world, sessionId);
    expect({
      runs,
      asked: asked.filter((event) => event.startsWith('PreToolUse')),
      stored: (await account(world, again, sessionId)).stored.length,
      open: readElsewhere(world, "SELECT count(*) FROM turns WHERE state <> 'settled'"),
    }).toEqual({ runs: 0, asked: ['PreToolUse {}'], stored: 4, open: ['0'] });
  });
});

describe('a hook after a call', () => {
  it('adds to its stored result, and ends the turn once that is stored', async () => {
    const failure = { cause: 'hook', sentence: 'A hook stopped this: Enough.', technical: 'h' } as const;
    const { hooks } = hooksOf(({ name }) =>
      name === 'PostToolUse'
        ? { decision: 'deny', reason: 'Lint fails.', context: 'Line 3.', stop: failure, runs: [run('blocked')] }
        : {},
    );
    const { tools, ran } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('look', { name: 'a.ts' }));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look');
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({ ran, end: ended(panel), requests: world.server.requests.length, last: stored.at(-2), rest }).toEqual({
      ran: ['look a.ts'],
      end: 'failed error hook',
      requests: 1,
      last: 'tool: done: look a.ts is done\n\n(A hook objects to this result: Lint fails.)\n\nLine 3.',
      rest: sound,
    });
  });
});

describe('hooks of a sub-agent', () => {
  it('get its kind at its beginning and its end, and can object to its answer', async () => {
    const { hooks, asked } = hooksOf(({ name, about }) => {
      if (!name.startsWith('Subagent')) return {};
      asked.push(`${name} about ${String(about)}`);
      return name === 'SubagentStop'
        ? { decision: 'deny', reason: 'Too short.', runs: [{ ...run('blocked'), event: name }] }
        : {};
    });
    const world = await create({ tools: [delegateTaskTool()], hooks });
    world.server.script(
      reply().calls('delegate_task', { task: 'Look', read_only: true }),
      reply().says('I looked.'),
      reply().says('Fine.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Go');
    const { stored } = await account(world, panel, sessionId);
    expect({ asked: asked.filter((event) => event.includes(' about ')), result: stored[2] }).toEqual({
      asked: ['SubagentStart about general-purpose', 'SubagentStop about general-purpose'],
      result: expect.stringMatching(/^tool: done: I looked\.[^]*\(A hook objects to this result: Too short\.\)/),
    });
  });
});

describe('a hook at the beginning of a turn', () => {
  it('adds text to the prompt, which is stored and sent with the same bytes from then on', async () => {
    const { hooks, asked } = hooksOf(({ name }) => (name === 'SessionStart' ? { context: 'Branch: main.' } : {}));
    const world = await create({ hooks });
    world.server.script(reply().says('Fine.'), reply().says('Still.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Hi');
    await world.ask(panel, 'And now?');
    const prompts = [0, 1].map((index) => sent(world, index)[0]?.includes('Branch: main.'));
    expect({ asked, prompts, ...(await account(world, panel, sessionId)) }).toEqual({
      asked: ['SessionStart', 'UserPromptSubmit', 'UserPromptSubmit'],
      prompts: [true, true],
      ...sound,
      stored: ['user: Hi', 'assistant: Fine.', 'user: And now?', 'assistant: Still.'],
    });
  });

  it('blocks the prompt: it stays stored, nothing is sent, and the turn says why', async () => {
    const failure = { cause: 'hook', sentence: 'A hook stopped this: No secrets.', technical: 'h' } as const;
    const { hooks } = hooksOf(({ name }) => (name === 'UserPromptSubmit' ? { decision: 'deny', stop: failure } : {}));
    const world = await create({ hooks });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'My password is x');
    expect({
      end: ended(panel),
      requests: world.server.requests.length,
      stored: (await account(world, panel, sessionId)).stored[0],
    }).toEqual({ end: 'failed error hook', requests: 0, stored: 'user: My password is x' });
  });

  it('blocks a prompt also in the middle of a turn, with its attachments, and no later request has one that was blocked', async () => {
    const failure = { cause: 'hook', sentence: 'A hook stopped this: No secrets.', technical: 'h' } as const;
    const steering = { sessionId: '', uid: 's1', text: 'look at this', busy: 'steer' } as const;
    const parts = [{ kind: 'attachment', label: 'a', source: 'file:a', text: 'the password is x' }] as const;
    const { hooks } = hooksOf(async ({ name, sessionId, prompt = '' }) => {
      if (name === 'PreToolUse') await world.gateway.intake.submit(panel.id, { ...steering, sessionId, parts });
      return prompt.includes('password') ? { decision: 'deny', stop: failure } : {};
    });
    const { tools } = askingTools();
    const world = await create({ tools, hooks });
    world.server.script(reply().calls('look', { name: 'a.ts' }), reply().says('Fine.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Go');
    const first = { end: ended(panel), requests: world.server.requests.length };
    await world.ask(panel, 'My password is y');
    await world.ask(panel, 'And now?');
    const { stored, ...rest } = await account(world, panel, sessionId);
    const { length } = world.server.requests;
    expect({
      first,
      length,
      last: sent(world, length - 1).filter((text) => /password|look at this/.test(text)),
      kept: stored.filter((text) => /password|look at this/.test(text)).length,
      rest,
    }).toEqual({ first: { end: 'failed error hook', requests: 1 }, length: 2, last: [], kept: 2, rest: sound });
  });
});
