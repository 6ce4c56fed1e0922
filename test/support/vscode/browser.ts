import path from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';
import { patience, processesOf, ROOT_VARIABLE, signal, usualLimitMs, waitUntilGone } from './processes';

export interface BrowserOptions {
  executablePath: string;
  /** The session's folder; the profile lies in it, so that a browser opened again finds its secrets and state. */
  root: string;
  viewport?: { width: number; height: number };
  headless?: boolean;
}

/** A Chromium with a profile that outlives it, as a person's browser has. */
export class Browser {
  #context: BrowserContext | undefined;

  constructor(private readonly options: BrowserOptions) {}

  get context(): BrowserContext {
    if (!this.#context) throw new Error('The browser is not open');
    return this.#context;
  }

  async open(): Promise<BrowserContext> {
    const inherited = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    this.#context = await chromium.launchPersistentContext(this.#profile, {
      executablePath: this.options.executablePath,
      headless: this.options.headless ?? true,
      viewport: this.options.viewport ?? { width: 1280, height: 800 },
      // Playwright answers prompts like "Leave site?" itself; permissions let Copy and Paste work as for a person.
      permissions: ['clipboard-read', 'clipboard-write'],
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      env: { ...Object.fromEntries(inherited), [ROOT_VARIABLE]: this.options.root },
    });
    this.#context.setDefaultTimeout(usualLimitMs * patience);
    return this.#context;
  }

  /** Closes the browser as its window's close button does. Extension hosts live on for the reconnection grace time. */
  async close(): Promise<void> {
    const context = this.#context;
    this.#context = undefined;
    await context?.close();
  }

  /** kill -9. Chromium writes localStorage late: a secret stored in the last seconds may be gone, which desktop VS Code would have kept. */
  async kill(): Promise<void> {
    const processes = processesOf(this.options.root).filter(({ command }) => command.includes(this.#profile));
    for (const { pid } of processes) signal(pid, 'SIGKILL');
    for (const { pid } of processes) await waitUntilGone(pid);
    this.#context = undefined;
  }

  get #profile(): string {
    return path.join(this.options.root, 'browser');
  }
}
