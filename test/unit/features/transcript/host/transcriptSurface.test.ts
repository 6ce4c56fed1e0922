import { describe, expect, it, vi } from 'vitest';
import { StoreStatus } from '../../../../../src/host/storage/storeStatus';
import { TranscriptSurface } from '../../../../../src/features/transcript/host/transcriptSurface';
import type { ConversationBranch } from '../../../../../src/store/conversations';
import { StoredTranscript } from '../../../../support/builders/storedTranscript';
import { transcriptPage } from '../../../../support/builders/transcriptState';
import { ManualClock } from '../../../../support/manualClock';
import { RecordingLog } from '../../../host/recordingLog';
import { RecordingPort, settle } from '../../../host/recordingPort';
import { ScriptedGateway, session, userMessage } from '../../../host/scriptedGateway';
import { elsewhereState, openState, StoreAtHand } from '../../../host/storeAtHand';
import { noCodeActions } from '../../../../support/noCodeActions';
import { editor } from '../../../host/answeringEditor';
import type { WindowContext } from '../../../../../src/host/window/windowContext';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

function branch(conversationId: string, parentConversationId: string | null): ConversationBranch {
  return {
    conversationId,
    tipId: conversationId,
    title: null,
    parentConversationId,
    branchedFrom: null,
    lastActiveAt: 1,
    turnCount: 1,
  };
}

function tab(options: { readonly sessionId?: string; readonly reveal?: string; readonly opening?: boolean } = {}) {
  const gateway = new ScriptedGateway(session('s1'));
  const stored = new StoredTranscript([{ ...userMessage('u1', 'hello'), turnUid: null }], gateway.stored);
  stored.tree.push(branch('s1', null));
  const connection = new StoreAtHand(options.opening === true ? { kind: 'opening' } : openState);
  const clock = new ManualClock();
  const port = new RecordingPort();
  const titles: (string | null)[] = [];
  const opened = editor.ran;
  const copied: string[] = [];
  const run = editor.commands.executeCommand;
  const window = {
    gateway,
    history: { store: stored, status: new StoreStatus(connection) },
    clock,
    localization: {},
    opener: { open: (...where: readonly unknown[]) => run('open', ...where) },
    editor: {
      runFeatureCommand: (_: string, { sessionId }: { readonly sessionId: string }) => run('export', sessionId),
      copy: async (text: string) => void copied.push(text),
    },
    code: noCodeActions,
    log: new RecordingLog(),
  };
  const surface = new TranscriptSurface(
    options.sessionId ?? 's1',
    options.reveal ?? null,
    port,
    window as unknown as WindowContext,
    { isElsewhere: (id) => id === 'elsewhere', onSession: ({ title }) => titles.push(title) },
  );
  return { gateway, stored, connection, clock, port, titles, opened, copied, surface };
}

const everything = { role: null, state: null, hidden: false };
const atEnd = { filter: everything, around: null };
const rows = transcriptPage({
  messages: [{ ...userMessage('u1', 'hello'), turnUid: null }],
  counts: { complete: 0, interrupted: 0, failed: 0, waiting: 0, repaired: 0, hidden: 0 },
  segments: [{ sessionId: 's1', firstUid: 'u1', lastUid: 'u1', handoffUid: null, tokens: null }],
});
const tree = [{ ...branch('s1', null), subAgent: false }];
const state = {
  session: session('s1'),
  rows,
  branches: tree,
  problem: null,
  reveal: null,
  otherFolder: null,
  file: null,
  readAt: null,
  localization: {},
};

/** A tab whose page has loaded at its end. */
async function shown(options: Parameters<typeof tab>[0] = {}) {
  const made = tab(options);
  made.port.command('ready', atEnd);
  await settle();
  return made;
}

