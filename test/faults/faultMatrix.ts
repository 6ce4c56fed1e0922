import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { storeFiles } from '../../src/store/open/storeFiles';
import { retriesOfACall } from '../../src/store/ownership/storeCalls';
import { StoreError } from '../../src/store/storeError';
import type { JsonObject } from '../../src/transcript/json';
import { seededRandom } from '../support/seededRandom';
import { type RecordedRequest, type Scripted, type ServerProtocol, reply } from '../support/modelServer';
import { otherSqlite } from '../support/otherSqlite';
import { historyFaults } from '../support/providerRules';
import type { RecordingSurface } from '../support/recordingSurface';
import { full, World } from '../support/world';
import type { FaultStream } from './faultStreams';
import { JumpingClock } from './jumpingClock';

/** What befalls an answer. All but `byte` at an event boundary: `at` events have been sent. `byte`: the connection is cut behind that byte. */
export type Fault = 'drop' | 'end' | 'error' | 'stall' | 'stop' | 'byte';

export interface FaultCase {
  readonly stream: FaultStream;
  readonly fault: Fault;
  readonly at: number;
}

export interface MatrixResult {
  readonly cases: number;
  readonly violations: number;
  readonly streams: number;
  readonly byFault: Readonly<Record<Fault, number>>;
  /** What was wrong, one sentence each, the first hundred. */
  readonly details: readonly string[];
}

export interface MatrixOptions {
  readonly streams: readonly FaultStream[];
  readonly seed: number;
  /** Run only so many cases, chosen by seed; all without it. */
  readonly sample?: number;
  /** Writes of the turns fail in bursts, of which every third is longer than a write is repeated. */
  readonly storeFails?: boolean;
  readonly say?: (line: string) => void;
}

const casesPerWorld = 120;
const casesAtOnce = 12;
const byteOffsetsPerStream = 8;
const boundaryFaults = ['drop', 'end', 'error', 'stall', 'stop'] as const;
const turnWrites = ['appendChunks', 'putMessages', 'addUsage', 'settleTurn'];
const refusals = [
  full,
  new StoreError('readOnly', 'The folder cannot be written to.', 'EROFS: write state.db'),
  new StoreError('unknown', 'The disk reported a problem.', 'EIO: fsync state.db'),
];
/** Longer than any patience with silence. */
const leapMs = 700_000;

/** Lets every fault befall every stream at every event boundary (and at some bytes in between), and looks each time whether what was delivered
 *  is stored, once, in order, in a history that a provider accepts, and whether the next turn is answered. */
export async function runFaultMatrix({
  streams,
  seed,
  sample,
  storeFails = false,
  say = () => undefined,
}: MatrixOptions): Promise<MatrixResult> {
  const random = seededRandom(seed);
  const all = streams.flatMap((stream) => casesOf(stream, random));
  const chosen = sample === undefined ? all : shuffled(all, random).slice(0, sample);
  const byFault: Record<Fault, number> = { drop: 0, end: 0, error: 0, stall: 0, stop: 0, byte: 0 };
  const details: string[] = [];
  let [done, stopped] = [0, 0];
  for (const protocol of ['openai', 'anthropic'] as const) {
    // Time leaps for everybody in a world, so stalls have worlds of their own.
    for (const stalls of [false, true]) {
      const group = chosen.filter((one) => one.stream.protocol === protocol && (one.fault === 'stall') === stalls);
      for (let from = 0; from < group.length; from += casesPerWorld) {
        const batch = group.slice(from, from + casesPerWorld);
        const ran = await runInOneWorld(protocol, batch, storeFails);
        details.push(...ran.found);
        stopped += ran.stopped;
        for (const { fault } of batch) byFault[fault]++;
        done += batch.length;
        say(`${done} of ${chosen.length} cases, ${details.length} violations`);
      }
    }
  }
  if (storeFails !== (stopped > 0 && stopped < done))
    details.push(`${stopped} of ${done} turns were stopped by the store`);
  return {
    cases: done,
    violations: details.length,
    streams: new Set(chosen.map((one) => one.stream)).size,
    byFault,
    details: details.slice(0, 100),
  };
}

