import type { SqlRow } from '../../src/store/engine/sqlDatabase';
import type { StoreRows } from '../../src/store/session/import/soundRows';
import type { ImportedTable } from '../../src/store/session/tables/rights';
import { StoreError } from '../../src/store/storeError';
import type { ServerHeads } from '../../src/store/syncing';
import type { SyncServer } from '../../src/features/sync/core/syncServer';
import { syncFailureIn } from '../../src/features/sync/core/syncFailure';
import { fetchQuery, SyncRound } from '../../src/features/sync/core/syncRound';
import { seededRandom } from '../support/seededRandom';
import type { SimulatedDisk } from '../support/simulatedDisk';
import {
  answer,
  complete,
  openTurn,
  sessionDbWorld,
  settle,
  stopped,
  type SessionDbWorld,
} from '../support/sessionDbWorld';
import { type Fate, served, SimulatedNetwork, SimulatedServer, type ServerRules } from '../support/simulatedServer';

/** What a machine does. `which` chooses among its sessions or messages. */
export const syncActions = [
  'ask',
  'ask',
  'ask',
  'settle',
  'settle',
  'settle',
  'stop',
  'retry',
  'rewind',
  'compress',
  'branch',
  'title',
  'pin',
  'trash',
  'forget',
  'sync',
  'sync',
  'sync',
  'sync',
  'cut',
  'connect',
  'crash',
  'time',
  'late',
  'failover',
  'copy',
  'restore',
  'clone',
  'salvage',
  'bringBack',
  'prune',
  'lose',
] as const;
export type SyncAction = (typeof syncActions)[number];

export interface SyncStep {
  readonly machine: number;
  readonly action: SyncAction;
  readonly which: number;
}

interface OpenTurn {
  readonly uid: string;
  readonly sessionId: string;
  readonly conversationId: string;
  readonly fence: number | null;
}

/** What is on a machine's disk now. */
function copied({ world }: Machine): SimulatedDisk {
  return world.disk.powerCut(() => 1);
}

/** A text that was shown, and where. */
interface Shown {
  readonly text: string;
  readonly conversationId: string;
}

class Machine {
  world!: SessionDbWorld;
  /** An older copy of its store. */
  copy: SimulatedDisk | null = null;
  /** Id of its store: a clone has that of the other machine, until it finds that. */
  origin: string;
  /** Counts the stores that it had. */
  stores = 0;
  open: OpenTurn | null = null;
  /** Fences of leases, until what was said under them is sent. */
  readonly fences = new Map<string, number>();
  private readonly leftOut = new Set<string>();
  round: SyncRound;

  constructor(
    readonly name: string,
    readonly network: SimulatedNetwork,
    private readonly divided: (conversationId: string, machine: Machine) => void,
    private readonly newId: () => string,
    private readonly wrapped: (server: SyncServer) => SyncServer,
    private readonly rules: ServerRules,
  ) {
    this.origin = name;
    this.round = this.newRound();
  }

  newRound(): SyncRound {
    return new SyncRound({
      // The world is another one after a crash.
      store: new Proxy({} as SessionDbWorld['db']['synced'], {
        get: (_target, key) => {
          const { synced: sync } = this.world.db;
          const found = Reflect.get(sync, key) as unknown;
          if (key === 'noteHeads' && this.rules.comparesHeads === false)
            return (heads: ServerHeads, origin: string, isAll: boolean): boolean =>
              isAll || sync.noteHeads({ ...heads, digest: null }, origin, false);
          if (key === 'noteHeads' && this.rules.ownHeads === false)
            return (heads: ServerHeads, origin: string, isAll: boolean): boolean => {
              for (const head of heads.heads) if (head.origin === origin) this.leftOut.add(head.conversationId);
              return sync.noteHeads(heads, origin, isAll);
            };
          if (key === 'due') return () => sync.due().filter((id) => !this.leftOut.has(id));
          return typeof found === 'function' ? found.bind(sync) : found;
        },
      }),
      server: this.wrapped(this.network.wayOf()),
      origin: this.origin,
      machine: this.name,
      newId: this.newId,
      fenceOf: (id) => this.fences.get(id) ?? null,
      onReceived: (id, branchId) => void (branchId !== null && this.divided(id, this)),
    });
  }
}

