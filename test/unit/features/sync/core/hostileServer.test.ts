import { describe, expect, it } from 'vitest';
import { Cipher } from '../../../../../src/features/sync/core/encryption/cipher';
import { encryptedServer } from '../../../../../src/features/sync/core/encryption/encryptedServer';
import { SyncRound } from '../../../../../src/features/sync/core/syncRound';
import { closingText } from '../../../../../src/transcript/closingText';
import {
  anApproval,
  answered,
  lines,
  refusal,
  runningTurn,
  sessionDbWorld,
  type SessionDbWorld,
} from '../../../../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer } from '../../../../support/simulatedServer';

interface Machine {
  readonly world: SessionDbWorld;
  /** Sessions of which the server removed something, and what is kept. */
  readonly removed: string[];
  /** Errors of conversations that cannot be read or stored. */
  sync(): Promise<readonly string[]>;
}

interface Scene {
  readonly held: SimulatedServer;
  readonly a: Machine;
  readonly b: Machine;
  /** Lets the server say that another machine sent something. */
  announce(conversationId?: string): void;
  conversation(id?: string): NonNullable<ReturnType<SimulatedServer['conversations']['get']>>;
}

const cipher = new Cipher(new Uint8Array(32).fill(3), 'git:one');

async function machine(held: SimulatedServer, name: string, isSealed: boolean): Promise<Machine> {
  const world = await sessionDbWorld();
  world.db.synced.begin();
  const way = new SimulatedNetwork(held, () => 'done').wayOf();
  const removed: string[] = [];
  let ids = 0;
  const round = new SyncRound({
    store: world.db.synced,
    server: isSealed ? encryptedServer(way, cipher) : way,
    origin: name,
    machine: name,
    newId: () => `${name}-id-${++ids}`,
    fenceOf: () => null,
    onRemoved: (id, kept) => void removed.push(`${id} ${kept}`),
  });
  return {
    world,
    removed,
    sync: async () => (await round.run()).map(({ error }) => String(error)),
  };
}

/** Two machines with a session of three turns. A third one, of the server, announces what the server changes. */
async function scene(isSealed: boolean): Promise<Scene> {
  const held = new SimulatedServer();
  const [a, b] = [await machine(held, 'a', isSealed), await machine(held, 'b', isSealed)];
  a.world.db.createSession({ id: 's1', startedAt: 1, title: 'Plums' });
  for (const uid of ['t1', 't2', 't3']) answered(a.world.db, uid, `Answer of ${uid}.`);
  for (const each of [a, b, a]) await each.sync();
  held.connect('evil', 'Evil');
  let number = 0;
  return {
    held,
    a,
    b,
    announce: (conversationId = 's1') => {
      number++;
      const known = held.conversations.get(conversationId);
      held.send(
        { origin: 'evil' },
        {
          conversationId,
          base: known?.version ?? 0,
          baseTail: known?.chain.get(known.version) ?? null,
          tail: `evil ${number}`,
          fence: null,
          documents: [],
        },
      );
    },
    conversation: (id = 's1') => {
      const found = held.conversations.get(id);
      if (found === undefined) throw new Error(`${id} is not on the server`);
      return found;
    },
  };
}

const inTrash = ({ world }: Machine): readonly string[] =>
  world.db.listSessions({ limit: 9, state: 'trash' }).map(({ id }) => id);

/** Every text that is stored, shown or in the trash. */
const texts = ({ world }: Machine): readonly string[] => [
  ...new Set(
    world.database
      .all('SELECT parts FROM messages')
      .map((row) => /Answer of \w+\./.exec(String(row['parts']))?.[0] ?? ''),
  ),
];
const answers = ['Answer of t1.', 'Answer of t2.', 'Answer of t3.'];

/** What a server does to the rows of a session. `edit`: of a document's JSON. */
const edit =
  (document: string, change: (body: string) => string | null) =>
  ({ conversation, announce }: Scene): void => {
    announce();
    const { documents, version } = conversation();
    documents.set(document, { version, body: change(documents.get(document)?.body ?? '') });
  };
