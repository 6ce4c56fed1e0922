import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/gateway/conversationGateway';
import type { SessionStore } from '../../src/store/session/sessionStore';
import { StoreError } from '../../src/store/storeError';
import { Drafts } from '../../src/webview/chat/drafts/drafts';
import { SessionSwitchController } from '../../src/webview/chat/session/sessionSwitchController';
import { TypedInput } from '../../src/webview/chat/composer/typedInput';
import { ChatInWorld } from '../support/chatInWorld';
import { reply } from '../support/modelServer';
import { World } from '../support/world';
import { emptyReport } from '../unit/store/ownership/emptyReport';
import { elsewhereState, openState, StoreAtHand } from '../unit/host/storeAtHand';

interface Step {
  /** hand over: the other window gets the history. reload: the page is loaded again, with what it remembered at this
   *  moment or a little before. kill: the windows end as a kill would, and both pages are loaded again. */
  readonly kind: 'type' | 'pause' | 'send' | 'new' | 'hand over' | 'reload' | 'kill';
  readonly window: 0 | 1;
  /** Moments that pass before the next step. */
  readonly moments: number;
  /** Notes of the page that are lost with it. */
  readonly lost: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('type') },
    { weight: 4, arbitrary: fc.constantFrom('pause', 'send') },
    { weight: 3, arbitrary: fc.constantFrom('hand over', 'reload', 'kill') },
    { weight: 1, arbitrary: fc.constant('new') },
  ),
  window: fc.constantFrom(0, 1),
  moments: fc.oneof(fc.nat(8), fc.constant(1000)),
  lost: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
});

interface Window {
  gateway: Gateway;
  readonly store: SessionStore;
  readonly at: StoreAtHand;
  page: ChatInWorld;
}

/** Two windows, of which one has the history, and a person who types in both. */
class TwoWindows {
  private owner = 0;
  private readonly windows: Window[] = [];
  private count = 0;
  /** Words by the number of notes that their page had then. */
  private typed = new Map<string, { readonly page: ChatInWorld; readonly note: number }>();
  /** Words that a page took with it. */
  private readonly gone = new Set<string>();

  private constructor(private readonly world: World) {}

  static async open(): Promise<TwoWindows> {
    const world = await World.create();
    world.server.otherwise(() => reply().says('answer'));
    const two = new TwoWindows(world);
    two.openWindows();
    await two.quiet();
    return two;
  }

  async take({ kind, window, moments, lost }: Step): Promise<void> {
    const { page } = this.windows[window]!;
    switch (kind) {
      case 'type':
        this.type(page);
        break;
      case 'pause':
        page.chat.part(Drafts).flush();
        break;
      case 'send':
        void page.chat.part(TypedInput).submit();
        break;
      case 'new':
        void page.chat.part(SessionSwitchController).to({ reason: 'new_session' });
        break;
      case 'reload':
        this.reload(window, lost);
        break;
      case 'kill':
        await this.kill(lost);
        break;
      case 'hand over':
        await this.handOver();
        break;
      default:
        return kind satisfies never;
    }
    if (moments === 1000) return this.quiet();
    for (let moment = 0; moment < moments; moment++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Where each word is in the end, when both windows have had the history once more. */
  async wrong(): Promise<readonly string[]> {
    for (let times = 0; times < 3; times++) {
      await this.quiet();
      for (const { page } of this.windows) page.chat.part(Drafts).flush();
      await this.quiet();
      await this.handOver();
    }
    const { world } = this;
    const prompts = world
      .query("SELECT content AS text FROM messages WHERE role = 'user' UNION ALL SELECT text FROM queue")
      .map(({ text }) => String(text));
    const drafts = world.query('SELECT text FROM drafts').map(({ text }) => String(text));
    const shown = this.windows.map(({ page }) => page.composer);
    // Who typed on in one window what was sent in the other one has another text.
    const sent = prompts.flatMap((text) => text.split('\n\n'));
    const offered = [...drafts, ...shown].flatMap((text) => text.split('\n\n'));
    const words = new Set([...sent, ...offered].flatMap((text) => text.split(' ')));
    return [
      ...sent.filter((text, index) => sent.indexOf(text) !== index).map((text) => `${text} was sent twice`),
      ...sent.filter((text) => offered.includes(text)).map((text) => `${text} was sent, and is offered again`),
      ...[...this.typed.keys()]
        .filter((word) => !words.has(word) && !this.gone.has(word))
        .map((word) => `${word} is lost`),
    ];
  }

  async close(): Promise<void> {
    await this.quiet();
    for (const { page } of this.windows) page.dispose();
    await this.windows[1]?.gateway.shutdown();
    await this.world.close();
  }

  private type(page: ChatInWorld): void {
    const word = `w${++this.count}`;
    page.chat.part(Drafts).edit(`${page.composer} ${word}`.trim());
    this.typed.set(word, { page, note: page.remembered.length });
  }

  private openWindows(): void {
    for (const index of [0, 1]) {
      const store = this.storeOf(index);
      const at = new StoreAtHand(index === this.owner ? openState : elsewhereState);
      const gateway = this.world.createGateway(store);
      const page = new ChatInWorld(this.world, 'chat', { gateway, store, at });
      this.windows[index] = { gateway, store, at, page };
    }
  }

  /** The history as a window has it: refused while the other one has it. */
  private storeOf(window: number): SessionStore {
    const refused = async (): Promise<never> => {
      throw new StoreError('locked', 'Your sessions are open in another window.', '');
    };
    return new Proxy(this.world.store, {
      get: (_target, name) => {
        const method: unknown = Reflect.get(this.world.store, name);
        if (typeof method !== 'function') return method;
        return window === this.owner ? method.bind(this.world.store) : refused;
      },
    });
  }

  private async handOver(): Promise<void> {
    for (const { gateway } of this.windows)
      while (gateway.turns.running().length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const [from, to] = [this.windows[this.owner]!, this.windows[1 - this.owner]!];
    from.at.become(elsewhereState);
    this.owner = 1 - this.owner;
    to.at.become({ kind: 'open', report: { ...emptyReport }, regained: null });
  }

  private reload(window: number, lost: number): void {
    const of = this.windows[window]!;
    const before = of.page;
    const memory = before.remembered.at(-1 - lost) ?? before.remembered[0]!;
    const kept = before.remembered.lastIndexOf(memory);
    for (const [word, { page, note }] of this.typed) if (page === before && note > kept + 1) this.gone.add(word);
    before.dispose();
    of.page = new ChatInWorld(this.world, 'chat', { gateway: of.gateway, store: of.store, at: of.at, memory });
  }

  private async kill(lost: number): Promise<void> {
    const second = this.windows[1]!.gateway;
    const pages = this.windows.map(({ page }) => page);
    await this.world.crash();
    await second.shutdown().catch(() => undefined);
    await this.windows[0]!.gateway.shutdown().catch(() => undefined);
    for (const [index, window] of this.windows.entries()) {
      window.gateway = this.world.createGateway(window.store);
      window.page = pages[index]!;
      this.reload(index, lost);
    }
  }

  private async quiet(): Promise<void> {
    for (const { page } of this.windows) await page.quiet();
  }
}

const runs = Number(process.env['PROPERTY_RUNS'] ?? '60');

describe('what a person typed', () => {
  it('is sent once or offered, never both and never lost, whatever reloads, ends and continues elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
        const two = await TwoWindows.open();
        try {
          for (const one of steps) await two.take(one);
          expect(await two.wrong()).toEqual([]);
        } finally {
          await two.close();
        }
      }),
      { numRuns: runs },
    );
  });
});
