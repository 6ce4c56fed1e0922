import { describe, expect, it } from 'vitest';
import { storedTurns } from '../../../../src/features/hindsight/core/storedTurns';
import type { Message } from '../../../../src/transcript/message';
import type { Turn } from '../../../../src/transcript/turn';
import { TranscriptBuilder } from '../../../support/builders/messages';

/** A store that has these rows, and turns whose prompt is their first row. */
function holding(
  build: (history: TranscriptBuilder) => unknown,
  states: Readonly<Record<string, 'complete' | 'interrupted'>>,
) {
  const history = new TranscriptBuilder();
  build(history);
  const rows: readonly Message[] = history.messages;
  const turns = Object.entries(states).map(([uid, outcome]): Turn => ({
    uid,
    sessionId: 's',
    userMessageUid: rows.find(({ turnUid }) => turnUid === uid)?.uid ?? '',
    model: 'm',
    startedAt: 1,
    usage: null,
    supersedes: null,
    state: 'settled',
    settledAt: 2,
    outcome,
    stopReason: outcome === 'complete' ? 'stop' : 'user',
    failure: null,
  }));
  let pages = 0;
  const port = storedTurns({
    readTranscript: async ({ limit, before = Number.POSITIVE_INFINITY }) => {
      pages++;
      const messages = rows.filter(({ position }) => position < before).slice(-limit);
      return {
        messages,
        turns: turns.filter(({ uid }) => messages.some(({ turnUid }) => turnUid === uid)),
        hasEarlier: messages[0] !== undefined && messages[0].position > 1,
        later: 0,
        total: rows.length,
        versions: [],
      };
    },
    getTurn: async (uid) => turns.find((turn) => turn.uid === uid) ?? null,
  });
  return {
    read: async (...uids: readonly string[]) =>
      Object.fromEntries(
        [...(await port.read('s', new Set(uids)))].map(([uid, { prompt, answer }]) => [uid, `${prompt} -> ${answer}`]),
      ),
    pages: () => pages,
    port,
  };
}

describe('turns read from the store', () => {
  it('contain the prompt and every answer to it; cut-off turns are left out', async () => {
    const { read } = holding(
      (history) => history.turn('a').user('q').assistant('one').assistant('two').turn('b').user('q2').assistant('half'),
      { a: 'complete', b: 'interrupted' },
    );
    expect(await read('a', 'b', 'unknown')).toEqual({ a: 'q -> one\n\ntwo' });
  });

  it('are whole if a page begins in their middle, even at a steering prompt', async () => {
    const { read } = holding(
      (history) => {
        history.turn('a').user('q').assistant('first').user('steered');
        for (let n = 0; n < 199; n++) history.assistant(n === 198 ? 'last' : '');
      },
      { a: 'complete' },
    );
    expect(await read('a')).toEqual({ a: 'q -> first\n\nlast' });
  });

  it('are read no further back than needed', async () => {
    const history = holding(
      (rows) => {
        for (let n = 0; n < 500; n++) rows.turn(`t${n}`).user(`q${n}`).assistant(`a${n}`);
      },
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`t${n}`, 'complete' as const])),
    );
    expect([await history.read('t499', 't498'), history.pages()]).toEqual([
      { t499: 'q499 -> a499', t498: 'q498 -> a498' },
      1,
    ]);
  });

  it('have a state', async () => {
    const { port } = holding(
      (history) => history.turn('a').user('q').assistant('x').turn('b').user('q').assistant('y'),
      { a: 'complete', b: 'interrupted' },
    );
    expect(await Promise.all(['a', 'b', 'none'].map((uid) => port.stateOf(uid)))).toEqual(['complete', 'over', 'over']);
  });
});
