import { describe, expect, it } from 'vitest';
import type { Approval, ApprovalDecision } from '../../src/transcript/approval';
import { account, readElsewhere, sound, storedLines, storedTurns } from '../support/account';
import { askingTools, type AskingTools } from '../support/askingTools';
import { ended, gate, resumed, sent, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';
import type { RecordingSurface } from '../support/recordingSurface';
import type { World, WorldOptions } from '../support/world';

const { create } = worldPerTest();
const once: ApprovalDecision = { kind: 'allow', scope: 'once' };
const deny = (reason: string | null = null): ApprovalDecision => ({ kind: 'deny', reason });
const refusedBy = (world: World): readonly string[] =>
  world.server.requests.flatMap(({ rejection }) => rejection ?? []);
const decisions = (world: World): readonly string[] =>
  readElsewhere(
    world,
    "SELECT state || coalesce(' ' || json_extract(decision, '$.kind'), '') FROM approvals ORDER BY requested_at, rowid",
  );

async function asking(
  options: WorldOptions = {},
  during?: Parameters<typeof askingTools>[0],
): Promise<AskingTools & { readonly world: World; readonly panel: RecordingSurface }> {
  const asks = askingTools(during);
  const world = await create({ tools: asks.tools, ...options });
  return { ...asks, world, panel: world.surface() };
}

/** Sends a prompt and waits until something is asked: what, and where. */
async function askedBy(
  world: World,
  panel: RecordingSurface,
  prompt: string,
): Promise<{ readonly approval: Approval; readonly sessionId: string }> {
  const { sessionId } = await world.send(panel, prompt);
  return { approval: await panel.question(), sessionId };
}

describe.each(['openai', 'anthropic'] as const)('a question to the user, over the %s protocol', (protocol) => {
  it('is on disk before it is shown, and its decision before the call runs (S200)', async () => {
    const onDisk: (readonly string[])[] = [];
    const { world, panel, ran } = await asking({ protocol }, () => onDisk.push(decisions(world)));
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Changed.'));
    const { approval, sessionId } = await askedBy(world, panel, 'change it');
    const whileAsked = { ran: [...ran], decisions: decisions(world), turns: storedTurns(world, sessionId) };
    await world.gateway.approvals.decide(approval.id, once);
    await panel.untilSettled(1);
    expect({ whileAsked, onDisk, ...(await account(world, panel, sessionId)) }).toEqual({
      whileAsked: { ran: [], decisions: ['pending'], turns: ['waiting'] },
      onDisk: [['decided allow']],
      ...sound,
      stored: [
        'user: change it',
        'assistant: [change {"name":"a.ts"}]',
        'tool: done: change a.ts is done',
        'assistant: Changed.',
      ],
    });
  });

  it('was denied: the model receives the denial with its reason, and it accepts the sequence (S201)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(
      reply().calls('change', { name: 'a.ts' }).calls('look', { name: 'b.ts' }),
      reply().says('I see.'),
    );
    const { approval, sessionId } = await askedBy(world, panel, 'change it');
    await world.gateway.approvals.decide(approval.id, deny('use b.ts'));
    await panel.untilSettled(1);
    expect({ ran, ended: ended(panel), ...(await account(world, panel, sessionId)) }).toEqual({
      ran: ['look b.ts'],
      ended: 'complete stop',
      ...sound,
      stored: [
        'user: change it',
        'assistant: [change {"name":"a.ts"}] [look {"name":"b.ts"}]',
        'tool: denied: The person did not allow this: a.ts. They said: use b.ts Do not try it again another way; ask or go on without it.',
        'tool: done: look b.ts is done',
        'assistant: I see.',
      ],
    });
  });

  it('is one question per call if a server gives two calls of one answer the same id, even if the process ends between them (S202)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(
      reply().calls('change', { name: 'a.ts' }, { id: 'call_0' }).calls('change', { name: 'b.ts' }, { id: 'call_0' }),
      reply().says('Changed.'),
      reply().says('Yes, both.'),
    );
    const { approval, sessionId } = await askedBy(world, panel, 'change both');
    await world.gateway.approvals.decide(approval.id, once);
    const second = await panel.question(2);
    await world.crash();
    await world.gateway.queue.resume();
    const next = await resumed(world, sessionId);
    await world.gateway.approvals.decide(second.id, once);
    await next.untilSettled(1);
    await world.ask(next, 'both?');
    const ids = sent(world, 2).flatMap((line) => /(?:calls|result) \S+ ?(\S+)/.exec(line)?.[1] ?? []);
    const asked = [approval.request.subject, second.request.subject, approval.callId === second.callId];
    expect({ ran, asked, ids: new Set(ids).size, ...(await account(world, next, sessionId)) }).toEqual({
      ran: ['change a.ts', 'change b.ts'],
      asked: ['a.ts', 'b.ts', false],
      ids: 2,
      ...sound,
      stored: [
        'user: change both',
        'assistant: [change {"name":"a.ts"}] [change {"name":"b.ts"}]',
        'tool: done: change a.ts is done',
        'tool: done: change b.ts is done',
        'assistant: Changed.',
        'user: both?',
        'assistant: Yes, both.',
      ],
    });
  });

  it('lets a turn continue whose two calls an older version stored under one id: the one without a result runs (S202)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(
      reply().calls('change', { name: 'a.ts' }, { id: 'call_0' }).calls('change', { name: 'b.ts' }, { id: 'call_1' }),
      reply().says('Changed.'),
    );
    const { approval, sessionId } = await askedBy(world, panel, 'change both');
    await world.gateway.approvals.decide(approval.id, once);
    const second = await panel.question(2);
    await world.crash();
    world.query(
      "UPDATE messages SET parts = replace(parts, 'call_1', 'call_0'), tool_calls = replace(tool_calls, 'call_1', 'call_0') WHERE role = 'assistant'",
    );
    world.query("UPDATE approvals SET call_id = 'call_0'");
    await world.gateway.queue.resume();
    const next = await resumed(world, sessionId);
    await world.gateway.approvals.decide(second.id, once);
    await next.untilSettled(1);
    const { stored, ...rest } = await account(world, next, sessionId);
    expect({
      ran,
      results: sent(world, 1).filter((line) => line.includes('is done')).length,
      stored: stored.filter((line) => line.startsWith('tool')),
      ...rest,
    }).toEqual({
      ran: ['change a.ts', 'change b.ts'],
      results: 2,
      stored: ['tool: done: change a.ts is done', 'tool: done: change b.ts is done'],
      ...sound,
    });
  });

  it('outlives the process: the card appears again, and a decision then lets the turn continue (S202)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(reply().says('I will. ').calls('change', { name: 'a.ts' }), reply().says('Changed.'));
    const { approval, sessionId } = await askedBy(world, panel, 'change it');
    await world.crash();
    await world.gateway.queue.resume();
    const next = await resumed(world, sessionId);
    const shown = (await world.gateway.snapshot(sessionId, 50)).approval;
    await world.gateway.approvals.decide(approval.id, once);
    await next.untilSettled(1);
    expect({ shown, ran, ended: ended(next), ...(await account(world, next, sessionId)) }).toEqual({
      shown: approval,
      ran: ['change a.ts'],
      ended: 'complete stop',
      ...sound,
      stored: [
        'user: change it',
        'assistant: I will.  [change {"name":"a.ts"}]',
        'tool: done: change a.ts is done',
        'assistant: Changed.',
      ],
    });
  });

  it('stays open when the window closes; the model receives a denial from the next window (S203)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(
      reply().calls('look', { name: 'a.ts' }).calls('change', { name: 'a.ts' }).calls('change', { name: 'b.ts' }),
      reply().says('I see.'),
    );
    const { approval, sessionId } = await askedBy(world, panel, 'change it');
    await world.reopen();
    const turns = storedTurns(world, sessionId);
    const next = await resumed(world, sessionId);
    await world.gateway.approvals.decide(approval.id, deny());
    await world.gateway.approvals.decide((await next.question()).id, once);
    await next.untilSettled(1);
    expect({ turns, ran, stored: storedLines(world, sessionId).slice(2), refused: refusedBy(world) }).toEqual({
      turns: ['waiting'],
      ran: ['look a.ts', 'change b.ts'],
      stored: [
        'tool: done: look a.ts is done',
        'tool: denied: The person did not allow this: a.ts. Do not try it again another way; ask or go on without it.',
        'tool: done: change b.ts is done',
        'assistant: I see.',
      ],
      refused: [],
    });
  });

  it('is stopped: the calls that never began are reported as not run, here and if no process runs the turn any more (S204)', async () => {
    const cancelled = 'tool: cancelled: (Cancelled: this call was not run.)';
    const stops = async (world: World, sessionId: string): Promise<readonly string[]> => {
      await world.gateway.turns.stop(sessionId);
      return [
        ...storedTurns(world, sessionId).slice(-1),
        ...storedLines(world, sessionId).filter((line) => line.startsWith('tool')),
      ];
    };
    const { world, panel, ran } = await asking({ protocol });
    const calls = reply().calls('change', { name: 'a.ts' }).calls('change', { name: 'b.ts' });
    world.server.script(calls, calls, reply().says('Well.'));
    const { sessionId } = await askedBy(world, panel, 'change it');
    const here = await stops(world, sessionId);
    const other = world.surface();
    const second = await askedBy(world, other, 'change it as well');
    await world.reopen();
    const later = await stops(world, second.sessionId);
    const next = await resumed(world, second.sessionId);
    await world.ask(next, 'go on');
    expect({ here, later, ran, refused: refusedBy(world), last: storedLines(world, second.sessionId).at(-1) }).toEqual({
      here: ['interrupted user', cancelled, cancelled],
      later: ['interrupted user', cancelled, cancelled],
      ran: [],
      refused: [],
      last: 'assistant: Well.',
    });
  });

  it('was allowed, and the process died before a result: the result says that it may have run (S205)', async () => {
    const held = gate();
    const { world, panel, ran, holds } = await asking({ protocol });
    holds.set('a.ts', held.opened);
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Back.'));
    const { approval, sessionId } = await askedBy(world, panel, 'change it');
    await world.gateway.approvals.decide(approval.id, once);
    await panel.until(() => ran.length > 0);
    await world.crash();
    held.open();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'go on');
    expect({
      decisions: decisions(world),
      turns: storedTurns(world, sessionId),
      tool: storedLines(world, sessionId)[2],
      refused: refusedBy(world),
    }).toEqual({
      decisions: ['decided allow'],
      turns: ['interrupted crash', 'complete stop'],
      tool: 'tool: interrupted: (Interrupted before a result was recorded. It may have run, in whole or in part.)',
      refused: [],
    });
  });

  it('is decided once, whoever decides again and however often (S206)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Changed.'));
    const { approval, sessionId } = await askedBy(world, panel, 'change it');
    await Promise.all([
      world.gateway.approvals.decide(approval.id, once),
      world.gateway.approvals.decide(approval.id, once),
      world.gateway.approvals.decide(approval.id, once),
    ]);
    await panel.untilSettled(1);
    await world.gateway.approvals.decide(approval.id, deny());
    expect({ ran, decisions: decisions(world), ...(await account(world, panel, sessionId)) }).toMatchObject({
      ran: ['change a.ts'],
      decisions: ['decided allow'],
      ...sound,
    });
  });

  it('is asked in the order of the calls; read-only calls do not wait, and results appear in the order of the calls (S207)', async () => {
    const { world, panel, ran } = await asking({ protocol });
    world.server.script(
      reply()
        .calls('fetch', { name: 'one' })
        .calls('look', { name: 'a.ts' })
        .calls('look', { name: 'b.ts' })
        .calls('change', { name: 'a.ts' })
        .calls('look', { name: 'c.ts' }),
      reply().says('Done.'),
    );
    const { approval, sessionId } = await askedBy(world, panel, 'go');
    const whileAsked = [...ran];
    await world.gateway.approvals.decide(approval.id, once);
    const change = await panel.question(2);
    const beforeChange = [...ran];
    await world.gateway.approvals.decide(change.id, once);
    await panel.untilSettled(1);
    expect({ whileAsked, beforeChange, ran, ...(await account(world, panel, sessionId)) }).toMatchObject({
      whileAsked: ['look a.ts', 'look b.ts'],
      beforeChange: ['look a.ts', 'look b.ts', 'fetch one'],
      ran: ['look a.ts', 'look b.ts', 'fetch one', 'change a.ts', 'look c.ts'],
      ...sound,
      stored: [
        'user: go',
        expect.any(String),
        'tool: done: fetch one is done',
        'tool: done: look a.ts is done',
        'tool: done: look b.ts is done',
        'tool: done: change a.ts is done',
        'tool: done: look c.ts is done',
        'assistant: Done.',
      ],
    });
  });

  it('blocks the conversation: a second prompt is queued, and one that interrupts ends the waiting turn (S208)', async () => {
    const { world, panel } = await asking({ protocol });
    world.server.script(reply().calls('change', { name: 'a.ts' }), reply().says('Now.'), reply().says('Then.'));
    const { sessionId } = await askedBy(world, panel, 'change it');
    const queued = await world.send(panel, 'later');
    await world.reopen();
    await world.gateway.queue.resume();
    const next = await resumed(world, sessionId);
    const waits = storedTurns(world, sessionId);
    await world.gateway.intake.submit(next.id, { sessionId, uid: 'urgent', text: 'urgent', busy: 'interrupt' });
    await world.settles(next, 3);
    expect({
      queued: queued.kind,
      waits,
      turns: storedTurns(world, sessionId),
      prompts: storedLines(world, sessionId).filter((line) => line.startsWith('user')),
      refused: refusedBy(world),
    }).toEqual({
      queued: 'queued',
      waits: ['waiting'],
      turns: ['interrupted newPrompt', 'complete stop', 'complete stop'],
      prompts: ['user: change it', 'user: urgent', 'user: later'],
      refused: [],
    });
  });
});

