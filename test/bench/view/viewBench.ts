import type { Browser, CDPSession, Page } from 'playwright-core';
import type { ShownSession } from '../../../src/protocol/chatProtocol';
import { BrowserPreview } from '../../support/webviewPreview/browserPreview';
import { answer, settledTurn } from '../../support/builders/viewMessages';
import {
  behindAnswer,
  bootstrap,
  deltas,
  history,
  longAnswers,
  markdown,
  openCode,
  running,
  runningBehindLong,
  theEnd,
  turnEvent,
  wholeTurn,
} from './content';
import { tasksDuring, workBetween } from './pageTrace';

export interface ViewPlan {
  readonly rounds: number;
  /** Turns that stream one after the other into one view. */
  readonly turns: number;
  /** Milliseconds of a stream of 2,000 deltas a second. */
  readonly floodMs: number;
  readonly keystrokes: number;
  /** Rows to be measured; null: all. */
  readonly rows: readonly string[] | null;
}

/** What a page did, in milliseconds of its thread's processor time. */
export interface Spent {
  readonly script: number;
  readonly layout: number;
  readonly style: number;
  readonly all: number;
}

/** What is left of a page, after collecting garbage. */
export interface Left {
  readonly turns: number;
  readonly nodes: number;
  readonly heapKb: number;
}

export interface ViewFigures {
  /** Milliseconds from telling the view its session until an article is painted; the page's thread's share in `work`. */
  readonly firstPaint?: { readonly ms: readonly number[]; readonly work: readonly number[] };
  /** 50 KB in five seconds; `once`: all of it in one; `behind`: below three such answers; `messages`: what the same number of messages
   *  costs that change nothing. */
  readonly streamed?: Readonly<Record<'markdown' | 'once' | 'behind' | 'code' | 'messages', readonly Spent[]>>;
  /** Work between two frames while 2,000 deltas a second arrive, and the longest task. */
  readonly flood?: { readonly frameWork: readonly number[]; readonly longestTask: number; readonly deltas: number };
  /** From a key going down to what it typed being painted, while an answer streams; `work`: what the page's thread did in between. */
  readonly keys?: { readonly ms: readonly number[]; readonly work: readonly number[] };
  readonly turns?: readonly Left[];
  /** Answers of 3 MB, by what they are made of. */
  readonly long?: Readonly<Record<string, LongAnswer>>;
}

/** Milliseconds: the longest task of a page that shows a long answer, by processor time and (`seen`) by the clock, as it is opened, while it streams and
 *  when it ends; and all work of the page. */
export interface LongAnswer {
  readonly stored: LongTasks;
  readonly streamed: LongTasks;
}

export interface LongTasks {
  readonly longest: number;
  readonly seen: number;
  readonly all: number;
}

const live = { turnUid: 'live', uid: 'live-a' };
const earlierTurns = 10_000;
/** In which 50 KB reach the view in five seconds: one each 80 ms, as the host sends what it committed. */
const pieces = 63;

/** Measures the chat view as it is shipped, in a real browser. */
export async function measureChatView(plan: ViewPlan): Promise<ViewFigures> {
  const preview = await BrowserPreview.start({ benchPage: 'test/bench/view/benchPage.ts' }, 'chat');
  const wanted = (row: string): boolean => plan.rows === null || plan.rows.includes(row);
  try {
    return {
      ...(wanted('firstPaint') && { firstPaint: await firstPaint(preview, plan.rounds * 2) }),
      ...(wanted('streamed') && { streamed: await streamed(preview, plan.rounds) }),
      ...(wanted('flood') && { flood: await flood(preview, plan) }),
      ...(wanted('keys') && { keys: await keys(preview, plan) }),
      ...(wanted('turns') && { turns: await turnByTurn(preview, plan) }),
      ...(wanted('long') && { long: await longOnes(preview) }),
    };
  } finally {
    await preview.close();
    await BrowserPreview.end();
  }
}

