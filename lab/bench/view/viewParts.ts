import { answer, settledTurn } from '../../../test/support/builders/viewMessages';
import { grouped, median, quantile, quantiles, rounded } from '../figures';
import type { Aim, Part } from '../part';
import { BenchView, type Spent } from './benchView';
import {
  behindAnswer,
  bootstrap,
  deltas,
  history,
  longAnswers,
  markdown,
  running,
  theEnd,
  turnEvent,
  wholeTurn,
} from './content';
import { measureHostFirstPage } from './hostFirstPage';
import { tasksDuring, workBetween } from './pageTrace';

const live = { turnUid: 'live', uid: 'live-a' };
const earlierTurns = 10_000;

/** From telling the view its session until an article is painted, and what the host does before. `size`: turns of the
 *  host's session. */
export const firstPaintPart: Part = async ({ quick, size }) => {
  const times = { ms: [] as number[], work: [] as number[] };
  const page29 = history(earlierTurns - 30, earlierTurns);
  const messages = [
    bootstrap({ ...running(earlierTurns), messages: page29.messages, turns: page29.turns, openTurn: null }),
  ];
  for (let round = 0; round < (quick ? 4 : 10); round++) {
    const view = await BenchView.open();
    const before = await view.spent();
    times.ms.push(await view.page.evaluate((sent) => window.bench.untilPainted(sent), messages));
    times.work.push((await view.spent()).all - before.all);
    await view.close();
  }
  const turns = size ?? (quick ? 500 : 10_000);
  const figures = {
    turns,
    host: quantiles(await measureHostFirstPage(turns, quick ? 5 : 15), 1),
    view: quantiles(times.ms, 1),
    work: quantiles(times.work, 1),
  };
  const { host, view, work } = figures;
  console.log(
    `  view p50 ${view.p50} ms, max ${view.max}, work p50 ${work.p50}; host p50 ${host.p50} ms, max ${host.max}`,
  );
  const aim = `first paint of a session of ${grouped(turns)} turns after \`ready\` (host + view), p50 ms`;
  return { figures, aims: [{ aim, value: rounded(host.p50 + view.p50), most: 200 }] };
};

/** In which 50 KB reach the view in five seconds: one each 80 ms, as the host sends what it committed. */
const pieces = 63;

/** 50 KB in five seconds; `once`: all of it in one; `messages`: what the same number of messages costs
 *  that change nothing. `size`: rounds. */
export const streamedPart: Part = async ({ quick, size }) => {
  const streams = {
    markdown: () => streamOnce(deltas(markdown(50_000), pieces, live)),
    once: () => streamOnce(deltas(markdown(50_000), 1, live)),
    messages: () => streamOnce(deltas(markdown(50_000), pieces, { ...live, sessionId: 'another' })),
  };
  const found: Record<keyof typeof streams, Spent[]> = { markdown: [], once: [], messages: [] };
  const names = Object.keys(streams) as (keyof typeof streams)[];
  for (let round = 0; round < (size ?? (quick ? 2 : 5)); round++)
    for (const name of names) found[name].push(await streams[name]());
  const of = (name: keyof typeof streams, what: keyof Spent): number =>
    rounded(median(found[name].map((spent) => spent[what])));
  for (const name of names)
    console.log(
      `  50 KB, ${name.padEnd(8)} script ${of(name, 'script')} ms, layout ${of(name, 'layout')}, style ` +
        `${of(name, 'style')}, all ${of(name, 'all')}`,
    );
  return {
    figures: found,
    aims: [
      {
        aim:
          '50 KB answer in 63 pieces, one each 80 ms: work of the page, less the messages themselves, × ' +
          'rendering it once',
        value: rounded((of('markdown', 'all') - of('messages', 'all')) / of('once', 'all')),
        most: 2,
      },
    ],
  };
};

async function streamOnce(messages: readonly string[]): Promise<Spent> {
  const view = await BenchView.openRunning(0);
  const before = await view.spent();
  await view.page.evaluate((sent) => window.bench.stream(sent, 12.5), messages);
  // What rests in sight gets its colors and links a moment later.
  await view.page.waitForTimeout(1000);
  const after = await view.spent();
  await view.close();
  return {
    script: after.script - before.script,
    layout: after.layout - before.layout,
    style: after.style - before.style,
    all: after.all - before.all,
  };
}

/** Work between two frames while 2,000 deltas a second arrive, and the longest task. `size`: deltas. */
export const floodPart: Part = async ({ quick, size }) => {
  const count = size ?? (quick ? 4_000 : 8_000);
  const messages = deltas(markdown(count * 12), count, live);
  const view = await BenchView.openRunning(30);
  const tasks = await tasksDuring(view, async () => {
    await view.page.evaluate(async (sent) => {
      window.bench.watch();
      await window.bench.stream(sent, 2000);
    }, messages);
  });
  const frames = await view.page.evaluate(() => window.bench.frames);
  await view.close();
  const frameWork = quantiles(
    frames.slice(1).map((until, index) => workBetween(tasks, frames[index] ?? 0, until)),
    1,
  );
  const longestTask = rounded(
    Math.max(0, ...tasks.filter(({ from }) => from >= (frames[0] ?? 0)).map(({ work }) => work)),
  );
  console.log(
    `  ${grouped(count)} deltas at 2,000 a second: work of a frame p50 ${frameWork.p50} ms, p99 ` +
      `${frameWork.p99}, max ${frameWork.max}; longest task ${longestTask}`,
  );
  return {
    figures: { deltas: count, frameWork, longestTask },
    aims: [{ aim: '2,000 deltas a second: work in one frame, max ms', value: frameWork.max, most: 50 }],
  };
};

