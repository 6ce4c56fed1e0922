import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { protocolVersion } from '../../../src/protocol/envelope';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { delivered, session } from '../builders/viewMessages';
import { BrowserPreview } from './browserPreview';

/** A preview that starts before the tests of a file and closes after them. */
export function usePreview(
  ...how: Parameters<typeof BrowserPreview.start>
): Pick<BrowserPreview, 'open' | 'leave' | 'source'> {
  let started: BrowserPreview | undefined;
  const preview = (): BrowserPreview => {
    if (started === undefined) throw new Error('The preview has not started');
    return started;
  };
  beforeAll(async () => {
    started = await BrowserPreview.start(...how);
  });
  afterAll(() => started?.close());
  return {
    open: (...what) => preview().open(...what),
    leave: (page) => preview().leave(page),
    source: (name) => preview().source(name),
  };
}

/** Sends the page a notification of the host. */
export function tell(page: Page, name: string, payload: unknown): Promise<void> {
  return page.evaluate(
    (sent) => window.postMessage(JSON.parse(sent), '*'),
    JSON.stringify({ v: protocolVersion, kind: 'notification', name, payload }),
  );
}

export function tellTurn(page: Page, event: TurnEvent): Promise<void> {
  return tell(page, 'turnEvent', { sessionId: session().id, event });
}

/** Streams a text into the open turn of state "streaming", in pieces of `size` characters. */
export async function stream(page: Page, text: string, size: number, uid = 'b10'): Promise<void> {
  for (let start = 0, seq = 1; start < text.length; start += size, seq++)
    await tellTurn(page, delivered('turn2', uid, seq, start, text.slice(start, start + size)));
}

/** Messages of these names that the view sent to the host, as pairs of name and payload. */
export async function posted(
  page: Page,
  ...names: readonly string[]
): Promise<readonly (readonly [string, unknown])[]> {
  const messages = (await page.evaluate(() => Reflect.get(window, 'posted'))) as readonly {
    readonly name: string;
    readonly payload: unknown;
  }[];
  return messages.filter(({ name }) => names.includes(name)).map(({ name, payload }) => [name, payload]);
}
