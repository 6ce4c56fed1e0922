import * as v from 'valibot';
import type { SwitchReason } from '../../../src/memory/memoryProvider';
import type { HindsightProvider } from '../../../src/features/hindsight/core/hindsightProvider';
import type { BankOperation } from './memoryBank';
import { fastClock } from './fastClock';
import { HindsightRun } from './hindsightLife';
import { MemoryStore, type StoredTurn } from './memoryStore';
import type { Fault, HindsightStandIn } from './standIn';

export interface Processing {
  readonly seconds: number;
  readonly fate: BankOperation['fate'];
}

type Lasting = 'new_session' | 'reset' | 'branch' | 'compression';

export type HindsightStep =
  /** A turn at one of the windows' surfaces; compressed: its history is summarised while it runs. */
  | {
      readonly kind: 'turn';
      readonly surface: number;
      readonly ends: 'complete' | 'interrupted';
      readonly compressed: boolean;
    }
  | { readonly kind: 'switch'; readonly surface: number; readonly reason: Lasting }
  | { readonly kind: 'resume'; readonly surface: number; readonly session: number }
  /** The last turns are hidden; the providers hear of it, or the process dies before. */
  | { readonly kind: 'rewind'; readonly surface: number; readonly turns: number; readonly notified: boolean }
  /** The last turn is hidden and asked again; nobody says so. */
  | { readonly kind: 'retry'; readonly surface: number }
  | { readonly kind: 'restart'; readonly how: 'close' | 'kill' }
  /** The process dies before its n-th call of the store from now. */
  | { readonly kind: 'dieLater'; readonly calls: number }
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  /** Writes that are done, without anybody hearing of it. */
  | { readonly kind: 'lostAnswers'; readonly writes: number }
  | { readonly kind: 'offline'; readonly requests: number }
  | { readonly kind: 'time'; readonly seconds: number }
  /** How long the server takes for the next operations, and how they end; over and over. */
  | { readonly kind: 'processing'; readonly operations: readonly Processing[] };

/** Seconds of the schedule in one second of the test. */
const speed = 200;
const surfaceCount = 2;
/** Looks at the queue, at least 2 ms apart, after which it hangs. */
const mostLooks = 100_000;

/** Lives of one window on one store, against a stand-in server, with everything that can go wrong between them. */
export class HindsightSimulation {
  readonly store = new MemoryStore();
  private readonly clock = fastClock(speed);
  private readonly surfaces: { provider: HindsightProvider; sessionId: string }[] = [];
  private readonly sessions: string[] = [];
  private faults: Fault[] = [];
  private lostAnswers = 0;
  private processing: readonly Processing[] = [];
  private processed = 0;
  private uids = 0;
  private currentRun: HindsightRun;
  lives = 1;

  constructor(
    private readonly server: HindsightStandIn,
    kind: 'appends' | 'overwrites',
  ) {
    server.reset({
      server: kind,
      now: () => this.clock.now(),
      fault: (operation) => {
        if (operation === 'retain_memories' && this.lostAnswers > 0) {
          this.lostAnswers--;
          return 'dropAfter';
        }
        return this.faults.shift() ?? null;
      },
      processing: () =>
        this.processing[this.processed++ % Math.max(this.processing.length, 1)] ?? { seconds: 0, fate: 'completes' },
    });
    server.violations.length = 0;
    this.currentRun = this.begin();
  }

  async start(): Promise<this> {
    for (let index = 0; index < surfaceCount; index++) await this.agent(index, this.newSession());
    return this;
  }

  async run(step: HindsightStep): Promise<void> {
    await this.perform(step);
    if (this.currentRun.dead) await this.restart();
  }