describe('the transcript tab', () => {
  it('shows the stored rows, and reads more on request', async () => {
    const { port, titles } = await shown();
    port.request(1, 'loadRows', {
      sessionId: 's1',
      wanted: { kind: 'before', position: 17 },
      limit: 50,
      filter: everything,
    });
    await settle();
    expect({ told: port.notifications, answered: port.responses, titles }).toEqual({
      told: [['bootstrap', state]],
      answered: [expect.objectContaining({ id: 1, ok: true, result: rows })],
      titles: ['Title of s1'],
    });
  });

  it('says in words that a session does not exist, or that the store cannot be read', async () => {
    const gone = tab({ sessionId: 'gone' });
    gone.port.command('ready', atEnd);
    await settle();
    expect(gone.port.notifications).toEqual([
      [
        'bootstrap',
        expect.objectContaining({
          session: null,
          rows: null,
          problem: 'Session gone is not in this folder’s history.',
        }),
      ],
    ]);
  });

  it('waits for a store that is being opened, and reads again when it returns', async () => {
    const { port, connection } = await shown({ opening: true });
    expect({ told: port.notifications, asked: connection.asked }).toEqual({ told: [], asked: ['open'] });
    connection.become(openState);
    await settle();
    connection.become(elsewhereState);
    connection.become(openState);
    await settle();
    expect(port.notifications.map(([name]) => name)).toEqual(['bootstrap', 'bootstrap']);
  });

  it('reads again when rows of its session change, and once a second while the session answers', async () => {
    const { port, gateway, clock } = await shown();
    gateway.changed('other');
    gateway.changed('s1');
    gateway.run('s1');
    await settle();
    const before = port.notifications.length;
    await clock.advance(3000);
    gateway.running = [];
    await clock.advance(5000);
    const changes = (told: typeof port.notifications): readonly unknown[] =>
      told.filter(([name]) => name === 'changed').map(([, payload]) => payload);
    expect({
      before: changes(port.notifications.slice(0, before)),
      during: changes(port.notifications.slice(before)).length,
      timers: clock.waiting,
    }).toEqual({
      before: [{ sessionId: 's1' }, { sessionId: 's1' }],
      during: 4,
      timers: 0,
    });
  });

  it('follows the title, opens the session in the chat, and reveals a row', async () => {
    const { port, gateway, titles, opened, surface } = await shown();
    await gateway.actions.rename('s1', 'Better');
    await settle();
    port.command('openInChat', { messageUid: 'u1' });
    surface.reveal('u1');
    await settle();
    expect({ titles, opened, last: port.notifications.at(-1) }).toEqual({
      titles: ['Title of s1', 'Better'],
      opened: [['open', 's1', 'u1', 'chat']],
      last: ['reveal', { messageUid: 'u1' }],
    });
  });

  it('follows its session when a compression starts another segment', async () => {
    const { port, gateway, stored, clock } = await shown();
    gateway.stored.set('s2', session('s2', { conversationId: 's1', parentSessionId: 's1', parentKind: 'compression' }));
    stored.tips.set('s1', 's2');
    gateway.changed('s1');
    await settle();
    gateway.changed('s2');
    gateway.run('s2');
    await settle();
    await clock.advance(1000);
    gateway.running = [];
    await clock.advance(2000);
    const changes = port.notifications.filter(([name]) => name === 'changed').map(([, payload]) => payload);
    expect({ sessions: new Set(changes.map((change) => JSON.stringify(change))), enough: changes.length >= 4 }).toEqual(
      { sessions: new Set(['{"sessionId":"s2"}']), enough: true },
    );
  });

  it('sends the branches again when one was made anywhere, and only if they changed', async () => {
    const { port, gateway, stored, clock } = await shown();
    gateway.changed('other');
    await clock.advance(100);
    stored.tree.push(branch('b1', 's1'));
    gateway.changed('b1');
    gateway.changed('b1');
    await clock.advance(100);
    expect(port.notifications.filter(([name]) => name === 'branches')).toEqual([
      ['branches', [...tree, { ...branch('b1', 's1'), subAgent: false }]],
    ]);
  });

  it('opens another session of the tree in the same tab, unless another tab shows that one', async () => {
    const { port, gateway, stored, opened, surface } = tab();
    stored.revisions.set('u1', [{ revisedAt: 7, parts: [{ kind: 'text', text: 'u1 before' }] }]);
    gateway.stored.set('b1', session('b1'));
    port.command('ready', atEnd);
    await settle();
    port.command('goTo', { sessionId: 'elsewhere', messageUid: null });
    await settle();
    const stayed = surface.sessionId;
    port.command('goTo', { sessionId: 'b1', messageUid: 'u1' });
    await settle();
    port.command('branchFrom', { messageUid: 'u1' });
    port.command('rewindTo', { messageUid: 'u1' });
    port.command('exportSession');
    port.request(4, 'revisions', { messageUid: 'u1' });
    await settle();
    expect({
      stayed,
      now: surface.sessionId,
      told: port.notifications.at(-1),
      opened,
      revisions: port.responses,
    }).toEqual({
      stayed: 's1',
      now: 'b1',
      told: ['bootstrap', expect.objectContaining({ session: session('b1'), reveal: 'u1' })],
      opened: [
        ['hermes.branchFromHere', { sessionId: 'b1', messageUid: 'u1' }],
        ['hermes.rewindToHere', { sessionId: 'b1', messageUid: 'u1' }],
        ['export', 'b1'],
      ],
      revisions: [
        expect.objectContaining({
          id: 4,
          ok: true,
          result: [
            {
              revisedAt: 7,
              parts: [{ kind: 'text', text: 'u1 before' }],
              diff: '--- row\n+++ row\n@@ -1 +1 @@\n-u1 before\n+hello',
            },
          ],
        }),
      ],
    });
  });

  it('posts nothing while its page is unloaded, and leaves nothing registered', async () => {
    const { port, gateway, surface, clock } = await shown();
    surface.pageUnloaded();
    gateway.changed('s1');
    gateway.run('s1');
    await settle();
    expect(port.notifications.length).toBe(1);
    surface.dispose();
    expect({ listening: gateway.listening, timers: clock.waiting }).toEqual({ listening: false, timers: 0 });
  });

  it('returns a row as the file holds it, and copies rows in stored order in the requested form', async () => {
    const { port, stored, copied } = tab();
    stored.messages = [...stored.messages, { ...userMessage('u2', 'again'), position: 2, turnUid: null }];
    port.command('ready', atEnd);
    port.request(1, 'rawRow', { messageUid: 'u1' });
    port.request(2, 'rawRow', { messageUid: 'gone' });
    const copy = async (uids: readonly string[] | null, form: string, filter: object = everything): Promise<string> => {
      port.command('copyRows', { sessionId: 's1', uids, filter, form });
      await settle();
      return copied.at(-1) ?? '';
    };
    const both = ['u2', 'u1'];
    const json = [
      await copy(both, 'json'),
      await copy(['u1'], 'json'),
      await copy(null, 'json'),
      await copy(null, 'json', { ...everything, role: 'assistant' }),
    ];
    const [text, markdown] = [await copy(both, 'text'), await copy(both, 'markdown')];
    const row = (uid: string, said: string): object => ({ uid, role: 'user', parts: [{ kind: 'text', text: said }] });
    const [first, second] = [row('u1', 'hello'), row('u2', 'again')];
    expect({
      raw: port.responses,
      json: json.map((each): unknown => JSON.parse(each)),
      text,
      markdown: markdown.replace(/^## You.*$/gm, '## You'),
    }).toEqual({
      raw: [
        expect.objectContaining({ id: 1, result: JSON.stringify(first, null, 2) }),
        expect.objectContaining({ id: 2, result: null }),
      ],
      json: [[first, second], first, [first, second], []],
      text: 'hello\n\nagain',
      markdown: '## You\n\nhello\n\n## You\n\nagain\n',
    });
  });

  it('finds text in rows that no page has loaded, reports its progress, and ends a canceled search', async () => {
    const { port, stored } = tab();
    stored.messages = Array.from({ length: 1000 }, (_, index) => ({
      ...userMessage(`m${index}`, index === 3 || index === 990 ? 'A Needle' : 'hay'),
      position: index + 1,
      turnUid: null,
    }));
    port.command('ready', atEnd);
    const query = { sessionId: 's1', filter: everything, text: 'needle', matchCase: false };
    port.request(1, 'findRows', { search: 1, ...query });
    await settle();
    const progress = port.notifications.filter(([name]) => name === 'findProgress').map(([, payload]) => payload);
    port.request(2, 'findRows', { search: 2, ...query });
    port.request(3, 'findRows', { search: 3, ...query, matchCase: true });
    await settle();
    expect({
      answers: port.responses.map((response) => ('result' in response ? response.result : response)),
      progress,
    }).toEqual({
      answers: [['m3', 'm990'], null, []],
      progress: [
        { search: 1, done: 400, total: 1000 },
        { search: 1, done: 800, total: 1000 },
      ],
    });
  });

  it('returns to the row that the user was at, among the rows they had filtered', async () => {
    const { port, stored } = tab();
    stored.messages = Array.from({ length: 900 }, (_, index) => ({
      ...userMessage(`m${index}`, 'hay'),
      position: index + 1,
      turnUid: null,
    }));
    port.command('ready', { filter: { ...everything, role: 'user' }, around: 'm400' });
    await settle();
    expect(port.notifications.map(([, payload]) => payload)).toEqual([
      expect.objectContaining({
        rows: expect.objectContaining({ earlier: 300, later: 400, matching: 900, total: 900 }),
      }),
    ]);
  });
});
