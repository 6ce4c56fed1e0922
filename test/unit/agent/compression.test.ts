import { describe, expect, it } from 'vitest';
import { planCompression } from '../../../src/agent/compression/compressionPlan';
import { Summarizer } from '../../../src/agent/compression/summarizer';
import { contextUse, estimateTokens } from '../../../src/transcript/contextUse';
import { handoffText, summaryIn } from '../../../src/agent/compression/handoffText';
import { plainSummary, summaryInput } from '../../../src/agent/compression/summaryInput';
import { handoffPart, handoffUid } from '../../../src/transcript/handoff';
import type { Message } from '../../../src/transcript/message';
import type { AssistantPart } from '../../../src/transcript/part';
import { unknownUsage } from '../../../src/transcript/usage';
import { silentLog } from '../../../src/base/log';
import { sayingModel } from '../../support/builders/chatModel';

let position = 0;
const base = (uid: string, turnUid: string | null) => ({
  uid,
  sessionId: 's',
  turnUid,
  position: ++position,
  createdAt: 1,
  visibility: { kind: 'shown' as const },
  carriedFrom: null,
});
const user = (uid: string, turnUid: string, text = uid): Message => ({
  ...base(uid, turnUid),
  role: 'user',
  parts: [{ kind: 'text', text }],
});
const answer = (
  uid: string,
  turnUid: string,
  parts: readonly AssistantPart[] | string = uid,
  inputTokens: number | null = null,
): Message => ({
  ...base(uid, turnUid),
  role: 'assistant',
  parts: typeof parts === 'string' ? [{ kind: 'text', text: parts }] : parts,
  state: 'final',
  lastSeq: 0,
  model: 'm',
  finishReason: null,
  usage: inputTokens === null ? null : { ...unknownUsage, inputTokens, outputTokens: 10 },
});
const result = (uid: string, turnUid: string, text: string): Message => ({
  ...base(uid, turnUid),
  role: 'tool',
  parts: [{ kind: 'toolResult', callId: uid, name: 'read_file', outcome: 'done', text }],
});
const call = (callId: string): AssistantPart => ({
  kind: 'toolCall',
  callId,
  name: 'read_file',
  arguments: '{"path":"a.ts"}',
});
const handoff = (text: string): Message => ({
  ...base(handoffUid('s'), null),
  visibility: { kind: 'handoff' },
  role: 'user',
  parts: [handoffPart(text, undefined)],
});
const words = (count: number): string => 'word '.repeat(count);

const threeTurns = (): Message[] => [
  user('u1', 't1'),
  answer('a1', 't1', words(400)),
  user('u2', 't2'),
  answer('c2', 't2', [call('r2')]),
  result('r2', 't2', words(400)),
  answer('a2', 't2', words(100)),
  user('u3', 't3'),
  answer('a3', 't3', words(100)),
];
const uids = (rows: readonly Message[]) => rows.map(({ uid }) => uid);
const plan = (rows: readonly Message[], tail: number, longestTurn = 5000) =>
  planCompression(rows, { tail, longestTurn });

