import { HistoryImport } from '../../src/features/history/core/import/historyImport';
import { openDatabase } from '../../src/store/open/openDatabase';
import { migrate, migrations, schemaVersion } from '../../src/store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../src/store/session/sessionDb';
import { StoreError } from '../../src/store/storeError';
import type { SqlJsDatabase } from '../../src/store/engine/sqlJsDatabase';
import { targetOf } from '../../src/features/history/core/import/fileCopy';
import { MemoryFiles } from '../support/history/memoryFiles';
import { openForeign } from '../support/history/openForeign';
import { placesWith } from '../support/history/readHistory';
import { answer, chunk, complete, openTurn, result, call } from '../support/sessionDbWorld';
import { SimulatedDisk, type DiskOperation } from '../support/simulatedDisk';
import type { Random } from '../support/simulatedInode';
import { SimulatedNetwork, SimulatedServer } from '../support/simulatedServer';
import type { SystemName } from '../support/simulatedSystem';
import { testSqlite } from '../support/sqlite';
import { roundOf } from '../support/syncRound';
import { seededRandom } from '../support/seededRandom';

export interface DayCutsOptions {
  /** Power cuts at each disk operation; a fraction is a share of the operations. */
  readonly cuts: number;
  readonly seed: number;
  readonly system?: SystemName;
  /** A way to break the promise, which the trial must notice: a disk that lies about syncing, or text that is shown before it is
   *  stored. */
  readonly broken?: 'sync' | 'order';
}

/** What was found. All zero but the first three when the promise holds. */
export interface DayCutsResult {
  /** Disk operations of the day. */
  operations: number;
  cuts: number;
  /** Cuts whose recovery was itself cut off. */
  cutsInRecovery: number;
  /** Texts that were shown and are not there. */
  lost: number;
  /** Texts that are there twice. */
  doubled: number;
  /** Texts that are in another session than they were shown in. */
  misfiled: number;
  /** Stores whose check finds a fault. */
  unsound: number;
  /** Stores that did not open. */
  unopenable: number;
}

/** Texts of answers that were shown, by the uid of their row. */
type Shown = ReadonlyMap<string, { readonly text: string; readonly conversationId: string }>;

interface Cut {
  readonly disk: SimulatedDisk;
  readonly shown: Shown;
}

const folder = '/store';
/** Seconds. */
const now = (): number => 1000;

/** Lives through a day of a store on a simulated disk, and cuts the power at its disk operations. After each cut the store is opened as
 *  by the next process, in half of the cases with the power cut again meanwhile, and examined. */
export async function runDayCuts(options: DayCutsOptions): Promise<DayCutsResult> {
  const random = seededRandom(options.seed);
  const found: DayCutsResult = {
    operations: 0,
    cuts: 0,
    cutsInRecovery: 0,
    lost: 0,
    doubled: 0,
    misfiled: 0,
    unsound: 0,
    unopenable: 0,
  };
  const day = new Day(options, random, async (cut) => {
    found.cuts++;
    await examine(await cutAgain(cut, random, found), found);
  });
  await day.live();
  found.operations = day.operations;
  return found;
}

/** Everything a store does in a day. Texts count as shown once the call that stores them has returned. */
class Day {
  operations = 0;
  private readonly shown = new Map<string, { readonly text: string; readonly conversationId: string }>();
  private readonly waiting: Cut[] = [];
  private readonly disk: SimulatedDisk;
  private database!: SqlJsDatabase;
  private db!: SessionDb;
  private turns = 0;

  constructor(
    private readonly options: DayCutsOptions,
    private readonly random: Random,
    private readonly onCut: (cut: Cut) => Promise<void>,
  ) {
    this.disk = new SimulatedDisk({
      honestSync: options.broken !== 'sync',
      system: options.system ?? 'posix',
      intervene: (operation) => this.cutAt(operation),
    });
  }

  async live(): Promise<void> {
    const older = migrations.filter(({ version }) => version < schemaVersion);
    await this.open(older);
    this.db.createSession({ id: 'old', startedAt: 1 });
    // Without pieces of an answer: those of before version 8 were in another table.
    for (let turn = 0; turn < 2; turn++) await this.usesTool('old');
    this.database.close();
    // The next version of the program
    await this.open(migrations);
    await this.examineCuts();
    this.db.synced.begin();
    for (const id of ['one', 'two']) this.db.createSession({ id, startedAt: 2 });
    for (let round = 0; round < 4; round++) for (const id of ['one', 'two', 'old']) await this.answers(id, 1);
    await this.usesTool('one');
    this.compress('one', 'one-2');
    await this.answers('one-2', 2);
    this.db.branchSession({ sessionId: 'two', upTo: null, childId: 'two-branch', now: now() });
    await this.answers('two-branch', 1);
    this.db.search({ text: 'Answer', limit: 10 });
    while (this.db.indexBatch(20) > 0) await this.examineCuts();
    this.db.checkpoint();
    await this.examineCuts();
    await this.synchronizes();
    await this.imports();
    this.db.rewindSession({ sessionId: 'two', to: `u-${this.lastTurnOf('two')}`, now: now() });
    this.db.trashSession('two-branch', now());
    await this.answers('old', 2);
    this.db.checkpoint();
    this.database.close();
    await this.examineCuts();
  }

