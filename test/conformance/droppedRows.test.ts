import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { answerText } from '../../src/transcript/message';
import { account, sound, storedLines, storedTurns } from '../support/account';
import { askUntil, ended, gate, resumed, sent, worldPerTest, talked } from '../support/conformance';
import { reply } from '../support/modelServer';
import { full } from '../support/world';

const { create } = worldPerTest();

describe.each(['openai', 'anthropic'] as const)('no row is dropped, over the %s protocol', (protocol) => {
  it('an agent that is kept for many turns stores every answer of each turn (B01 S73)', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('a1'),
      reply().calls('list_directory', { path: 'nowhere' }),
      reply().says('a2'),
      reply().says('a3'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.ask(panel, 'q2');
    await world.ask(panel, 'q3');
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: [
        'user: q1',
        'assistant: a1',
        'user: q2',
        'assistant: [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant: a2',
        'user: q3',
        'assistant: a3',
      ],
    });
  });

  it('a prompt that repair merges into one stored long ago is in that row, and both can be read in their original form (B02 S16)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().says('prior answer'), reply().says('lost'), reply().says('Both answered.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'hello');
    await world.ask(panel, 'stale user tail');
    world.damageStore("DELETE FROM messages WHERE content = 'lost'");
    await world.reopen();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'CURRENT TURN SHOULD PERSIST');
    expect({
      ...(await account(world, next, sessionId)),
      revisions: world.query('SELECT content FROM message_revisions').map((row) => row['content']),
    }).toEqual({
      ...sound,
      stored: [
        'user: hello',
        'assistant: prior answer',
        'user: stale user tail\n\nCURRENT TURN SHOULD PERSIST',
        'user (hidden: merged): CURRENT TURN SHOULD PERSIST',
        'assistant: Both answered.',
      ],
      revisions: ['stale user tail'],
    });
  });

  it('an answer is stored after two prompts that became one (B03 S17)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().says('lost'), reply().says('a'), reply().says('b'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'u1');
    world.damageStore("DELETE FROM messages WHERE content = 'lost'");
    await world.ask(panel, 'u2');
    await world.ask(panel, 'u3');
    const { stored, refused } = await account(world, panel, sessionId);
    expect({ stored, refused }).toEqual({
      stored: ['user: u1\n\nu2', 'user (hidden: merged): u2', 'assistant: a', 'user: u3', 'assistant: b'],
      refused: [],
    });
  });

  it('both rows of a turn are stored although repair shortened the history (B04 S70)', async () => {
    const world = await create({ protocol });
    world.server.script(
      ...['l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'new answer', 'newest answer'].map((text) => reply().says(text)),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'u0');
    for (const text of ['u1', 'u2', 'u3', 'u4', 'u5']) await world.ask(panel, text);
    world.damageStore("DELETE FROM messages WHERE role = 'assistant'");
    await world.ask(panel, 'new question');
    await world.ask(panel, 'newest question');
    const { stored, refused } = await account(world, panel, sessionId);
    expect({ active: stored.filter((line) => !line.includes('(hidden')), refused }).toEqual({
      active: [
        'user: u0\n\nu1\n\nu2\n\nu3\n\nu4\n\nu5\n\nnew question',
        'assistant: new answer',
        'user: newest question',
        'assistant: newest answer',
      ],
      refused: [],
    });
  });

  it('a stop keeps what was shown, including thinking, once, marked as interrupted, also after a reload (B10 B11)', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().thinks('Hm.').says('Forty characters that somebody has read. ').hangs(),
      reply().says('ok'),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'go', 'Hm.Forty characters that somebody has read. ');
    await world.gateway.turns.stop(sessionId);
    const before = await account(world, panel, sessionId);
    await world.reopen();
    const next = await resumed(world, sessionId);
    const { page } = await world.gateway.snapshot(sessionId, 10);
    await world.ask(next, 'next');
    expect({
      before,
      turns: storedTurns(world, sessionId),
      shownAgain: page.messages.length,
      refused: world.server.requests.flatMap(({ rejection }) => rejection ?? []),
    }).toEqual({
      before: { ...sound, stored: ['user: go', 'assistant: <Hm.> Forty characters that somebody has read. '] },
      turns: ['interrupted user', 'complete stop'],
      shownAgain: 2,
      refused: [],
    });
  });

  it('a prompt is stored if the process died before the first word of its answer (B12)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().hangs(), reply().says('Back.'));
    const { sessionId } = await world.send(world.surface(), 'do not lose me');
    await world.server.request(0);
    await world.crash();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'again');
    expect({ ...(await account(world, next, sessionId)), turns: storedTurns(world, sessionId) }).toEqual({
      ...sound,
      stored: [
        'user: do not lose me',
        'assistant (closing): (Stopped before an answer: the program ended unexpectedly.)',
        'user: again',
        'assistant: Back.',
      ],
      turns: ['interrupted crash', 'complete stop'],
    });
  });

  it('every finished round of tools is stored if the process died in the next request (B13)', async () => {
    const world = await create({ protocol });
    writeFileSync(path.join(world.folder, 'note.txt'), 'milk');
    const round = (id: string) => reply().calls('read_file', { path: 'note.txt' }, { id });
    world.server.script(round('a'), round('b'), round('c'), reply().hangs(), reply().says('Back.'));
    const { sessionId } = await world.send(world.surface(), 'read it thrice');
    await world.server.request(3);
    await world.crash();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'again');
    const { stored, refused } = await account(world, next, sessionId);
    const oneRound = ['assistant: [read_file {"path":"note.txt"}]', 'tool: done: 1\tmilk'];
    expect({ rounds: stored.slice(0, 7), refused }).toEqual({
      rounds: ['user: read it thrice', ...oneRound, ...oneRound, ...oneRound],
      refused: [],
    });
  });
});