async function firstPaint(preview: BrowserPreview, rounds: number): Promise<NonNullable<ViewFigures['firstPaint']>> {
  const found = { ms: [] as number[], work: [] as number[] };
  const page29 = history(earlierTurns - 30, earlierTurns);
  const messages = [
    bootstrap({ ...running(earlierTurns), messages: page29.messages, turns: page29.turns, openTurn: null }),
  ];
  for (let round = 0; round < rounds; round++) {
    const { page, devtools } = await open(preview);
    const before = await spent(devtools);
    found.ms.push(await page.evaluate((sent) => window.bench.untilPainted(sent), messages));
    found.work.push((await spent(devtools)).all - before.all);
    await page.close();
  }
  return found;
}

async function streamed(preview: BrowserPreview, rounds: number): Promise<NonNullable<ViewFigures['streamed']>> {
  const found = {
    markdown: [] as Spent[],
    once: [] as Spent[],
    behind: [] as Spent[],
    code: [] as Spent[],
    messages: [] as Spent[],
  };
  for (let round = 0; round < rounds; round++) {
    found.markdown.push(await streamOnce(preview, deltas(markdown(50_000), pieces, live)));
    found.once.push(await streamOnce(preview, deltas(markdown(50_000), 1, live)));
    found.behind.push(await streamOnce(preview, deltas(markdown(50_000), pieces, live), runningBehindLong(3)));
    found.code.push(await streamOnce(preview, deltas(openCode(50_000), pieces, live)));
    found.messages.push(await streamOnce(preview, deltas(markdown(50_000), pieces, { ...live, sessionId: 'another' })));
  }
  return found;
}

async function streamOnce(preview: BrowserPreview, messages: readonly string[], shown = running(0)): Promise<Spent> {
  const { page, devtools } = await openShown(preview, shown);
  const before = await spent(devtools);
  await page.evaluate((sent) => window.bench.stream(sent, 12.5), messages);
  // What rests in sight gets its colors and links a moment later.
  await page.waitForTimeout(1000);
  const after = await spent(devtools);
  await page.close();
  return {
    script: after.script - before.script,
    layout: after.layout - before.layout,
    style: after.style - before.style,
    all: after.all - before.all,
  };
}

async function flood(preview: BrowserPreview, { floodMs }: ViewPlan): Promise<NonNullable<ViewFigures['flood']>> {
  const count = floodMs * 2;
  const messages = deltas(markdown(count * 12), count, live);
  const { browser, page } = await openRunning(preview, 30);
  const tasks = await tasksDuring(browser, page, async () => {
    await page.evaluate(async (sent) => {
      window.bench.watch();
      await window.bench.stream(sent, 2000);
    }, messages);
  });
  const frames = await page.evaluate(() => window.bench.frames);
  await page.close();
  const frameWork = frames.slice(1).map((until, index) => workBetween(tasks, frames[index] ?? 0, until));
  return {
    frameWork,
    longestTask: Math.max(0, ...tasks.filter(({ from }) => from >= (frames[0] ?? 0)).map(({ work }) => work)),
    deltas: count,
  };
}

async function keys(preview: BrowserPreview, { keystrokes }: ViewPlan): Promise<NonNullable<ViewFigures['keys']>> {
  const everyMs = 90;
  const seconds = Math.ceil((keystrokes * everyMs) / 1000) + 3;
  const messages = deltas(markdown(seconds * 60 * 160), seconds * 60, live);
  const { browser, page, devtools } = await openRunning(preview, 30);
  await page.getByRole('textbox', { name: 'Message' }).click();
  const tasks = await tasksDuring(browser, page, async () => {
    const streaming = page.evaluate(async (sent) => {
      window.bench.watch();
      await window.bench.stream(sent, 60);
    }, messages);
    await page.waitForTimeout(500);
    for (let index = 0; index < keystrokes; index++) {
      const text = 'abcdefghij '[index % 11] ?? 'a';
      await devtools.send('Input.dispatchKeyEvent', { type: 'keyDown', text, key: text });
      await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', key: text });
      await page.waitForTimeout(everyMs * (0.6 + (0.8 * ((index * 7) % 10)) / 10));
    }
    await streaming;
  });
  const typed = await page.evaluate(() => window.bench.keys);
  await page.close();
  return {
    ms: typed.map(({ down, painted }) => painted - down),
    work: typed.map(({ down, painted }) => workBetween(tasks, down, painted)),
  };
}