/** In place of the simulated one. */
export interface RealServer {
  readonly server: SyncServer;
  expireLeases(): Promise<unknown>;
}

/** Three machines of one person, a server, and an unreliable network between them. */
export class SyncMachines {
  readonly machines: Machine[] = [];
  readonly server: SimulatedServer;
  /** Every answer that was settled. */
  readonly shown: Shown[] = [];
  divisions = 0;
  /** Conversations that were forgotten on some machine. */
  readonly forgotten = new Set<string>();
  /** Those that nobody knows as forgotten any more, because who did was put back. */
  readonly revived = new Set<string>();
  /** Answers that a machine had in nothing else than what was forgotten there. */
  readonly forgottenTexts = new Set<string>();
  /** Answers that were brought back by hand. */
  readonly broughtBack = new Set<string>();
  /** Divisions of a conversation by a machine that held its lease since it had the newest version. */
  readonly overruled: string[] = [];
  /** The store that each id got its last lease for, and ids that two stores had leases for in turns. */
  private readonly leased = new Map<string, readonly string[]>();
  readonly shared: string[] = [];
  private last = 0;
  private readonly random: () => number;
  private isCalm = false;

  private constructor(
    seed: number,
    private readonly rules: ServerRules,
    private readonly real: RealServer | null,
  ) {
    this.random = seededRandom(seed);
    this.server = new SimulatedServer({ isReplicated: true, isProven: true, ...rules });
  }

  static async open(
    seed: number,
    rules: ServerRules = {},
    real: RealServer | null = null,
    /** What is between a machine and its way to the server. */
    wrapped: (server: SyncServer) => SyncServer = (server) => server,
  ): Promise<SyncMachines> {
    const all = new SyncMachines(seed, rules, real);
    // It may arrive after the machine that forgot was put back.
    all.server.onErase = (conversationId) => void all.forgotten.add(conversationId);
    for (const name of ['laptop', 'desktop', 'container']) {
      const machine = new Machine(
        name,
        new SimulatedNetwork(real === null ? all.server : served(real.server), () => all.fate()),
        (conversationId, of) => all.divided(conversationId, of),
        () => all.id('branch'),
        wrapped,
        rules,
      );
      // Clocks that are hours apart.
      machine.world = await sessionDbWorld(undefined, { now: 1000 + all.machines.length * 7200 });
      machine.world.db.synced.begin();
      all.machines.push(machine);
    }
    await all.begin();
    return all;
  }

  /** One session that all of them have. */
  private async begin(): Promise<void> {
    this.isCalm = true;
    await this.take({ machine: 0, action: 'ask', which: 0 });
    await this.take({ machine: 0, action: 'settle', which: 0 });
    for (const machine of this.machines) await this.sync(machine, true);
    this.isCalm = false;
  }

  async take({ machine: index, action, which }: SyncStep): Promise<void> {
    const machine = this.machines[index % this.machines.length];
    if (machine === undefined) return;
    machine.world.clock.now += 1;
    try {
      await this.perform(machine, action, which);
    } catch (error) {
      // What the store refuses a user changes nothing.
      if (!(error instanceof StoreError) || !['invalid', 'conversation-busy', 'not-found'].includes(error.causeClass))
        throw error;
    }
  }

  /** Connects everything and lets all machines synchronize until nothing moves. */
  async calm(): Promise<void> {
    this.isCalm = true;
    for (const machine of this.machines) {
      machine.network.isCut = false;
      await machine.network.deliverLate();
      if (machine.open !== null) this.settleOpen(machine, complete);
    }
    this.server.clock += 10_000;
    await this.real?.expireLeases();
    for (let round = 0; round < 12; round++) for (const machine of this.machines) await this.sync(machine, true);
  }

  /** Sessions that a machine keeps for itself, because the server removed them without a proof. */
  keptBy({ world }: Machine): readonly string[] {
    return world.database
      .all('SELECT DISTINCT conversation_id AS id FROM sessions WHERE private = 1')
      .map(({ id }) => String(id));
  }

  /** Conversations that a machine removed from its trash, and that the others keep. */
  prunedBy({ world }: Machine): readonly string[] {
    return world.database.all('SELECT conversation_id AS id FROM sync_kept').map(({ id }) => String(id));
  }