const removeAll = ({ conversation, announce }: Scene): void => {
  announce();
  const { documents, version } = conversation();
  for (const document of documents.keys()) documents.set(document, { version, body: null });
};
const removals: readonly (readonly [string, (scene: Scene) => void])[] = [
  ['a turn without a body', edit('turn/t2', () => null)],
  ['three turns without a body', (all) => ['t1', 't2', 't3'].forEach((uid) => edit(`turn/${uid}`, () => null)(all))],
  ['everything without a body', removeAll],
];
const plainRemovals: readonly (readonly [string, (scene: Scene) => void])[] = [
  ...removals,
  ['a turn without rows', edit('turn/t2', () => '{}')],
  ['a turn without messages', edit('turn/t2', (body) => JSON.stringify({ ...JSON.parse(body), messages: [] }))],
  [
    'a turn without its answer',
    edit('turn/t2', (body) => {
      const { messages, ...rest } = JSON.parse(body) as { messages: { role: string }[] };
      return JSON.stringify({ ...rest, messages: messages.filter(({ role }) => role === 'user') });
    }),
  ],
  ['an answer with other words', edit('turn/t2', (body) => body.replaceAll('Answer of t2.', 'Nothing.'))],
  ['an answer that says nothing', edit('turn/t2', (body) => body.replaceAll('Answer of t2.', ''))],
  [
    'all answers with other words',
    (all) =>
      ['t1', 't2', 't3'].forEach((uid) => edit(`turn/${uid}`, (body) => body.replaceAll(/Answer of/g, 'No'))(all)),
  ],
  ['an answer with other ids', edit('turn/t2', (body) => body.replaceAll('"uid":"a-t2"', '"uid":"other"'))],
];

describe.each(plainRemovals)('a server that may read the history, and gives %s', (_form, act) => {
  it('removes nothing: the session as it was is in the trash of both machines, which say so, and stays on them', async () => {
    const all = await scene(false);
    act(all);
    for (const each of [all.a, all.b, all.a, all.b]) expect(await each.sync()).toEqual([]);
    for (const each of [all.a, all.b]) {
      expect(each.removed).toEqual(['s1 copy']);
      expect(inTrash(each).length).toBe(1);
      expect(texts(each)).toEqual(expect.arrayContaining(answers));
      // One form is a turn without an answer.
      expect(each.world.db.verifyIntegrity().filter(({ row }) => row !== 't2')).toEqual([]);
      expect(all.held.conversations.has(inTrash(each)[0] ?? '')).toBe(false);
    }
    // It can be taken out of the trash.
    const [kept = ''] = inTrash(all.b);
    all.b.world.db.restoreSession(kept);
    await all.b.sync();
    expect(JSON.stringify(lines(all.b.world.db, kept))).toContain('Answer of t2.');
    expect(all.held.conversations.has(kept)).toBe(false);
  });
});

describe.each(removals)('a server of an encrypted history that gives %s', (_form, act) => {
  it('removes nothing: every row stays where it was, and the machines say so', async () => {
    const all = await scene(true);
    const before = lines(all.a.world.db);
    act(all);
    for (const each of [all.a, all.b, all.a, all.b]) expect(await each.sync()).toEqual([]);
    for (const each of [all.a, all.b])
      expect([lines(each.world.db), inTrash(each), each.removed[0]]).toEqual([before, [], 's1 refused']);
    answered(all.b.world.db, 't4', 'Answer of t4.');
    for (const each of [all.b, all.a]) await each.sync();
    expect(texts(all.a)).toContain('Answer of t4.');
  });
});

const erased = ({ held, conversation, announce }: Scene): void => {
  announce();
  conversation().isErased = true;
  held.conversations.get('s1')?.documents.clear();
};
const erasures: readonly (readonly [string, (scene: Scene) => void])[] = [
  ['that it was forgotten', erased],
  [
    'that it was forgotten, with a proof of its own',
    (all) => {
      erased(all);
      all.conversation().documents.set('erased', { version: 9, body: 'hermes1:AAAA' });
    },
  ],
  [
    'that it was forgotten, with the proof of another session',
    (all) => {
      all.a.world.db.createSession({ id: 's2', startedAt: 1 });
      erased(all);
    },
  ],
  [
    'that it was forgotten, with a body of it as the proof',
    (all) => {
      const body = all.conversation().documents.get('turn/t1')?.body ?? '';
      erased(all);
      all.conversation().documents.set('erased', { version: 9, body });
    },
  ],
];

