import { idsFrom } from '../../../src/base/ids';
import type { Clock } from '../../../src/base/clock';
import { ManualClock } from '../manualClock';
import { Invariants } from './invariants';
import { type MemoryManners, MemoryRecorder } from './memoryRecorder';
import { ModelSide } from './modelSide';
import { People } from './people';
import type { Place } from './place';
import { SimulatedHost, type Surroundings } from './simulatedHost';
import { subAgentsOf } from './subAgents';
import type { StoreManners } from './slowStore';
import type { HandOver, Step } from './step';
import { WatchingSurface } from './watchingSurface';

export type { Step } from './step';

const surfaceCount = 3;

/** The whole product but its editor and its network, on a disk, a clock and a model that do what a schedule says. Every event is judged when
 *  it happens, and `check` looks at everything after each step. */
export class Simulation {
  private readonly clock = new ManualClock();
  /** Seconds that the clock on the wall was set forward, all in all. */
  private clockSetBy = 0;
  private readonly manners: StoreManners = { latencyMs: 0, failing: { times: 0, when: 'before' } };
  private readonly memory: MemoryManners = { ms: 0, fails: false };
  private readonly invariants = new Invariants(() => this.host);
  private readonly models = new ModelSide(this.clock, () => this.host, this.invariants);
  private readonly people = new People(() => this.host, this.invariants);
  private readonly around: Surroundings;
  private current: SimulatedHost | null = null;
  private surfaces: readonly WatchingSurface[] = [];
  /** The window that had the store before. */
  private former: { readonly host: SimulatedHost; readonly surfaces: readonly WatchingSurface[] } | null = null;
  private lives = 0;

  private constructor(private readonly place: Place) {
    const synced = new Set<string>();
    const wallClock: Clock = {
      now: () => this.clock.now() + this.clockSetBy,
      monotonicMs: () => this.clock.monotonicMs(),
      after: (delayMs, callback) => this.clock.after(delayMs, callback),
    };
    this.around = {
      clock: wallClock,
      ids: idsFrom(counting()),
      log: {
        trace: () => undefined,
        info: (line) => this.onLog(line),
        warn: () => undefined,
        error: (line) => this.onLog(line),
      },
      manners: this.manners,
      model: (run) => this.models.model(run),
      memory: (clock) =>
        new MemoryRecorder(
          clock,
          this.memory,
          () => this.host.db,
          synced,
          (what) => this.invariants.broken(what),
        ),
      tools: this.models.tools,
      published: (database) => this.invariants.published(database),
    };
  }

  static async start(place: Place): Promise<Simulation> {
    const simulation = new Simulation(place);
    await simulation.live();
    return simulation;
  }

  get violations(): readonly string[] {
    return this.invariants.violations;
  }

  /** How far it came: for a test that wants to know that schedules do something. */
  get extent(): { readonly requests: number; readonly lives: number; readonly segments: number } {
    return {
      requests: this.invariants.requests.length,
      lives: this.lives,
      segments: this.host.database.all('SELECT id FROM sessions').length,
    };
  }

  /** The rows of a session as one line each. */
  transcript(session: number): readonly string[] {
    const sessionId = this.conversation(session);
    const messages =
      sessionId === undefined
        ? []
        : this.host.db.readTranscript({ sessionId, limit: 1000, includeHidden: true }).messages;
    return messages.map(({ role, visibility, parts }) => {
      const content = parts
        .map((part) =>
          part.kind === 'toolCall' ? `[${part.callId}]` : part.kind !== 'attachment' && 'text' in part ? part.text : '',
        )
        .join('');
      return `${role}${visibility.kind === 'shown' ? '' : ` (${visibility.kind})`}: ${content.replaceAll('][', '] [')}`;
    });
  }

  async run(step: Step): Promise<void> {
    await this.perform(step);
    await this.breathe();
    this.check();
  }

