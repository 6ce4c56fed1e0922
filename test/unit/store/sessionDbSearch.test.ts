import { beforeEach, describe, expect, it } from 'vitest';
import { snippetOf } from '../../../src/store/search/snippet';
import { searchTerms } from '../../../src/store/search/searchTerms';
import {
  answer,
  append,
  chunk,
  complete,
  openTurn,
  refusal,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

const find = (text: string, more: { sessionId?: string; limit?: number } = {}) =>
  world.db.search({ text, limit: 20, ...more }).map((hit) => hit.messageUid);
const say = (uid: string, text: string): void => {
  if (world.db.getSession('s1') === null) runningTurn(world.db);
  else openTurn(world.db, { turnUid: `t-${uid}` });
  settle(world.db, world.db.openTurnOf('s1')?.uid ?? '', complete, [
    answer(uid, text, world.db.openTurnOf('s1')?.uid ?? ''),
  ]);
};

describe.each(['before indexing', 'after indexing'])('search %s', (when) => {
  beforeEach(() => {
    say('a1', 'The quick brown fox; see getUserName in src/store/sessionDb.ts');
    say('a2', '東京都庁へ行く。関数を直す');
    say('a3', 'Quickly, a Café in Zürich is 100% open_source');
    say('a4', 'Nothing of interest');
    if (when === 'after indexing') expect(world.db.indexBatch(100)).toBe(0);
  });

  it.each([
    ['quick', ['a3', 'a1']],
    ['QUICK brown', ['a1']],
    ['brown qui', ['a1']],
    ['東京', ['a2']],
    ['都庁 関数', ['a2']],
    ['UserName', ['a1']],
    ['sessionDb.ts', ['a1']],
    ['"brown fox"', ['a1']],
    ['"fox brown"', []],
    ['100%', ['a3']],
    ['open_source', ['a3']],
    ['openXsource', []],
    ['Zürich', ['a3']],
    ['zürich', ['a3']],
    ['nowhere', []],
    ['', []],
    ['   ""  ', []],
  ])('finds %s', (text, uids) => {
    expect(find(text)).toEqual(uids);
  });

  it.each([
    '"',
    '""" AND',
    'a OR',
    'NOT',
    '(',
    'x NEAR/2',
    'content:fox',
    '*',
    '-fox',
    '^',
    "'",
    '\\',
    '%_\\',
    '\0',
    'a"b"c',
    'é'.repeat(5000),
    'word '.repeat(500),
  ])('answers %j without an error', (text) => {
    expect(refusal(() => world.db.search({ text, limit: 5 }))).toBe('none');
  });
});

describe('search', () => {
  it('finds text while it is still streaming', () => {
    runningTurn(world.db);
    append(world.db, 't1', chunk('a1', 1, 0, 'half a wo'), chunk('a1', 2, 9, 'rd'));
    world.db.indexBatch(10);
    expect([find('word'), find('half word')]).toEqual([['a1'], ['a1']]);
  });

  it('leaves rows of an open turn out of the index until it settles', () => {
    runningTurn(world.db);
    const left = world.db.indexBatch(10);
    const dirty = world.db.statistics().dirtyRows;
    settle(world.db, 't1', complete, [answer('a1', 'done', 't1')]);
    expect({
      left,
      dirty,
      afterwards: [world.db.indexBatch(1), world.db.indexBatch(10), world.db.statistics().dirtyRows],
    }).toEqual({ left: 0, dirty: 1, afterwards: [1, 0, 0] });
  });

  it('forgets the old words of a rewritten row at once and finds its new ones', () => {
    say('a1', 'alpha');
    world.db.indexBatch(10);
    world.db.putMessages([answer('a1', 'alpha beta', 't1')]);
    const before = [find('beta'), find('alpha')];
    world.database.run("UPDATE messages SET content = 'gamma' WHERE uid = 'a1'");
    const rewritten = [find('alpha'), find('beta')];
    world.db.indexBatch(10);
    expect({ before, rewritten, sound: world.db.verifyIntegrity() }).toEqual({
      before: [['a1'], ['a1']],
      rewritten: [[], []],
      sound: [],
    });
  });

  it('shows each message once, and never hidden, trashed or delegated ones', () => {
    say('a1', 'needle');
    openTurn(world.db, { turnUid: 't2', text: 'needle again', supersedes: 't1' });
    settle(world.db, 't2');
    world.db.createSession({ id: 's2', startedAt: 3, parentSessionId: 's1', parentKind: 'compression' });
    world.db.putMessages([{ ...answer('carried', 'needle again', 't2', 's2'), carriedFrom: 'u-t2' }]);
    world.db.createSession({ id: 'd', startedAt: 3, parentSessionId: 's1', parentKind: 'delegate' });
    openTurn(world.db, { sessionId: 'd', turnUid: 't3', text: 'needle delegated' });
    settle(world.db, 't3');
    world.db.createSession({ id: 'x', startedAt: 3 });
    openTurn(world.db, { sessionId: 'x', turnUid: 't4', text: 'needle elsewhere' });
    settle(world.db, 't4');
    const seen = {
      all: find('needle'),
      conversation: find('needle', { sessionId: 's2' }),
      unknown: find('needle', { sessionId: 'none' }),
    };
    world.database.run("UPDATE sessions SET trashed_at = 1 WHERE id = 'x'");
    expect({ ...seen, withoutTrash: find('needle'), closingText: find('answer was given') }).toEqual({
      all: ['u-t4', 'u-t2'],
      conversation: ['u-t2'],
      unknown: [],
      withoutTrash: ['u-t2'],
      closingText: [],
    });
  });

  it('reports the position of the words', () => {
    say('a1', `${'before '.repeat(30)}the Café\nwith a cafe ${'after '.repeat(60)}`);
    world.db.indexBatch(10);
    const [hit] = world.db.search({ text: 'cafe', limit: 1 });
    expect({
      ...hit,
      snippet: hit?.matches.map((range) => hit.snippet.slice(range.start, range.end)),
      broken: /\n/.test(hit?.snippet ?? ''),
    }).toEqual({
      sessionId: 's1',
      conversationId: 's1',
      position: 2048,
      sessionTitle: 'What is here?',
      messageUid: 'a1',
      role: 'assistant',
      createdAt: 2,
      matches: expect.any(Array),
      snippet: ['Café', 'cafe'],
      broken: false,
    });
  });

  it('finds the same before and after indexing when only a part is indexed', () => {
    say('a1', 'unworldly');
    world.db.indexBatch(10);
    say('a2', 'otherworldly');
    say('a3', 'worldly');
    const partly = [find('world'), find('orldly')];
    world.db.indexBatch(10);
    expect([partly, [find('world'), find('orldly')]]).toEqual([
      [['a3'], ['a3', 'a2', 'a1']],
      [['a3'], ['a3', 'a2', 'a1']],
    ]);
  });

  it('returns the newest when there are more than requested', () => {
    for (const uid of ['a1', 'a2', 'a3']) say(uid, 'same words');
    world.db.indexBatch(4);
    expect([
      find('same', { limit: 2 }),
      find('ame word', { limit: 2 }),
      refusal(() => world.db.search({ text: 'x', limit: 0 })),
    ]).toEqual([['a3', 'a2'], ['a3', 'a2'], 'invalid']);
  });

  it('lets other calls run between two slices of a scan', () => {
    for (let n = 0; n < 30; n++) say(`a${n}`, `row number ${n}`);
    let slices = 0;
    const scan = world.db.slices.search({ text: '"umber 7"', limit: 5 });
    let step = scan.next();
    while (step.done !== true) {
      world.db.setDraft('new', `typed ${slices++}`);
      step = scan.next();
    }
    expect([slices > 0, step.value.map((hit) => hit.messageUid), world.db.draft('new')]).toEqual([
      true,
      ['a7'],
      `typed ${slices - 1}`,
    ]);
  });
});

describe('a damaged index', () => {
  const damages: readonly [string, string][] = [
    ['overwritten', "UPDATE messages_fts_segdir SET root = x'00ff00ff'"],
    ['without its tables', 'DROP TABLE messages_fts_segdir'],
    ['without the sizes of its rows', 'DROP TABLE messages_fts_docsize'],
    ['without its totals', 'DROP TABLE messages_fts_stat'],
    ['gone', 'DROP TABLE messages_fts'],
  ];
  beforeEach(() => {
    say('a1', 'alpha');
    say('a2', 'beta');
    world.db.indexBatch(10);
  });

  it.each(damages)('%s: is found by a check and rebuilt, and stops neither search nor writing', (_name, damage) => {
    world.database.run(damage);
    const found = find('beta');
    world.db.putMessages([answer('a1', 'alpha more', 't1')]);
    world.db.indexBatch(10);
    expect({ found, rewritten: find('more'), sound: world.db.verifyIntegrity() }).toEqual({
      found: ['a2'],
      rewritten: ['a1'],
      sound: [],
    });
    // What the search repaired is damaged again.
    world.database.run(damage);
    const problems = world.db.verifyIntegrity().length;
    expect([problems, world.db.verifyIntegrity(), world.db.indexBatch(10), find('alpha')]).toEqual([1, [], 0, ['a1']]);
  });

  it('is not blamed for an error elsewhere', () => {
    world.database.execute('DROP TABLE drafts');
    expect([refusal(() => world.db.setDraft('k', 'x')), world.db.statistics().dirtyRows]).toEqual(['unknown', 0]);
  });
});

describe('search words', () => {
  it('become quoted words for the index, or a scan', () => {
    const match = (text: string) => searchTerms(text)?.match;
    expect(['quick Brown', 'a OR b', 'x', '東京', 'foo.bar', '"two words"', ' '].map(match)).toEqual([
      '"quick" "brown*"',
      null,
      null,
      null,
      null,
      null,
      undefined,
    ]);
  });

  it('mark whole characters and merge overlapping matches', () => {
    expect([snippetOf('ab😀ab', ['ab']), snippetOf('aaaa', ['aa']), snippetOf('が か', ['か'])]).toEqual([
      {
        snippet: 'ab😀ab',
        matches: [
          { start: 0, end: 2 },
          { start: 4, end: 6 },
        ],
      },
      { snippet: 'aaaa', matches: [{ start: 0, end: 4 }] },
      { snippet: 'が か', matches: [{ start: 2, end: 3 }] },
    ]);
  });
});
