import { describe, expect, it } from 'vitest';
import type { SharedTurns } from '../../src/features/sync/core/turnSharing';
import type { SyncServer } from '../../src/features/sync/core/syncServer';
import { first, pieces } from './syncContract';

export interface TurnsServer {
  readonly server: SyncServer;
  turns(origin: string): SharedTurns;
  expireLeases(): Promise<unknown> | void;
}

/** What every server must do for running turns that others watch. */
export function turnsContract(serve: () => Promise<TurnsServer>): void {
  const answering = async () => {
    const { server, turns, expireLeases } = await serve();
    const a = await server.connect('a', 'Laptop');
    const b = await server.connect('b', 'Desk');
    const lease = await server.lease(a, 'c1');
    if (lease.kind !== 'granted') throw new Error('no lease');
    return { server, a, b, fence: lease.fence, here: turns('a'), there: turns('b'), expireLeases };
  };

  describe('a running turn', () => {
    it('is shown to others as soon as one of them watches, and not to its own machine', async () => {
      const { here, there, fence } = await answering();
      expect(await here.wishes('c1', fence)).toEqual({ isWatched: false, isStopAsked: false });
      const first = await there.watch('c1');
      expect(await here.wishes('c1', fence)).toEqual({ isWatched: true, isStopAsked: false });
      await here.show('c1', fence, '"so far"');
      expect([first?.body, await there.watch('c1'), await here.watch('c1'), await there.watch('c2')]).toEqual([
        null,
        { machine: 'Laptop', fence, isAlive: true, isStopAsked: false, body: '"so far"' },
        null,
        null,
      ]);
    });

    it('is asked to stop by its number, and the next turn is not', async () => {
      const { server, a, here, there, fence } = await answering();
      await there.watch('c1');
      await there.askToStop('c1', fence + 1);
      const other = await here.wishes('c1', fence);
      await there.askToStop('c1', fence);
      expect([other.isStopAsked, (await here.wishes('c1', fence)).isStopAsked]).toEqual([false, true]);
      expect((await there.watch('c1'))?.isStopAsked).toBe(true);
      await server.release(a, 'c1', fence);
      const next = await server.lease(a, 'c1');
      await there.watch('c1');
      expect(await here.wishes('c1', next.kind === 'granted' ? next.fence : 0)).toEqual({
        isWatched: true,
        isStopAsked: false,
      });
    });

    it('leaves nothing on the server when it has ended', async () => {
      const { here, there, fence } = await answering();
      await there.watch('c1');
      await here.show('c1', fence, '"so far"');
      await here.end('c1', fence);
      expect((await there.watch('c1'))?.body).toBeNull();
    });

    it('whose lease has run out is still seen, and replaced by the next', async () => {
      const { server, b, here, there, fence, expireLeases } = await answering();
      await there.watch('c1');
      await here.show('c1', fence, '"so far"');
      await expireLeases();
      expect(await there.watch('c1')).toMatchObject({ isAlive: false, body: '"so far"' });
      const next = await server.lease(b, 'c1');
      expect(next.kind).toBe('granted');
      // The first machine is back and does not know yet.
      await here.show('c1', fence, '"later"');
      expect([await there.watch('c1'), (await here.watch('c1'))?.body]).toEqual([null, null]);
    });

    it('is not taken for the turn of a machine that was given the same number by a server which forgot it', async () => {
      const { server, b, here, there, expireLeases } = await answering();
      await expireLeases();
      const next = await server.lease(b, 'c1');
      const fence = next.kind === 'granted' ? next.fence : 0;
      await here.watch('c1');
      await there.show('c1', fence, '"of the desk"');
      await here.askToStop('c1', fence);
      expect([(await here.wishes('c1', fence)).isStopAsked, (await there.wishes('c1', fence)).isStopAsked]).toEqual([
        false,
        true,
      ]);
      await here.end('c1', fence);
      expect((await here.watch('c1'))?.body).toBe('"of the desk"');
    });

    it('of a conversation that is forgotten is erased with it', async () => {
      const { server, a, here, there, fence } = await answering();
      const documents = pieces({ document: 'turn/t', body: '1' });
      await server.send(a, { conversationId: 'c1', ...first, fence, documents });
      await there.watch('c1');
      await here.show('c1', fence, '"so far"');
      await server.erase(a, { conversationId: 'c1' });
      expect(await there.watch('c1')).toBeNull();
      expect(await here.wishes('c1', fence)).toEqual({ isWatched: false, isStopAsked: false });
    });
  });
}
