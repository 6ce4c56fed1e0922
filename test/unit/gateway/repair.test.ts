import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/store/storeError';
import { answerText } from '../../../src/transcript/message';
import { type RecordedRequest, refuses, reply, type Responder } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const refused = (): readonly unknown[] => world.server.requests.map((request) => request.rejection);

/** What rows said before they were rewritten, as another program reads it from the file. */
const revisions = (): readonly string[] =>
  world.query('SELECT content FROM message_revisions ORDER BY id').map((row) => String(row['content']));

/** Roles and texts of the messages a request carried, without the system prompt and without tool traffic. */
function talk(request: RecordedRequest | undefined): readonly string[] {
  const messages = request?.body['messages'];
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: { role: string; content: unknown }) =>
    message.role === 'system' ? [] : [`${message.role}: ${textOf(message.content)}`],
  );
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content)
    ? content.map((block: { text?: string; type: string }) => block.text ?? block.type).join(' ')
    : '';
}

describe.each(['openai', 'anthropic'] as const)(
  'a stored history that no provider accepts, over the %s protocol',
  (protocol) => {
    it('B02 keeps the current prompt when it is merged into one stored long ago, and the earlier text stays readable', async () => {
      const { server } = await create({ protocol });
      server.script(
        reply().says('prior answer'),
        reply().says('lost'),
        reply().says('Both are answered.'),
        reply().says('Gladly.'),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'hello');
      await world.ask(panel, 'stale user tail');
      world.damageStore("DELETE FROM messages WHERE content = 'lost'");
      await world.reopen();
      const next = world.surface();
      await world.gateway.switchSession(next.id, { reason: 'resume', sessionId });
      await world.ask(next, 'CURRENT TURN SHOULD PERSIST');
      await world.ask(next, 'thanks');
      expect({
        lines: await world.lines(sessionId),
        revisions: revisions(),
        sent: talk(server.requests[2]),
        refused: refused(),
      }).toEqual({
        lines: [
          'user: hello',
          'assistant: prior answer',
          'user: stale user tail\n\nCURRENT TURN SHOULD PERSIST',
          'user (hidden: merged): CURRENT TURN SHOULD PERSIST',
          'assistant: Both are answered.',
          'user: thanks',
          'assistant: Gladly.',
        ],
        revisions: ['stale user tail'],
        sent: ['user: hello', 'assistant: prior answer', 'user: stale user tail\n\nCURRENT TURN SHOULD PERSIST'],
        refused: [null, null, null, null],
      });
    });

    it('B03 stores the answer of a turn before which two prompts became one', async () => {
      const { server } = await create({ protocol });
      server.script(reply().says('lost'), reply().says('a'), reply().says('b'));
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'u1');
      await world.ask(panel, 'u2');
      world.damageStore("DELETE FROM messages WHERE content = 'lost'");
      await world.ask(panel, 'u3');
      expect({ lines: await world.lines(sessionId), refused: refused() }).toEqual({
        lines: ['user: u1\n\nu2', 'user (hidden: merged): u2', 'assistant: a', 'user: u3', 'assistant: b'],
        refused: [null, null, null],
      });
    });

    it('B04 S70 stores every new row when six prompts become one', async () => {
      const { server } = await create({ protocol });
      server.script(
        ...['l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'new answer', 'newest answer'].map((text) => reply().says(text)),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'u0');
      for (const text of ['u1', 'u2', 'u3', 'u4', 'u5']) await world.ask(panel, text);
      world.damageStore("DELETE FROM messages WHERE role = 'assistant'");
      await world.ask(panel, 'new question');
      await world.ask(panel, 'newest question');
      const active = (await world.lines(sessionId)).filter((line) => !line.includes('(hidden'));
      expect({ active, refused: refused().filter((rejection) => rejection !== null) }).toEqual({
        active: [
          'user: u0\n\nu1\n\nu2\n\nu3\n\nu4\n\nu5\n\nnew question',
          'assistant: new answer',
          'user: newest question',
          'assistant: newest answer',
        ],
        refused: [],
      });
    });

    it('B41 adds a result to a call whose result was lost, and says that the call may have run', async () => {
      const { server } = await create({ protocol });
      writeFileSync(path.join(world.folder, 'note.txt'), 'milk');
      server.script(
        reply()
          .calls('read_file', { path: 'note.txt' }, { id: 'c1' })
          .calls('read_file', { path: 'nope' }, { id: 'c2' }),
        reply().says('Read.'),
        reply().says('Yes.'),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'read');
      world.damageStore("DELETE FROM messages WHERE tool_call_id = 'c1'");
      await world.ask(panel, 'sure?');
      expect({ lines: (await world.lines(sessionId)).slice(2), refused: refused() }).toEqual({
        lines: [
          'tool: failed: There is no file or folder at nope.',
          'tool: interrupted: (Interrupted before a result was recorded. It may have run, in whole or in part.)',
          'assistant: Read.',
          'user: sure?',
          'assistant: Yes.',
        ],
        refused: [null, null, null],
      });
    });

    it('leaves out a result whose call was lost, and joins the answers around it', async () => {
      const { server } = await create({ protocol });
      server.script(
        reply().says('First.'),
        reply().calls('list_directory', {}, { id: 'c1' }),
        reply().says('Second.'),
        reply().says('Third.'),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'one');
      await world.ask(panel, 'two');
      world.damageStore("DELETE FROM messages WHERE tool_calls IS NOT NULL OR content = 'two'");
      await world.ask(panel, 'three');
      const lines = await world.lines(sessionId);
      expect({
        lines: lines.map((line) => (line.startsWith('tool') ? line.slice(0, 22) : line)),
        refused: refused(),
      }).toEqual({
        lines: [
          'user: one',
          'assistant: First.\n Second.',
          'tool (hidden: dropped)',
          'assistant (hidden: merged): Second.',
          'user: three',
          'assistant: Third.',
        ],
        refused: [null, null, null, null],
      });
    });
  },
);

describe.each(['openai', 'anthropic'] as const)(
  'calls of a server that counts call ids from zero in every answer, over the %s protocol',
  (protocol) => {
    it('are sent back with ids that differ', async () => {
      const { server } = await create({ protocol });
      server.script(
        reply().calls('list_directory', {}, { id: 'call_0' }),
        reply().calls('list_directory', {}, { id: 'call_0' }),
        reply().says('Done.'),
      );
      const panel = world.surface();
      await world.ask(panel, 'look twice');
      expect({ ended: panel.settled.at(-1)?.turn.outcome, refused: refused() }).toEqual({
        ended: 'complete',
        refused: [null, null, null],
      });
    });
  },
);

describe.each(['openai', 'anthropic'] as const)(
  'a transcript from which any rows are missing, over the %s protocol',
  (protocol) => {
    it('is accepted with the next prompt, with every remaining prompt', async () => {
      const { server } = await create({ protocol });
      const panel = world.surface();
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(11), { minLength: 1, maxLength: 8 }), async (gone) => {
          await world.gateway.switchSession(panel.id, { reason: 'new_session' });
          server.script(
            reply().says('One.'),
            reply().says('Look.').calls('list_directory', {}, { id: 'a' }).calls('list_directory', {}, { id: 'b' }),
            reply().says('Two.'),
            reply().calls('list_directory', {}, { id: 'c' }),
            reply().calls('list_directory', {}, { id: 'd' }),
            reply().says('Three.'),
            reply().says('Now.'),
          );
          const { sessionId } = await world.ask(panel, 'first');
          await world.ask(panel, 'second');
          await world.ask(panel, 'third');
          const rows = await world.rows(sessionId);
          const lost = gone.flatMap((index) => rows[index]?.uid ?? []);
          world.damageStore(`DELETE FROM messages WHERE uid IN (${lost.map((uid) => `'${uid}'`).join()})`);
          await world.ask(panel, 'now');
          const prompts = rows
            .filter((row) => row.role === 'user' && !lost.includes(row.uid))
            .map((row) => answerText(row.parts));
          const sent = talk(server.requests.at(-1)).join('\n');
          expect({
            refused: server.requests.at(-1)?.rejection,
            ended: panel.settled.at(-1)?.turn.outcome,
            unsent: [...prompts, 'now'].filter((text) => !sent.includes(text)),
            stored: (await world.lines(sessionId)).filter((line) => line === 'assistant: Now.').length,
          }).toEqual({ refused: null, ended: 'complete', unsent: [], stored: 1 });
        }),
        { numRuns: 15 },
      );
    });
  },
);

