import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway';
import { isContinuation } from '../../../src/transcript/continuation';
import { askUntil, gate, sent } from '../../support/conformance';
import { reply } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

/** An answer that was stopped when it read “Half an ”. */
async function stopped(panel: RecordingSurface): Promise<{ readonly sessionId: string; readonly turnUid: string }> {
  const held = gate();
  world.server.script(reply().says('Half an ').waitsFor(held.opened).says('answer.'));
  const { sessionId } = await askUntil(world, panel, 'Tell me about parsers', 'Half an ');
  await world.gateway.turns.stop(sessionId);
  held.open();
  return { sessionId, turnUid: panel.settled.at(-1)?.turn.uid ?? '' };
}

async function continued(panel: RecordingSurface, turnUid: string, text: string): Promise<string> {
  world.server.script(reply().says(text));
  const receipt = await world.gateway.continuation.continueTurn(panel.id, turnUid);
  await world.idle();
  return receipt.kind === 'started' ? receipt.turnUid : receipt.kind;
}

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof GatewayError ? error.causeClass : String(error)),
  );

describe.each(['openai', 'anthropic'] as const)('an answer that is continued over the %s protocol', (protocol) => {
  it('runs in a turn without a prompt; the model learns what was stopped and what to do', async () => {
    await create({ protocol });
    const panel = world.surface();
    const { sessionId, turnUid } = await stopped(panel);
    await continued(panel, turnUid, 'answer.');
    const rows = await world.rows(sessionId);
    expect({
      rows: rows.map((row) => (isContinuation(row) ? 'continuation' : row.role)),
      ended: panel.settled.at(-1)?.turn.outcome,
      asked: sent(world, 1).at(-1),
      memory: world.memoryLog.map((line) => line.replace(sessionId, 'S')),
      refused: world.server.requests.map(({ rejection }) => rejection),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      rows: ['user', 'assistant', 'continuation', 'assistant'],
      ended: 'complete',
      asked: expect.stringMatching(
        /^user: \(Your previous turn was stopped by the person.*\(The person chose “Continue”\. Go on with your previous answer exactly where it stopped/s,
      ),
      memory: ['initialize S', 'sync S: Tell me about parsers -> answer.'],
      refused: [null, null],
      problems: [],
    });
  });
});

describe('a continuation', () => {
  it('is not a user prompt: search does not find it, it is no title, and a rewind or branch does not return it', async () => {
    await create();
    const panel = world.surface();
    const { sessionId, turnUid } = await stopped(panel);
    await continued(panel, turnUid, 'answer.');
    while ((await world.store.indexBatch(100)) > 0);
    const hits = await world.store.search({ text: 'Continue', limit: 9 });
    const row = (await world.rows(sessionId)).find(isContinuation);
    const branch = await world.gateway.switching.switchSession(panel.id, {
      reason: 'branch',
      sessionId,
      from: row?.uid ?? null,
    });
    const rewound = await world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId, turns: 1 });
    const [session] = await world.gateway.store.listSessions({ limit: 9 });
    expect({
      hits,
      branch: branch.draft,
      branched: await world.lines(branch.sessionId ?? ''),
      rewound: rewound.draft,
      named: /Continue/.test(JSON.stringify([session?.title, session?.preview])),
    }).toEqual({
      hits: [],
      branch: null,
      branched: ['user: Tell me about parsers', 'assistant: Half an '],
      rewound: 'Tell me about parsers',
      named: false,
    });
  });

  it('is retried as a continuation, and the earlier attempt remains its other version', async () => {
    await create();
    const panel = world.surface();
    const { sessionId, turnUid } = await stopped(panel);
    const first = await continued(panel, turnUid, 'answer.');
    world.server.script(reply().says('hour later.'));
    await world.gateway.versions.retry(panel.id, first);
    await world.idle();
    const page = await world.store.readTranscript({ sessionId, limit: 9 });
    expect({
      rows: page.messages.map((row) => (isContinuation(row) ? 'continuation' : row.role)),
      last: (await world.lines(sessionId)).at(-1),
      versions: page.versions.map(({ versions }) => versions.length),
    }).toEqual({
      rows: ['user', 'assistant', 'continuation', 'assistant'],
      last: 'assistant: hour later.',
      versions: [2],
    });
  });

  it('is refused for a turn that is not the last one, is not stored, or while another runs', async () => {
    await create();
    const panel = world.surface();
    const { sessionId, turnUid } = await stopped(panel);
    const held = gate();
    world.server.script(reply().says('Second').waitsFor(held.opened));
    await askUntil(world, panel, 'And lexers?', 'Second');
    const busy = await refusal(world.gateway.continuation.continueTurn(panel.id, turnUid));
    held.open();
    await world.idle();
    const late = await refusal(world.gateway.continuation.continueTurn(panel.id, turnUid));
    expect({
      busy,
      late,
      unknown: await refusal(world.gateway.continuation.continueTurn(panel.id, 'gone')),
      rows: (await world.rows(sessionId)).some(isContinuation),
    }).toEqual({
      busy: 'busy',
      late: 'invalid',
      unknown: 'notFound',
      rows: false,
    });
  });
});