describe('a compression plan', () => {
  it('keeps as many whole turns from the end as the tail holds, and always the last one', () => {
    const plans = [10, 300, 800, 5000].map((tail) => plan(threeTurns(), tail));
    expect(plans.map((made) => (made === null ? null : { upTo: made.upTo, kept: made.kept[0]?.uid }))).toEqual([
      { upTo: 'a2', kept: 'u3' },
      { upTo: 'a2', kept: 'u3' },
      { upTo: 'a1', kept: 'u2' },
      { upTo: 'a1', kept: 'u2' },
    ]);
  });

  it('keeps the last answer together with a prompt that has no answer yet', () => {
    expect(plan([...threeTurns(), user('u4', 't4')], 10)?.kept.map(({ uid }) => uid)).toEqual(['u3', 'a3', 'u4']);
  });

  it('starts after an earlier handoff, and never at a steering prompt inside a turn', () => {
    const steered = [
      handoff('before'),
      user('u1', 't1'),
      answer('a1', 't1'),
      user('u2', 't2'),
      answer('c2', 't2', [call('r2')]),
      result('r2', 't2', 'x'),
      user('steer', 't2'),
      answer('a2', 't2'),
    ];
    const made = plan(steered, 1);
    expect({
      earlier: made?.earlier?.uid,
      summarised: uids(made?.summarised ?? []),
      kept: uids(made?.kept ?? []),
    }).toEqual({
      earlier: handoffUid('s'),
      summarised: ['u1', 'a1'],
      kept: ['u2', 'c2', 'r2', 'steer', 'a2'],
    });
  });

  it('is null if everything is protected', () => {
    expect(
      [
        [],
        [user('u1', 't1')],
        [user('u1', 't1'), answer('a1', 't1')],
        [handoff('x'), user('u1', 't1'), answer('a1', 't1')],
      ].map((rows) => plan(rows, 1)),
    ).toEqual([null, null, null, null]);
  });

  describe('for a turn that is too long on its own', () => {
    const loop = (...ahead: readonly Message[]): Message[] => [
      ...ahead,
      user('u', 't'),
      ...[1, 2, 3, 4].flatMap((n) => [answer(`c${n}`, 't', [call(`r${n}`)]), result(`r${n}`, 't', words(200))]),
    ];
    const cut = (rows: readonly Message[], tail: number, longestTurn: number) => {
      const made = plan(rows, tail, longestTurn);
      return made === null
        ? null
        : { upTo: made.upTo, kept: uids(made.kept).join(' '), prompt: made.prompt?.uid ?? null };
    };

    it('keeps its prompt and as many of its latest steps as the tail holds; at least the last, with the steering after it', () => {
      expect([cut(loop(), 600, 600), cut(loop(), 10, 600), cut([...loop(), user('steer', 't')], 10, 600)]).toEqual([
        { upTo: 'r2', kept: 'u c3 r3 c4 r4', prompt: 'u' },
        { upTo: 'r3', kept: 'u c4 r4', prompt: 'u' },
        { upTo: 'r3', kept: 'u c4 r4 steer', prompt: 'u' },
      ]);
    });

    it('also cuts the turn if only a summary comes before it, and if its answer is complete', () => {
      expect([cut([handoff('before'), ...loop()], 10, 5000), cut([...loop(), answer('a', 't')], 10, 600)]).toEqual([
        { upTo: 'r3', kept: 'u c4 r4', prompt: 'u' },
        { upTo: 'r4', kept: 'u a', prompt: 'u' },
      ]);
    });

    it('keeps a turn whole if it is short enough, and compresses what comes before it', () => {
      const ahead = [user('u0', 't0'), answer('a0', 't0', words(300))];
      expect(cut(loop(...ahead), 10, 5000)).toMatchObject({ upTo: 'a0', prompt: null });
    });

    it('is null if the turn has only its first step', () => {
      expect(cut([user('u', 't'), answer('c1', 't', [call('r1')]), result('r1', 't', words(900))], 10, 100)).toBeNull();
    });
  });
});

describe('the context size of a conversation', () => {
  it("is the service's count for the newest answer plus an estimate of the rows after it", () => {
    const rows = [user('u1', 't1'), answer('a1', 't1', 'one', 900), user('u2', 't2', words(100))];
    const carried = rows.map((row) => ({ ...row, carriedFrom: row.uid }));
    const { tokens, counted } = contextUse(rows);
    expect({
      counted,
      tokens: tokens > 910 + 80 && tokens < 910 + 130,
      carried: contextUse(carried).counted,
      none: contextUse([]),
    }).toEqual({ counted: true, tokens: true, carried: false, none: { tokens: 0, counted: false } });
  });
});

describe('the input of a summarizer', () => {
  const key = ['sk', 'live', '0123456789abcdefghij'].join('-');

  it('contains no secrets and no long tool results', () => {
    const text = summaryInput(
      [
        user('u1', 't1', `my key is ${key}`),
        answer('c', 't1', [call('r')]),
        result('r', 't1', `${key} ${words(200)}`),
        result('q', 't1', 'short'),
      ],
      5000,
    );
    expect({
      secret: text.includes(key),
      long: text.includes('word word'),
      size: text.includes('read_file: done, 1'),
      short: text.includes('short'),
      call: text.includes('a.ts'),
    }).toEqual({
      secret: false,
      long: false,
      size: true,
      short: true,
      call: true,
    });
  });

  it('stays within its token limit, newest rows first', () => {
    const rows = Array.from({ length: 60 }, (_, index) => answer(`a${index}`, 't', `number ${index} ${words(300)}`));
    const text = summaryInput(rows, 1500);
    expect({
      fits: estimateTokens(text) <= 1500,
      newest: text.includes('number 59'),
      oldest: text.includes('number 0 '),
    }).toEqual({ fits: true, newest: true, oldest: false });
  });

  it('without a model becomes a summary of the prompts, answers and calls, without secrets', () => {
    const text = plainSummary(
      [user('u1', 't1', `Why? ${key}`), answer('a1', 't1', [{ kind: 'text', text: 'Because.' }, call('r')])],
      'Earlier on.',
      1000,
    );
    expect({
      parts: ['Earlier on.', 'Person: Why?', 'You: Because.', '- read_file'].filter((part) => !text.includes(part)),
      secret: text.includes(key),
    }).toEqual({ parts: [], secret: false });
  });
});

