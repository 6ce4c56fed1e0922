import * as v from 'valibot';
import { idsFrom } from '../../../src/base/ids';
import { type BusyMode, GatewayError } from '../../../src/gateway/gateway';
import type { CompletedToolCall, Finish, ModelRequest } from '../../../src/models/chatModel';
import { SimulatedDisk } from '../../../src/store/engine/simulatedDisk';
import { StoreError } from '../../../src/store/storeError';
import { defineTool } from '../../../src/tools/tool';
import type { DeliveredKind } from '../../../src/transcript/part';
import type { ModelFailureCause } from '../../../src/transcript/stopReason';
import { seededRandom } from '../../crash/powerCuts';
import { ManualClock } from '../manualClock';
import { Invariants } from './invariants';
import { OpenRequest, scriptedModel } from './scriptedModel';
import { SimulatedHost, type Surroundings } from './simulatedHost';
import type { StoreManners } from './slowStore';
import { WatchingSurface } from './watchingSurface';

/** One thing that happens. Numbers pick a surface or a session (modulo how many there are); what makes no sense at that moment is skipped. */
export type Step =
  | { readonly kind: 'prompt'; readonly surface: number; readonly repeated: boolean; readonly busy?: BusyMode }
  | { readonly kind: 'show'; readonly surface: number; readonly session: number | null }
  | { readonly kind: 'say'; readonly session: number; readonly of: DeliveredKind; readonly words: number }
  | { readonly kind: 'call'; readonly session: number; readonly tools: readonly { readonly ms: number; readonly readOnly: boolean }[] }
  | { readonly kind: 'finish'; readonly session: number; readonly why: Finish['unified'] }
  | { readonly kind: 'break'; readonly session: number; readonly cause: ModelFailureCause; readonly inCall: boolean }
  | { readonly kind: 'stop' | 'promote' | 'unqueue'; readonly session: number }
  | { readonly kind: 'retry'; readonly surface: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'slowStore'; readonly latencyMs: number }
  | { readonly kind: 'failingStore'; readonly times: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'powerCut' | 'kill' | 'close'; readonly seed: number };

const surfaceCount = 3;

/** The whole product but its editor and its network, on a disk, a clock and a model that do what a schedule says. Every event is judged when
 *  it happens, and `check` looks at everything after each step. */
export class Simulation {
  private readonly clock = new ManualClock();
  private readonly manners: StoreManners = { latencyMs: 0, failing: { times: 0, when: 'before' } };
  private readonly invariants = new Invariants(() => this.host);
  private readonly around: Surroundings;
  private disk = new SimulatedDisk();
  private current: SimulatedHost | null = null;
  private surfaces: readonly WatchingSurface[] = [];
  private words = 0;
  private prompts = 0;
  private calls = 0;
  private lives = 0;

  private constructor() {
    this.around = {
      clock: this.clock,
      ids: idsFrom(counting()),
      log: {
        trace: () => undefined, info: (line) => this.heard(line), warn: () => undefined,
        error: (line) => this.heard(line),
      },
      manners: this.manners,
      model: scriptedModel((request, signal) => this.asked(request, signal)),
      tools: [this.tool('look', true), this.tool('change', false)],
    };
  }

  static async start(): Promise<Simulation> {
    const simulation = new Simulation();
    await simulation.live();
    return simulation;
  }

  get violations(): readonly string[] {
    return this.invariants.violations;
  }

  /** How far it came: for a test that wants to know that schedules do something. */
  get extent(): { readonly requests: number; readonly lives: number } {
    return { requests: this.invariants.requests.length, lives: this.lives };
  }

  /** The rows of a session as one line each. */
  transcript(session: number): readonly string[] {
    const messages = this.withSession(session, (sessionId) => this.host.db.readTranscript({ sessionId, limit: 1000, includeHidden: true }).messages) ?? [];
    return messages.map(({ role, visibility, parts }) => {
      const content = parts.map((part) => (part.kind === 'toolCall' ? `[${part.callId}]` : 'text' in part ? part.text : '')).join('');
      return `${role}${visibility.kind === 'shown' ? '' : ` (${visibility.kind})`}: ${content.replaceAll('][', '] [')}`;
    });
  }

  async run(step: Step): Promise<void> {
    await this.perform(step);
    await this.breathe();
    this.invariants.check();
  }

