import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createChat, startChat } from '../../src/webview/chat/createChat';
import type { Chat } from '../../src/webview/chat/state/chat';
import type { ChatProtocol } from '../../src/webview/chat/connection/chatHost';
import { noMemory, type ViewMemory } from '../../src/webview/chat/connection/viewMemory';
import { connectToHost } from '../../src/webview/rpc';
import type { EnterHostOrder, StoredTexts } from './crashRecord';
import { Drafts } from '../../src/webview/chat/drafts/drafts';
import { PromptSender } from '../../src/webview/chat/drafts/promptSender';
import { SessionArrival } from '../../src/webview/chat/session/sessionArrival';

interface FromHost {
  readonly page?: number;
  readonly data?: unknown;
  readonly stored?: StoredTexts;
  readonly connected?: number;
}

/** A host in a process of its own. */
export class EnterHost {
  private readonly child: ChildProcess;
  private readonly heard: FromHost[] = [];
  private readonly waiting: (() => void)[] = [];
  private pages = 0;
  private toPage: (message: FromHost) => void = () => undefined;

  constructor(program: string, order: EnterHostOrder) {
    this.child = fork(program, [JSON.stringify(order)], { execArgv: [], serialization: 'advanced', stdio: 'inherit' });
    // A browser delivers each message in a task of its own; Node delivers those that came together in one.
    this.child.on('message', (message: FromHost) => void setImmediate(() => this.received(message)));
    this.child.on('exit', () => this.wake());
    this.child.on('error', () => undefined);
  }

  /** A page that it shows from now on. */
  async connect(listener: (data: unknown) => void): Promise<(data: unknown) => void> {
    const number = ++this.pages;
    await this.until(({ connected }) => connected === 0);
    this.toPage = ({ page, data }) => {
      if (page === number) listener(data);
    };
    this.say({ page: number });
    await this.until(({ connected }) => connected === number);
    return (data) => {
      if (number === this.pages) this.say({ data });
    };
  }

  async stored(): Promise<StoredTexts> {
    const before = this.heard.length;
    this.say({ look: true });
    const found = await this.until(({ stored }) => stored !== undefined, before);
    return found.stored ?? { prompts: [], queued: [], drafts: [] };
  }

  /** Ends it as a crash would; resolves when it is gone. */
  async kill(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  private received(message: FromHost): void {
    this.heard.push(message);
    this.toPage(message);
    this.wake();
  }

  private wake(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  private say(message: object): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  private async until(is: (message: FromHost) => boolean, from = 0): Promise<FromHost> {
    for (;;) {
      const found = this.heard.slice(from).find(is);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error('The host ended by itself.');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}

/** The chat's page without a browser: its controller, and the memory that the editor keeps for it. */
export class EnterPage {
  memory: ViewMemory;
  readonly chat: Chat;
  private onTheWay = 0;
  private isGone = false;

  private constructor(recalled: ViewMemory, newUid: () => string, post: (data: unknown) => void, page: EventTarget) {
    this.memory = structuredClone(recalled);
    const counted = connectToHost<ChatProtocol>(
      {
        postMessage: (data) => (this.isGone ? undefined : post(data)),
        getState: () => undefined,
        setState: () => undefined,
      },
      page,
    );
    this.chat = createChat(
      {
        host: {
          ...counted,
          request: async (name, payload) => {
            this.onTheWay++;
            return counted.request(name, payload).finally(() => this.onTheWay--);
          },
        },
        timers: {
          nowMs: () => Date.now(),
          after: (delayMs, callback) => {
            const timer = setTimeout(callback, delayMs);
            return () => clearTimeout(timer);
          },
        },
        newUid,
        memory: {
          recalled: this.memory,
          remember: (change) =>
            this.isGone ? undefined : (this.memory = structuredClone({ ...this.memory, ...change })),
        },
      },
      () => undefined,
    );
  }

  /** Loads it and waits until it shows what the store holds. */
  static async load(host: EnterHost, recalled: ViewMemory | null, newUid: () => string): Promise<EnterPage> {
    const channel = new EventTarget();
    const post = await host.connect((data) => channel.dispatchEvent(new MessageEvent('message', { data })));
    const page = new EnterPage(recalled ?? noMemory(), newUid, post, channel);
    startChat(page.chat);
    while (page.chat.state.peek().store.kind !== 'open') await pause(1);
    await page.quiet();
    return page;
  }

  get composer(): string {
    return this.chat.part(Drafts).text.peek();
  }

  /** What the person does: types behind what the field shows, and presses Enter. */
  type(text: string): void {
    this.chat.part(Drafts).edit(this.composer + text);
  }

  /** Resolves when everything was answered and the draft is on disk. */
  async quiet(): Promise<void> {
    this.chat.part(Drafts).flush();
    for (let calm = 0; calm < 5; calm = this.onTheWay === 0 && !this.chat.part(PromptSender).busy.peek() ? calm + 1 : 0)
      await pause(2);
  }

  /** The page is unloaded: `told` as a page is that leaves by itself; in a crash nobody tells it. */
  unload(told: boolean): ViewMemory {
    if (told) this.chat.part(SessionArrival).leave();
    this.isGone = true;
    return this.memory;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
