import type { SessionStore } from '../../../src/store/session/sessionStore';
import { benchChunk, benchTurn, benchWord, rareWord } from './benchTurn';
import { openContestant, type ContestantName } from './contestants';

/** Orders to a process that measures one way of storing. Times come back in milliseconds. */
export type Order =
  | { readonly order: 'open'; readonly name: ContestantName; readonly folder: string; readonly programs: string }
  | { readonly order: 'turns'; readonly from: number; readonly count: number }
  | { readonly order: 'chunks' | 'scan'; readonly turn: number; readonly count: number }
  | { readonly order: Reading; readonly count: number; readonly sessions: number }
  | { readonly order: 'index' | 'memory' | 'close' };

type Reading = keyof typeof readings;

/** One call of each; `index` counts up. `sessions`: how many there are. */
const readings = {
  load: (store: SessionStore, index: number, sessions: number) =>
    store.readTranscript({ sessionId: `session-${index % sessions}`, limit: 200, includeHidden: true }),
  search: (store: SessionStore) => store.search({ text: rareWord, limit: 20 }),
  words: (store: SessionStore, index: number) => store.search({ text: benchWord(index), limit: 20, kind: 'words' }),
  list: (store: SessionStore) => store.listSessions({ limit: 100_000 }),
  firstPage,
};

let opened: SessionStore | null = null;

process.on('message', (order: Order) => {
  obey(order).then(
    (values) => process.send?.({ values }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

// The process that gave the orders is gone.
process.on('disconnect', () => process.exit());

async function obey(order: Order): Promise<readonly number[]> {
  switch (order.order) {
    case 'open':
      return [
        await timed(async () => {
          opened = await openContestant[order.name](order.folder, order.programs);
          await opened.listSessions({ limit: 30 });
        }),
      ];
    case 'turns':
      return repeated(order.count, (index) => turn(store(), order.from + index));
    case 'chunks':
      return chunks(store(), order.turn, order.count);
    case 'scan':
      return duringScan(store(), order.turn, order.count);
    case 'index':
      return [
        await timed(async () => {
          while ((await store().indexBatch(128)) > 0);
        }),
      ];
    case 'memory':
      return [process.memoryUsage().rss / 2 ** 20];
    case 'close':
      await store().close();
      opened = null;
      return [];
    default:
      return repeated(order.count, (index) => timed(() => readings[order.order](store(), index, order.sessions)));
  }
}

/** One agent turn: the prompt is durable, then everything that settles it. */
async function turn(store: SessionStore, number: number): Promise<number> {
  const { sessionId, opening, settling } = benchTurn(number);
  if ((await store.getSession(sessionId)) === null)
    await store.createSession({ id: sessionId, startedAt: opening.startedAt });
  return timed(async () => {
    await store.openTurn(opening);
    await store.settleTurn(settling);
  });
}

/** Begins a turn whose answer streams. */
async function beginAnswer(store: SessionStore, number: number) {
  const { sessionId, opening, settling } = benchTurn(number, `streamed-${number}`);
  await store.createSession({ id: sessionId, startedAt: opening.startedAt });
  await store.openTurn(opening);
  return {
    chunks: (count: number) =>
      repeated(count, (index) => timed(() => store.appendChunks(benchChunk(sessionId, opening.turnUid, index + 1)))),
    end: () => store.settleTurn({ ...settling, messages: [] }),
  };
}

async function chunks(store: SessionStore, number: number, count: number): Promise<readonly number[]> {
  const answer = await beginAnswer(store, number);
  const times = await answer.chunks(count);
  await answer.end();
  return times;
}

/** What the gateway reads before a session's newest page can be shown. */
async function firstPage(store: SessionStore): Promise<void> {
  const sessionId = await store.conversationTip('long');
  await Promise.all([
    store.getSession(sessionId),
    store.openTurnOf(sessionId),
    store.queue(sessionId),
    store.readTranscript({ sessionId, limit: 200 }),
  ]);
}

/** Times of chunks while a scan for text that is nowhere reads every row. The last time is that of the scan's end
 *  once it was canceled. */
async function duringScan(store: SessionStore, number: number, count: number): Promise<readonly number[]> {
  const answer = await beginAnswer(store, number);
  const cancel = new AbortController();
  let progress = 0;
  let ended = false;
  const scan = store
    .search({ text: 'no such text', limit: 1, kind: 'substring' }, cancel.signal, ({ done, total }) => {
      progress = done / total;
    })
    .then(
      () => void (ended = true),
      () => undefined,
    );
  const times = await answer.chunks(count);
  if (ended) throw new Error('The scan was over before the chunks were written.');
  // Chunks go first, so the scan may not have had its turn yet.
  while (progress === 0 && !ended) await new Promise((resolve) => setTimeout(resolve, 1));
  const canceled = await timed(() => {
    cancel.abort();
    return scan;
  });
  await answer.end();
  return [...times, canceled];
}

function store(): SessionStore {
  if (!opened) throw new Error('Nothing is open.');
  return opened;
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
