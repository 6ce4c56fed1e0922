import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { retriesOfACall } from '../../../src/store/ownership/storeCalls';
import { StoreError } from '../../../src/store/storeError';
import type { ApprovalPolicy } from '../../../src/tools/approval/approvalPolicy';
import { delegateTaskTool } from '../../../src/tools/delegate/delegateTask';
import { type AnyTool, defineTool } from '../../../src/tools/tool';
import type { Approval, ApprovalDecision } from '../../../src/transcript/approval';
import { askingTools } from '../../support/askingTools';
import { reply, type Scripted } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';

let world: World;
afterEach(() => world.close());

const once: ApprovalDecision = { kind: 'allow', scope: 'once' };
const all: ApprovalDecision = { kind: 'allow', scope: 'once', together: true };
const automatic: ApprovalDecision = { kind: 'allow', scope: 'once', mode: 'auto' };

/** Files that the tool `edit` changes, and what its diff shows now. */
class Files {
  readonly ran: string[] = [];
  readonly shown = new Map<string, string>();
  readonly tool: AnyTool = defineTool({
    name: 'edit',
    description: 'edit',
    schema: v.object({ name: v.string() }),
    readOnly: false,
    asks: async ({ name }) => ({
      access: { kind: 'edit', paths: [{ path: `/project/${name}`, shown: name, isInside: !name.startsWith('..') }] },
      preview: this.shown.get(name) ?? `+${name}`,
    }),
    run: async ({ name }) => {
      this.ran.push(name);
      return { outcome: 'done', text: `${name} is edited` };
    },
  });
}

/** Follows the mode as the rules do: plain edits are asked for only outside Edit Automatically. */
const policy: ApprovalPolicy = {
  judge: ({ tool, mode, asked: { access, preview } }) => {
    const path = access.kind === 'edit' ? access.paths[0] : undefined;
    const subject = path?.shown ?? access.kind;
    if (access.kind === 'read') return { kind: 'allow' };
    if (subject === 'denied.ts') return { kind: 'deny', sentence: 'Denied by a rule.' };
    const reasons =
      path === undefined
        ? (['command'] as const)
        : !path.isInside
          ? (['outside'] as const)
          : subject.startsWith('.env')
            ? (['sensitive'] as const)
            : (['change'] as const);
    if (reasons[0] === 'change' && mode === 'auto') return { kind: 'allow' };
    return { kind: 'ask', request: { tool, access, subject, reasons, rules: [], preview: preview ?? null } };
  },
  remember: async () => undefined,
};

async function editing(names: readonly string[], options: WorldOptions = {}) {
  const files = new Files();
  const asks = askingTools();
  world = await World.create({ tools: [files.tool, ...asks.tools], approvals: policy, ...options });
  const panel = world.surface();
  const calls = names.reduce(
    (answer, name) => answer.calls(name.endsWith('?') ? 'ask_server' : 'edit', { name: name.replace('?', '') }),
    reply(),
  );
  world.server.script(calls, reply().says('Done.'));
  const { sessionId } = await world.send(panel, 'go');
  return { files, panel, sessionId, ran: asks.ran, first: await panel.question() };
}

const behind = ({ request }: Approval): readonly string[] => (request.together ?? []).map(({ subject }) => subject);
const modes = (panel: RecordingSurface): readonly string[] =>
  panel.sessionEvents.flatMap((event) => (event.kind === 'modeChanged' ? [event.mode] : []));

