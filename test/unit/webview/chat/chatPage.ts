import { createElement } from 'preact';
import { act } from 'preact/test-utils';
import { vi } from 'vitest';
import type { ChatNotifications, ChatResults, ChatState, ShownSession } from '../../../../src/protocol/chatProtocol';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { createChat, startChat } from '../../../../src/webview/chat/createChat';
import type { ChatProtocol } from '../../../../src/webview/chat/connection/chatHost';
import { App } from '../../../../src/webview/chat/App';
import { loadLazyComponents } from '../../../../src/webview/chat/connection/lazyComponents';
import { noMemory, type ViewMemory } from '../../../../src/webview/chat/connection/viewMemory';
import { connectToHost } from '../../../../src/webview/rpc';
import { find } from '../elements';
import { ViewPage } from '../viewPage';
import { afternoon, chatState, session } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';

// happy-dom's node iterator loses its place when a node is removed, which DOMPurify relies on. What the sanitizer
// lets through is tested in a browser (sanitizer.slow.test.ts); here the renderer's own HTML, which holds no markup
// of the text, is taken as it is.
vi.mock('../../../../src/webview/markdown/sanitizer', () => import('../../../support/plainSanitizer'));

// Loaded behind the first paint; a test does not wait for it each time.
await loadLazyComponents();

/** Opens the chat view with what the host says first. `recalled`: what an earlier page kept. */
export async function openChat(
  shown: ShownSession | null,
  change: Partial<ChatState> = {},
  recalled: Partial<ViewMemory> = {},
): Promise<ChatPage> {
  const page = new ChatPage(recalled);
  await page.bootstrap(shown, change);
  return page;
}

/** The chat view in a page of its own, with a host that the test plays. */
export class ChatPage extends ViewPage {
  readonly clock = new ManualClock(afternoon);
  memory: ViewMemory;
  private uids = 0;

  constructor(recalled: Partial<ViewMemory> = {}) {
    document.body.replaceChildren();
    super();
    this.memory = { ...noMemory(), ...recalled };
    const chat = createChat(
      {
        host: connectToHost<ChatProtocol>(this.api, this.channel),
        timers: {
          nowMs: () => this.clock.now() * 1000,
          after: (delayMs, callback) => this.clock.after(delayMs, callback),
        },
        newUid: () => `uid${++this.uids}`,
        memory: { recalled: this.memory, remember: (change) => (this.memory = { ...this.memory, ...change }) },
      },
      () => undefined,
    );
    this.show(createElement(App, { chat }));
    startChat(chat);
  }

  async bootstrap(shown: ShownSession | null, change: Partial<ChatState> = {}): Promise<void> {
    await this.tell('bootstrap', chatState(shown, change));
  }

  async tell<Name extends keyof ChatNotifications>(name: Name, payload: ChatNotifications[Name]): Promise<void> {
    await this.say({ kind: 'notification', name, payload });
  }

  async event(event: TurnEvent): Promise<void> {
    await this.tell('turnEvent', { sessionId: session().id, event });
  }

  /** Answers the oldest open request of this name. */
  async answer<Name extends keyof ChatResults>(name: Name, result: ChatResults[Name]): Promise<void> {
    await this.say({ kind: 'response', id: this.take(name), ok: true, result });
  }

  async refuse(name: keyof ChatResults, sentence: string, cause = 'unknown'): Promise<void> {
    await this.say({
      kind: 'response',
      id: this.take(name),
      ok: false,
      error: { sentence, cause },
    });
  }

  /** Prompts that were sent, in order, without the drafts they were sent from (enter.test.ts). */
  submitted(): readonly unknown[] {
    return this.sent('submit').map((payload) => {
      const { draft: _draft, ...prompt }: { draft?: unknown } = Object(payload);
      return prompt;
    });
  }

  get composer(): HTMLTextAreaElement {
    const field = find('textbox', 'Message');
    if (!(field instanceof HTMLTextAreaElement)) throw new Error('The composer is not a text area');
    return field;
  }

  async type(text: string): Promise<void> {
    await this.fill(this.composer, text);
  }

  /** Types into a field and presses Enter before the page has drawn what was typed, as whoever writes fast does. */
  async fillAndEnter(field: HTMLElement, text: string): Promise<void> {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement))
      throw new Error('Nothing can be typed here');
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    await this.settle();
  }

  /** Whatever follows from an answer by itself has happened. */
  async settle(): Promise<void> {
    await act(() => new Promise((resolve) => setTimeout(resolve, 0)));
  }

  private readonly answered = new Set<number>();

  private take(name: string): number {
    const open = this.posted.find(
      (message) => message.kind === 'request' && message.name === name && !this.answered.has(message.id),
    );
    if (open === undefined) throw new Error(`No request ${name} is open`);
    this.answered.add(open.id);
    return open.id;
  }

  private say(message: object): Promise<void> {
    return this.acting(() => this.dispatch(message));
  }

  protected override follows(): Promise<void> {
    return Promise.resolve();
  }
}
