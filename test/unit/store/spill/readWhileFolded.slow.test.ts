import { expect, it } from 'vitest';
import { sessionId, spillWorld, turnUid } from '../../../support/spillWorld';

it('reads while a spill is folded into the store find everything, at any moment', async () => {
  const wrong: unknown[] = [];
  let rows = 0;
  for (let wait = 0; wait < 80; wait++) {
    const world = await spillWorld();
    let calls = 0;
    world.fate = (method) =>
      !['createSession', 'openTurn', 'getMeta', 'getSession'].includes(method) && ++calls > 5 ? 'failsBefore' : 'works';
    await world.runTurn();
    const { spilling } = world;
    const spilled = spilling.liveTurns.length;
    world.fate = () => 'works';
    const folded = spilling.tryAgain();
    for (let ticks = 0; ticks < wait; ticks++) await Promise.resolve();
    const { store } = spilling;
    const [page, active, turn, open, prompt, context] = await Promise.allSettled([
      store.readTranscript({ sessionId, limit: 1000 }),
      store.activeMessages(sessionId),
      store.getTurn(turnUid),
      store.openTurnOf(sessionId),
      store.getMessage('prompt-1'),
      store.promptContext(sessionId, 'prompt-1'),
    ]);
    await folded;
    const expected = (await store.readTranscript({ sessionId, limit: 1000 })).messages.length;
    rows = expected;
    const seen = {
      page: page.status === 'fulfilled' ? page.value.messages.length : String(page.reason),
      active: active.status === 'fulfilled' ? active.value.length : String(active.reason),
      turn: turn.status === 'fulfilled' ? turn.value?.state : String(turn.reason),
      open: open.status,
      prompt: prompt.status === 'fulfilled' ? prompt.value?.uid : String(prompt.reason),
      context:
        context.status === 'fulfilled'
          ? [context.value.message?.uid, context.value.openTurn, context.value.historyTokens]
          : String(context.reason),
    };
    if (
      spilled !== 1 ||
      JSON.stringify(seen) !==
        JSON.stringify({
          page: expected,
          active: expected,
          turn: 'settled',
          open: 'fulfilled',
          prompt: 'prompt-1',
          context: ['prompt-1', null, 15],
        })
    )
      wrong.push({ wait, spilled, expected, ...seen });
    world.close();
  }
  expect({ wrong: wrong.slice(0, 3), rows: rows > 2 }).toEqual({ wrong: [], rows: true });
});