  /** Those of them that are not in the trash of another machine. */
  prunedUnseen(): readonly string[] {
    const pruned = JSON.stringify(this.machines.flatMap((machine) => this.prunedBy(machine)));
    return this.machines.flatMap(({ name, world }) =>
      world.database
        .all(
          `SELECT DISTINCT conversation_id AS id FROM sessions WHERE trashed_at IS NULL AND private = 0
             AND parent_kind IS NOT 'delegate' AND conversation_id IN (SELECT value FROM json_each(?))`,
          [pruned],
        )
        .map(({ id }) => `${name}: ${String(id)}`),
    );
  }

  /** Everything that a machine has of all conversations that it shares, by document. What a machine pruned is left out,
   *  and what one keeps for itself since it was forgotten, while nobody else knows that any more. */
  documentsOf(machine: Machine): ReadonlyMap<string, string> {
    const { database } = machine.world;
    const pruned = JSON.stringify(
      this.machines.flatMap((each) => [
        ...this.prunedBy(each),
        ...this.keptBy(each).filter((id) => this.revived.has(id)),
      ]),
    );
    const own = 'private = 0 AND conversation_id NOT IN (SELECT value FROM json_each(?))';
    const all = new Map<string, string>();
    const add = (key: string, row: unknown): void => void all.set(key, JSON.stringify(row));
    for (const row of database.all(
      `SELECT id, parent_session_id, parent_kind, conversation_id, end_reason, title, title_source, pinned, archived, trashed_at,
         message_count, tool_call_count, turn_count FROM sessions WHERE ${own}`,
      [pruned],
    ))
      add(`session ${String(row['id'])}`, row);
    const shared = `session_id IN (SELECT id FROM sessions WHERE ${own})`;
    for (const row of database.all(
      `SELECT uid, session_id, conversation_id, state, outcome, supersedes FROM turns WHERE ${shared}`,
      [pruned],
    ))
      add(`turn ${String(row['uid'])}`, row);
    for (const row of database.all(
      `SELECT uid, session_id, turn_uid, position, role, parts, active, hidden_reason, hidden_with, carried_from, display_kind FROM messages
       WHERE ${shared}`,
      [pruned],
    ))
      add(`message ${String(row['uid'])}`, row);
    return all;
  }

  dispose(): void {
    for (const { world } of this.machines) world.database.abandon();
  }

  private async perform(machine: Machine, action: SyncAction, which: number): Promise<void> {
    const { db } = machine.world;
    const session = this.sessionOf(machine, which);
    switch (action) {
      case 'ask':
        return this.ask(machine, session);
      case 'settle':
        return void (machine.open !== null && this.settleOpen(machine, complete));
      case 'stop':
        return void (machine.open !== null && this.settleOpen(machine, stopped));
      case 'retry':
        return this.retry(machine, session);
      case 'rewind': {
        const prompts = this.activePrompts(machine, session);
        const to = prompts[which % Math.max(1, prompts.length)];
        if (session !== null && to !== undefined)
          db.rewindSession({ sessionId: session, to, now: machine.world.clock.now });
        return;
      }
      case 'compress': {
        if (session === null || machine.open !== null) return;
        const last = db.activeMessages(session).at(-2);
        if (last === undefined) return;
        db.compressSession({
          parentId: session,
          childId: this.id('segment'),
          handoff: 'A summary.',
          summarisedUpTo: last.uid,
          now: machine.world.clock.now,
        });
        return;
      }
      case 'branch':
        if (session !== null)
          db.branchSession({ sessionId: session, upTo: null, childId: this.id('child'), now: machine.world.clock.now });
        return;
      case 'title':
        if (session !== null) db.setTitle(session, this.id('Title'), 'person');
        return;
      case 'pin':
        if (session !== null) db.setPinned(session, which % 2 === 0);
        return;
      case 'trash':
        if (session === null) return;
        if (which % 2 === 0) db.trashSession(session, machine.world.clock.now);
        else db.restoreSession(session);
        return;
      case 'forget': {
        // Seldom: it ends the story of a conversation.
        if (session === null || which !== 0) return;
        const conversationId = db.getSession(session)?.conversationId ?? session;
        const before = this.answersOn(machine);
        db.forgetSession(session);
        this.forgotten.add(conversationId);
        const after = this.answersOn(machine);
        for (const text of before) if (!after.has(text)) this.forgottenTexts.add(text);
        return;
      }
      case 'sync':
        return this.sync(machine);
      case 'cut':
        machine.network.isCut = true;
        return;
      case 'connect':
        machine.network.isCut = false;
        return;
      case 'crash':
        return this.crash(machine);
      case 'time':
        this.server.clock += 45;
        return;
      case 'late':
        return await machine.network.deliverLate();
      case 'failover':
        return this.failOver(which + 1);
      case 'copy':
        return void (machine.copy = copied(machine));
      case 'restore':
        return this.puttingBack(() => this.putBack(machine, machine.copy, machine.origin));
      case 'clone': {
        const other = this.machines[which % this.machines.length];
        if (other !== undefined && other !== machine)
          return this.puttingBack(() => this.putBack(machine, copied(other), other.origin));
        return;
      }
      case 'salvage':
        return this.puttingBack(() => this.salvage(machine, which));
      case 'lose':
        return this.puttingBack(() => this.loseRows(machine, which));
      case 'bringBack':
        return this.bringBack(machine, which);
      case 'prune':
        if (this.rules.prunesHere === false)
          for (const { id } of db.listSessions({ limit: 100, state: 'trash' })) db.forgetSession(id);
        return this.puttingBack(() => void db.pruneTrash(machine.world.clock.now + 1));
    }
  }

