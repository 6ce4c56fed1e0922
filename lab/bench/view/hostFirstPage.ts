import { ChatInWorld } from '../../../test/support/chatInWorld';
import { World } from '../../../test/support/world';
import { benchTurn } from '../store/benchTurn';

/** Milliseconds from a view saying `ready` until it has been handed a session of that many turns: the host's bridge,
 *  the gateway and a store on a real file, in this process. */
export async function measureHostFirstPage(turns: number, rounds: number): Promise<readonly number[]> {
  const world = await World.create();
  try {
    const sessionId = 'long';
    // Only while the session is made.
    world.damageStore('PRAGMA synchronous=OFF');
    await world.store.createSession({ id: sessionId, startedAt: 1_600_000_000 });
    for (let number = 0; number < turns; number++) {
      const { opening, settling } = benchTurn(number, sessionId);
      await world.store.openTurn(opening);
      await world.store.settleTurn(settling);
    }
    world.damageStore('PRAGMA synchronous=FULL');
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await untilHandedOver(world, sessionId, `chat${round}`));
    return times;
  } finally {
    await world.close();
  }
}

async function untilHandedOver(world: World, sessionId: string, surfaceId: string): Promise<number> {
  await world.store.setMeta(`shown:${surfaceId}`, sessionId);
  const started = performance.now();
  const view = new ChatInWorld(world, surfaceId);
  await new Promise<void>((resolve) => {
    view.chat.state.subscribe(({ conversation }) => {
      if (conversation !== null) resolve();
    });
  });
  const took = performance.now() - started;
  view.dispose();
  return took;
}
