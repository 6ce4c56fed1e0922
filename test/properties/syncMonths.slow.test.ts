import { describe, expect, it } from 'vitest';
import type { SyncRound } from '../../src/features/sync/core/syncRound';
import { seededRandom } from '../support/seededRandom';
import { answered, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer, type Fate } from '../support/simulatedServer';
import { roundOf } from '../support/syncRound';

/** Working days; a year and more by the environment variable. */
const days = Number(process.env['HERMES_SYNC_DAYS'] ?? 60);
const machinesInAll = 50;
/** Machines that stay. The others are containers that live for a few days. */
const lasting = 6;

interface Machine {
  readonly name: string;
  readonly world: SessionDbWorld;
  readonly network: SimulatedNetwork;
  round: SyncRound;
  /** Day after which it is deleted. */
  readonly until: number;
  calls: number;
  /** Most calls of one day on which it exchanged and had exchanged the day before. */
  mostCalls: number;
  lastDay: number;
}

/** One person’s machines over months of work: some are away for weeks, most are deleted after some days. */
class Months {
  readonly server = new SimulatedServer();
  readonly alive: Machine[] = [];
  /** Answers that were stored on a machine which still lives, or which sent them before it was deleted. */
  readonly kept = new Set<string>();
  made = 0;
  divisions = 0;
  turns = 0;
  private readonly random = seededRandom(21);
  private ids = 0;
  private isCalm = false;

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private pick<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.random() * of.length)];
  }

  async add(day: number): Promise<Machine> {
    const name = `machine-${++this.made}`;
    const world = await sessionDbWorld(undefined, { now: 1_000_000 + Math.floor(this.random() * 36_000) });
    world.db.synced.begin();
    const until = this.made <= lasting ? Number.POSITIVE_INFINITY : day + 1 + Math.floor(this.random() * 5);
    const fate = (): Fate => {
      machine.calls++;
      if (this.isCalm) return 'done';
      return this.chance(0.02) ? 'lost' : this.chance(0.02) ? 'unanswered' : 'done';
    };
    const network = new SimulatedNetwork(this.server, fate);
    const machine: Machine = {
      name,
      world,
      network,
      until,
      calls: 0,
      mostCalls: 0,
      lastDay: day,
      round: this.roundOf(name, world, network),
    };
    this.alive.push(machine);
    return machine;
  }

  private roundOf(name: string, { db }: SessionDbWorld, network: SimulatedNetwork): SyncRound {
    return roundOf(db, network.wayOf(), name, {
      // A version is known by the beginning of an id.
      newId: () => `${++this.ids}-${name}`,
      onReceived: (_id, branchId) => void (branchId !== null && this.divisions++),
    });
  }

  async day(day: number): Promise<void> {
    const isTime = day % Math.floor(days / (machinesInAll - lasting)) === 0;
    if (this.made < lasting || (this.made < machinesInAll && isTime)) await this.add(day);
    const active = new Set([this.pick(this.alive), this.pick(this.alive), this.alive.at(-1)]);
    for (const machine of active) if (machine !== undefined) await this.work(machine, day);
    for (const gone of this.alive.filter(({ until }) => until <= day)) await this.remove(gone);
  }

  private async work(machine: Machine, day: number): Promise<void> {
    machine.network.isCut = this.chance(0.1);
    const before = machine.calls;
    await this.exchange(machine);
    const { db, clock } = machine.world;
    for (let n = 0; n < 3; n++) {
      clock.now = 1_000_000 + day * 86_400;
      const sessions = db.listSessions({ limit: 5 }).map(({ id }) => id);
      const isNew = sessions.length === 0 || this.chance(0.1);
      const sessionId = isNew ? `session-${++this.ids}` : db.conversationTip(this.pick(sessions) ?? '');
      if (isNew) db.createSession({ id: sessionId, startedAt: clock.now, title: `About ${sessionId}` });
      const text = `Answer ${++this.turns}.`;
      answered(db, `turn-${this.turns}`, `${text} ${'Words of an answer. '.repeat(20)}`, { sessionId });
      this.kept.add(text);
      await this.exchange(machine);
    }
    if (day - machine.lastDay <= 1) machine.mostCalls = Math.max(machine.mostCalls, machine.calls - before);
    machine.lastDay = day;
  }

  async exchange(machine: Machine): Promise<void> {
    try {
      await machine.round.run();
    } catch (error) {
      if (this.isCalm) throw error;
      machine.round = this.roundOf(machine.name, machine.world, machine.network);
    }
  }

  /** A container is deleted, and with it what it never sent. */
  private async remove(machine: Machine): Promise<void> {
    const { db, database } = machine.world;
    for (const id of db.synced.pending())
      for (const document of db.synced.changed(id))
        for (const row of database.all("SELECT content FROM messages WHERE 'turn/' || turn_uid = ?", [document]))
          this.kept.delete(/^Answer \d+\./.exec(String(row['content']))?.[0] ?? '');
    database.abandon();
    this.alive.splice(this.alive.indexOf(machine), 1);
    return Promise.resolve();
  }

  async calm(): Promise<void> {
    this.isCalm = true;
    for (const machine of this.alive) {
      machine.network.isCut = false;
      machine.round = this.roundOf(machine.name, machine.world, machine.network);
    }
    for (let time = 0; time < 4; time++) for (const machine of this.alive) await this.exchange(machine);
  }
}