  /** Lets everything that is under way come to its end, and what waits be answered. */
  async finish(): Promise<void> {
    this.manners.latencyMs = 0;
    this.manners.failing.times = 0;
    for (let round = 0; round < 200 && !this.violations.length; round++) {
      for (const request of this.openRequests()) this.answer(request);
      await this.clock.advance(60_000);
      const queued = this.host.database.get('SELECT uid FROM queue ORDER BY place');
      const busy = this.host.gateway.runningTurns().length > 0;
      if (!busy && queued === undefined) break;
      if (!busy && queued !== undefined) await this.host.gateway.promoteQueued(String(queued['uid']));
    }
    this.invariants.check();
    this.invariants.checkAtRest();
    this.host.kill();
  }

  private get host(): SimulatedHost {
    if (this.current === null) throw new Error('the simulation has not begun');
    return this.current;
  }

  private async perform(step: Step): Promise<void> {
    switch (step.kind) {
      case 'prompt':
        return this.prompt(this.surface(step.surface), step.repeated, step.busy ?? 'queue');
      case 'show':
        return this.show(this.surface(step.surface), step.session);
      case 'say':
        return this.say(step.session, step.of, step.words);
      case 'call':
        return this.call(step.session, step.tools);
      case 'finish':
        return this.requestIn(step.session)?.finish(step.why);
      case 'break': {
        const request = this.requestIn(step.session);
        if (step.inCall) request?.beginCall('look');
        return request?.break(step.cause);
      }
      case 'stop':
        return this.inBackground(this.withSession(step.session, (id) => this.host.gateway.stop(id)));
      case 'retry':
        return this.retry(this.surface(step.surface));
      case 'promote':
      case 'unqueue':
        return this.changeQueue(step.kind, step.session);
      case 'time':
        return this.clock.advance(step.ms);
      case 'slowStore':
        this.manners.latencyMs = step.latencyMs;
        return;
      case 'failingStore':
        this.manners.failing = { times: step.times, when: step.when };
        return;
      case 'powerCut':
      case 'kill':
      case 'close':
        return this.endLife(step.kind, step.seed);
      default:
        return step satisfies never;
    }
  }

  // ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private prompt(surface: WatchingSurface, repeated: boolean, busy: BusyMode): void {
    const uid = `p${++this.prompts}`;
    const text = repeated ? 'again' : `prompt ${this.prompts}`;
    const { gateway } = this.host;
    const confirmed = gateway.submit(surface.id, { sessionId: gateway.shownSession(surface.id), uid, text, busy });
    this.inBackground(confirmed.then(() => void this.invariants.prompts.set(uid, text)));
  }

  private show(surface: WatchingSurface, session: number | null): void {
    const { gateway } = this.host;
    if (session === null) return this.inBackground(gateway.switchSession(surface.id, { reason: 'new_session' }));
    this.inBackground(this.withSession(session, (sessionId) => gateway.switchSession(surface.id, { reason: 'resume', sessionId })));
  }

  private retry(surface: WatchingSurface): void {
    const sessionId = this.host.gateway.shownSession(surface.id);
    const last = sessionId === null ? undefined : this.host.db.readTranscript({ sessionId, limit: 1 }).messages.at(-1);
    if (last?.turnUid) this.inBackground(this.host.gateway.retry(surface.id, last.turnUid));
  }

  private changeQueue(change: 'promote' | 'unqueue', session: number): void {
    const queued = this.withSession(session, (id) => this.host.db.queue(id))?.at(-1);
    if (queued === undefined) return;
    if (change === 'promote') return this.inBackground(this.host.gateway.promoteQueued(queued.uid));
    // From here on it may be gone, or answered, whichever came first.
    this.invariants.prompts.set(queued.uid, null);
    this.inBackground(this.host.gateway.removeQueued(queued.uid));
  }

  // ── the model and its tools ─────────────────────────────────────────────────────────────────────────────────────────────────────

  private asked(request: ModelRequest, signal: AbortSignal): OpenRequest {
    const open = new OpenRequest(request, this.invariants.asked(request), signal);
    this.invariants.requests.push(open);
    return open;
  }

  private say(session: number, kind: DeliveredKind, words: number): void {
    const request = this.requestIn(session);
    for (let word = 0; word < words; word++) request?.say(kind, `w${++this.words} `);
  }

  private call(session: number, tools: readonly { readonly ms: number; readonly readOnly: boolean }[]): void {
    const request = this.requestIn(session);
    if (request === undefined) return;
    if (request.request.toolChoice === 'none') return this.answer(request);
    request.finish('toolCalls', tools.map(({ ms, readOnly }): CompletedToolCall => {
      const marker = `call-${++this.calls}`;
      return { callId: marker, name: readOnly ? 'look' : 'change', arguments: JSON.stringify({ marker, ms }) };
    }));
  }

  private answer(request: OpenRequest): void {
    request.say('text', `w${++this.words} `);
    request.finish('stop');
  }

  private tool(name: string, readOnly: boolean) {
    const schema = v.object({ marker: v.string(), ms: v.number() });
    return defineTool({
      name, readOnly, schema, description: name, parameters: { type: 'object' },
      run: ({ marker, ms }, signal) => {
        this.invariants.runs(marker);
        return new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          this.clock.after(ms, () => resolve({ outcome: 'done', text: `result of ${marker}` }));
        });
      },
    });
  }

  // ── lives ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private async live(): Promise<void> {
    this.lives++;
    this.current = await SimulatedHost.start(this.disk, this.around);
    const { gateway } = this.host;
    this.surfaces = Array.from({ length: surfaceCount }, (_, index) => {
      const surface = new WatchingSurface(`surface-${this.lives}-${index}`, (sessionId, event, shownAt) => this.invariants.shown(sessionId, event, shownAt));
      gateway.attach(surface);
      return surface;
    });
    const [first] = this.sessions();
    if (first !== undefined) for (const surface of this.surfaces) await gateway.switchSession(surface.id, { reason: 'resume', sessionId: first });
    this.inBackground(gateway.resumeQueues());
  }

  private async endLife(how: 'powerCut' | 'kill' | 'close', seed: number): Promise<void> {
    const host = this.host;
    if (how === 'close') await this.close(host);
    for (const surface of this.surfaces) surface.die();
    for (const request of this.invariants.requests) request.lose();
    if (how === 'powerCut') this.disk = this.disk.powerCut(seededRandom(seed));
    host.kill();
    this.manners.latencyMs = 0;
    this.manners.failing.times = 0;
    await this.live();
  }

  private async close(host: SimulatedHost): Promise<void> {
    let closed = false;
    this.inBackground(host.gateway.shutdown().then(() => void (closed = true)));
    for (let minute = 0; minute < 60 && !closed; minute++) {
      await this.breathe();
      await this.clock.advance(60_000);
    }
    if (!closed) this.invariants.broken('a window did not close within an hour');
  }

  // ── small things ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private surface(index: number): WatchingSurface {
    const surface = this.surfaces[index % surfaceCount];
    if (surface === undefined) throw new Error('there are no surfaces');
    return surface;
  }

  private sessions(): readonly string[] {
    return this.host.database.all('SELECT id FROM sessions ORDER BY started_at, rowid').map((row) => String(row['id']));
  }

  private withSession<T>(index: number, work: (sessionId: string) => T): T | undefined {
    const sessions = this.sessions();
    const id = sessions[index % Math.max(1, sessions.length)];
    return id === undefined ? undefined : work(id);
  }

  private openRequests(): readonly OpenRequest[] {
    return this.invariants.requests.filter((request) => request.isOpen && this.host.db.getTurn(request.turnUid)?.state === 'running');
  }

  private requestIn(session: number): OpenRequest | undefined {
    const sessionId = this.withSession(session, (id) => id);
    return this.openRequests().find((request) => request.request.cacheKey === sessionId);
  }

  /** A refusal in words is an answer like any other; everything else that goes wrong behind our back is a fault. */
  private inBackground(work: Promise<unknown> | undefined): void {
    work?.catch((error: unknown) => {
      if (!(error instanceof GatewayError) && !(error instanceof StoreError)) this.invariants.broken(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    });
  }

  private heard(line: string): void {
    if (line.startsWith('Backfill') || line.startsWith('A turn ended with an unexpected error') || line.startsWith('Surface ')) this.invariants.broken(`the log says: ${line}`);
  }

  /** Lets everything run that needs no time to pass. */
  private async breathe(): Promise<void> {
    await this.clock.advance(0);
  }
}

/** Bytes that never repeat. */
function counting(): (count: number) => Uint8Array {
  let next = 0;
  return (count) => {
    const value = ++next;
    return Uint8Array.from({ length: count }, (_, index) => (index >= count - 4 ? (value >>> (8 * (count - 1 - index))) & 0xff : 0));
  };
}