  /** Everything is well again: waits until nothing waits. Returns what is wrong then. */
  async finish(): Promise<readonly string[]> {
    this.faults = [];
    this.lostAnswers = 0;
    this.processing = [];
    this.currentRun.die();
    await this.restart();
    for (const sessionId of this.sessions) await this.agent(0, sessionId);
    for (
      let look = 0;
      this.currentRun.retainer.status.pending > 0 ||
      this.store.entries.length > 0 ||
      this.currentRun.retainer.isChecking;
      look++
    ) {
      if (look > mostLooks)
        return [
          `not drained: ${JSON.stringify(this.currentRun.retainer.status)} ${this.currentRun.logLines.slice(-3).join(' / ')}`,
        ];
      this.currentRun.retainer.resume();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const found = this.problems();
    this.currentRun.die();
    return found;
  }

  get retained(): number {
    return this.store.turns.filter(({ hidden, state }) => !hidden && state === 'complete').length;
  }

  private async perform(step: HindsightStep): Promise<void> {
    switch (step.kind) {
      case 'turn':
        return this.turn(step.surface % surfaceCount, step);
      case 'switch':
        return this.switchTo(step.surface % surfaceCount, this.newSession(), step.reason);
      case 'resume':
        return this.switchTo(
          step.surface % surfaceCount,
          this.sessions[step.session % this.sessions.length] ?? '',
          'resume',
        );
      case 'rewind':
        return this.rewind(step.surface % surfaceCount, step);
      case 'retry': {
        const last = this.store.shown(this.at(step.surface % surfaceCount).sessionId).at(-1);
        if (last !== undefined) last.hidden = true;
        return this.turn(step.surface % surfaceCount, { ends: 'complete', compressed: false });
      }
      case 'restart':
        if (step.how === 'close') {
          for (const { provider } of this.surfaces)
            await this.currentRun.survives(() => provider.shutdown(new AbortController().signal));
          this.currentRun.retainer.dispose();
        }
        return this.currentRun.die();
      case 'dieLater':
        return this.currentRun.dieAfter(step.calls);
      case 'faults':
        this.faults.push(...step.faults);
        return;
      case 'lostAnswers':
        this.lostAnswers += step.writes;
        return;
      case 'offline':
        this.faults.push(...Array.from({ length: step.requests }, () => 'dropBefore' as const));
        return;
      case 'time':
        return new Promise((resolve) => setTimeout(resolve, (step.seconds * 1000) / speed));
      case 'processing':
        this.processing = step.operations;
    }
  }

  private async turn(
    index: number,
    { ends, compressed }: { readonly ends: 'complete' | 'interrupted'; readonly compressed: boolean },
  ): Promise<void> {
    const { provider, sessionId } = this.at(index);
    const number = this.store.turns.length + 1;
    const turn: StoredTurn = {
      uid: `turn-${number}`,
      sessionId,
      prompt: `prompt <${number}>`,
      answer: `answer <${number}> s3cret`,
      startedAt: this.clock.now(),
      settledAt: this.clock.now(),
      state: 'open',
      hidden: false,
    };
    this.store.turns.push(turn);
    const survived = await this.currentRun.survives(() =>
      provider.onTurnStart({ sessionId, turnUid: turn.uid, number, prompt: turn.prompt, model: 'm' }),
    );
    if (survived && compressed) await this.switchTo(index, this.newSession(), 'compression');
    if (this.currentRun.dead) return void (turn.state = 'over');
    const segment = this.at(index).sessionId;
    this.store.turns.splice(this.store.turns.indexOf(turn), 1, {
      ...turn,
      sessionId: segment,
      state: ends === 'complete' ? 'complete' : 'over',
    });
    if (ends === 'interrupted') return;
    // What the manager hands over has no secrets in it.
    const clean = { ...turn, answer: turn.answer.replace('s3cret', '[secret]') };
    await this.currentRun.survives(() => provider.syncTurn({ ...clean, turnUid: turn.uid, sessionId: segment }));
  }

  private async switchTo(index: number, sessionId: string, reason: SwitchReason): Promise<void> {
    const { provider, sessionId: from } = this.at(index);
    if (sessionId === from) return;
    this.surfaces[index] = { provider, sessionId };
    const reset = reason === 'new_session' || reason === 'reset';
    if (reset) await this.currentRun.survives(() => provider.onSessionEnd());
    const parentSessionId = reason === 'branch' || reason === 'compression' ? from : null;
    if (!this.currentRun.dead)
      await this.currentRun.survives(() =>
        provider.onSessionSwitch(sessionId, {
          parentSessionId,
          previousSessionId: from,
          reset,
          rewound: false,
          reason,
        }),
      );
  }

  private async rewind(
    index: number,
    { turns, notified }: { readonly turns: number; readonly notified: boolean },
  ): Promise<void> {
    const { provider, sessionId } = this.at(index);
    for (const turn of this.store.shown(sessionId).slice(-turns)) turn.hidden = true;
    if (!notified) return this.currentRun.die();
    await this.currentRun.survives(() =>
      provider.onSessionSwitch(sessionId, {
        parentSessionId: null,
        previousSessionId: sessionId,
        reset: false,
        rewound: true,
        reason: 'rewind',
      }),
    );
  }

  private begin(): HindsightRun {
    return new HindsightRun({
      store: this.store,
      url: this.server.url,
      clock: this.clock,
      uid: () => `uid-${++this.uids}`,
    });
  }

  /** The next window on the same store; turns that ran are settled as cut off. */
  private async restart(): Promise<void> {
    this.currentRun.die();
    for (const turn of this.store.turns) if (turn.state === 'open') turn.state = 'over';
    this.lives++;
    this.currentRun = this.begin();
    for (const [index, { sessionId }] of this.surfaces.entries()) await this.agent(index, sessionId);
  }

  private async agent(index: number, sessionId: string): Promise<void> {
    const provider = this.currentRun.createProvider();
    this.surfaces[index] = { provider, sessionId };
    await this.currentRun.survives(() =>
      provider.initialize(sessionId, new AbortController().signal, { parentSessionId: null }),
    );
  }

  private at(index: number): { readonly provider: HindsightProvider; readonly sessionId: string } {
    const agent = this.surfaces[index];
    if (agent === undefined) throw new Error(`there is no surface ${index}`);
    return agent;
  }

  private newSession(): string {
    const id = `20261120_080000_${String(this.sessions.length).padStart(6, '0')}`;
    this.sessions.push(id);
    return id;
  }

  private problems(): readonly string[] {
    const documents = Object.entries(this.server.documents('hermes'));
    const found: string[] = [...this.server.violations];
    for (const sessionId of this.sessions) {
      const own = documents.filter(([id]) => id.startsWith(sessionId));
      const held = own.flatMap(([, text]) => v.parse(spoken, text)).sort();
      const wanted = this.store
        .shown(sessionId)
        .flatMap(({ prompt, answer }) => [
          `user User: ${prompt}`,
          `assistant Assistant: ${answer.replace('s3cret', '[secret]')}`,
        ])
        .sort();
      if (JSON.stringify(held) !== JSON.stringify(wanted))
        found.push(`${sessionId} should hold ${JSON.stringify(wanted)} and holds ${JSON.stringify(own)}`);
    }
    const strays = documents.filter(([id]) => !this.sessions.some((sessionId) => id.startsWith(sessionId)));
    return [...found, ...strays.map(([id]) => `a document of no session: ${id}`)];
  }
}

const spoken = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.pipe(
      v.object({ role: v.picklist(['user', 'assistant']), content: v.string() }),
      v.transform(({ role, content }) => `${role} ${content}`),
    ),
  ),
);
