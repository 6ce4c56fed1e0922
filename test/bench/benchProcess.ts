import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase } from '../../src/store/open/fileHeader';
import { migrate } from '../../src/store/schema/migrations';
import { benchChunk, benchTurn, benchWord, messagesPerTurn, rareWord } from './benchTurn';
import { BetterSqliteDatabase } from './betterSqliteDatabase';
import { measureLongSession } from './long/longSessionBench';
import {
  indexAll,
  openContestant,
  sessionDbOver,
  type Contestant,
  type ContestantName,
  type ContestantPlace,
} from './contestants';
import { seedStore } from './seedStore';

/** Orders of `scripts/bench.mjs` to one process, which measures one way of storing. Times come back in milliseconds. */
type BenchOrder =
  | { readonly order: 'seed'; readonly folder: string; readonly packages: string; readonly messages: number }
  | {
      readonly order: 'seedSessions';
      readonly folder: string;
      readonly packages: string;
      readonly sessions: number;
      readonly longest: number;
    }
  | { readonly order: 'open'; readonly name: ContestantName; readonly place: ContestantPlace }
  | { readonly order: 'turns'; readonly from: number; readonly count: number }
  | { readonly order: 'chunks'; readonly turn: number; readonly count: number }
  | { readonly order: 'index' | 'close' | 'memory' }
  | { readonly order: 'load'; readonly count: number; readonly sessions: number }
  | { readonly order: 'search' | 'words' | 'list' | 'resume'; readonly count: number }
  | { readonly order: 'longSession'; readonly work: string; readonly turns: number }
  | { readonly order: 'scan'; readonly turn: number; readonly count: number };

let contestant: Contestant | null = null;