describe('a handoff', () => {
  it('quotes the beginning of the conversation, and returns its summary', () => {
    const text = handoffText('## Goal\nShip it.', [user('u1', 't1', 'Please ship it'), answer('a1', 't1', 'On it')]);
    expect([text.includes('Person: Please ship it'), text.includes('You: On it'), summaryIn(text)]).toEqual([
      true,
      true,
      '## Goal\nShip it.',
    ]);
  });
});

describe('the compressor', () => {
  const answering = (text: string) => sayingModel(text, { contextWindow: 1000 });
  const setUp = () => {
    const clock = { seconds: 0, now: (): number => clock.seconds, monotonicMs: () => 0, after: () => () => undefined };
    let memo: string | null = null;
    // A new one each time: what it remembers is what it is given.
    const summarizer = () => new Summarizer({ clock, log: silentLog });
    const due = (rows: readonly Message[], window: number | null = 1000) =>
      summarizer().isDue({ conversationId: 'c', rows, memo }, window);
    const compress = async (
      model: ReturnType<typeof answering>,
      isForced = false,
      rows: readonly Message[] = full(),
    ) => {
      const request = {
        model,
        contextWindow: 1000,
        focus: null,
        isForced,
        memoryNotes: () => Promise.resolve(''),
        signal: new AbortController().signal,
      };
      const made = await summarizer().compress({ conversationId: 'c', rows, head: [], memo }, request);
      memo = made.memo;
      return made.kind;
    };
    return { clock, due, compress, memo: () => memo, remember: (text: string) => (memo = text) };
  };
  const full = (inputTokens = 850) => [...threeTurns().slice(0, -1), answer('a3', 't3', words(100), inputTokens)];

  it("is due when four fifths of a known context are full, by the service's count or else by an estimate", () => {
    const { due } = setUp();
    const estimated = [due(threeTurns()), due(threeTurns(), 100_000), due(full(0))];
    expect([due(full(850)), due(full(700)), due(full(850), null), ...estimated]).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('pauses after a failure, longer after each further one; the user may ask for compression at any time', async () => {
    const { clock, due, compress } = setUp();
    const seen: unknown[] = [await compress(answering('')), due(full())];
    clock.seconds = 61;
    seen.push(
      due(full()),
      await compress(answering('')),
      (clock.seconds = 61 + 299),
      due(full()),
      await compress(answering('## Goal')),
      await compress(answering('## Goal'), true),
    );
    expect(seen).toEqual(['handoff', false, true, 'handoff', 360, false, 'unavailable', 'handoff']);
  });

  it('is no longer due after two attempts that saved nothing', async () => {
    const { due, compress } = setUp();
    const useless = answering(words(3000));
    expect([
      await compress(useless),
      due(full()),
      await compress(useless),
      due(full()),
      await compress(answering('## Goal'), true),
      due(full()),
    ]).toEqual(['noGain', true, 'noGain', false, 'handoff', true]);
  });

  it('stores no memo after a success, and ignores a memo that it cannot read or whose pause exceeds the longest one', async () => {
    const { due, compress, memo, remember } = setUp();
    await compress(answering('## Goal'));
    const seen: unknown[] = [memo()];
    for (const text of ['{', '{"failures":"many"}', JSON.stringify({ failures: 1, quietUntil: 100_000, inVain: 0 })]) {
      remember(text);
      seen.push(due(full()));
    }
    expect(seen).toEqual([null, true, true, true]);
  });
});
