import { createElement, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, vi } from 'vitest';
import type { ChatNotifications, ChatResults, ChatState, ShownSession } from '../../../../src/protocol/chatProtocol';
import type { FromView } from '../../../../src/protocol/envelope';
import { protocolVersion } from '../../../../src/protocol/envelope';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { ChatController } from '../../../../src/webview/chat/chatController';
import type { ChatProtocol } from '../../../../src/webview/chat/connection/chatHost';
import { App } from '../../../../src/webview/chat/components/App';
import { laterCode, loadLater } from '../../../../src/webview/chat/components/common/laterParts';
import { noMemory, type ViewMemory } from '../../../../src/webview/chat/connection/viewMemory';
import { connectToHost } from '../../../../src/webview/rpc';
import { afternoon, chatState, session } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';

// happy-dom's node iterator loses its place when a node is removed, which DOMPurify relies on. What the sanitizer lets through is tested in a
// browser (sanitizer.slow.test.ts); here the renderer's own HTML, which holds no markup of the text, is taken as it is.
vi.mock('../../../../src/webview/markdown/sanitizer', () => import('../../../support/plainSanitizer'));

// Loaded behind the first paint; a test does not wait for it each time.
await loadLater();

type Posted = FromView & { readonly payload: unknown };

let opened: ChatPage | null = null;
afterEach(() => opened?.close());

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

/** The chat view in a page of its own, with a host that the test plays. Closed when another one opens, and after the test. */
export class ChatPage {
  readonly posted: Posted[] = [];
  readonly clock = new ManualClock(afternoon);
  memory: ViewMemory;
  private readonly root: HTMLElement;
  private readonly channel = new EventTarget();
  private uids = 0;

  constructor(recalled: Partial<ViewMemory> = {}) {
    opened?.close();
    opened = this;
    this.memory = { ...noMemory(), ...recalled };
    document.body.replaceChildren();
    this.root = document.body.appendChild(document.createElement('div'));
    const controller = new ChatController({
      host: connectToHost<ChatProtocol>(
        {
          postMessage: (message) => this.posted.push(postedMessage(message)),
          getState: () => undefined,
          setState: () => undefined,
        },
        this.channel,
      ),
      timers: {
        nowMs: () => this.clock.now() * 1000,
        after: (delayMs, callback) => this.clock.after(delayMs, callback),
      },
      newUid: () => `uid${++this.uids}`,
      memory: { recalled: this.memory, remember: (change) => (this.memory = { ...this.memory, ...change }) },
      setLocalization: () => undefined,
      later: laterCode,
    });
    act(() => render(createElement(App, { chat: controller }), this.root));
    controller.start();
  }

  /** Unmounts: effects end as when the page goes. */
  close(): void {
    act(() => render(null, this.root));
  }

  async bootstrap(shown: ShownSession | null, change: Partial<ChatState> = {}): Promise<void> {
    await this.tell('bootstrap', chatState(shown, change));
  }

  async tell<Name extends keyof ChatNotifications>(name: Name, payload: ChatNotifications[Name]): Promise<void> {
    await this.post({ v: protocolVersion, kind: 'notification', name, payload });
  }

  async event(event: TurnEvent): Promise<void> {
    await this.tell('turnEvent', { sessionId: session().id, event });
  }

  /** Answers the oldest open request of this name. */
  async answer<Name extends keyof ChatResults>(name: Name, result: ChatResults[Name]): Promise<void> {
    await this.post({ v: protocolVersion, kind: 'response', id: this.take(name), ok: true, result });
  }

  async refuse(name: keyof ChatResults, sentence: string, cause = 'unknown'): Promise<void> {
    await this.post({
      v: protocolVersion,
      kind: 'response',
      id: this.take(name),
      ok: false,
      error: { sentence, cause },
    });
  }

  /** Payloads sent under this name, in order. */
  sent(name: string): readonly unknown[] {
    return this.posted.filter((message) => message.name === name).map((message) => message.payload);
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

  async fill(field: HTMLElement, text: string): Promise<void> {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement))
      throw new Error('Nothing can be typed here');
    await act(() => {
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
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

  async key(key: string, init: KeyboardEventInit = {}): Promise<KeyboardEvent> {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
    await act(() => {
      (document.activeElement ?? this.composer).dispatchEvent(event);
    });
    return event;
  }

  async press(name: string): Promise<void> {
    await this.click(find('button', name));
  }

  async click(element: HTMLElement): Promise<void> {
    await act(() => element.click());
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
    if (open?.kind !== 'request') throw new Error(`No request ${name} is open`);
    this.answered.add(open.id);
    return open.id;
  }

  private async post(data: unknown): Promise<void> {
    await act(async () => {
      this.channel.dispatchEvent(new MessageEvent('message', { data }));
      await Promise.resolve();
    });
  }
}

function postedMessage(message: unknown): Posted {
  if (
    typeof message !== 'object' ||
    message === null ||
    !('v' in message) ||
    !('kind' in message) ||
    !('name' in message) ||
    !('payload' in message)
  )
    throw new Error('Not a message to the host');
  const { kind, name, payload } = message;
  if (typeof name !== 'string') throw new Error('A message has no name');
  if (kind === 'command') return { v: protocolVersion, kind, name, payload };
  if (kind === 'request' && 'id' in message && typeof message.id === 'number')
    return { v: protocolVersion, kind, id: message.id, name, payload };
  throw new Error(`A message of an unknown kind: ${String(kind)}`);
}

const implicitRoles: Readonly<Record<string, string>> = {
  BUTTON: 'button',
  ARTICLE: 'article',
  TEXTAREA: 'textbox',
  UL: 'list',
  LI: 'listitem',
  MAIN: 'main',
  H1: 'heading',
  H2: 'heading',
};

export function roleOf(element: Element): string {
  const implicit = element.tagName === 'INPUT' ? 'textbox' : (implicitRoles[element.tagName] ?? '');
  return element.getAttribute('role') ?? implicit;
}

export function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? (element.textContent ?? '').trim();
}

export function all(role: string): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('*')].filter((element) => roleOf(element) === role);
}

export function names(role: string): readonly string[] {
  return all(role).map(nameOf);
}

/** Texts of the elements that a selector finds. */
export function texts(selector: string, within: ParentNode = document): readonly string[] {
  return [...within.querySelectorAll(selector)].map(({ textContent }) => textContent ?? '');
}

/** The one element of this role and name; throws where there is none or more than one. */
export function find(role: string, name: string): HTMLElement {
  const found = all(role).filter((element) => nameOf(element) === name);
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(
      `${found.length} elements of role ${role} are named "${name}"; there are ${JSON.stringify(names(role))}`,
    );
  return found[0];
}
