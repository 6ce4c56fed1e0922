import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SubmitReceipt } from '../../../src/gateway/gateway';
import type { SentPart } from '../../../src/transcript/draftPart';
import { gate, worldPerTest, askUntil } from '../../support/conformance';
import { reply } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import type { World } from '../../support/world';

const { create } = worldPerTest();
const file: SentPart = { kind: 'attachment', label: 'src/a.ts', source: 'file:src/a.ts', text: 'export const a = 1;' };
const other: SentPart = { kind: 'attachment', label: 'problems', source: 'problems', text: 'src/a.ts:1:1 error: no' };
const picture: SentPart = { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=', name: 'shot.png' };

let uids = 0;
function submit(
  world: World,
  panel: RecordingSurface,
  text: string,
  parts: readonly SentPart[],
  busy?: 'steer' | 'interrupt' | 'queue',
): Promise<SubmitReceipt> {
  return world.gateway.intake.submit(panel.id, {
    sessionId: world.gateway.surfaces.shownSession(panel.id),
    uid: `with-parts-${++uids}`,
    text,
    parts,
    ...(busy === undefined ? {} : { busy }),
  });
}

async function asked(
  world: World,
  panel: RecordingSurface,
  text: string,
  parts: readonly SentPart[],
): Promise<SubmitReceipt> {
  const count = panel.settled.length + 1;
  const receipt = await submit(world, panel, text, parts);
  await world.settles(panel, count);
  return receipt;
}

/** What a request says, as JSON. */
function sent(world: World, index: number): string {
  const messages = world.server.requests.at(index)?.body['messages'];
  return JSON.stringify(messages);
}

const shown = async (world: World, sessionId: string): Promise<readonly string[]> =>
  (await world.lines(sessionId)).filter((line) => !line.includes('(hidden'));
const refused = (world: World): number => world.server.requests.filter((request) => request.rejection !== null).length;

describe('a prompt with attachments and images', () => {
  it.each(['openai', 'anthropic'] as const)(
    'is stored, shown and sent whole, even without text (%s)',
    async (protocol) => {
      const world = await create({ protocol });
      world.server.script(reply().says('a1'), reply().says('a2'));
      const panel = world.surface();
      const { sessionId } = await asked(world, panel, 'Why?', [file, picture]);
      await asked(world, panel, '', [other]);
      const [first, second] = [sent(world, 0), sent(world, 1)];
      expect({
        lines: await shown(world, sessionId),
        first: ['Why?', '<attachment label=\\"src/a.ts', 'export const a = 1;', picture.dataBase64].map((text) =>
          first.includes(text),
        ),
        second: second.includes('error: no'),
        refused: refused(world),
      }).toEqual({
        lines: ['user: Why? [src/a.ts] [image]', 'assistant: a1', 'user: [problems]', 'assistant: a2'],
        first: [true, true, true, true],
        second: true,
        refused: 0,
      });
    },
  );

  it('is queued with them, and sent with them', async () => {
    const world = await create();
    world.server.script(reply().says('one ').hangs(), reply().says('now'), reply().says('two'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'one ');
    await submit(world, panel, 'second', [file, picture]);
    const [queued] = await world.store.queue(sessionId);
    await world.gateway.queue.edit(queued?.uid ?? '', '');
    await submit(world, panel, '', [other], 'interrupt');
    await world.settles(panel, 3);
    expect({ queued: queued?.parts, lines: await shown(world, sessionId), refused: refused(world) }).toEqual({
      queued: [file, picture],
      lines: [
        'user: first',
        'assistant: one ',
        'user: [problems]',
        'assistant: now',
        'user: [src/a.ts] [image]',
        'assistant: two',
      ],
      refused: 0,
    });
  });

  it.each(['openai', 'anthropic'] as const)(
    'can steer a running turn: attachments go with the result before it (%s)',
    async (protocol) => {
      const world = await create({ protocol });
      writeFileSync(path.join(world.folder, 'note.txt'), 'the note');
      const told = gate();
      world.server.script(
        reply().says('Looking.').waitsFor(told.opened).calls('read_file', { path: 'note.txt' }),
        reply().says('Seen.'),
      );
      const panel = world.surface();
      const { sessionId } = await askUntil(world, panel, 'first', 'Looking.');
      await submit(world, panel, '', [file, other], 'steer');
      told.open();
      await world.settles(panel, 1);
      const request = sent(world, 1);
      expect({
        told: ['The person wrote it while you were working', 'export const a = 1;', 'error: no'].map((text) =>
          request.includes(text),
        ),
        last: (await shown(world, sessionId)).slice(-2),
        refused: refused(world),
      }).toEqual({
        told: [true, true, true],
        last: ['user: [src/a.ts] [problems]', 'assistant: Seen.'],
        refused: 0,
      });
    },
  );

  it('does not steer a running turn if it has images, which a result may not hold: it is the next prompt', async () => {
    const world = await create();
    writeFileSync(path.join(world.folder, 'note.txt'), 'the note');
    const told = gate();
    world.server.script(
      reply().says('Looking.').waitsFor(told.opened).calls('read_file', { path: 'note.txt' }),
      reply().says('Read.'),
      reply().says('A cat.'),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'Looking.');
    await world.send(panel, 'later');
    await submit(world, panel, 'this', [picture], 'steer');
    const queue = (await world.store.queue(sessionId)).map(({ text }) => text);
    world.server.script(reply().says('Later.'));
    told.open();
    await world.settles(panel, 3);
    expect({
      queue,
      sent: [1, 2].map((index) => sent(world, index).includes(picture.dataBase64)),
      last: (await shown(world, sessionId)).slice(-5),
      refused: refused(world),
    }).toEqual({
      queue: ['this', 'later'],
      sent: [false, true],
      last: ['assistant: Read.', 'user: this [image]', 'assistant: A cat.', 'user: later', 'assistant: Later.'],
      refused: 0,
    });
  });

  it('keeps them when it is retried, and when its text is edited; newly given parts replace them', async () => {
    const world = await create();
    world.server.script(...['a1', 'a2', 'a3', 'a4'].map((text) => reply().says(text)));
    const panel = world.surface();
    const { sessionId } = await asked(world, panel, 'Why?', [file, picture]);
    const turnOf = async (): Promise<string> =>
      (await world.store.readTranscript({ sessionId, limit: 1 })).messages[0]?.turnUid ?? '';
    const done = async (again: Promise<SubmitReceipt>, count: number): Promise<string | undefined> => {
      await again;
      await world.settles(panel, count);
      return (await shown(world, sessionId))[0];
    };
    const retried = await done(world.gateway.versions.retry(panel.id, await turnOf()), 2);
    const edited = await done(world.gateway.intake.editAndResend(panel.id, await turnOf(), 'How?', 'edit-1'), 3);
    const replaced = await done(
      world.gateway.intake.editAndResend(panel.id, await turnOf(), '', 'edit-2', undefined, [other]),
      4,
    );
    const emptied = await world.gateway.intake
      .editAndResend(panel.id, await turnOf(), '', 'edit-3', undefined, [])
      .catch((error: unknown) => String(error));
    expect({ retried, edited, replaced, emptied }).toEqual({
      retried: 'user: Why? [src/a.ts] [image]',
      edited: 'user: How? [src/a.ts] [image]',
      replaced: 'user: [problems]',
      emptied: 'GatewayError: There is nothing to send. Type a prompt first.',
    });
  });

  it('returns to the composer before the existing text when it is taken back, and from a branch too', async () => {
    const world = await create();
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    await world.ask(panel, 'first');
    const { sessionId } = await asked(world, panel, '', [file, picture]);
    const prompt =
      (await world.store.activeMessages(sessionId)).find(({ parts }) => parts.some(({ kind }) => kind === 'attachment'))
        ?.uid ?? '';
    const branched = await world.gateway.switching.switchSession(world.surface().id, {
      reason: 'branch',
      sessionId,
      from: prompt,
    });
    await world.gateway.store.setDraft(sessionId, 'typed', [other]);
    const rewound = await world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId, to: prompt });
    const draftOf = async (id: string | null): Promise<unknown> => [
      await world.gateway.store.draft(id ?? ''),
      await world.gateway.store.draftParts(id ?? ''),
    ];
    expect({ branched: await draftOf(branched.sessionId), rewound: [rewound.draft, await draftOf(sessionId)] }).toEqual(
      {
        branched: ['', [file, picture]],
        rewound: ['typed', ['typed', [file, picture, other]]],
      },
    );
  });

  it('can be continued like any other', async () => {
    const world = await create();
    world.server.script(reply().says('Half ').hangs(), reply().says('and half.'));
    const panel = world.surface();
    const { sessionId } = await submit(world, panel, '', [file]);
    await panel.until(() => panel.deliveredText === 'Half ');
    await world.gateway.turns.stop(sessionId);
    await world.idle();
    await world.gateway.continuation.continueTurn(panel.id, panel.settled[0]?.turn.uid ?? '');
    await world.settles(panel, 2);
    expect({
      sent: sent(world, 1).includes('export const a = 1;'),
      refused: refused(world),
      first: (await shown(world, sessionId))[0],
    }).toEqual({ sent: true, refused: 0, first: 'user: [src/a.ts]' });
  });

  it('survives a crash with them', async () => {
    const world = await create();
    world.server.script(reply().says('one ').hangs());
    const panel = world.surface();
    const { sessionId } = await submit(world, panel, 'Why?', [file, picture]);
    await panel.until(() => panel.deliveredText === 'one ');
    await submit(world, panel, 'later', [other]);
    await world.crash();
    expect({
      lines: (await world.lines(sessionId)).slice(0, 2),
      queue: (await world.store.queue(sessionId)).map(({ text, parts }) => [text, parts]),
    }).toEqual({ lines: ['user: Why? [src/a.ts] [image]', 'assistant: one '], queue: [['later', [other]]] });
  });
});