describe('input that a server asks for in the middle of a call', () => {
  const answer: ApprovalDecision = { ...once, answer: { city: 'Bern' } };
  async function inputAsked(name = 'input') {
    const asks = await asking();
    const { world, panel } = asks;
    world.server.script(
      reply().calls('ask_server', { name }).calls('change', { name: 'b.ts' }),
      reply().says('I see.'),
    );
    const { approval, sessionId } = await askedBy(world, panel, 'ask it');
    await world.gateway.approvals.decide(approval.id, once);
    return { ...asks, sessionId, input: await panel.question(2) };
  }

  it('is on disk before it is shown, and the answer before the server gets it (S211)', async () => {
    const { world, panel, sessionId, input, ran } = await inputAsked();
    const whileAsked = { turns: storedTurns(world, sessionId), decisions: decisions(world) };
    await world.gateway.approvals.decide(input.id, answer);
    const next = await panel.question(3);
    await world.gateway.approvals.decide(next.id, deny());
    await panel.untilSettled(1);
    expect({ whileAsked, ran, kept: decisions(world), ...(await account(world, panel, sessionId)) }).toEqual({
      whileAsked: { turns: ['waiting'], decisions: ['decided allow', 'pending'] },
      ran: ['ask_server input', 'answer {"kind":"allow","scope":"once","answer":{"city":"Bern"}}'],
      kept: ['decided allow', 'decided allow', 'decided deny'],
      ...sound,
      stored: [
        'user: ask it',
        'assistant: [ask_server {"name":"input"}] [change {"name":"b.ts"}]',
        'tool: done: ask_server input is done',
        expect.stringContaining('tool: denied'),
        'assistant: I see.',
      ],
    });
  });

  it('is there again when the process died meanwhile; its answer lets the turn go on, and the call does not run twice (S212)', async () => {
    const { world, sessionId, input, ran } = await inputAsked();
    await world.crash();
    await world.gateway.queue.resume();
    const next = await resumed(world, sessionId);
    const shown = await world.gateway.approvals.pending(sessionId);
    await world.gateway.approvals.decide(input.id, answer);
    const change = await next.question();
    await world.gateway.approvals.decide(change.id, once);
    await next.untilSettled(1);
    expect({ shown: shown?.id === input.id, ran, ...(await account(world, next, sessionId)) }).toEqual({
      shown: true,
      ran: ['ask_server input', 'change b.ts'],
      ...sound,
      stored: [
        'user: ask it',
        'assistant: [ask_server {"name":"input"}] [change {"name":"b.ts"}]',
        expect.stringMatching(/^tool: interrupted: The server waited for an answer .* may have run in part/),
        'tool: done: change b.ts is done',
        'assistant: I see.',
      ],
    });
  });

  it('was not given before the turn ended: its call may have run, those after it did not (S212)', async () => {
    const { world, sessionId, ran } = await inputAsked();
    await world.crash();
    await world.gateway.queue.resume();
    const next = await resumed(world, sessionId);
    await world.gateway.intake.submit(next.id, { sessionId, uid: 'urgent', text: 'urgent', busy: 'interrupt' });
    await world.settles(next, 2);
    const results = storedLines(world, sessionId).filter((line) => line.startsWith('tool'));
    expect({ ran, results: results.map((line) => line.split(':', 2).join(':')) }).toEqual({
      ran: ['ask_server input'],
      results: ['tool: interrupted', 'tool: cancelled'],
    });
  });

  it('is withdrawn when the server no longer wants it, and the turn goes on (S213)', async () => {
    const { world, panel, sessionId, ran, withdraw } = await inputAsked();
    withdraw.abort(new Error('gone'));
    const next = await panel.question(3);
    await world.gateway.approvals.decide(next.id, deny());
    await panel.untilSettled(1);
    expect({ ran, kept: decisions(world), turns: storedTurns(world, sessionId) }).toEqual({
      ran: ['ask_server input', 'answer "expired"'],
      kept: ['decided allow', 'expired', 'decided deny'],
      turns: ['complete stop'],
    });
  });

  it('ends with its call: the next question is asked, and the turn does not wait for the first one (S213)', async () => {
    const { world, panel, sessionId, ran } = await inputAsked('unawaited');
    const next = await panel.question(3);
    await world.gateway.approvals.decide(next.id, deny());
    await panel.untilSettled(1);
    expect({ ran, kept: decisions(world), turns: storedTurns(world, sessionId) }).toEqual({
      ran: ['ask_server unawaited'],
      kept: ['decided allow', 'expired', 'decided deny'],
      turns: ['complete stop'],
    });
  });
});
