import { createHindsightApi } from '../../../src/features/hindsight/core/client/index';
import { HindsightProvider } from '../../../src/features/hindsight/core/hindsightProvider';
import type { Connect } from '../../../src/features/hindsight/core/ports';
import { HindsightRetainer } from '../../../src/features/hindsight/core/retainer';
import { storedTurns } from '../../../src/features/hindsight/core/storedTurns';
import { silentLog } from '../../../src/base/log';
import type { MemoryProvider } from '../../../src/memory/memoryProvider';
import { maskSecrets } from '../../../src/models/secrecy/secrecy';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import type { World } from '../world';
import { fastClock } from './fastClock';
import { HindsightStandIn, type StandInOptions } from './standIn';

/** A world whose agents remember with Hindsight, and the stand-in server behind it. The provider's patience passes faster than the world's time. */
export class HindsightInWorld {
  world: World | null = null;
  private readonly retainers = new Map<SessionStore, HindsightRetainer>();
  private readonly clock = fastClock(50, Date.now() / 1000);
  private uids = 0;

  private constructor(readonly server: HindsightStandIn) {}

  static async start(options: StandInOptions = {}): Promise<HindsightInWorld> {
    return new HindsightInWorld(await HindsightStandIn.start(options));
  }

  /** For `World.create`. */
  readonly memory = (): readonly MemoryProvider[] => [
    new HindsightProvider(
      this.retainer,
      () => true,
      () => `uid-${++this.uids}`,
    ),
  ];

  /** Of this life of the world: another store is another process. */
  get retainer(): HindsightRetainer {
    if (this.world === null) throw new Error('there is no world yet');
    const { store } = this.world;
    const known = this.retainers.get(store);
    if (known !== undefined) return known;
    for (const earlier of this.retainers.values()) earlier.dispose();
    const retainer = new HindsightRetainer({
      store,
      turns: storedTurns(store),
      connect: this.connect,
      clock: this.clock,
      log: silentLog,
      scrub: maskSecrets,
    });
    this.retainers.set(store, retainer);
    retainer.start();
    return retainer;
  }

  /** Waits until everything that completed has arrived. */
  async drained(): Promise<void> {
    for (;;) {
      const waiting = (await this.world?.store.outboxCounts()) ?? [];
      if (waiting.length === 0) return;
      this.retainer.resume();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** What the server holds: the words of each document's messages. */
  documents(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      Object.entries(this.server.documents('hermes')).map(([id, text]) => [
        id,
        [...text.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, words = '']) => words),
      ]),
    );
  }

  async close(): Promise<void> {
    for (const retainer of this.retainers.values()) retainer.dispose();
    await this.server.close();
  }

  private readonly connect: Connect = async () => {
    const { url } = this.server;
    const place = { baseUrl: url, origin: url, host: new URL(url).host, bank: 'hermes' };
    const { key = null } = this.server.options;
    return { place, api: createHindsightApi({ place, key, fetch: globalThis.fetch, after: this.clock.after }) };
  };
}