describe.each([false, true])('a server that says of a session (encrypted: %s)', (isSealed) => {
  it.each(erasures)('%s, moves it to the trash, and no further', async (_form, act) => {
    const all = await scene(isSealed);
    act(all);
    for (const each of [all.a, all.b, all.a, all.b]) await each.sync();
    for (const each of [all.a, all.b]) {
      expect([inTrash(each), each.removed, texts(each)]).toEqual([['s1'], ['s1 session'], answers]);
      each.world.db.restoreSession('s1');
    }
    all.announce();
    for (const each of [all.a, all.b]) await each.sync();
    expect([all.a, all.b].map((each) => [inTrash(each), lines(each.world.db).length])).toEqual([
      [[], 6],
      [[], 6],
    ]);
  });

  it('that it was forgotten, and then that it was not, does not make a machine forget it for others', async () => {
    const all = await scene(isSealed);
    const { documents, chain } = structuredClone({ ...all.conversation(), lease: null });
    erased(all);
    await all.a.sync();
    all.a.world.db.forgetSession('s1');
    const conversation = all.conversation();
    conversation.isErased = false;
    for (const [name, one] of documents) conversation.documents.set(name, one);
    for (const [version, tail] of chain) conversation.chain.set(version, tail);
    all.announce();
    for (const each of [all.a, all.b, all.a, all.b]) await each.sync();
    expect([all.conversation().isErased, texts(all.b), inTrash(all.b)]).toEqual([false, answers, []]);
  });
});

describe('a session that is forgotten on one machine', () => {
  it('is erased on the others when the history is encrypted', async () => {
    const all = await scene(true);
    all.a.world.db.forgetSession('s1');
    for (const each of [all.a, all.b]) expect(await each.sync()).toEqual([]);
    expect([texts(all.a), texts(all.b), all.b.removed]).toEqual([[], [], []]);
    expect(all.held.overview().machines.map(({ name, unerased }) => [name, unerased])).toEqual([
      ['a', 0],
      ['b', 0],
      ['Evil', 1],
    ]);
  });

  it('is in the trash of the others when anybody could have said so, and never sent again', async () => {
    const all = await scene(false);
    all.a.world.db.forgetSession('s1');
    for (const each of [all.a, all.b, all.a]) expect(await each.sync()).toEqual([]);
    all.b.world.db.restoreSession('s1');
    answered(all.b.world.db, 't4', 'Answer of t4.');
    for (const each of [all.b, all.a]) expect(await each.sync()).toEqual([]);
    expect([texts(all.a), all.b.removed, all.conversation().documents.size]).toEqual([[], ['s1 session'], 0]);
  });
});

describe('the order of versions of an encrypted history', () => {
  const orders: readonly (readonly [string, (scene: Scene) => void])[] = [
    [
      'a proof that is not its own',
      ({ conversation }) => {
        const { chain, version } = conversation();
        chain.set(version, `${(chain.get(version) ?? '').slice(0, -1)}!`);
      },
    ],
    [
      'another random text',
      ({ conversation }) => {
        const { chain, version } = conversation();
        chain.set(version, `x${chain.get(version) ?? ''}`);
      },
    ],
    [
      'a version under another number',
      ({ conversation }) => {
        const all = conversation();
        all.chain.set(all.version + 1, all.chain.get(all.version) ?? '');
        all.version++;
      },
    ],
    [
      'a version of another session',
      ({ conversation }) => {
        const { chain, version } = conversation();
        chain.set(version, conversation('s2').chain.get(1) ?? '');
      },
    ],
    [
      'a version after one that it does not follow',
      ({ conversation }) => {
        const { chain, version } = conversation();
        chain.set(version - 1, cipher.historyKey + '.aaaaaaaa.bbbb');
      },
    ],
  ];
  it.each(orders)('is refused with %s: nothing of the session changes', async (_form, act) => {
    const all = await scene(true);
    all.a.world.db.createSession({ id: 's2', startedAt: 1 });
    answered(all.a.world.db, 'x1', 'Other.', { sessionId: 's2' });
    answered(all.a.world.db, 't4', 'Answer of t4.');
    await all.a.sync();
    answered(all.a.world.db, 't5', 'Answer of t5.');
    await all.a.sync();
    const before = lines(all.b.world.db);
    act(all);
    expect((await all.b.sync()).join()).toContain('version');
    expect(lines(all.b.world.db)).toEqual(before);
    // Others are exchanged.
    expect(lines(all.b.world.db, 's2').length).toBe(2);
  });

  it('is not asked of versions of earlier builds', async () => {
    const all = await scene(true);
    const { chain } = all.conversation();
    answered(all.a.world.db, 't4', 'Answer of t4.');
    await all.a.sync();
    for (const version of chain.keys()) chain.set(version, `earlier ${version}`);
    expect(await all.b.sync()).toEqual([]);
    expect(texts(all.b)).toContain('Answer of t4.');
  });
});