  /** Brings back a conversation of the older copy by hand, with what belongs to it. */
  private async bringBack(machine: Machine, which: number): Promise<void> {
    if (machine.copy === null) return;
    const copy = await sessionDbWorld(
      machine.copy.powerCut(() => 1),
      { ...machine.world.clock },
    );
    try {
      const roots = copy.db.listSessions({ limit: 100 }).map(({ conversationId }) => conversationId);
      const root = [...new Set(roots)].sort()[which % Math.max(1, roots.length)];
      if (root === undefined) return;
      machine.world.others.set('copy', copy.database);
      const sessionIds = copy.database
        .all('SELECT id FROM sessions WHERE conversation_id = ? ORDER BY started_at, rowid', [root])
        .map(({ id }) => String(id));
      const { sessions, messages, newIds } = machine.world.db.copyToThisFolder({
        folder: 'copy',
        sessionIds,
        moves: false,
      });
      // What is here already is erased with the rest.
      if (sessions + messages === 0) return;
      if (this.rules.marksBroughtBack === false)
        machine.world.database.run("DELETE FROM state_meta WHERE key LIKE 'brought-back:%'");
      // It is wanted, whatever was forgotten before.
      for (const text of this.answersOn(machine, newIds[root] ?? root)) {
        this.forgottenTexts.delete(text);
        this.broughtBack.add(text);
      }
    } finally {
      copy.database.abandon();
    }
  }

  private async ask(machine: Machine, session: string | null): Promise<void> {
    if (machine.open !== null) return;
    const { db, clock } = machine.world;
    const sessionId = session ?? this.id('session');
    if (session === null) db.createSession({ id: sessionId, startedAt: clock.now, title: `About ${sessionId}` });
    const tip = db.conversationTip(sessionId);
    const conversationId = db.getSession(tip)?.conversationId ?? tip;
    const fence = await this.lease(machine, conversationId);
    if (fence === 'taken') return;
    const now = db.conversationTip(conversationId);
    const uid = this.id('turn');
    openTurn(db, { sessionId: now, turnUid: uid, text: `Prompt of ${uid}` });
    machine.open = { uid, sessionId: now, conversationId, fence };
  }

  private divided(conversationId: string, machine: Machine): void {
    this.divisions++;
    const conversation = this.server.conversations.get(conversationId);
    const fence = machine.fences.get(conversationId);
    const isHeld =
      fence !== undefined &&
      conversation?.fence === fence &&
      conversation.lease?.holder === machine.name &&
      conversation.lease.expires > this.server.clock;
    if (isHeld) this.overruled.push(conversationId);
  }

