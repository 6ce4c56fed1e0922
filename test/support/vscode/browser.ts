import fs from 'node:fs';
import path from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';
import { patience, processesOf, ROOT_VARIABLE, signal, usualLimitMs, waitUntilGone } from './processes';

/** The address of every server as its own browser sees it. Caches belong to an address, so one that is filled serves all sessions. */
export const browserOrigin = 'http://localhost:8000';

/** The parts of a profile that hold only what was loaded and compiled. */
const caches = ['Default/Cache', 'Default/Code Cache'];

export interface BrowserOptions {
  executablePath: string;
  /** The session's folder; the profile lies in it, so that a browser opened again finds its secrets and state. */
  root: string;
  /** Where `browserOrigin` leads. */
  port: number;
  /** Caches of an earlier session's browser, see `copyCaches`. With them VS Code is neither loaded nor compiled again. */
  caches?: string;
  viewport?: { width: number; height: number };
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
    const { caches: filled, port } = this.options;
    if (filled !== undefined && !fs.existsSync(this.#profile)) fs.cpSync(filled, this.#profile, { recursive: true });
    this.#context = await chromium.launchPersistentContext(this.#profile, {
      executablePath: this.options.executablePath,
      headless: true,
      viewport: this.options.viewport ?? { width: 1280, height: 800 },
      // Without a graphics processor every animated frame costs processor time.
      reducedMotion: 'reduce',
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
        // A script that is parsed while it arrives is compiled although its compiled code is at hand.
        '--js-flags=--no-script-streaming',
        `--host-resolver-rules=MAP ${new URL(browserOrigin).host} 127.0.0.1:${port}`,
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

  /** Whether the compiled code of a large program is on the disk. Chromium writes it some time after the program was loaded for the second time. */
  get keepsCompiledCode(): boolean {
    const folder = path.join(this.#profile, 'Default/Code Cache/js');
    return (
      fs.existsSync(folder) &&
      fs.readdirSync(folder).some((name) => fs.statSync(path.join(folder, name)).size > 5_000_000)
    );
  }

  /** Copies the caches to a folder. Only of a closed browser: an open one is still writing them. */
  copyCaches(folder: string): void {
    fs.mkdirSync(folder, { recursive: true });
    for (const name of caches) {
      const from = path.join(this.#profile, name);
      if (fs.existsSync(from)) fs.cpSync(from, path.join(folder, name), { recursive: true });
    }
  }

  get #profile(): string {
    return path.join(this.options.root, 'browser');
  }
}