  private async open(steps: typeof migrations): Promise<void> {
    const opened = await openWith(this.disk, steps);
    this.database = opened.database;
    this.db = opened.db;
  }

  private cutAt({ kind }: DiskOperation): undefined {
    if (kind === 'read' || kind === 'list') return;
    this.operations++;
    for (let left = this.options.cuts; left > 0; left--)
      if (left >= 1 || this.random() < left)
        this.waiting.push({ disk: this.disk.powerCut(this.random), shown: new Map(this.shown) });
  }

  private async examineCuts(): Promise<void> {
    for (const cut of this.waiting.splice(0)) await this.onCut(cut);
  }

  private async answers(sessionId: string, count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) await this.answersOnce(sessionId);
  }

  private async answersOnce(sessionId: string): Promise<void> {
    const turnUid = `t${++this.turns}`;
    openTurn(this.db, { sessionId, turnUid, text: `Prompt ${turnUid}` });
    const uid = `a-${turnUid}`;
    let text = '';
    for (let seq = 1; seq <= 4; seq++) {
      const piece = seq === 1 ? `Answer of ${turnUid}: ` : `${'word '.repeat(1 + Math.floor(this.random() * 200))}`;
      const chunks = [chunk(uid, seq, text.length, piece)];
      text += piece;
      this.stores(uid, text, sessionId, () =>
        this.db.appendChunks({ sessionId, turnUid, model: 'Local/test', createdAt: 2, chunks }),
      );
    }
    this.stores(uid, text, sessionId, () =>
      this.db.settleTurn({
        turnUid,
        settledAt: 9,
        settlement: complete,
        messages: [{ ...answer(uid, text, turnUid, sessionId), lastSeq: 4 }],
      }),
    );
    await this.examineCuts();
  }

  private async usesTool(sessionId: string): Promise<void> {
    const turnUid = `t${++this.turns}`;
    openTurn(this.db, { sessionId, turnUid, text: 'Look.' });
    const asks = `Answer of ${turnUid}: I look.`;
    this.stores(`a-${turnUid}`, asks, sessionId, () => {
      const parts = [{ kind: 'text' as const, text: asks }, call(`c-${turnUid}`)];
      this.db.putMessages([answer(`a-${turnUid}`, parts, turnUid, sessionId)]);
    });
    this.db.putMessages([{ ...result(`r-${turnUid}`, `c-${turnUid}`, 'A file.', turnUid), sessionId }]);
    const says = `Answer of ${turnUid}-2: a file.`;
    this.stores(`b-${turnUid}`, says, sessionId, () =>
      this.db.settleTurn({
        turnUid,
        settledAt: 9,
        settlement: complete,
        messages: [answer(`b-${turnUid}`, says, turnUid, sessionId)],
      }),
    );
    await this.examineCuts();
  }

  private compress(parentId: string, childId: string): void {
    const summarisedUpTo = this.db.activeMessages(parentId).at(-5)?.uid ?? '';
    this.db.compressSession({ parentId, childId, handoff: 'A summary.', summarisedUpTo, now: now() });
  }

  /** Exchanges with a server to which another machine sent a session. */
  private async synchronizes(): Promise<void> {
    const server = new SimulatedServer();
    const other = await openWith(new SimulatedDisk(), migrations);
    other.db.synced.begin();
    other.db.createSession({ id: 'away', startedAt: 1 });
    const text = 'Answer of away: hello.';
    openTurn(other.db, { sessionId: 'away', turnUid: 'away-turn' });
    other.db.settleTurn({
      turnUid: 'away-turn',
      settledAt: 9,
      settlement: complete,
      messages: [answer('a-away', text, 'away-turn', 'away')],
    });
    await roundOf(other.db, away(server), 'other').run();
    other.database.abandon();
    await roundOf(this.db, away(server), 'own').run();
    this.shown.set('a-away', { text, conversationId: 'away' });
    await this.examineCuts();
    await this.answers('away', 1);
    await roundOf(this.db, away(server), 'own').run();
    await this.examineCuts();
  }

  /** Takes a session over that another agent left, and continues it. */
  private async imports(): Promise<void> {
    const path = '/home/.claude/projects/p/s.jsonl';
    const importer = new HistoryImport({
      files: new MemoryFiles({ [path]: sessionOfAnother(8) }),
      openForeign,
      target: targetOf(this.db),
      now,
    });
    const { sessions } = await importer.scan(placesWith({ claude: '/home/.claude' }));
    await importer.run(sessions);
    const [imported] = this.database.all(
      "SELECT id, conversation_id AS conversation FROM sessions WHERE pending IS NULL AND id IN (SELECT session_id FROM messages WHERE content LIKE 'Answer of another %')",
    );
    if (imported === undefined) throw new Error('The session of another agent was not imported');
    for (const { uid, content } of this.database.all(
      "SELECT uid, content FROM messages WHERE content LIKE 'Answer of another %'",
    ))
      this.shown.set(String(uid), { text: String(content), conversationId: String(imported['conversation']) });
    await this.examineCuts();
    await this.answers(String(imported['id']), 1);
  }

  /** Shows what `store` stores, once it is stored. */
  private stores(uid: string, text: string, sessionId: string, store: () => unknown): void {
    const show = (): void =>
      void this.shown.set(uid, { text, conversationId: this.db.getSession(sessionId)?.conversationId ?? sessionId });
    if (this.options.broken === 'order') show();
    store();
    show();
  }

  private lastTurnOf(sessionId: string): string {
    return String(
      this.database.get('SELECT uid FROM turns WHERE session_id = ? ORDER BY started_at DESC, rowid DESC', [
        sessionId,
      ])?.['uid'],
    );
  }
}