  private retry(machine: Machine, session: string | null): void {
    if (machine.open !== null || session === null) return;
    const prompts = machine.world.db
      .activeMessages(session)
      .filter(({ role, turnUid }) => role === 'user' && turnUid !== null);
    const last = prompts.at(-1);
    if (last?.turnUid === undefined || last.turnUid === null) return;
    const conversationId = machine.world.db.getSession(session)?.conversationId ?? session;
    const uid = this.id('turn');
    openTurn(machine.world.db, {
      sessionId: session,
      turnUid: uid,
      text: `Prompt of ${uid}`,
      supersedes: last.turnUid,
    });
    machine.open = { uid, sessionId: session, conversationId, fence: null };
  }

  /** The fence; null when the server cannot be reached, where the person goes on alone. */
  private async lease(machine: Machine, conversationId: string): Promise<number | null | 'taken'> {
    const way = machine.network.wayOf();
    try {
      const { synced } = machine.world.db;
      const query = await fetchQuery(synced, conversationId);
      const answer = await way.lease(await machine.round.connected(), conversationId, query);
      if (answer.kind === 'leased') return 'taken';
      this.noteLease(machine);
      // A failover may give the number of a lease that it lost a second time.
      machine.fences.delete(conversationId);
      const own = synced.version(conversationId);
      if (answer.version !== own || answer.fetched?.base !== own) await machine.round.receive(conversationId);
      machine.fences.set(conversationId, answer.fence);
      return answer.fence;
    } catch {
      // Connecting again tells if a copy of the store is there.
      machine.round = machine.newRound();
      return null;
    }
  }

  private noteLease({ name, stores, origin }: Machine): void {
    const store = `${name}/${stores}`;
    const before = this.leased.get(origin) ?? [];
    if (before.at(-1) === store) return;
    if (before.includes(store)) this.shared.push(origin);
    this.leased.set(origin, [...before, store]);
  }

  private newConnection(machine: Machine, error: unknown): void {
    if (syncFailureIn(error)?.kind === 'twin') machine.origin = this.id(machine.name);
    machine.round = machine.newRound();
  }

  private settleOpen(machine: Machine, settlement: typeof complete): void {
    const { open } = machine;
    if (open === null) return;
    const text = `Answer of ${open.uid}`;
    settle(machine.world.db, open.uid, settlement, [answer(`a-${open.uid}`, text, open.uid, open.sessionId)]);
    this.shown.push({ text, conversationId: open.conversationId });
    machine.open = null;
  }

  private async sync(machine: Machine, mustWork = false): Promise<void> {
    try {
      await machine.round.run();
      for (const id of [...machine.fences.keys()]) if (machine.open?.conversationId !== id) machine.fences.delete(id);
    } catch (error) {
      const isTwin = syncFailureIn(error)?.kind === 'twin';
      if ((mustWork && !isTwin) || error instanceof StoreError) throw error;
      this.newConnection(machine, error);
      if (mustWork) await this.sync(machine, true);
    }
  }

  private async crash(machine: Machine): Promise<void> {
    machine.world = await machine.world.reopened();
    machine.world.db.recoverTurns();
    machine.world.db.scrub();
    machine.open = null;
    machine.fences.clear();
    machine.round = machine.newRound();
  }

  /** Puts another store in the place of a machine's. */
  private async putBack(machine: Machine, disk: SimulatedDisk | null, origin: string): Promise<void> {
    if (disk === null) return;
    machine.world.database.abandon();
    machine.world = await sessionDbWorld(
      disk.powerCut(() => 1),
      machine.world.clock,
    );
    machine.origin = origin;
    machine.stores++;
    await this.crash(machine);
  }

  /** Puts what can be read of a damaged store into a new one: some conversations are lost, and what the store knew of
   *  the server. */
  private async salvage(machine: Machine, which: number): Promise<void> {
    const { database } = machine.world;
    const conversations = database.all('SELECT DISTINCT conversation_id AS id FROM sessions ORDER BY 1');
    const lost = conversations.filter((_row, at) => at % 8 === which).map(({ id }) => id);
    const sessions = database.all('SELECT id, conversation_id FROM sessions');
    const isLost = new Set(sessions.filter((row) => lost.includes(row['conversation_id'])).map(({ id }) => id));
    await this.readable(machine, (table, row) => isLost.has(row[table === 'sessions' ? 'id' : 'session_id']));
  }

