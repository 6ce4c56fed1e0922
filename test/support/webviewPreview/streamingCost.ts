import type { CDPSession, Page } from 'playwright-core';
import { protocolVersion } from '../../../src/protocol/envelope';
import { session } from '../builders/viewMessages';
import { BrowserPreview } from './browserPreview';

/** What a page did while an answer streamed into it, in milliseconds; medians. */
export interface StreamingCost {
  /** JavaScript, with whatever layout it forces. */
  readonly scriptMs: number;
  readonly layoutMs: number;
  readonly layouts: number;
  readonly styleMs: number;
  readonly taskMs: number;
}

const deltas = 250;
const everyMs = 20;

const paragraph = 'The retry timer uses the **real clock**, so the test passes only where the machine is `fast enough`; see [src/upload.ts](src/upload.ts:42) for it.';
const block = [
  paragraph, paragraph, '1. one thing\n2. another, with *weight*\n3. a third', '```ts\nexport async function upload(file: File, clock: Clock): Promise<void> {\n  await clock.sleep(200);\n}\n```', `> ${paragraph}`,
].join('\n\n');

/** 50 KB of Markdown as models write it. */
export const answer = `${block}\n\n`.repeat(200).slice(0, 50_000);

/** `markdown`: ordinary text · `one block`: a single code block that grows to the end, the worst there is · `messages`: the same number of messages
 *  that change nothing, which is what the measuring itself costs. */
export async function measureStreaming(rounds: number): Promise<Readonly<Record<'markdown' | 'one block' | 'messages', StreamingCost>>> {
  const preview = await BrowserPreview.start();
  const measured = { 'markdown': [] as StreamingCost[], 'one block': [] as StreamingCost[], 'messages': [] as StreamingCost[] };
  try {
    for (let round = 0; round < rounds; round++) {
      measured['markdown'].push(await inPage(preview, answer, 'b10'));
      measured['one block'].push(await inPage(preview, `\`\`\`ts\n${answer.replaceAll('`', "'")}`.slice(0, 50_000), 'b10'));
      measured['messages'].push(await inPage(preview, answer, null));
    }
  } finally {
    await preview.close();
  }
  return { 'markdown': median(measured['markdown']), 'one block': median(measured['one block']), 'messages': median(measured['messages']) };
}

async function inPage(preview: BrowserPreview, text: string, uid: string | null): Promise<StreamingCost> {
  const { page } = await preview.open('streaming', { width: 450, height: 820 });
  await page.waitForTimeout(300);
  const devtools = await page.context().newCDPSession(page);
  // Processor time of the page's thread: what else the machine does is not the view's.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await metrics(devtools);
  await stream(page, text, uid);
  const after = await metrics(devtools);
  await page.close();
  const spent = (name: string): number => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1000;
  return {
    scriptMs: spent('ScriptDuration'), layoutMs: spent('LayoutDuration'), styleMs: spent('RecalcStyleDuration'), taskMs: spent('TaskDuration'),
    layouts: (after.get('LayoutCount') ?? 0) - (before.get('LayoutCount') ?? 0),
  };
}

async function metrics(devtools: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics: listed } = await devtools.send('Performance.getMetrics');
  return new Map(listed.map(({ name, value }) => [name, value]));
}

/** From within the page, so that nothing of it waits for the test. */
async function stream(page: Page, text: string, uid: string | null): Promise<void> {
  const size = Math.ceil(text.length / deltas);
  const messages = Array.from({ length: deltas }, (_, index) => {
    const start = index * size;
    const chunk = { messageUid: uid ?? 'b9', seq: uid === null ? 1 : index + 1, part: 0, kind: 'text', start, text: text.slice(start, start + size) };
    return { v: protocolVersion, kind: 'notification', name: 'turnEvent', payload: { sessionId: session().id, event: { kind: 'delivered', turnUid: 'turn2', chunks: [chunk] } } };
  });
  await page.evaluate(
    ([sent, pause]) =>
      new Promise<void>((resolve) => {
        const waiting = [...sent];
        const timer = setInterval(() => {
          const next = waiting.shift();
          if (next !== undefined) window.postMessage(JSON.parse(next), '*');
          else {
            clearInterval(timer);
            setTimeout(resolve, 200);
          }
        }, pause);
      }),
    [messages.map((message) => JSON.stringify(message)), everyMs] as const,
  );
}

function median(costs: readonly StreamingCost[]): StreamingCost {
  const middle = (of: (cost: StreamingCost) => number): number => costs.map(of).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
  return { scriptMs: middle((cost) => cost.scriptMs), layoutMs: middle((cost) => cost.layoutMs), layouts: middle((cost) => cost.layouts), styleMs: middle((cost) => cost.styleMs), taskMs: middle((cost) => cost.taskMs) };
}