describe('no row is dropped', () => {
  it('a turn that ran in parallel with another one of the same surface has its answer once (B05)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().says('slow ').waitsFor(held.opened).says('answer'), reply().says('quick answer'));
    const panel = world.surface();
    const slow = await askUntil(world, panel, 'slow question', 'slow ');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const quick = await world.askBeside(panel, 'quick question');
    held.open();
    await world.idle();
    expect({ slow: storedLines(world, slow.sessionId), quick: storedLines(world, quick.sessionId) }).toEqual({
      slow: ['user: slow question', 'assistant: slow answer'],
      quick: ['user: quick question', 'assistant: quick answer'],
    });
  });

  it('text before a tool call stays in its row, and equal text after it is a row of its own, as surfaces are told at the end (B08 S190)', async () => {
    const world = await create();
    world.server.script(
      reply().says("I'll check.").calls('list_directory', { path: 'nowhere' }),
      reply().says("I'll check."),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'check');
    const told = panel.lastMessages.flatMap(({ role, parts }) => (role === 'assistant' ? [answerText(parts)] : []));
    expect({ told, ...(await account(world, panel, sessionId)) }).toEqual({
      told: ["I'll check.", "I'll check."],
      ...sound,
      stored: [
        'user: check',
        'assistant: I\'ll check. [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        "assistant: I'll check.",
      ],
    });
  });

  it('switching to a new session leaves nothing unsaved in the old one (B17)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    world.server.script(reply().says('half ').hangs());
    await askUntil(world, panel, 'q2', 'half ');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.crash();
    expect(storedLines(world, sessionId)).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: half ']);
  });

  it('a full disk is reported at once with its cause and in the log, and the turn is closed, once, when there is space (B18 S58 S59)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().says('one ').waitsFor(held.opened).says('two'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one ');
    const mend = world.breakStore(() => full);
    held.open();
    await panel.untilSettled(1);
    const told = panel.settled[0]?.turn.failure;
    mend();
    await panel.untilSettled(2);
    expect({
      told: [told?.cause, told?.technical],
      log: world.logLines.filter((line) => line.startsWith('error')).length > 0,
      ended: ended(panel),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      told: ['full', 'database or disk is full'],
      log: true,
      ended: 'failed storeFailed full',
      ...sound,
      stored: ['user: count', 'assistant: one '],
    });
  });

  it('a write that fails halfway through a turn is retried, and every row is stored once (B19 S52)', async () => {
    const world = await create();
    world.server.script(
      reply().says('I look.').calls('list_directory', { path: 'nowhere' }).calls('list_directory', { path: 'neither' }),
      reply().says('Done.'),
    );
    const panel = world.surface();
    let writes = 0;
    world.breakStore((method) =>
      (method === 'putMessages' || method === 'appendChunks') && ++writes % 2 === 1 ? full : null,
    );
    const { sessionId } = await world.ask(panel, 'look');
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: [
        'user: look',
        'assistant: I look. [list_directory {"path":"nowhere"}] [list_directory {"path":"neither"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'tool: failed: There is no file or folder at neither.',
        'assistant: Done.',
      ],
    });
  });

  it('a session that briefly could not be created is refused with a sentence, and stored whole the next time (B20 B67)', async () => {
    const world = await create();
    world.server.script(reply().says('hello'));
    const panel = world.surface();
    const mend = world.breakStore((method) =>
      method === 'createSession'
        ? new StoreError('locked', 'Another program uses the file. Try again.', 'database is locked')
        : null,
    );
    const refusal = await world.send(panel, 'hi').then(
      () => 'none',
      (error: unknown) => (error instanceof StoreError ? error.causeClass : 'other'),
    );
    mend();
    const { sessionId } = await world.ask(panel, 'hi');
    expect({ refusal, ...(await account(world, panel, sessionId)) }).toEqual({
      refusal: 'locked',
      ...sound,
      stored: ['user: hi', 'assistant: hello'],
    });
  });

  it('a prompt that cannot be stored is refused before the model receives it (B21)', async () => {
    const world = await create();
    const panel = world.surface();
    world.failing(['openTurn']);
    await expect(world.send(panel, 'hi')).rejects.toThrow('The disk is full. Free some space.');
    expect({ asked: world.server.requests.length, shown: panel.turnEvents }).toEqual({ asked: 0, shown: [] });
  });

  it('a window that lost the store in a turn reports that the turn failed and why, and shows nothing more (B22)', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().says('one ').waitsFor(held.opened).says('two'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one ');
    world.breakStore(() => new StoreError('replaced', 'Another window has taken over.', 'lock lost'));
    held.open();
    await panel.untilSettled(1);
    expect({ ended: ended(panel), shown: panel.deliveredText, stored: storedLines(world, sessionId)[0] }).toEqual({
      ended: 'failed storeFailed replaced',
      shown: 'one ',
      stored: 'user: count',
    });
    world.breakStore(() => null);
  });

  it('a window closed right after the last word has the prompt and the answer (B23)', async () => {
    const world = await create();
    world.server.script(reply().says('all of it'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'go', 'all of it');
    await world.reopen();
    expect(storedLines(world, sessionId)).toEqual(['user: go', 'assistant: all of it']);
  });

  it('each row is on disk before the step that builds on it (S51 S71)', async () => {
    const world = await create();
    const onDisk: (readonly string[])[] = [];
    const answer = (text: ReturnType<typeof reply>) => () => {
      const id = world.query('SELECT id FROM sessions')[0]?.['id'];
      onDisk.push(storedLines(world, String(id)).map((line) => line.split(':')[0] ?? ''));
      return text;
    };
    world.server.script(
      answer(reply().calls('list_directory', { path: 'nowhere' })),
      answer(reply().says('Done.')),
      answer(reply().says('Bye.')),
    );
    const panel = world.surface();
    await world.ask(panel, 'look');
    await world.ask(panel, 'thanks');
    expect({ onDisk, sent: sent(world, 2).length }).toEqual({
      onDisk: [['user'], ['user', 'assistant', 'tool'], ['user', 'assistant', 'tool', 'assistant', 'user']],
      sent: 5,
    });
  });
});