const rowsOf = ({ world: { database } }: Machine): string =>
  JSON.stringify([
    database.all('SELECT uid, session_id, parts, active FROM messages ORDER BY uid'),
    database.all('SELECT id, parent_session_id, conversation_id, title FROM sessions ORDER BY id'),
  ]);

describe('fifty machines over months of work', () => {
  const months = new Months();
  const bytesPerTurn: number[] = [];

  it.each(Array.from({ length: Math.ceil(days / 30) }, (_, month) => month))('work in month %i', async (month) => {
    for (let day = month * 30; day < Math.min(days, (month + 1) * 30); day++) {
      await months.day(day);
      if (day !== Math.floor(days / 2) && day !== days - 1) continue;
      bytesPerTurn.push(months.server.overview().bytes / months.turns);
    }
    expect(months.turns).toBeGreaterThan(0);
  });

  it('end with the same rows and every answer, and cost the server no more at the end than at the beginning', async () => {
    const [away] = months.alive;
    const callsBefore = away?.calls ?? 0;
    await months.calm();
    const [first, ...others] = months.alive.map(rowsOf);
    expect(others.filter((rows) => rows !== first)).toEqual([]);
    const texts = new Set(
      (months.alive[0]?.world.database.all("SELECT content FROM messages WHERE role = 'assistant'") ?? []).map(
        ({ content }) => /^Answer \d+\./.exec(String(content))?.[0],
      ),
    );
    expect([...months.kept].filter((text) => !texts.has(text))).toEqual([]);
    expect(months.alive.flatMap(({ world }) => world.db.verifyIntegrity())).toEqual([]);
    const [half = 0, whole = 0] = bytesPerTurn;
    const mostCalls = Math.max(...months.alive.map((machine) => machine.mostCalls));
    if (process.env['HERMES_SYNC_DAYS'] !== undefined)
      console.log({
        days,
        machines: months.made,
        turns: months.turns,
        divisions: months.divisions,
        conversations: months.server.conversations.size,
        bytesPerTurn,
        mostCalls,
        callsToCatchUp: (away?.calls ?? 0) - callsBefore,
      });
    // A day has three turns, each with an exchange, and one before them.
    expect([months.made, months.divisions > 0, whole < half * 1.3, mostCalls < 150]).toEqual([
      machinesInAll,
      true,
      true,
      true,
    ]);
  });
});