  /** Lets everything that is under way come to its end, and what waits be answered. */
  async finish(): Promise<void> {
    this.beKind();
    await this.forgetFormer();
    for (let round = 0; round < 200 && !this.violations.length; round++) {
      for (const conversationId of this.conversations()) this.people.decide(this.host, conversationId, 'allow', false);
      const requests = this.models.open();
      for (const request of requests) this.models.answer(request);
      await this.clock.advance(60_000);
      await this.breathe();
      const queued = this.host.database.get('SELECT uid FROM queue ORDER BY place');
      const busy = this.host.gateway.turns.running().length > 0 || requests.length > 0;
      if (!busy && queued === undefined) break;
      if (!busy && queued !== undefined) await this.host.gateway.queue.promote(String(queued['uid']));
    }
    this.check();
    await this.invariants.checkWhenIdle();
    await this.host.kill();
  }

  private get host(): SimulatedHost {
    if (this.current === null) throw new Error('the simulation has not begun');
    return this.current;
  }

  private async perform(step: Step): Promise<void> {
    switch (step.kind) {
      case 'prompt':
        return this.people.prompt(this.surface(step.surface), step.repeated, step.busy ?? 'queue');
      case 'resubmit':
        return this.people.resubmit(this.surface(step.surface));
      case 'show':
        return this.people.show(
          this.surface(step.surface),
          step.session === null ? null : this.conversation(step.session),
        );
      case 'say':
        return this.models.stream(this.requestIn(step.session), step);
      case 'call':
        return this.models.call(this.requestIn(step.session), step.tools, step.ids ?? 'own');
      case 'finish':
        return this.models.finish(this.requestIn(step.session), step.why, step.isNearlyFull === true);
      case 'break': {
        const request = this.requestIn(step.session);
        if (step.inCall) request?.beginCall('look');
        return request?.break(step.cause);
      }
      case 'summary':
        return this.models.summarise(step.how);
      case 'stop':
      case 'promote':
      case 'unqueue':
      case 'compress':
        return this.inConversation(step.session, step.kind);
      case 'decide': {
        const id = this.conversation(step.session);
        if (id !== undefined) this.people.decide(this.host, id, step.how, step.again === true);
        return;
      }
      case 'retry':
        return this.people.retry(this.surface(step.surface));
      case 'time':
        return this.clock.advance(step.ms);
      case 'clockSet':
        this.clockSetBy += step.bySeconds;
        return;
      case 'memory':
        Object.assign(this.memory, { ms: step.ms, fails: step.fails });
        return;
      case 'slowStore':
        this.manners.latencyMs = step.latencyMs;
        return;
      case 'failingStore':
        this.manners.failing = { times: step.times, when: step.when };
        return;
      case 'powerCut':
      case 'kill':
      case 'close':
        return this.endRun(step.kind, step.seed);
      case 'handOver':
        return this.handOver(step.how);
      case 'formerWindow':
        return this.inFormerWindow(step.does);
      default:
        return step satisfies never;
    }
  }

  private inConversation(session: number, what: 'stop' | 'promote' | 'unqueue' | 'compress'): void {
    const id = this.conversation(session);
    if (id === undefined) return;
    if (what === 'stop') return this.people.inBackground(this.host.gateway.turns.stop(id));
    if (what === 'compress') return this.people.compress(id);
    this.people.changeQueue(what, id);
  }

  private inFormerWindow(does: (Step & { readonly kind: 'formerWindow' })['does']): void {
    const [request] = this.models.former();
    const shows = this.former?.surfaces[0];
    if (does === 'say') this.models.stream(request, { of: 'text', words: 2 });
    if (does === 'finish') request?.finish('stop');
    if (this.former === null || shows === undefined) return;
    const { host } = this.former;
    if (does === 'prompt') this.people.promptAt(host, shows);
    const shown = host.gateway.surfaces.shownSession(shows.id);
    if (does === 'decide' && shown !== null) this.people.decide(host, shown, 'allow', false);
    if (does === 'stop' && shown !== null) this.people.inBackground(host.gateway.turns.stop(shown));
  }

