import { describe, expect, it } from 'vitest';
import { account, sound, storedLines } from '../support/account';
import { askUntil, gate, resumed, seeded, sent, worldPerTest, refusal, long, talked } from '../support/conformance';
import { reply } from '../support/modelServer';
import type { SwitchReason } from '../../src/memory/memoryProvider';
import { StoreError } from '../../src/store/storeError';
import { RecordingSurface } from '../support/recordingSurface';
import type { World } from '../support/world';

const { create } = worldPerTest();

/** Reads the draft of whatever it comes to show, as a view does. */
class ReadingSurface extends RecordingSurface {
  readonly drafts: Promise<string>[] = [];

  constructor(
    id: string,
    private readonly draft: (sessionId: string) => Promise<string>,
  ) {
    super(id);
  }

  override onSessionSwitched(sessionId: string | null, reason: SwitchReason): void {
    super.onSessionSwitched(sessionId, reason);
    if (sessionId !== null) this.drafts.push(this.draft(sessionId));
  }
}

const undo = (world: World, panel: RecordingSurface, sessionId: string, turns = 1) =>
  world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId, turns });
const shown = async (world: World, sessionId: string): Promise<readonly string[]> =>
  (await world.gateway.snapshot(sessionId, 50)).page.messages.map(
    (message) => `${message.role}: ${message.parts.map((part) => ('text' in part ? part.text : '')).join('')}`,
  );

describe('undo', () => {
  it('is durable: undone turns stay hidden at the next start, and can still be read (B100 B102)', async () => {
    const world = await create();
    const { panel, sessionId, turnUids } = await talked(world, 2);
    const outcome = await undo(world, panel, sessionId);
    await world.reopen();
    await world.reopen();
    expect({
      outcome,
      draft: await world.gateway.store.draft(sessionId),
      shown: await shown(world, sessionId),
      audit: storedLines(world, sessionId),
    }).toEqual({
      outcome: { sessionId, draft: 'q2', notice: null, rewoundTurn: turnUids[1] },
      draft: 'q2',
      shown: ['user: q1', 'assistant: a1'],
      audit: ['user: q1', 'assistant: a1', 'user (hidden: rewound): q2', 'assistant (hidden: rewound): a2'],
    });
  });

  it.each([
    [1, 'u2\n\nu3', ['user: u1', 'assistant: a1']],
    [2, 'u2\n\nu3', ['user: u1', 'assistant: a1']],
    [3, 'u1', []],
  ] as const)(
    'of %i prompts counts those that are shown, even if one had no answer and is taken back with the next (B101)',
    async (turns, draft, left) => {
      const world = await create();
      const { panel, sessionId } = await seeded(world, (history) =>
        history.user('u1').assistant('a1').user('u2').user('u3').assistant('a3'),
      );
      const before = await shown(world, sessionId);
      const outcome = await undo(world, panel, sessionId, turns);
      expect({ before, draft: outcome.draft, left: await shown(world, sessionId) }).toEqual({
        before: ['user: u1', 'assistant: a1', 'user: u2', 'user: u3', 'assistant: a3'],
        draft,
        left,
      });
    },
  );

  it('after a prompt that had no answer takes it back with the one it was joined to (B101)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, (history) =>
      history.user('u1').assistant('a1').user('u2').user('u3').assistant('a3'),
    );
    const { draft } = await undo(world, panel, sessionId);
    world.server.script(reply().says('a4'));
    await world.ask(panel, 'u4');
    expect({ draft, sent: sent(world, 0), shown: await shown(world, sessionId) }).toEqual({
      draft: 'u2\n\nu3',
      sent: ['user: u1', 'assistant: a1', 'user: u4'],
      shown: ['user: u1', 'assistant: a1', 'user: u4', 'assistant: a4'],
    });
  });

  it('while an answer streams, even for another surface, is refused with a sentence, and nothing changes (B105)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 1);
    const held = gate();
    world.server.script(reply().says('slow ').waitsFor(held.opened).says('answer'));
    await askUntil(world, panel, 'q2', 'slow ');
    const other = await resumed(world, sessionId);
    const said = await refusal(undo(world, other, sessionId));
    held.open();
    expect({ said, ...(await account(world, panel, sessionId)) }).toEqual({
      said: 'Hermes is answering in this session. Stop it first.',
      ...sound,
      stored: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: slow answer'],
    });
  });

  it('is reported to memory under the same id (B107)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 2);
    await undo(world, panel, sessionId);
    await world.gateway.shutdown();
    expect(world.memoryLog.at(-2)?.replace(sessionId, 'SAME')).toBe('switch SAME rewind rewound');
  });

  it('of more turns than exist returns to the beginning; without turns there is nothing to take back', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 2);
    const all = await undo(world, panel, sessionId, 9);
    expect({
      draft: all.draft,
      shown: await shown(world, sessionId),
      again: await refusal(undo(world, panel, sessionId)),
    }).toEqual({
      draft: 'q1',
      shown: [],
      again: 'There is no prompt to rewind to in this session.',
    });
  });

  it('before a summary becomes a branch, and says so; the session itself stays unchanged', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world, 3, long);
    world.server.script(reply().says('## Goal\nUnderstand the parser.'));
    const { sessionId: child } = await world.gateway.compression.compress(sessionId, '');
    const before = [storedLines(world, sessionId), storedLines(world, child)];
    const outcome = await undo(world, panel, child, 3);
    expect({
      draft: outcome.draft,
      notice: outcome.notice,
      same: [storedLines(world, sessionId), storedLines(world, child)],
      branch: storedLines(world, outcome.sessionId ?? ''),
      memory: world.memoryLog.at(-1)?.split(' ').slice(2).join(' '),
    }).toEqual({
      draft: 'q1',
      notice:
        'This prompt comes before a summary, so Hermes rewound it in a branch. The original session is unchanged.',
      same: before,
      branch: [],
      memory: `branch parent ${sessionId}`,
    });
  });
});