function casesOf(stream: FaultStream, random: () => number): readonly FaultCase[] {
  const boundaries = Array.from({ length: stream.payloads.length + 1 }, (_, at) => at);
  const total = bytesOf(stream.protocol, stream.payloads);
  return [
    ...boundaryFaults.flatMap((fault) => boundaries.map((at) => ({ stream, fault, at }))),
    ...Array.from({ length: byteOffsetsPerStream }, () => ({
      stream,
      fault: 'byte' as const,
      at: 1 + Math.floor(random() * (total - 1)),
    })),
  ];
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item);
}

async function runInOneWorld(
  protocol: ServerProtocol,
  cases: readonly FaultCase[],
  storeFails: boolean,
): Promise<{ readonly found: readonly string[]; readonly stopped: number }> {
  const clock = new JumpingClock();
  const world = await World.create({
    protocol,
    clock,
    policy: { backoffMs: 1 },
  });
  writeFileSync(join(world.folder, 'note.txt'), 'remember the milk');
  const played = new Map<number, RecordedRequest[]>();
  world.server.otherwise((request) => {
    const number = caseOf(request);
    const before = played.get(number) ?? [];
    played.set(number, [...before, request]);
    const one = cases[number];
    return one === undefined || before.length > 0 ? reply().says('Good.') : scripted(one);
  });
  try {
    const found: string[] = [];
    const finished: Lane[] = [];
    for (let from = 0; from < cases.length; from += casesAtOnce) {
      const lanes = cases
        .slice(from, from + casesAtOnce)
        .map((one, index) => new Lane(world, one, from + index, () => played.get(from + index) ?? []));
      await runTogether(lanes, clock, storeFails ? world : null);
      for (const lane of lanes) found.push(...(await lane.faults()));
      finished.push(...lanes);
    }
    found.push(...(await compareWithOtherSqlite(world, finished)));
    for (const request of world.server.requests)
      if (request.rejection !== null)
        found.push(`${nameOf(cases[caseOf(request)])}: request refused: ${request.rejection}`);
    // Nothing may have to be put back afterwards, and nothing goes wrong behind the person's back.
    const isExpected = (line: string): boolean =>
      storeFails && /^error (A turn could not be closed in the store|Turn \S+ )/.test(line);
    found.push(
      ...world.logLines.filter((line) => (line.startsWith('error') && !isExpected(line)) || line.includes('Backfill')),
    );
    return { found, stopped: finished.filter((lane) => lane.stoppedByStore).length };
  } finally {
    await world.close();
  }
}

/** `failing`: the world whose store refuses writes meanwhile. */
async function runTogether(lanes: readonly Lane[], clock: JumpingClock, failing: World | null): Promise<void> {
  // Before the turns begin: one that needs no more than a moment would otherwise be settled by then. Turns can still be opened.
  const mend = failing?.breakStore(inBursts());
  await Promise.all(lanes.map((lane) => lane.begin()));
  const stalled = lanes.some((lane) => lane.one.fault === 'stall');
  if (stalled) await Promise.all(lanes.map((lane) => lane.caughtUp()));
  const settled = Promise.all(lanes.map((lane) => lane.settled(1)));
  if (stalled) {
    let done = false;
    void settled.then(() => (done = true));
    while (!done) {
      clock.leap(leapMs);
      await sleep(15);
    }
  }
  await settled;
  mend?.();
  await Promise.all(lanes.map((lane) => lane.next()));
}

/** Fails in bursts: most of them nobody notices; every fifth is long enough for several turns to stop. */
function inBursts(): (method: string) => StoreError | null {
  let [writes, bursts, left] = [0, 0, 0];
  return (method) => {
    if (!turnWrites.includes(method)) return null;
    if (left === 0 && ++writes % 7 === 0) left = ++bursts % 5 === 0 ? 5 * (retriesOfACall + 1) : retriesOfACall;
    if (left === 0) return null;
    left--;
    return refusals[bursts % refusals.length] ?? full;
  };
}

