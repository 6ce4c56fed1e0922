import { describe, expect, it } from 'vitest';
import { SessionFind, visibleText } from '../../../../../src/host/chat/find/feedHandlers';
import type { TranscriptPage, TranscriptQuery } from '../../../../../src/store/requests';
import type { Message } from '../../../../../src/transcript/message';
import { wordsPattern } from '../../../../../src/transcript/text/wordsPattern';
import { answer, call, prompt, result, session } from '../../../../support/builders/viewMessages';

/** A host that reads pages of these messages. */
function find(
  messages: readonly Message[],
  before: () => Promise<void> = async () => undefined,
  ...options: ConstructorParameters<typeof SessionFind> extends [unknown, ...infer Rest] ? Rest : never
): SessionFind {
  return new SessionFind(
    {
      store: {
        readTranscript: async ({ after, limit }: TranscriptQuery): Promise<TranscriptPage> => {
          await before();
          const behind = messages.filter(({ position }) => position > (after ?? 0));
          return {
            messages: behind.slice(0, limit),
            turns: [],
            versions: [],
            hasEarlier: false,
            later: Math.max(0, behind.length - limit),
            total: messages.length,
          };
        },
      },
    },
    ...options,
  );
}

const query = { sessionId: session().id, text: 'the clock', matchCase: false, tools: false };

describe('words searched in a conversation', () => {
  it('are found in prompts, answers and thinking, in order, and in tool results if requested', async () => {
    const messages = [
      prompt({ uid: 'u1', position: 1 }, 'Where is the clock? The clock\nof the test.'),
      answer({ uid: 'a1', position: 2 }, [
        { kind: 'thinking', text: 'the  clock …' },
        'I look for **the** `clock`.',
        call('c1', 'search_files', { query: 'the clock' }),
      ]),
      result({ uid: 'r1', position: 3 }, 'c1', 'search_files', 'the clock: 2'),
      answer({ uid: 'h1', position: 4, visibility: { kind: 'closing' } }, ['the clock']),
    ];
    const found = async (change: object): Promise<unknown> =>
      (await find(messages).find({ ...query, ...change })).found.map(({ messageUid, kind, part, callId, count }) => [
        messageUid,
        kind,
        part,
        callId,
        count,
      ]);
    expect([
      await found({}),
      await found({ tools: true, text: 'CLOCK' }),
      await found({ matchCase: true, text: 'The' }),
    ]).toEqual([
      [
        ['u1', 'text', 0, null, 2],
        ['a1', 'thinking', 0, null, 1],
        ['a1', 'text', 1, null, 1],
      ],
      [
        ['u1', 'text', 0, null, 2],
        ['a1', 'thinking', 0, null, 1],
        ['a1', 'text', 1, null, 1],
        ['r1', 'tool', 0, 'c1', 1],
      ],
      [['u1', 'text', 0, null, 1]],
    ]);
  });

  it('are found in every page of a long conversation, and counted up to a limit', async () => {
    const messages = Array.from({ length: 1100 }, (_, index) =>
      prompt({ uid: `u${index}`, position: index + 1 }, index === 3 || index === 1094 ? 'the clock' : 'x'.repeat(30)),
    );
    const many = await find(messages).find({ ...query, text: 'x' });
    const few = await find(messages).find(query);
    expect([
      few,
      many.more,
      many.found.reduce((sum, { count }) => sum + count, 0) <= 10_000,
      many.found.length > 300,
    ]).toEqual([
      {
        found: [
          expect.objectContaining({ messageUid: 'u3', position: 4 }),
          expect.objectContaining({ messageUid: 'u1094', position: 1095 }),
        ],
        more: false,
        superseded: false,
      },
      true,
      true,
      true,
    ]);
  });

  it('that are searched again end the previous search', async () => {
    let letGo = (): void => undefined;
    const wait = new Promise<void>((resolve) => (letGo = resolve));
    const both = find([prompt({ uid: 'u1', position: 1 }, 'the clock')], () => wait);
    const asked = [both.find({ ...query, text: 'the' }), both.find(query)];
    letGo();
    expect((await Promise.all(asked)).map(({ superseded, found }) => [superseded, found.length])).toEqual([
      [true, 0],
      [false, 1],
    ]);
  });

  it('show progress if the search takes long, and can be stopped: the matches found so far are the answer', async () => {
    const messages = Array.from({ length: 2500 }, (_, index) =>
      prompt({ uid: `u${index}`, position: index + 1 }, index % 100 === 0 ? 'the clock' : 'x'),
    );
    const told: unknown[] = [];
    let [now, pages] = [0, 0];
    const slow = find(
      messages,
      async () => {
        now += 200;
        if (++pages === 4) slow.stop();
      },
      (progress) => told.push(progress),
      () => now,
    );
    const stopped = await slow.find(query);
    const quick: unknown[] = [];
    const all = await find(
      messages,
      async () => undefined,
      (progress) => quick.push(progress),
      () => 0,
    ).find(query);
    expect([told, stopped.found.length, stopped.more, quick, all.found.length, all.more]).toEqual([
      [
        { done: 1000, total: 2500 },
        { done: 1500, total: 2500 },
      ],
      20,
      true,
      [],
      25,
      false,
    ]);
  });
});

describe('Markdown as plain text', () => {
  it.each([
    ['**bold** and *slanted* and ~~gone~~ and __strong__', 'bold and slanted and gone and strong'],
    ['see [the queue](src/upload.ts:42) and ![a picture](x.png "t")', 'see the queue and a picture'],
    ['# Head\n> quoted\n- item\n1. first\n- [x] done', 'Head\nquoted\nitem\nfirst\ndone'],
    ['call `a_b_c` and `x * y`', 'call a_b_c and x * y'],
    ['snake_case_name, 2 * 3 * 4, a*b', 'snake_case_name, 2 * 3 * 4, a*b'],
    ['```ts\nconst a = `**x**`;\n```\nafter **it**', 'const a = `**x**`;\n\nafter it'],
  ])('%j', (markdown, read) => {
    expect(visibleText(markdown)).toBe(read);
  });

  it('takes no time for endless special characters', () => {
    const hostile = [
      '**a '.repeat(50_000),
      '`'.repeat(99_999),
      '[a]('.repeat(50_000),
      Array.from({ length: 600 }, (_, index) => '`'.repeat(index + 1)).join(' '),
      '_a '.repeat(50_000),
    ];
    expect(hostile.map((text) => visibleText(text).length > 0)).toEqual(hostile.map(() => true));
  });
});

describe('a word pattern', () => {
  it('matches characters literally, and any whitespace for a space', () => {
    const count = (text: string, words: string, matchCase = false): number =>
      text.match(wordsPattern(words, matchCase) ?? /$^/)?.length ?? 0;
    expect([
      count('a.b a-b a\n b', 'a.b'),
      count('a\n  b a b', ' a b '),
      count('(x) [x] x/y $1', '(x)'),
      count('ÄRGER ärger', 'ärger'),
      count('Aa', 'a', true),
    ]).toEqual([1, 2, 1, 2, 1]);
  });
});