  // ── lives ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private async live(): Promise<void> {
    this.lives++;
    this.current = await SimulatedHost.start(this.place, this.lives, this.around);
    const { gateway } = this.host;
    this.surfaces = Array.from({ length: surfaceCount }, (_, index) => {
      const surface = new WatchingSurface(`surface-${this.lives}-${index}`, (sessionId, event, shownAt) =>
        this.invariants.shown(sessionId, event, shownAt),
      );
      gateway.surfaces.attach(surface);
      return surface;
    });
    const [first] = this.conversations();
    if (first !== undefined)
      for (const surface of this.surfaces)
        await gateway.switching.switchSession(surface.id, { reason: 'resume', sessionId: first });
    this.people.inBackground(gateway.queue.resume());
  }

  private async endRun(how: 'powerCut' | 'kill' | 'close', seed: number): Promise<void> {
    const host = this.host;
    if (how === 'close') await this.close(host);
    await this.forgetFormer();
    for (const surface of this.surfaces) surface.die();
    for (const request of this.invariants.requests) request.lose();
    if (how === 'powerCut') this.place.powerCut(seed);
    await host.kill();
    this.beKind();
    await this.live();
  }

  /** The store goes to another window; this one stays, and is still used. */
  private async handOver(how: HandOver): Promise<void> {
    const host = this.host;
    // As the guard of a window has it: what waits for the person is in nobody's way.
    if (how === 'asked' && host.gateway.turns.running().some(({ isWaiting }) => !isWaiting)) return;
    if (how === 'taken') host.loseLock();
    else {
      if (how === 'asked') await this.ends(host.gateway.runner.leaveWaiting(), 'leave what waits');
      else await this.close(host);
      await this.ends(host.release(), 'let go of the store');
    }
    await this.forgetFormer();
    this.former = { host, surfaces: this.surfaces };
    this.beKind();
    await this.live();
  }

  private async forgetFormer(): Promise<void> {
    for (const surface of this.former?.surfaces ?? []) surface.die();
    for (const request of this.models.former()) request.lose();
    await this.former?.host.kill();
    this.former = null;
  }

  private close({ gateway }: SimulatedHost): Promise<void> {
    return this.ends(gateway.shutdown(), 'close');
  }

  private async ends(work: Promise<void>, what: string): Promise<void> {
    let ended = false;
    this.people.inBackground(work.then(() => void (ended = true)));
    for (let minute = 0; minute < 60 && !ended; minute++) {
      await this.breathe();
      if (!ended) await this.clock.advance(60_000);
    }
    if (!ended) this.invariants.broken(`a window did not ${what} within an hour`);
  }

  private beKind(): void {
    this.manners.latencyMs = 0;
    this.manners.failing.times = 0;
  }

  // ── small things ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private check(): void {
    this.invariants.check(this.surfaces, this.manners.latencyMs === 0 && this.host.isIdle);
  }

  private surface(index: number): WatchingSurface {
    const surface = this.surfaces[index % surfaceCount];
    if (surface === undefined) throw new Error('there are no surfaces');
    return surface;
  }

  /** Conversations by their first segment, in the order of their birth. */
  private conversations(): readonly string[] {
    return this.host.database
      .all('SELECT id FROM sessions WHERE id = conversation_id ORDER BY rowid')
      .map((row) => String(row['id']));
  }

  private conversation(index: number): string | undefined {
    const all = this.conversations();
    return all[index % Math.max(1, all.length)];
  }

  /** The request of a conversation; while it waits for a sub-agent, that one's. */
  private requestIn(session: number) {
    const id = this.conversation(session);
    return [id, ...(id === undefined ? [] : subAgentsOf(this.host.database, id))]
      .map((each) => this.models.requestIn(each))
      .find((request) => request !== undefined);
  }

  private onLog(line: string): void {
    if (
      line.startsWith('Backfill') ||
      line.startsWith('A turn ended with an unexpected error') ||
      line.startsWith('Surface ')
    )
      this.invariants.broken(`the log says: ${line}`);
  }

  /** Lets everything run that needs no time to pass. */
  private async breathe(): Promise<void> {
    await this.clock.advance(0);
    while (this.host.isPerforming || this.former?.host.isPerforming === true) {
      // A thread that performs needs the processor which asking without a pause would take.
      if (this.host.performsElsewhere) await new Promise((resolve) => setTimeout(resolve, 1));
      await this.clock.advance(0);
    }
  }
}

/** Bytes that never repeat. */
function counting(): (count: number) => Uint8Array {
  let next = 0;
  return (count) => {
    const value = ++next;
    return Uint8Array.from({ length: count }, (_, index) =>
      index >= count - 4 ? (value >>> (8 * (count - 1 - index))) & 0xff : 0,
    );
  };
}
