import { render, type ComponentChild } from 'preact';
import { act } from 'preact/test-utils';
import * as v from 'valibot';
import { afterEach } from 'vitest';
import { protocolVersion } from '../../../src/protocol/envelope';
import { find } from './elements';

const sentMessage = v.looseObject({
  kind: v.string(),
  name: v.string(),
  payload: v.unknown(),
  id: v.optional(v.number(), 0),
});
type Sent = v.InferOutput<typeof sentMessage>;

/** A view in a page of its own, with a host that the test plays. Closes when another one opens, and after the test. */
export abstract class ViewPage {
  private static readonly opened = new Set<ViewPage>();
  readonly posted: Sent[] = [];
  protected readonly channel = new EventTarget();
  /** The view's way to its host. */
  protected readonly api = {
    postMessage: (message: unknown): void => this.receive(v.parse(sentMessage, message)),
    getState: () => undefined,
    setState: () => undefined,
  };
  private readonly root = document.body.appendChild(document.createElement('div'));

  constructor() {
    ViewPage.closeAll();
    ViewPage.opened.add(this);
  }

  static closeAll(): void {
    for (const page of ViewPage.opened) page.close();
  }

  /** Payloads sent under this name, in order. */
  sent(name: string): readonly unknown[] {
    return this.posted.filter((message) => message.name === name).map(({ payload }) => payload);
  }

  async key(key: string, init: KeyboardEventInit = {}): Promise<KeyboardEvent> {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
    await this.acting(() => void (document.activeElement ?? document.body).dispatchEvent(event));
    return event;
  }

  async fill(field: HTMLElement, text: string): Promise<void> {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement))
      throw new Error('Nothing can be typed here');
    await this.acting(() => {
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
  }

  async press(name: string): Promise<void> {
    await this.click(find('button', name));
  }

  async click(element: HTMLElement): Promise<void> {
    await this.acting(() => element.click());
  }

  /** Unmounts: effects end as when the page goes. */
  close(): void {
    act(() => render(null, this.root));
    this.root.remove();
    ViewPage.opened.delete(this);
  }

  protected show(view: ComponentChild): void {
    act(() => render(view, this.root));
  }

  protected receive(message: Sent): void {
    this.posted.push(message);
  }

  protected dispatch(message: object): void {
    this.channel.dispatchEvent(new MessageEvent('message', { data: { v: protocolVersion, ...message } }));
  }

  /** Does something and waits for what follows from it. */
  protected async acting(what: () => void): Promise<void> {
    await act(async () => {
      what();
      await this.follows();
    });
  }

  protected abstract follows(): Promise<unknown>;
}

afterEach(() => ViewPage.closeAll());