process.on('message', (order: BenchOrder) => {
  obey(order).then(
    (values) => process.send?.({ values }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

// Whoever gave orders is gone.
process.on('disconnect', () => process.exit());

async function obey(order: BenchOrder): Promise<readonly number[]> {
  switch (order.order) {
    case 'seed':
      return [seedStore(order.folder, order.packages, order.messages)];
    case 'seedSessions':
      return [seedSessions(order.folder, order.packages, order.sessions, order.longest)];
    case 'open': {
      const took = await timed(async () => {
        contestant = await openContestant[order.name](order.place);
        await contestant.store.listSessions({ limit: 30 });
      });
      return [took];
    }
    case 'turns':
      return repeated(order.count, (index) => turn(opened(), order.from + index));
    case 'chunks':
      return chunks(opened(), order.turn, order.count);
    case 'index':
      return [
        await timed(async () => {
          while ((await opened().store.indexBatch(128)) > 0);
        }),
      ];
    case 'load':
      return repeated(order.count, (index) =>
        timed(() =>
          opened().store.readTranscript({
            sessionId: `session-${index % order.sessions}`,
            limit: 200,
            includeHidden: true,
          }),
        ),
      );
    case 'search':
      return repeated(order.count, () => timed(() => opened().store.search({ text: rareWord, limit: 20 })));
    case 'words':
      return repeated(order.count, (index) =>
        timed(() => opened().store.search({ text: benchWord(index), limit: 20, kind: 'words' })),
      );
    case 'list':
      return repeated(order.count, () => timed(() => opened().store.listSessions({ limit: 100_000 })));
    case 'resume':
      return repeated(order.count, () => timed(() => resume(opened())));
    case 'scan':
      return duringScan(opened(), order.turn, order.count);
    case 'longSession':
      // Four figures for each operation, in the order of their names in `scripts/bench.mjs`.
      return (await measureLongSession(order.work, order.turns)).flatMap(({ ms, chunkMax, chunkP95, chunks }) => [
        ms,
        chunkMax,
        chunkP95,
        chunks,
      ]);
    case 'memory':
      return [process.memoryUsage().rss / 2 ** 20];
    case 'close':
      await opened().store.close();
      contestant = null;
      return [];
  }
}

/** One agent turn: the prompt durable, then everything that settles it durable. */
async function turn({ store, settle }: Contestant, number: number): Promise<number> {
  const { sessionId, opening, settling } = benchTurn(number);
  if ((await store.getSession(sessionId)) === null)
    await store.createSession({ id: sessionId, startedAt: opening.startedAt });
  return timed(async () => {
    await store.openTurn(opening);
    await settle(() => store.settleTurn(settling));
  });
}

async function chunks({ store }: Contestant, number: number, count: number): Promise<readonly number[]> {
  const { sessionId, opening, settling } = benchTurn(number);
  if ((await store.getSession(sessionId)) === null)
    await store.createSession({ id: sessionId, startedAt: opening.startedAt });
  await store.openTurn(opening);
  const times = await repeated(count, (index) =>
    timed(() => store.appendChunks(benchChunk(sessionId, opening.turnUid, index + 1))),
  );
  await store.settleTurn({ ...settling, messages: [] });
  return times;
}

/** What the gateway reads before a session's newest page can be shown. */
async function resume({ store }: Contestant): Promise<void> {
  const sessionId = await store.conversationTip('long');
  await Promise.all([
    store.getSession(sessionId),
    store.openTurnOf(sessionId),
    store.queue(sessionId),
    store.readTranscript({ sessionId, limit: 200 }),
  ]);
}

/** Times of chunks while a scan for text that is nowhere reads every row, and behind them that of the scan's end once it was cancelled. */
async function duringScan({ store }: Contestant, number: number, count: number): Promise<readonly number[]> {
  const { sessionId, opening, settling } = benchTurn(number, 'scanned');
  await store.createSession({ id: sessionId, startedAt: opening.startedAt });
  await store.openTurn(opening);
  const cancel = new AbortController();
  let progress = 0;
  let ended = false;
  const scan = store
    .search(
      { text: 'no such text', limit: 1, kind: 'substring' },
      cancel.signal,
      ({ done, total }) => (progress = done / total),
    )
    .then(
      () => void (ended = true),
      () => undefined,
    );
  const times = await repeated(count, (index) =>
    timed(() => store.appendChunks(benchChunk(sessionId, opening.turnUid, index + 1))),
  );
  if (ended) throw new Error('The scan was over before the chunks were written.');
  // Chunks go first, so that the scan may not have had its turn yet.
  while (progress === 0 && !ended) await new Promise((resolve) => setTimeout(resolve, 1));
  const cancelled = await timed(() => {
    cancel.abort();
    return scan;
  });
  await store.settleTurn({ ...settling, messages: [] });
  return [...times, cancelled];
}

/** Makes a store of many sessions with one turn each, and one ("long") with that many messages. Returns how many messages it holds. */
function seedSessions(folder: string, packages: string, sessions: number, longest: number): number {
  const file = join(folder, 'state.db');
  writeFileSync(file, emptyDatabase());
  const database = new BetterSqliteDatabase(packages, file, 'none');
  migrate(database, { keepCopy: () => undefined });
  const db = sessionDbOver(database);
  const turns = sessions - 1 + Math.ceil(longest / messagesPerTurn);
  db.createSession({ id: 'long', startedAt: 1_600_000_000 });
  for (let first = 0; first < turns; first += 1000) {
    database.asOne(() => {
      for (let number = first; number < Math.min(turns, first + 1000); number++) {
        const { sessionId, opening, settling } = benchTurn(
          number,
          number < sessions - 1 ? `session-${number}` : 'long',
        );
        if (sessionId !== 'long') db.createSession({ id: sessionId, startedAt: opening.startedAt });
        db.openTurn(opening);
        db.settleTurn(settling);
      }
      indexAll(db);
    });
  }
  database.close();
  return turns * messagesPerTurn;
}

function opened(): Contestant {
  if (!contestant) throw new Error('Nothing is open.');
  return contestant;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function repeated(count: number, work: (index: number) => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await work(index));
  return times;
}