describe('a repair', () => {
  /** A session whose last stored row is the prompt "stale". */
  const staleSession = async (...replies: readonly Responder[]) => {
    const { server } = await create();
    server.script(reply().says('lost'), ...replies);
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'stale');
    world.damageStore("DELETE FROM messages WHERE content = 'lost'");
    return { panel, sessionId };
  };

  it('is reported to the surfaces row by row, and to the log', async () => {
    const { panel } = await staleSession(reply().says('ok'));
    await world.ask(panel, 'now');
    const rows = panel.turnEvents.flatMap((event) => (event.kind === 'messageStored' ? [event.message] : []));
    expect({
      rows: rows.map(({ visibility, parts }) => [visibility.kind, parts]),
      log: world.logLines
        .filter((line) => line.includes('repaired'))
        .map((line) => line.replace(/session \S+/, 'session S')),
    }).toEqual({
      rows: [
        ['shown', [{ kind: 'text', text: 'stale\n\nnow' }]],
        ['hidden', [{ kind: 'text', text: 'now' }]],
      ],
      log: ['info The stored history of session S was repaired before it was sent: adjacentPrompts.'],
    });
  });

  it('still lets a turn without any answer end with a row of its own', async () => {
    const { panel, sessionId } = await staleSession(refuses(401, { message: 'no' }), reply().says('ok'));
    await world.ask(panel, 'now');
    await world.ask(panel, 'again');
    expect({
      lines: await world.lines(sessionId),
      refused: refused(),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      lines: [
        'user: stale\n\nnow',
        'assistant (closing): (The request failed before an answer.)',
        'user (hidden: merged): now',
        'user: again',
        'assistant: ok',
      ],
      refused: [null, null, null],
      problems: [],
    });
  });

  it('does not duplicate a prompt that is sent again', async () => {
    const { panel, sessionId } = await staleSession(refuses(401, { message: 'no' }), reply().says('ok'));
    await world.ask(panel, 'now');
    await world.gateway.retry(panel.id, panel.settled.at(-1)?.turn.uid ?? '');
    await panel.untilSettled(3);
    await world.idle();
    const active = (await world.lines(sessionId)).filter((line) => !line.includes('(hidden'));
    expect({ active, sent: talk(world.server.requests[2]) }).toEqual({
      active: ['user: stale\n\nnow', 'assistant: ok'],
      sent: ['user: stale\n\nnow'],
    });
  });

  it('is not sent if it cannot be stored: the turn reports why, and the next one is repaired', async () => {
    const { panel, sessionId } = await staleSession(reply().says('ok'));
    const mend = world.breakStore((method) =>
      method === 'repairTranscript' ? new StoreError('full', 'The disk is full. Free some space.', 'full') : null,
    );
    await world.ask(panel, 'now');
    const failure = panel.settled.at(-1)?.turn.failure?.cause;
    const requests = world.server.requests.length;
    mend();
    await world.ask(panel, 'again');
    expect({ failure, requests, lines: await world.lines(sessionId), refused: refused() }).toEqual({
      failure: 'full',
      requests: 1,
      lines: [
        'user: stale\n\nnow',
        'user (hidden: merged): now',
        'assistant (closing): (Stopped before an answer: it could not be saved.)',
        'user: again',
        'assistant: ok',
      ],
      refused: [null, null],
    });
  });
});