/** A session of Claude Code, as it writes it. */
function sessionOfAnother(turns: number): string {
  return Array.from({ length: 2 * turns }, (_, index) => {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    const text = `${role === 'user' ? 'Prompt' : 'Answer'} of another ${Math.floor(index / 2)}. ${'word '.repeat(100)}`;
    return JSON.stringify({
      type: role,
      uuid: `m${index}`,
      parentUuid: index === 0 ? null : `m${index - 1}`,
      sessionId: 's',
      cwd: '/project',
      timestamp: new Date(Date.UTC(2026, 10, 25, 0, index)).toISOString(),
      message: { role, content: role === 'user' ? text : [{ type: 'text', text }] },
    });
  }).join('\n');
}

async function openWith(
  disk: SimulatedDisk,
  steps: typeof migrations,
): Promise<{ readonly database: SqlJsDatabase; readonly db: SessionDb }> {
  const { database } = openDatabase({
    sqlite: await testSqlite(),
    fileSystem: disk,
    folder,
    now,
  });
  migrate(database, { steps });
  return { database, db: createSessionDb({ database, now, fileSizes: () => database.sizes() }) };
}

/** Opens the store as the next process does. */
async function recovered(disk: SimulatedDisk): Promise<{ readonly database: SqlJsDatabase; readonly db: SessionDb }> {
  const opened = await openWith(disk, migrations);
  opened.db.recoverTurns();
  opened.db.scrub();
  return opened;
}

const away = (server: SimulatedServer) => new SimulatedNetwork(server, () => 'done').wayOf();

async function cutAgain(cut: Cut, random: Random, found: DayCutsResult): Promise<Cut> {
  if (random() < 0.5) return cut;
  let second: SimulatedDisk | undefined;
  const disk: SimulatedDisk = cut.disk.powerCut(() => 1, {
    intervene: ({ kind }) => {
      if (second === undefined && kind !== 'read' && random() < 0.2) second = disk.powerCut(random);
      return undefined;
    },
  });
  try {
    (await recovered(disk)).database.close();
  } catch (error) {
    // Examined below, where it counts.
    if (!(error instanceof StoreError)) throw error;
  }
  if (second === undefined) return cut;
  found.cutsInRecovery++;
  return { disk: second, shown: cut.shown };
}

async function examine({ disk, shown }: Cut, found: DayCutsResult): Promise<void> {
  try {
    const { database, db } = await recovered(disk);
    for (const [uid, { text, conversationId }] of shown) {
      const [row, ...others] = database.all(
        `SELECT s.conversation_id AS id FROM messages m JOIN sessions s ON s.id = m.session_id
         WHERE m.carried_from IS NULL AND m.copied_from IS NULL AND m.content LIKE ? ESCAPE '\\'
         ORDER BY m.uid = ? DESC`,
        [`${text.replaceAll('%', '\\%')}%`, uid],
      );
      if (row === undefined) found.lost++;
      else if (row['id'] !== conversationId) found.misfiled++;
      if (others.length > 0) found.doubled++;
    }
    if (db.verifyIntegrity().length > 0) found.unsound++;
    database.abandon();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    found.unopenable++;
  }
}