describe('Allow All', () => {
  it('allows every edit that the question showed, with one decision', async () => {
    const { files, panel, sessionId, first } = await editing(['a.ts', 'b.ts', 'c.ts']);
    await world.gateway.approvals.decide(first.id, all);
    await panel.untilSettled(1);
    expect([
      behind(first),
      first.request.together?.map(({ preview }) => preview),
      files.ran,
      panel.questions.length,
      await world.gateway.approvals.mode(panel.id, sessionId),
    ]).toEqual([['b.ts', 'c.ts'], ['+b.ts', '+c.ts'], ['a.ts', 'b.ts', 'c.ts'], 1, 'ask']);
  });

  it('leaves out edits of secrets and of files elsewhere, which have their own question', async () => {
    const { files, panel, first } = await editing(['a.ts', '.env', '../b.ts', 'denied.ts', 'c.ts']);
    await world.gateway.approvals.decide(first.id, all);
    const second = await panel.question(2);
    await world.gateway.approvals.decide(second.id, { kind: 'deny', reason: null });
    const third = await panel.question(3);
    await world.gateway.approvals.decide(third.id, once);
    await panel.untilSettled(1);
    expect([behind(first), second.request.subject, behind(second), third.request.subject, files.ran]).toEqual([
      ['c.ts'],
      '.env',
      [],
      '../b.ts',
      ['a.ts', '../b.ts', 'c.ts'],
    ]);
  });

  it('ends before a call that does something else, and counts a file once', async () => {
    const { panel, first } = await editing(['a.ts', 'b.ts', 'a.ts', 'set?', 'c.ts']);
    await world.gateway.approvals.decide(first.id, all);
    const again = await panel.question(2);
    expect([behind(first), again.request.subject, behind(again)]).toEqual([['b.ts'], 'a.ts', []]);
  });

  it('allows an edit only as it was shown', async () => {
    const { files, panel, first } = await editing(['a.ts', 'b.ts', 'c.ts']);
    files.shown.set('b.ts', '+something else');
    await world.gateway.approvals.decide(first.id, all);
    const again = await panel.question(2);
    const ran = [...files.ran];
    await world.gateway.approvals.decide(again.id, { kind: 'deny', reason: null });
    await panel.untilSettled(1);
    expect([ran, again.request.preview, behind(again), files.ran]).toEqual([
      ['a.ts'],
      '+something else',
      ['c.ts'],
      ['a.ts', 'c.ts'],
    ]);
  });

  it('counts after a restart too, for the edits that had not run', async () => {
    const { files, panel, sessionId, first } = await editing(['a.ts', 'b.ts', 'c.ts']);
    files.shown.set('b.ts', '+something else');
    await world.gateway.approvals.decide(first.id, all);
    await panel.question(2);
    await world.reopen();
    const waiting = await world.gateway.approvals.pending(sessionId);
    await world.gateway.approvals.decide(waiting?.id ?? '', once);
    await world.idle();
    expect([files.ran, (await world.store.approvalsOf(first.turnUid)).length]).toEqual([['a.ts', 'b.ts', 'c.ts'], 2]);
  });

  it('is not offered for the rest when only one edit is allowed', async () => {
    const { files, panel, first } = await editing(['a.ts', 'b.ts']);
    await world.gateway.approvals.decide(first.id, once);
    const second = await panel.question(2);
    expect([files.ran, second.request.subject, behind(second)]).toEqual([['a.ts'], 'b.ts', []]);
  });
});