  /** The same, but single rows are lost: messages, turns, and the first segments of conversations that have more. */
  private async loseRows(machine: Machine, which: number): Promise<void> {
    const continued = machine.world.database.all(
      "SELECT conversation_id AS id FROM sessions WHERE parent_kind = 'compression' GROUP BY 1 ORDER BY 1",
    );
    const first = new Set(continued.filter((_row, at) => at % 4 === which % 4).map(({ id }) => id));
    await this.readable(machine, (table, { id, display_kind: kind }, at) => {
      if (table === 'sessions') return first.has(id);
      if (table === 'turns') return at % 8 === which;
      return table === 'messages' && kind !== 'handoff' && at % 16 === which * 2;
    });
  }

  private async readable(
    machine: Machine,
    isLost: (table: ImportedTable, row: SqlRow, at: number) => boolean,
  ): Promise<void> {
    const { database, clock } = machine.world;
    const read: StoreRows = {
      rows: (table) => [...database.iterate(`SELECT * FROM ${table}`)].filter((row, at) => !isLost(table, row, at)),
    };
    const found = await sessionDbWorld(undefined, clock);
    found.db.mergeFrom(read);
    found.db.synced.begin();
    database.abandon();
    machine.world = found;
    machine.stores++;
    await this.crash(machine);
  }

  /** Texts of the answers that some machine or the server has. */
  held(): ReadonlySet<string> {
    return new Set([
      ...this.machines.flatMap((each) => [...this.answersOn(each)]),
      ...[...this.server.conversations.values()].flatMap(({ documents }) =>
        [...documents.values()].flatMap(({ body }) =>
          [...(body ?? '').matchAll(/Answer of [\w-]+/g)].map(([text]) => text),
        ),
      ),
    ]);
  }

  /** A server that lost who connected last may take a copy for it, until the other one connects. */
  private failOver(lag: number): Promise<void> {
    this.leased.clear();
    return this.puttingBack(() => this.server.failOver(lag));
  }

  /** Notes what is gone because the last machine or server that had it was put back. */
  private async puttingBack(work: () => unknown): Promise<void> {
    const before = this.held();
    await work();
    const after = this.held();
    for (const text of before) if (!after.has(text)) this.forgottenTexts.add(text);
    for (const id of this.forgotten) {
      if (this.isKnownAsForgotten(id)) continue;
      this.forgotten.delete(id);
      this.revived.add(id);
      // Erased with it while that was known.
      for (const { text, conversationId } of this.shown)
        if (conversationId === id && !after.has(text)) this.forgottenTexts.add(text);
    }
  }

  /** False when the last one that knew of it was put back: then nobody has forgotten it. */
  private isKnownAsForgotten(conversationId: string): boolean {
    return (
      this.server.conversations.get(conversationId)?.isErased === true ||
      this.machines.some(({ world }) => world.db.synced.isErased(conversationId))
    );
  }

  /** Texts of the answers that a machine has, in one conversation or in all. */
  private answersOn(machine: Machine, conversationId: string | null = null): ReadonlySet<string> {
    const rows = machine.world.database.all(
      `SELECT m.parts ->> '$[0].text' AS text FROM messages m JOIN sessions s ON s.id = m.session_id
       WHERE m.role = 'assistant' AND m.parts IS NOT NULL AND coalesce(?1, s.conversation_id) = s.conversation_id`,
      [conversationId],
    );
    return new Set(rows.map(({ text }) => String(text)));
  }

  private sessionOf(machine: Machine, which: number): string | null {
    const { db } = machine.world;
    const sessions = db
      .listSessions({ limit: 100 })
      .map(({ id }) => id)
      .sort();
    const chosen = sessions[which % (sessions.length + 1)];
    return chosen === undefined ? null : db.conversationTip(chosen);
  }

  private activePrompts(machine: Machine, session: string | null): readonly string[] {
    if (session === null) return [];
    return machine.world.db
      .activeMessages(session)
      .filter(({ role, turnUid }) => role === 'user' && turnUid !== null)
      .map(({ uid }) => uid);
  }

  private fate(): Fate {
    if (this.isCalm) return 'done';
    // Also between two calls of an exchange.
    if (this.random() < 0.004) void this.failOver(Math.floor(this.random() * 8));
    const dice = this.random();
    return dice < 0.88 ? 'done' : dice < 0.92 ? 'lost' : dice < 0.96 ? 'unanswered' : 'late';
  }

  private id(kind: string): string {
    return `${kind}-${++this.last}`;
  }
}
