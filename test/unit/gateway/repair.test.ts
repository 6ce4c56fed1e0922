import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { answerText } from '../../../src/transcript/message';
import { type RecordedRequest, refuses, reply, type Responder } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const refused = (): readonly unknown[] => world.server.requests.map((request) => request.rejection);

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
  'a transcript from which any rows are missing, over the %s protocol',
  (protocol) => {
    it('is accepted with the next prompt, with every remaining prompt', async () => {
      const { server } = await create({ protocol });
      const panel = world.surface();
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(11), { minLength: 1, maxLength: 8 }), async (gone) => {
          await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
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
      log: ['info The stored history of session S was repaired before it was sent: missingAnswer.'],
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
    await world.gateway.versions.retry(panel.id, panel.settled.at(-1)?.turn.uid ?? '');
    await world.settles(panel, 3);
    const active = (await world.lines(sessionId)).filter((line) => !line.includes('(hidden'));
    expect({ active, sent: talk(world.server.requests[2]) }).toEqual({
      active: ['user: stale\n\nnow', 'assistant: ok'],
      sent: ['user: stale\n\nnow'],
    });
  });

  it('is not sent if it cannot be stored: the turn reports why, and the next one is repaired', async () => {
    const { panel, sessionId } = await staleSession(reply().says('ok'));
    const mend = world.failing(['repairTranscript']);
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