/** One case: a session of its own at a surface of its own. */
class Lane {
  private readonly surface: RecordingSurface;
  private readonly found: string[] = [];
  sessionId = '';

  constructor(
    private readonly world: World,
    readonly one: FaultCase,
    private readonly number: number,
    private readonly requests: () => readonly RecordedRequest[],
  ) {
    this.surface = world.surface();
  }

  /** Sends the prompt; where the person stops it, does so when everything sent so far has been shown. */
  async begin(): Promise<void> {
    const receipt = await this.world.send(this.surface, `Case ${this.number}.`);
    this.sessionId = receipt.sessionId;
    if (this.one.fault !== 'stop') return;
    await this.caughtUp();
    await this.world.gateway.turns.stop(this.sessionId);
  }

  /** Waits until the server has sent what it will send and the surface shows it, or shows no more of it. */
  async caughtUp(): Promise<void> {
    const expected = bytesOf(this.one.stream.protocol, this.one.stream.payloads.slice(0, this.one.at));
    while ((this.requests()[0]?.bytesDelivered ?? 0) < Math.max(1, expected)) await sleep(1);
    const sent = this.requests()[0]?.delivered ?? { text: '', thinking: '' };
    // What may be the beginning of a tag is held back, so the last characters need not come before the end.
    for (let wait = 0; wait < 30 && this.surface.deliveredText.length < sent.text.length + sent.thinking.length; wait++)
      await sleep(2);
  }

  settled(count: number): Promise<void> {
    return this.surface.untilSettled(count);
  }

  /** The next turn of this session. */
  async next(): Promise<void> {
    const { store, gateway } = this.world;
    const isUnsettled = async (): Promise<boolean> =>
      this.stoppedByStore && (await store.openTurnOf(this.sessionId)) !== null;
    while (gateway.turns.running().some((turn) => turn.sessionId === this.sessionId) && !(await isUnsettled()))
      await sleep(1);
    // Looked at before the next prompt, which settles a turn that is still open, and would have a broken history repaired.
    if (!(await isUnsettled())) this.found.push(...historyFaults(await store.activeMessages(this.sessionId)));
    const receipt = await this.world.send(this.surface, `Case ${this.number}, and then?`);
    if (receipt.kind !== 'started') throw new Error(`${nameOf(this.one)}: the next prompt had to wait`);
    await this.surface.until(({ settled }) => settled.some(({ turn }) => turn.uid === receipt.turnUid));
  }

  get stoppedByStore(): boolean {
    return this.surface.settled[0]?.turn.stopReason === 'storeFailed';
  }

  /** What is wrong with what is stored, apart from its comparison with what was shown. */
  async faults(): Promise<readonly string[]> {
    const found = [...this.found, ...historyFaults(await this.world.store.activeMessages(this.sessionId))];
    const last = this.surface.settled.at(-1)?.turn;
    if (last?.outcome !== 'complete')
      found.push(
        `the next turn ended as ${last?.outcome ?? 'nothing'} (${last?.stopReason ?? ''}: ${last?.failure?.technical ?? ''})`,
      );
    return found.map((fault) => `${nameOf(this.one)}: ${fault}`);
  }

  /** Compares the answers another SQLite found with what the surface showed and with what the server sent. */
  compare(rows: readonly StoredRow[]): readonly string[] {
    const found: string[] = [];
    const answers = rows.filter((row) => row.role === 'assistant' && row.shown);
    const stored = answers
      .map((row) => ({ uid: row.uid, text: row.texts.map((part) => part.text).join('') }))
      .filter(({ text }) => text !== '');
    const shown = this.surface.delivered.filter(({ text }) => text !== '');
    if (JSON.stringify(stored) !== JSON.stringify(shown))
      found.push(`shown ${JSON.stringify(shown)}, stored ${JSON.stringify(stored)}`);
    for (const kind of ['text', 'thinking'] as const) {
      const sent = squeezed(
        this.requests()
          .map((request) => request.delivered[kind])
          .join(''),
      );
      const kept = squeezed(
        answers
          .flatMap((row) => row.texts.filter((part) => part.kind === kind))
          .map((part) => part.text)
          .join(''),
      );
      const isRight = this.one.fault === 'stop' || this.stoppedByStore ? isStoppedCopy(kept, sent) : kept === sent;
      if (!isRight) found.push(`of ${kind} the service sent "${sent}", stored is "${kept}"`);
    }
    return found.map((fault) => `${nameOf(this.one)}: ${fault}`);
  }
}

