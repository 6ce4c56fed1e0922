import { TurnRecorder } from '../../../src/agent/turnRecorder';
import { idsFrom } from '../../../src/base/ids';
import { perform, promisedOperations } from '../../../src/store/session/sessionStore';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import { ManualClock } from '../../support/manualClock';
import { complete, openTurn, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';
import { SimulatedDisk } from '../../support/simulatedDisk';

export interface Written {
  readonly syncs: number;
  readonly bytes: number;
}

export interface AnswerPlan {
  readonly words: number;
  /** Milliseconds between two words. */
  readonly everyMs: number;
}

const wordLength = 9;

/** Answers prompts through the recorder and the store, and counts what reaches a simulated disk. Time is simulated too, so
 *  the counts are the same on every machine. */
export class CountedTurns {
  private counted = { syncs: 0, bytes: 0 };
  private readonly clock = new ManualClock();
  private world!: SessionDbWorld;
  private store!: SessionStore;
  private turns = 0;
  private lastId = 0;

  static async begin(): Promise<CountedTurns> {
    const turns = new CountedTurns();
    const disk = new SimulatedDisk({
      intervene: ({ kind, bytes = 0 }) => {
        if (kind === 'sync') turns.counted.syncs++;
        if (kind === 'write') turns.counted.bytes += bytes;
        return undefined;
      },
    });
    turns.world = await sessionDbWorld(disk);
    const { db } = turns.world;
    db.createSession({ id: 's1', startedAt: 1 });
    turns.store = {
      ...promisedOperations((method, args) => Promise.resolve(perform(db, method, args))),
      close: () => Promise.resolve(),
    };
    return turns;
  }

  /** What one more turn writes, from its prompt until it is settled. */
  async turn({ words, everyMs }: AnswerPlan): Promise<Written> {
    const before = { ...this.counted };
    const turnUid = `t${++this.turns}`;
    openTurn(this.world.db, { turnUid, text: 'A prompt.' });
    const recorder = new TurnRecorder(
      this.store,
      this.clock,
      idsFrom((count) => this.bytes(count)),
      { sessionId: 's1', turnUid, model: 'Local/test' },
      () => undefined,
      (error) => {
        throw error;
      },
    );
    for (let word = 0; word < words; word++) {
      recorder.deliver('text', `w${String(word).padStart(wordLength - 2, '0')} `);
      await this.clock.advance(everyMs);
    }
    await recorder.settle(complete, 'store', { finishReason: 'stop', usage: null });
    return { syncs: this.counted.syncs - before.syncs, bytes: this.counted.bytes - before.bytes };
  }

  dispose(): void {
    this.world.database.abandon();
  }

  private bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    new DataView(bytes.buffer).setUint32(0, ++this.lastId);
    return bytes;
  }
}

export const shownBytes = ({ words }: AnswerPlan): number => words * wordLength;
export const secondsOf = ({ words, everyMs }: AnswerPlan): number => (words * everyMs) / 1000;