describe('Allow All Edits', () => {
  it('switches the session to Edit Automatically and runs the edits that wait, but none that is always asked for', async () => {
    const { files, panel, sessionId, first } = await editing(['a.ts', 'b.ts', '.env', 'c.ts']);
    await world.gateway.approvals.decide(first.id, automatic);
    const second = await panel.question(2);
    const ran = [...files.ran];
    await world.gateway.approvals.decide(second.id, { kind: 'deny', reason: null });
    await panel.untilSettled(1);
    expect([
      second.request.subject,
      ran,
      files.ran,
      await world.gateway.approvals.mode(panel.id, sessionId),
      modes(panel),
    ]).toEqual(['.env', ['a.ts', 'b.ts'], ['a.ts', 'b.ts', 'c.ts'], 'auto', ['auto']]);
  });

  it('is refused for anything but a plain edit, and decides nothing then', async () => {
    const { files, panel, sessionId, first } = await editing(['.env']);
    await expect(world.gateway.approvals.decide(first.id, automatic)).rejects.toMatchObject({ causeClass: 'invalid' });
    expect([
      files.ran,
      (await world.gateway.approvals.pending(sessionId))?.id,
      await world.gateway.approvals.mode(panel.id, sessionId),
    ]).toEqual([[], first.id, 'ask']);
  });

  it('is stored with the mode or not at all', async () => {
    const { panel, sessionId, first } = await editing(['a.ts', 'b.ts']);
    world.failing(['decideApproval']);
    await expect(world.gateway.approvals.decide(first.id, automatic)).rejects.toMatchObject({ causeClass: 'full' });
    expect([await world.gateway.approvals.mode(panel.id, sessionId), modes(panel)]).toEqual(['ask', []]);
  });

  it('is taken back, mode and all, by a Deny after it seemed to fail', async () => {
    const { files, panel, sessionId, first } = await editing(['a.ts']);
    world.failAfter('decideApproval', retriesOfACall + 1, new StoreError('full', 'The disk is full.', 'test'));
    await expect(world.gateway.approvals.decide(first.id, automatic)).rejects.toMatchObject({ causeClass: 'full' });
    await world.gateway.approvals.decide(first.id, { kind: 'deny', reason: null });
    await panel.untilSettled(1);
    expect([files.ran, await world.gateway.approvals.mode(panel.id, sessionId)]).toEqual([[], 'ask']);
  });

  it('answers for every sub-agent that waits with an edit, in the mode of the session they work for', async () => {
    const files = new Files();
    world = await World.create({ tools: [files.tool, delegateTaskTool()], approvals: policy });
    const panel = world.surface();
    const counts = new Map<string, number>();
    world.server.otherwise(({ outline }) => {
      const prompt = outline.find((line) => line.startsWith('user:')) ?? '';
      const task = /task (\w+)/.exec(prompt)?.[1] ?? '';
      const count = counts.get(task) ?? 0;
      counts.set(task, count + 1);
      if (count > 0) return reply().says('Done.');
      return task === ''
        ? reply().calls('delegate_task', { task: 'task a' }).calls('delegate_task', { task: 'task b' })
        : reply().calls('edit', { name: `${task}.ts` });
    });
    const { sessionId } = await world.send(panel, 'go');
    const isWaiting = (): boolean => world.query("SELECT id FROM approvals WHERE state = 'pending'").length === 2;
    await expect.poll(isWaiting).toBe(true);
    const asked = panel.turnEvents.flatMap((event) => (event.kind === 'subAgentAsks' ? (event.approval ?? []) : []));
    await world.gateway.approvals.decide(asked[0]?.id ?? '', automatic);
    await panel.untilSettled(1);
    expect([[...files.ran].sort(), await world.store.sessionMode(sessionId)]).toEqual([['a.ts', 'b.ts'], 'auto']);
  });
});

describe('the start of a plan', () => {
  const presented = async (...then: readonly Scripted[]) => {
    const files = new Files();
    const asks = askingTools();
    world = await World.create({ tools: [files.tool, ...asks.tools], approvals: policy, mode: 'plan' });
    const panel = world.surface();
    world.server.script(reply().calls('present', { name: 'plan' }), ...then, reply().says('Done.'));
    const { sessionId } = await world.send(panel, 'go');
    return { files, asks, panel, sessionId, first: await panel.question() };
  };

  it.each([
    ['Edit Automatically', 'auto', ['a.ts']],
    ['Ask Before Edits', 'ask', []],
  ] as const)('in %s chooses that mode, with the decision', async (_name, mode, ran) => {
    const { files, asks, panel, sessionId, first } = await presented(reply().calls('edit', { name: 'a.ts' }));
    await world.gateway.approvals.decide(first.id, { kind: 'allow', scope: 'once', mode });
    const stored = await world.store.sessionMode(sessionId);
    await panel.until(() => files.ran.length > 0 || panel.questions.length > 1);
    expect([asks.ran, stored, modes(panel), files.ran]).toEqual([['present plan'], mode, [mode], ran]);
  });

  it('cannot be in Plan mode', async () => {
    const { first } = await presented();
    await expect(
      world.gateway.approvals.decide(first.id, { kind: 'allow', scope: 'once', mode: 'plan' }),
    ).rejects.toMatchObject({ causeClass: 'invalid' });
  });

  it('survives a restart between the decision and the call', async () => {
    const { asks, panel, sessionId, first } = await presented();
    await world.reopen();
    await world.gateway.approvals.decide(first.id, { kind: 'allow', scope: 'once', mode: 'auto' });
    await world.idle();
    expect([asks.ran, await world.gateway.approvals.mode(panel.id, sessionId)]).toEqual([['present plan'], 'auto']);
  });
});