/** A stop drops what had not been shown yet; the answer of the next turn stands behind. */
function isStoppedCopy(kept: string, sent: string): boolean {
  const end = squeezed('Good.');
  const [before, whole] = [
    kept.endsWith(end) ? kept.slice(0, -end.length) : kept,
    sent.endsWith(end) ? sent.slice(0, -end.length) : sent,
  ];
  return whole.startsWith(before);
}

/** Between the parts of an answer line ends may be put. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

interface StoredRow {
  readonly sessionId: string;
  readonly uid: string;
  readonly role: string;
  readonly shown: boolean;
  readonly texts: readonly { readonly kind: string; readonly text: string }[];
}

const rowLine = v.tuple([v.string(), v.string(), v.string(), v.number(), v.string(), v.string()]);
const storedParts = v.array(v.looseObject({ kind: v.string(), text: v.optional(v.string(), '') }));

async function compareWithOtherSqlite(world: World, lanes: readonly Lane[]): Promise<readonly string[]> {
  await world.store.checkpoint();
  const copy = join(world.folder, 'copy.db');
  copyFileSync(storeFiles(join(world.home, 'store')).main, copy);
  const lines = otherSqlite(
    copy,
    "SELECT json_array(session_id, uid, role, active, ifnull(display_kind, ''), parts) FROM messages ORDER BY session_id, position",
  );
  const rows = lines.map((line): StoredRow => {
    const [sessionId, uid, role, active, displayKind, parts] = v.parse(rowLine, JSON.parse(line));
    const texts = v
      .parse(storedParts, JSON.parse(parts))
      .filter((part) => part.kind === 'text' || part.kind === 'thinking');
    return { sessionId, uid, role, shown: active === 1 && displayKind === '', texts };
  });
  const bySession = grouped(rows);
  return lanes.flatMap((lane) => lane.compare(bySession.get(lane.sessionId) ?? []));
}

function grouped(rows: readonly StoredRow[]): ReadonlyMap<string, readonly StoredRow[]> {
  const groups = new Map<string, StoredRow[]>();
  for (const row of rows) groups.set(row.sessionId, [...(groups.get(row.sessionId) ?? []), row]);
  return groups;
}

function scripted({ stream, fault, at }: FaultCase): Scripted {
  const sent = reply().sends(...stream.payloads.slice(0, fault === 'byte' ? undefined : at));
  switch (fault) {
    case 'drop':
      return sent.drops();
    case 'end':
      return sent.endsWithoutFinish();
    case 'error':
      return sent.breaksWith('The server is overloaded.');
    case 'stall':
    case 'stop':
      return sent.hangs();
    case 'byte':
      return sent.endsWithoutFinish().cutsAtByte(at);
    default:
      return fault satisfies never;
  }
}

/** How many bytes these events are on the wire. */
function bytesOf(protocol: ServerProtocol, payloads: readonly JsonObject[]): number {
  const frame = (payload: JsonObject): string =>
    protocol === 'openai'
      ? `data: ${JSON.stringify(payload)}\n\n`
      : `event: ${String(payload['type'])}\ndata: ${JSON.stringify(payload)}\n\n`;
  return payloads.reduce((sum, payload) => sum + Buffer.byteLength(frame(payload)), 0);
}

/** Which case a request belongs to, by the last prompt in it. */
function caseOf(request: RecordedRequest): number {
  const prompts = request.outline.filter((line) => /^user: (?:.*\n)*.*Case \d+/.test(line));
  return Number(/Case (\d+)/.exec(prompts.at(-1) ?? '')?.[1] ?? '-1');
}

function nameOf(one: FaultCase | undefined): string {
  return one === undefined ? 'no case' : `${one.stream.protocol} "${one.stream.name}", ${one.fault} at ${one.at}`;
}
