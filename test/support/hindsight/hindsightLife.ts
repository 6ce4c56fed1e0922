import type { Clock } from '../../../src/base/clock';
import type { Log } from '../../../src/base/log';
import { createHindsightApi } from '../../../src/features/hindsight/core/client/index';
import { HindsightProvider } from '../../../src/features/hindsight/core/hindsightProvider';
import type { Connect } from '../../../src/features/hindsight/core/ports';
import { HindsightRetainer } from '../../../src/features/hindsight/core/retainer';
import type { MemoryStore } from './memoryStore';

export class Died extends Error {}

export interface HindsightRunOptions {
  readonly store: MemoryStore;
  readonly url: string;
  readonly clock: Clock;
  readonly uid: () => string;
  readonly bank?: string;
  readonly key?: string;
}

/** One process with everything of the provider in it: killed in the middle of whatever it does, or ended in order. */
export class HindsightRun {
  readonly retainer: HindsightRetainer;
  readonly logLines: string[] = [];
  readonly connect: Connect;
  dead = false;
  /** Calls of the store that are still made before the process dies. */
  private callsLeft = Number.POSITIVE_INFINITY;

  constructor(options: HindsightRunOptions) {
    const { store, url, uid, bank = 'hermes', key = null } = options;
    const ports = store.ports(() => this.alive());
    const clock: Clock = {
      ...options.clock,
      after: (ms, callback) => options.clock.after(ms, () => (this.dead ? undefined : callback())),
    };
    const write = (message: string): void => void this.logLines.push(message);
    const log: Log = {
      trace: write,
      info: write,
      warn: write,
      error: (message, error) => (error instanceof Died ? undefined : write(`${message} ${String(error)}`)),
    };
    const host = new URL(url).host;
    const api = createHindsightApi({
      place: { baseUrl: url, origin: url, host, bank },
      key,
      fetch: async (...request) => {
        if (this.dead) throw new Died();
        return globalThis.fetch(...request);
      },
      after: clock.after,
    });
    this.connect = async () => ({ place: { baseUrl: url, origin: url, host, bank }, api });
    const scrub = (text: string): string => text.replaceAll('s3cret', '[secret]');
    this.retainer = new HindsightRetainer({
      store: ports,
      turns: ports,
      connect: this.connect,
      clock,
      log,
      scrub,
    });
    this.createProvider = () => new HindsightProvider(this.retainer, () => true, uid);
    this.retainer.start();
  }

  readonly createProvider: () => HindsightProvider;

  dieAfter(calls: number): void {
    this.callsLeft = calls;
  }

  die(): void {
    this.dead = true;
    this.retainer.dispose();
  }

  /** A call of a hook, as the manager makes it; false when the process died in it. */
  async survives(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
    return !this.dead;
  }

  private alive(): void {
    if (!this.dead && this.callsLeft-- <= 0) this.die();
    if (this.dead) throw new Died();
  }
}