describe('a server that may read the history', () => {
  const body = (all: Scene, document: string): Record<string, Record<string, unknown>[]> =>
    JSON.parse(all.conversation().documents.get(document)?.body ?? '{}') as Record<string, Record<string, unknown>[]>;
  const give = (all: Scene, document: string, rows: object, id = 's1'): void => {
    all.announce(id);
    const { documents, version } = all.conversation(id);
    documents.set(document, { version, body: JSON.stringify(rows) });
  };
  /** A second session, which only machine b has. */
  const own = (all: Scene): void => {
    all.b.world.db.createSession({ id: 'own', startedAt: 1, private: true });
    answered(all.b.world.db, 'o1', 'My own.', { sessionId: 'own' });
  };
  const foreign: readonly (readonly [string, (scene: Scene) => void])[] = [
    [
      'takes a session of another conversation over',
      (all) => give(all, 'session/own', { sessions: [{ ...body(all, 'session/s1')['sessions']?.[0], id: 'own' }] }),
    ],
    [
      'marks another conversation',
      (all) =>
        give(all, 'marks/own', { sessions: [{ ...body(all, 'marks/s1')['sessions']?.[0], id: 'own', trashed_at: 1 }] }),
    ],
    [
      'continues another conversation',
      (all) =>
        give(all, 'session/next', {
          sessions: [
            {
              ...body(all, 'session/s1')['sessions']?.[0],
              id: 'next',
              parent_session_id: 'own',
              parent_kind: 'compression',
            },
          ],
        }),
    ],
    [
      'writes into a turn of another conversation',
      (all) =>
        give(all, 'turn/o1', JSON.parse(JSON.stringify(body(all, 'turn/t1')).replaceAll('"t1"', '"o1"')) as object),
    ],
    [
      'names a row with a sign that is not shown',
      (all) =>
        give(
          all,
          'turn/t1',
          JSON.parse(JSON.stringify(body(all, 'turn/t1')).replaceAll('a-t1', 'a-t1\u202e')) as object,
        ),
    ],
    [
      'names a session like a path',
      (all) => give(all, 'session/../x', { sessions: [{ ...body(all, 'session/s1')['sessions']?.[0], id: '../x' }] }),
    ],
    [
      'gives a row with a value that no column takes',
      (all) =>
        give(
          all,
          'turn/t1',
          JSON.parse(JSON.stringify(body(all, 'turn/t1')).replaceAll('"role":"user"', '"role":"root"')) as object,
        ),
    ],
    [
      'gives no JSON',
      (all) => {
        give(all, 'turn/t1', {});
        all.conversation().documents.set('turn/t1', { version: all.conversation().version, body: '{' });
      },
    ],
    ['names no kind of document', (all) => give(all, 'shell/t1', {})],
    ['gives bytes where rows are', (all) => give(all, 'turn/t1', { messages: [{ uid: ['a'] }] })],
  ];
  it.each(foreign)('and %s is refused, says so, and keeps nothing else from being exchanged', async (_form, act) => {
    const all = await scene(false);
    own(all);
    const before = [lines(all.b.world.db, 's1'), lines(all.b.world.db, 'own')];
    act(all);
    all.a.world.db.createSession({ id: 'z', startedAt: 1 });
    answered(all.a.world.db, 'z1', 'Later.', { sessionId: 'z' });
    await all.a.sync();
    expect((await all.b.sync()).length).toBe(1);
    expect([lines(all.b.world.db, 's1'), lines(all.b.world.db, 'own')]).toEqual(before);
    expect(all.b.world.db.getSession('own')?.conversationId).toBe('own');
    expect([lines(all.b.world.db, 'z').length, all.b.world.db.conversationTip('own')]).toEqual([2, 'own']);
    // It is left out for a while, then tried again.
    const asked: number[] = [];
    for (let n = 0; n < 8; n++) asked.push((await all.b.sync()).length);
    expect(asked).toEqual(Array.from({ length: 8 }, () => 1));
  });

  it('cannot answer an approval that waits here, nor take the record of another session', async () => {
    const all = await scene(false);
    const { db, database } = all.b.world;
    db.createSession({ id: 'mine', startedAt: 1 });
    runningTurn(db, { sessionId: 'mine', turnUid: 'm1' });
    db.requestApproval(anApproval('ap', { sessionId: 'mine', turnUid: 'm1' }));
    const rows = body(all, 'turn/t1');
    const approval = { ...database.get("SELECT * FROM approvals WHERE id = 'ap'"), session_id: 's1', turn_uid: 't1' };
    give(all, 'turn/t1', {
      ...rows,
      approvals: [{ ...approval, state: 'decided', decision: '{"kind":"allow","scope":"once"}', decided_at: 5 }],
    });
    await all.b.sync();
    expect([db.approval('ap')?.state.kind, db.approval('ap')?.sessionId]).toEqual(['pending', 'mine']);
    database.run(
      'UPDATE approvals SET state = \'decided\', decision = \'{"kind":"deny","reason":null}\' WHERE id = \'ap\'',
    );
    give(all, 'turn/t1', { ...rows, approvals: [{ ...approval, state: 'decided' }] });
    await all.b.sync();
    expect([db.approval('ap')?.state, db.approval('ap')?.sessionId]).toMatchObject([
      { decision: { kind: 'deny' } },
      'mine',
    ]);
  });

  it('cannot move a session to the trash as one that was there for long', async () => {
    const all = await scene(false);
    all.b.world.clock.now = 9_000_000;
    give(all, 'marks/s1', { sessions: [{ ...body(all, 'marks/s1')['sessions']?.[0], trashed_at: 1 }] });
    expect(await all.b.sync()).toEqual([]);
    all.b.world.db.pruneTrash(8_000_000);
    expect([inTrash(all.b), texts(all.b)]).toEqual([['s1'], answers]);
  });

  it('cannot write to a private session, whose id it knows', async () => {
    const all = await scene(false);
    own(all);
    const before = lines(all.b.world.db, 'own');
    give(all, 'turn/o1', {}, 'own');
    give(all, 'session/own', body(all, 'session/s1'), 'own');
    expect(await all.b.sync()).toEqual([]);
    expect(lines(all.b.world.db, 'own')).toEqual(before);
  });

  it.each(['-5', '{"costUsd":-5}', '{"costUsd":-5,"costUsd":0}', '{"costUsd":"-5"}', '{ "costUsd": -1e9 }'])(
    'cannot raise what a session may spend: %s',
    async (usage) => {
      const all = await scene(false);
      const [turn] = body(all, 'turn/t1')['turns'] ?? [];
      give(all, 'turn/t1', { ...body(all, 'turn/t1'), turns: [{ ...turn, usage }] });
      await all.b.sync();
      expect(all.b.world.db.sessionSpending('s1').cost.usd).toBeGreaterThanOrEqual(0);
    },
  );

  it.each([
    '/dev/zero',
    '/proc/self/environ',
    '\\\\evil\\share\\x',
    '//evil/share/x',
    '/home/me/../../etc/x',
    'a\u202eb',
    '/a\nb',
  ])('cannot have a file read that is only named: %s', async (path) => {
    const all = await scene(false);
    const change = { uid: 'f1', session_id: 's1', turn_uid: 't1', call_id: 'c', path, after_known: 1, changed_at: 1 };
    give(all, 'turn/t1', {
      ...body(all, 'turn/t1'),
      file_changes: [change, { ...change, uid: 'f2', path: '/work/a.ts' }],
    });
    await all.b.sync();
    expect(all.b.world.db.fileChangesOf(['t1']).map(({ uid }) => uid)).toEqual(['f2']);
  });

  it.each([
    ['a summary where none is shown', { display_kind: 'handoff' }],
    ['a kind that nothing shows', { display_kind: 'x' }],
    ['a closing row with its own words', { display_kind: 'closing' }],
    [
      'a closing row with more than words',
      { display_kind: 'closing', parts: JSON.stringify([{ kind: 'text', text: closingText('stop') }, {}]) },
    ],
  ])('cannot have a model read what is not shown: %s', async (_form, change) => {
    const all = await scene(false);
    const rows = body(all, 'turn/t1');
    const messages = rows['messages']?.map((row) => (row['role'] === 'assistant' ? { ...row, ...change } : row));
    give(all, 'turn/t1', { ...rows, messages });
    await all.b.sync();
    const { db } = all.b.world;
    const shown = db.readTranscript({ sessionId: 's1', limit: 50 }).messages.map(({ uid }) => uid);
    expect(db.activeMessages('s1').map(({ uid }) => uid)).toEqual(shown);
  });

  it('leaves what a model got for a prompt here when the rows of the prompt are written again', async () => {
    const all = await scene(false);
    const { db } = all.b.world;
    db.setApiContent('u-t1', 'Remembered. Question?');
    give(all, 'turn/t1', body(all, 'turn/t1'));
    await all.b.sync();
    expect(db.apiContents('s1')).toEqual([{ messageUid: 'u-t1', text: 'Remembered. Question?' }]);
    expect(refusal(() => db.getSession('s1'))).toBe('none');
  });
});
