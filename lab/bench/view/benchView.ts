import type { Browser, CDPSession, Page } from 'playwright-core';
import type { ShownSession } from '../../../src/protocol/chatProtocol';
import { BrowserPreview } from '../../../test/support/webviewPreview/browserPreview';
import { bootstrap, running } from './content';

/** What a page did, in milliseconds of its thread's processor time. */
export interface Spent {
  readonly script: number;
  readonly layout: number;
  readonly style: number;
  readonly all: number;
}

let preview: Promise<BrowserPreview> | undefined;

/** A page with the chat view as it is shipped, in a real browser. */
export class BenchView {
  private constructor(
    readonly browser: Browser,
    readonly page: Page,
    readonly devtools: CDPSession,
  ) {}

  /** `shown`: what the view is told first; the page has come to rest then. Default: nothing. */
  static async open(shown?: ShownSession): Promise<BenchView> {
    preview ??= BrowserPreview.start({ benchPage: 'lab/bench/view/benchPage.ts' }, 'chat');
    const { browser, page } = await (await preview).openBare('chat', 'benchPage');
    const devtools = await page.context().newCDPSession(page);
    // Processor time of the page's thread: what else the machine does is not the view's.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.waitForTimeout(300);
    const view = new BenchView(browser, page, devtools);
    if (shown !== undefined)
      await page.evaluate(
        async (sent) => {
          window.bench.tell(sent);
          await window.bench.rest();
        },
        [bootstrap(shown)],
      );
    return view;
  }

  /** A view of a session of that many settled turns in which a turn runs. */
  static openRunning(turns: number): Promise<BenchView> {
    return BenchView.open(running(turns));
  }

  /** Work of the page's thread so far. */
  async spent(): Promise<Spent> {
    const { metrics } = await this.devtools.send('Performance.getMetrics');
    const of = (name: string): number => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
    return {
      script: of('ScriptDuration'),
      layout: of('LayoutDuration'),
      style: of('RecalcStyleDuration'),
      all: of('TaskDuration'),
    };
  }

  /** What is left of the page, after collecting garbage. */
  async left(): Promise<{ readonly nodes: number; readonly heapKb: number }> {
    await this.page.evaluate(() => window.bench.rest());
    await this.devtools.send('HeapProfiler.collectGarbage');
    const { nodes } = await this.devtools.send('Memory.getDOMCounters');
    const { usedSize } = await this.devtools.send('Runtime.getHeapUsage');
    return { nodes, heapKb: usedSize / 1024 };
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

export async function closeBrowser(): Promise<void> {
  await (await preview)?.close();
  await BrowserPreview.end();
}