/** From a key going down until what it typed is painted, while an answer streams; `work`: what the page's thread did
 *  in between. `size`: keys. */
export const keysPart: Part = async ({ quick, size }) => {
  const keystrokes = size ?? (quick ? 20 : 120);
  const everyMs = 90;
  const seconds = Math.ceil((keystrokes * everyMs) / 1000) + 3;
  const messages = deltas(markdown(seconds * 60 * 160), seconds * 60, live);
  const view = await BenchView.openRunning(30);
  const { page, devtools } = view;
  await page.getByRole('textbox', { name: 'Message' }).click();
  const tasks = await tasksDuring(view, async () => {
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
  await view.close();
  const painted = quantiles(
    typed.map((key) => key.painted - key.down),
    1,
  );
  const work = quantiles(
    typed.map((key) => workBetween(tasks, key.down, key.painted)),
    1,
  );
  console.log(
    `  ${painted.count} keystrokes while an answer streams: until painted p50 ${painted.p50} ms, p95 ` +
      `${painted.p95}; work in between p50 ${work.p50}, p95 ${work.p95}, max ${work.max}`,
  );
  return {
    figures: { painted, work },
    aims: [
      {
        aim: 'keystroke until painted while an answer streams: work of the page, p95 ms',
        value: work.p95,
        most: 16,
      },
    ],
  };
};

/** What is left of the page while turns stream one after the other into one view. `size`: turns. */
export const turnsPart: Part = async ({ quick, size }) => {
  const turns = size ?? (quick ? 200 : 1_000);
  const view = await BenchView.open({ ...running(0), openTurn: null, messages: [] });
  const found: { turns: number; nodes: number; heapKb: number }[] = [];
  for (let number = 0; number < turns; number++) {
    await view.page.evaluate(async (sent) => {
      window.bench.tell(sent);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }, wholeTurn(number));
    if ((number + 1) % (turns / 10) === 0) found.push({ turns: number + 1, ...(await view.left()) });
  }
  await view.close();
  for (const { turns: count, nodes, heapKb } of found)
    console.log(`  after ${String(count).padStart(5)} turns: ${nodes} nodes, ${rounded(heapKb / 1024)} MB`);
  // A view lets go of what is far away once there is enough of it.
  const [half, last] = [found[Math.floor(found.length / 2) - 1], found.at(-1)];
  if (half === undefined || last === undefined) throw new Error('--size takes a multiple of ten.');
  const after = `after ${grouped(last.turns)} turns, × after ${grouped(half.turns)}`;
  return {
    figures: { turns: found },
    aims: [
      { aim: `elements and texts in the page ${after}`, value: rounded(last.nodes / half.nodes), most: 1.2 },
      { aim: `memory of the page ${after}`, value: rounded(last.heapKb / half.heapKb), most: 1.2 },
    ],
  };
};

/** The longest task of a page that shows a long answer, by processor time and (`seen`) by the clock, and all work of
 *  the page. Milliseconds. */
interface LongTasks {
  readonly longest: number;
  readonly seen: number;
  readonly all: number;
}

/** Long answers as they are opened and as they stream, by what they are made of. `size`: characters. */
export const answersPart: Part = async ({ quick, size }) => {
  const characters = size ?? (quick ? 300_000 : 3_000_000);
  const figures: Record<string, { stored: LongTasks; streamed: LongTasks }> = {};
  const aims: Aim[] = [];
  for (const [name, make] of Object.entries(longAnswers)) {
    const text = make(characters);
    const stored = await longTasks(await BenchView.open(), [bootstrap(behindAnswer(text))], (view) =>
      view.page.evaluate(() => window.bench.tell(window.bench.kept)),
    );
    const end = turnEvent({
      kind: 'turnSettled',
      turn: settledTurn(live.turnUid, 'live-u'),
      messages: [answer({ uid: live.uid, position: 9, turnUid: live.turnUid }, [text], { lastSeq: 1500 })],
    });
    const streamed = await longTasks(await BenchView.openRunning(2), [...deltas(text, 1500, live), end], (view) =>
      view.page.evaluate(() => window.bench.stream(window.bench.kept, 100)),
    );
    console.log(
      `  ${name.padEnd(8)} opened: longest task ${stored.longest} ms of work (${stored.seen} by the ` +
        `clock), all ${stored.all}; streamed: longest ${streamed.longest} (${streamed.seen}), all ` +
        `${streamed.all}`,
    );
    figures[name] = { stored, streamed };
    aims.push({
      aim:
        `answer of ${grouped(characters)} characters (${name}): longest task of the page as it is opened ` +
        'or streams, ms of work',
      value: Math.max(stored.longest, streamed.longest),
      most: 200,
    });
  }
  return { figures: { characters, ...figures }, aims };
};

/** `messages` are brought into the page before it is watched: the bringing is no work of its own. */
async function longTasks(
  view: BenchView,
  messages: readonly string[],
  work: (view: BenchView) => Promise<unknown>,
): Promise<LongTasks> {
  const { page } = view;
  await page.evaluate((sent) => void window.bench.kept.push(...sent), messages);
  const tasks = await tasksDuring(view, async () => {
    await page.evaluate(() => window.bench.watch());
    await work(view);
    await page.evaluate((end) => window.bench.untilWhole(end), theEnd);
  });
  const seen = await page.evaluate(() => Math.max(0, ...window.bench.longTasks));
  await view.close();
  const works = tasks.map((task) => task.work);
  return {
    longest: rounded(quantile(works, 1)),
    seen: rounded(seen),
    all: rounded(works.reduce((sum, each) => sum + each, 0)),
  };
}
