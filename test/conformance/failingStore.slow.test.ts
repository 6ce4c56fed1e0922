import { copyFileSync, readFileSync, readdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chunkOf, openingTurn, settlingTurn, spoken } from '../unit/store/ownership/turnBuilder';
import { type OutsideWindow, outsideWorld } from '../unit/store/outside/outsideWorld';

const { at, openWindow, killThread, killedNow } = outsideWorld();
const session = '20261120_080000_abcdef';
const half = ['user: Prompt of t', 'assistant: one '];
const whole = ['user: Prompt of t', 'assistant: one two three'];

async function begin({ store }: OutsideWindow): Promise<void> {
  await store.createSession({ id: session, startedAt: 1 });
  await store.openTurn(openingTurn(session, 't'));
  await store.appendChunks(chunkOf(session, 't', 1, 0, 'one '));
}

async function goOn({ store }: OutsideWindow): Promise<string> {
  await store.appendChunks(chunkOf(session, 't', 2, 4, 'two '));
  await store.appendChunks(chunkOf(session, 't', 3, 8, 'three'));
  return (await store.settleTurn(settlingTurn('t'))).turn.outcome;
}

async function account({ store }: OutsideWindow) {
  const { messages } = await store.readTranscript({ sessionId: session, limit: 100 });
  return { stored: spoken(messages), problems: await store.verifyIntegrity() };
}

describe('a store that fails under a running turn, on this disk', () => {
  it('its thread dies: a new thread goes on with the turn, also in the middle of a write', async () => {
    const window = await openWindow();
    await begin(window);
    const during = window.store.appendChunks(chunkOf(session, 't', 2, 4, 'two '));
    await killThread();
    await during;
    await killThread();
    await window.store.appendChunks(chunkOf(session, 't', 3, 8, 'three'));
    const { turn } = await window.store.settleTurn(settlingTurn('t'));
    expect({ ...(await account(window)), outcome: turn.outcome, state: window.connection.state.kind }).toEqual({
      stored: whole,
      problems: [],
      outcome: 'complete',
      state: 'open',
    });
  });

  it('its thread dies while nothing runs: the next prompt is taken', async () => {
    const window = await openWindow();
    await window.store.createSession({ id: session, startedAt: 1 });
    await killThread();
    await expect.poll(() => window.connection.state.kind).toBe('failed');
    const { turn } = await window.store.openTurn(openingTurn(session, 't'));
    expect(turn.state).toBe('running');
  });

  it('the file is swapped: the turn stops, and all that was shown is in the file it belongs to (B186)', async () => {
    const other = await openWindow('other');
    await other.store.createSession({ id: 'another', startedAt: 1 });
    await other.store.close();
    const window = await openWindow();
    await begin(window);
    renameSync(at('other', 'state.db'), at('store', 'state.db'));
    await expect(goOn(window)).rejects.toMatchObject({ causeClass: 'replaced' });
    await window.store.close();
    renameSync(at('store', 'state.replaced-1.db'), at('store', 'state.db'));
    expect((await account(await openWindow())).stored.slice(0, 1)).toEqual(half.slice(0, 1));
  });

  it('the log is deleted under an open handle: the turn stops with all of it stored, and works after Try Again (B68)', async () => {
    const window = await openWindow();
    await begin(window);
    unlinkSync(at('store', 'state.db.wal'));
    await expect(goOn(window)).rejects.toThrow('moved or replaced');
    await window.connection.retry();
    expect({ outcome: await goOn(window), ...(await account(window)) }).toEqual({
      outcome: 'complete',
      stored: whole,
      problems: [],
    });
  });

  it('another process takes the lock, and this one dies: the next window has all that was shown (B68)', async () => {
    const window = await openWindow();
    await begin(window);
    const lock = readFileSync(at('store', 'state.db.lock'));
    unlinkSync(at('store', 'state.db.lock'));
    writeFileSync(at('store', 'state.db.lock'), lock);
    await expect(goOn(window)).rejects.toMatchObject({ causeClass: 'replaced' });
    killedNow('left');
    const next = await openWindow('left');
    const { stored, problems } = await account(next);
    expect([stored.slice(0, 1), stored[1]?.startsWith('assistant: one '), problems]).toEqual([
      half.slice(0, 1),
      true,
      [],
    ]);
  });
});

describe('an answer that an earlier build kept in a file of its own', () => {
  const file = `${session}.jsonl`;
  const fixture = `test/fixtures/store/${file}`;
  const uid = '11111111-2222-4333-8444-555555555555';
  const spills = (): readonly string[] => readdirSync(at('store')).filter((name) => name.endsWith('.jsonl'));
  const told = ({ connection: { state } }: OutsideWindow): readonly string[] =>
    state.kind === 'open' ? state.report.spills.map(({ outcome }) => outcome) : [state.kind];

  /** A store as that build left it: the turn runs, and its answer goes on in the file. */
  async function left(storeUid = uid): Promise<void> {
    const window = await openWindow();
    await window.store.setMeta('store_uid', storeUid);
    await window.store.createSession({ id: session, startedAt: 1 });
    const { userMessage, ...opening } = openingTurn(session, 'turn-1');
    await window.store.openTurn({ ...opening, userMessage: { ...userMessage, uid: 'prompt-1' } });
    const thought = { messageUid: '01'.repeat(16), part: 0, kind: 'thinking' } as const;
    await window.store.appendChunks({
      ...chunkOf(session, 'turn-1', 1, 0, ''),
      chunks: [
        { ...thought, seq: 1, start: 0, text: 'Let me ' },
        { ...thought, seq: 2, start: 7, text: 'think. ' },
      ],
    });
    killedNow('left');
    await window.store.close();
    for (const name of readdirSync(at('left'))) copyFileSync(at('left', name), at('store', name));
  }

  it('is stored, once, by the next opening, however often it is found', async () => {
    await left();
    copyFileSync(fixture, at('store', file));
    const first = await openWindow();
    const { stored, problems } = await account(first);
    const toldFirst = told(first);
    await first.store.close();
    copyFileSync(fixture, at('store', file));
    const second = await openWindow();
    expect({
      stored,
      problems,
      told: [toldFirst, told(second)],
      again: await account(second),
      files: spills(),
    }).toEqual({
      stored: [
        'user: Prompt of turn-1',
        expect.stringMatching(/^assistant: Let me think\. I look first\. .*\[toolCall\]$/),
        'tool: found',
        'assistant: It is there.',
      ],
      problems: [],
      told: [['stored'], ['stored']],
      again: { stored, problems: [] },
      files: [],
    });
  });

  it('is stored as far as its file is whole, and the file is kept', async () => {
    await left();
    const bytes = readFileSync(fixture);
    writeFileSync(at('store', file), bytes.subarray(0, bytes.length - 100));
    const window = await openWindow();
    expect({ told: told(window), last: (await account(window)).stored.at(-1), files: spills() }).toEqual({
      told: ['kept'],
      last: 'assistant: It is there.',
      files: [`${session}.kept.jsonl`],
    });
  });

  it('stays where it is if it belongs to another store', async () => {
    await left('another');
    copyFileSync(fixture, at('store', file));
    const window = await openWindow();
    expect([told(window), spills()]).toEqual([['notHere'], [file]]);
  });
});