describe.each(['openai', 'anthropic'] as const)('a retry, over the %s protocol', (protocol) => {
  it('with edited text, in the middle, keeps the earlier text as a version, which can be shown again (B103 B192)', async () => {
    const world = await create({ protocol });
    const { panel, sessionId, turnUids } = await talked(world, 3);
    world.server.script(reply().says('b2'));
    const receipt = await world.gateway.intake.editAndResend(
      panel.id,
      turnUids[1] ?? '',
      'q2, in other words',
      'edit-1',
    );
    await world.idle();
    const edited = [await shown(world, sessionId), sent(world, 3), await world.store.promptVersions(sessionId)];
    await world.gateway.versions.show(turnUids[1] ?? '');
    const back = await shown(world, sessionId);
    world.server.script(reply().says('a4'));
    await world.ask(panel, 'q4');
    const newUid = receipt.kind === 'started' ? receipt.turnUid : '';
    expect({
      edited,
      back,
      then: sent(world, 4),
      reread: panel.switches.slice(-2).map(({ reason }) => reason),
    }).toEqual({
      edited: [
        ['user: q1', 'assistant: a1', 'user: q2, in other words', 'assistant: b2'],
        ['user: q1', 'assistant: a1', 'user: q2, in other words'],
        [{ turnUid: newUid, versions: [turnUids[1], newUid] }],
      ],
      back: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2', 'user: q3', 'assistant: a3'],
      then: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2', 'user: q3', 'assistant: a3', 'user: q4'],
      reread: ['resume', 'resume'],
    });
  });

  it.each(['edited', 'retried'] as const)(
    'of a prompt joined to an earlier one and %s shows and sends the text of the one shown version, also after a restart',
    async (reason) => {
      const world = await create({ protocol });
      const { panel, sessionId } = await seeded(world, (history) => history.user('u1').assistant('a1').user('u2'));
      world.server.script(
        reply().says('a3'),
        reply().says('b3'),
        reply().says('a4'),
        reply().says('b4'),
        reply().says('c3'),
      );
      const first = (await world.ask(panel, 'u3')) as { readonly turnUid: string };
      const again = (await (reason === 'edited'
        ? world.gateway.intake.editAndResend(panel.id, first.turnUid, 'in other words', 'edit-1')
        : world.gateway.versions.retry(panel.id, first.turnUid))) as { readonly turnUid: string };
      await world.idle();
      const other = reason === 'edited' ? 'in other words' : 'u3';
      const words = async (): Promise<string> =>
        (await shown(world, sessionId))
          .map((line) => line.replace(/^\w+: /, ''))
          .join('|')
          .replaceAll('\n\n', '|');
      const asked = (index: number): string =>
        sent(world, index)
          .map((line) => line.replace(/^\w+: /, ''))
          .join('|')
          .replaceAll('\n\n', '|')
          .replaceAll('\\n\\n', '|');
      const told = [asked(-1), await words()];
      for (const turnUid of [first, again, first].map((turn) => turn.turnUid)) {
        await world.gateway.versions.show(turnUid);
        told.push(await words());
      }
      await world.ask(panel, 'u4');
      told.push(asked(-1));
      await world.reopen();
      const reopened = await resumed(world, sessionId);
      await world.gateway.versions.show(again.turnUid);
      told.push(await words());
      await world.ask(reopened, 'u5');
      told.push(asked(-1));
      expect(told).toEqual([
        `u1|a1|u2|${other}`,
        `u1|a1|u2|${other}|b3`,
        'u1|a1|u2|u3|a3',
        `u1|a1|u2|${other}|b3`,
        'u1|a1|u2|u3|a3',
        'u1|a1|u2|u3|a3|u4',
        `u1|a1|u2|${other}|b3`,
        `u1|a1|u2|${other}|b3|u5`,
      ]);
    },
  );

  it('restores files once it is certain, and before the model receives the prompt', async () => {
    const world = await create({ protocol });
    const { panel, turnUids } = await talked(world, 2);
    const asked: number[] = [];
    const note = async (): Promise<void> => void asked.push(world.server.requests.length);
    world.server.script(reply().says('b2'), reply().says('b1'));
    await world.gateway.versions.retry(panel.id, turnUids[1] ?? '', note);
    await world.idle();
    await expect(world.gateway.versions.retry(panel.id, 'nope', note)).rejects.toThrow();
    await world.gateway.intake.editAndResend(panel.id, turnUids[0] ?? '', 'q1, in other words', 'edit-1', note);
    await world.idle();
    expect([asked, world.server.requests.length]).toEqual([[2, 3], 4]);
  });

  it('of a prompt before a summary runs in a branch, and says so; the session itself stays unchanged', async () => {
    const world = await create({ protocol });
    const { panel, sessionId, turnUids } = await talked(world, 3, long);
    world.server.script(reply().says('## Goal\nUnderstand the parser.'), reply().says('b1'));
    const { sessionId: child } = await world.gateway.compression.compress(sessionId, '');
    const before = [storedLines(world, sessionId), storedLines(world, child)];
    const receipt = await world.gateway.versions.retry(panel.id, turnUids[0] ?? '');
    await world.idle();
    expect({
      receipt: { ...receipt, turnUid: '', sessionId: '' },
      same: [storedLines(world, sessionId), storedLines(world, child)],
      branch: storedLines(world, receipt.sessionId),
      showing: world.gateway.surfaces.shownSession(panel.id) === receipt.sessionId,
      draft: await world.gateway.store.draft(receipt.sessionId),
    }).toEqual({
      receipt: {
        kind: 'started',
        turnUid: '',
        sessionId: '',
        notice:
          'This prompt comes before a summary, so it was sent again in a branch. The original session is unchanged.',
      },
      same: before,
      branch: ['user: q1', 'assistant: b1'],
      showing: true,
      draft: '',
    });
  });
});

