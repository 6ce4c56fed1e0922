import { afterEach, describe, expect, it } from 'vitest';
import { refuseOutdatedApproval } from '../../../src/host/approvals/pageConsent';
import { promptHistory } from '../../../src/host/chat/chatHandlers';
import { delegateTaskTool } from '../../../src/tools/delegate/delegateTask';
import { askingTools } from '../../support/askingTools';
import { reply } from '../../support/modelServer';
import { World } from '../../support/world';

let world: World;
afterEach(() => world.close());

describe('a question decided from a view', () => {
  const decidable = (shown: string | null, id: string): Promise<boolean> =>
    refuseOutdatedApproval(world.store, shown, id).then(
      () => true,
      () => false,
    );

  it('must belong to the session shown there, in any segment', async () => {
    world = await World.create({ tools: askingTools().tools });
    const panel = world.surface();
    world.server.script(reply().says('one'), reply().calls('change', { name: 'a.ts' }));
    const { sessionId } = await world.ask(panel, 'first');
    await world.send(panel, 'second');
    await panel.until(() => panel.turnEvents.some(({ kind }) => kind === 'approvalRequested'));
    const { id } = (await world.gateway.approvals.pending(sessionId)) ?? expect.unreachable();
    await world.store.createSession({ id: 'other', startedAt: 1 });
    await world.store.createSession({ id: 'branch', startedAt: 1, parentSessionId: sessionId, parentKind: 'branch' });
    expect([
      await decidable(sessionId, id),
      await decidable('other', id),
      await decidable('branch', id),
      await decidable(null, id),
      await decidable('other', 'unknown'),
    ]).toEqual([true, false, false, false, true]);
    await expect(refuseOutdatedApproval(world.store, 'other', id)).rejects.toThrow(
      'This request belongs to another session. Nothing was allowed or denied. Open that session to decide.',
    );
  });

  it('may belong to a sub-agent that works for that session', async () => {
    world = await World.create({ tools: [...askingTools().tools, delegateTaskTool()] });
    const panel = world.surface();
    world.server.script(
      reply().calls('delegate_task', { task: 'Change a.ts', context: 'It is new.', title: 'Change' }),
      reply().calls('change', { name: 'a.ts' }),
    );
    const { sessionId } = await world.send(panel, 'go');
    await panel.until(() => panel.turnEvents.some((event) => event.kind === 'subAgentAsks' && event.approval !== null));
    const asked = (await world.gateway.approvals.pending(sessionId)) ?? expect.unreachable();
    expect([
      asked.sessionId === sessionId,
      await decidable(sessionId, asked.id),
      await decidable(asked.sessionId, asked.id),
    ]).toEqual([false, true, true]);
  });
});

describe('earlier prompts', () => {
  it('are read newest first, past summaries and long answers, with their mentions; continuations are left out', async () => {
    world = await World.create({});
    const panel = world.surface();
    world.server.otherwise(reply().says('ok'));
    const { sessionId } = await world.ask(panel, 'one');
    await world.gateway.intake.submit(panel.id, {
      sessionId,
      uid: 'two',
      text: 'look at @a.ts',
      parts: [
        { kind: 'attachment', source: 'file:a.ts', label: 'a.ts', text: 'x' },
        { kind: 'attachment', source: 'pasted', label: 'Pasted text', text: 'y' },
        { kind: 'attachment', source: 'selection', label: 'b.ts:1-2', text: 'z' },
      ],
    });
    await panel.untilSettled(2);
    const summarisedUpTo = (await world.store.activeMessages(sessionId))[1]?.uid ?? expect.unreachable();
    await world.store.compressSession({
      parentId: sessionId,
      childId: 'child',
      handoff: 'Before.',
      summarisedUpTo,
      now: 20,
    });
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId: 'child' });
    await world.gateway.intake.submit(panel.id, { sessionId: 'child', uid: 'three', text: 'three' });
    await panel.untilSettled(3);
    const page = await promptHistory(world.gateway, 'child', null);
    expect(page).toEqual({
      prompts: [
        { uid: 'three', text: 'three', mentions: [] },
        { uid: 'two', text: 'look at @a.ts', mentions: [{ kind: 'mention', source: 'file:a.ts', label: 'a.ts' }] },
        { uid: expect.any(String), text: 'one', mentions: [] },
      ],
      before: null,
    });
  });

  it('arrive page by page if there are many', async () => {
    world = await World.create({});
    const rows = Array.from(
      { length: 900 },
      (_, index) =>
        ({
          uid: `u${index}`,
          position: index,
          role: 'user',
          visibility: { kind: 'shown' },
          parts: [{ kind: 'text', text: `p${index}` }],
        }) as const,
    );
    const reads: (number | undefined)[] = [];
    const gateway = {
      store: {
        readTranscript: async ({ before, limit }: { readonly before?: number; readonly limit: number }) => {
          reads.push(before);
          const end = before ?? rows.length;
          const messages = rows
            .slice(Math.max(0, end - limit), end)
            .map((row) => ({ ...row, sessionId: 's', turnUid: null, createdAt: 1, carriedFrom: null }));
          return { messages, turns: [], hasEarlier: end > limit, versions: [], later: 0, total: rows.length };
        },
      },
    };
    const first = await promptHistory(gateway, 's', null);
    const second = await promptHistory(gateway, 's', first.before);
    expect([first.prompts.length, first.prompts[0]?.text, first.before, second.prompts[0]?.text, reads]).toEqual([
      200,
      'p899',
      700,
      'p699',
      [undefined, 700],
    ]);
  });
});