const longCharacters = 3_000_000;

async function longOnes(preview: BrowserPreview): Promise<NonNullable<ViewFigures['long']>> {
  const found: Record<string, LongAnswer> = {};
  for (const [name, make] of Object.entries(longAnswers)) {
    const text = make(longCharacters);
    const opening = await open(preview);
    const stored = await longTasks(opening, [bootstrap(behindAnswer(text))], (page) =>
      page.evaluate(() => window.bench.tell(window.bench.kept)),
    );
    const streaming = await openShown(preview, running(2));
    const end = turnEvent({
      kind: 'turnSettled',
      turn: settledTurn(live.turnUid, 'live-u'),
      messages: [answer({ uid: live.uid, position: 9, turnUid: live.turnUid }, [text], { lastSeq: 1500 })],
    });
    const streamed = await longTasks(streaming, [...deltas(text, 1500, live), end], (page) =>
      page.evaluate(() => window.bench.stream(window.bench.kept, 100)),
    );
    found[name] = { stored, streamed };
  }
  return found;
}

/** `messages` are brought into the page before it is watched: the bringing is no work of its own. */
async function longTasks(
  { browser, page }: OpenPage,
  messages: readonly string[],
  work: (page: Page) => Promise<unknown>,
): Promise<LongTasks> {
  await page.evaluate((sent) => void window.bench.kept.push(...sent), messages);
  const tasks = await tasksDuring(browser, page, async () => {
    await page.evaluate(() => window.bench.watch());
    await work(page);
    await page.evaluate((end) => window.bench.untilWhole(end), theEnd);
  });
  const seen = await page.evaluate(() => Math.max(0, ...window.bench.longTasks));
  await page.close();
  return {
    longest: Math.max(0, ...tasks.map((task) => task.work)),
    seen,
    all: tasks.reduce((sum, task) => sum + task.work, 0),
  };
}

async function turnByTurn(preview: BrowserPreview, { turns }: ViewPlan): Promise<NonNullable<ViewFigures['turns']>> {
  const { page, devtools } = await openRunning(preview, 0, false);
  const found: Left[] = [];
  for (let number = 0; number < turns; number++) {
    await page.evaluate(async (sent) => {
      window.bench.tell(sent);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }, wholeTurn(number));
    if ((number + 1) % (turns / 10) === 0) found.push({ turns: number + 1, ...(await left(page, devtools)) });
  }
  await page.close();
  return found;
}

interface OpenPage {
  readonly browser: Browser;
  readonly page: Page;
  readonly devtools: CDPSession;
}

async function open(preview: BrowserPreview): Promise<OpenPage> {
  const { browser, page } = await preview.openBare('chat', 'benchPage');
  const devtools = await page.context().newCDPSession(page);
  // Processor time of the page's thread: what else the machine does is not the view's.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.waitForTimeout(300);
  return { browser, page, devtools };
}

/** A view of a session of that many settled turns, whose page has come to rest. */
function openRunning(preview: BrowserPreview, turns: number, turnRuns = true): Promise<OpenPage> {
  const shown = running(turns);
  return openShown(preview, turnRuns ? shown : { ...shown, openTurn: null, messages: [] });
}

async function openShown(preview: BrowserPreview, shown: ShownSession): Promise<OpenPage> {
  const opened = await open(preview);
  await opened.page.evaluate(
    async (sent) => {
      window.bench.tell(sent);
      await window.bench.rest();
    },
    [bootstrap(shown)],
  );
  return opened;
}

async function spent(devtools: CDPSession): Promise<Spent> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name: string): number => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return {
    script: of('ScriptDuration'),
    layout: of('LayoutDuration'),
    style: of('RecalcStyleDuration'),
    all: of('TaskDuration'),
  };
}

async function left(page: Page, devtools: CDPSession): Promise<Omit<Left, 'turns'>> {
  await page.evaluate(() => window.bench.rest());
  await devtools.send('HeapProfiler.collectGarbage');
  const { nodes } = await devtools.send('Memory.getDOMCounters');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return { nodes, heapKb: usedSize / 1024 };
}