describe('an edit', () => {
  it('of a prompt before a summary runs in a branch whose composer never held the prompt; if it cannot run, the composer holds the text', async () => {
    const world = await create();
    const { sessionId, turnUids } = await talked(world, 3, long);
    world.server.script(reply().says('## Goal\nUnderstand the parser.'), reply().says('b1'));
    await world.gateway.compression.compress(sessionId, '');
    const view = new ReadingSurface('view', (shownId) => world.gateway.store.draft(shownId));
    world.gateway.surfaces.attach(view);
    await world.gateway.intake.editAndResend(view.id, turnUids[0] ?? '', 'q1 in other words', 'edit-1');
    await world.idle();
    const seen = await Promise.all(view.drafts.splice(0));

    const works = world.breakStore((method) =>
      method === 'openTurn' ? new StoreError('invalid', 'It cannot be asked.', '') : null,
    );
    const refused = await refusal(
      world.gateway.intake.editAndResend(view.id, turnUids[0] ?? '', 'q1 once more', 'edit-2'),
    );
    works();
    expect({ seen, refused, last: (await Promise.all(view.drafts)).at(-1) }).toEqual({
      seen: [''],
      refused: 'It cannot be asked.',
      last: 'q1 once more',
    });
  });

  it('that is submitted twice is sent once', async () => {
    const world = await create();
    const { panel, sessionId, turnUids } = await talked(world, 1);
    world.server.script(reply().says('b1'));
    const first = await world.gateway.intake.editAndResend(panel.id, turnUids[0] ?? '', 'other words', 'edit-1');
    const second = await world.gateway.intake.editAndResend(panel.id, turnUids[0] ?? '', 'other words', 'edit-1');
    await world.idle();
    expect({
      same: second,
      requests: world.server.requests.length,
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      same: first,
      requests: 2,
      ...sound,
      stored: ['user (hidden: edited): q1', 'assistant (hidden: edited): a1', 'user: other words', 'assistant: b1'],
    });
  });
});
