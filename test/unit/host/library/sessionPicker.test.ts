import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SessionStore } from '../../../../src/store/session/sessionStore';
import type { SearchHit } from '../../../../src/store/requests';
import type { SessionSummary } from '../../../../src/transcript/session';
import { summary } from '../scriptedGateway';

interface Item {
  readonly label: string;
  readonly pick: unknown;
}

/** A quick pick as the editor gives it: the first item is the one that Enter takes, and what the list holds is
 *  ours to say. */
class FakePicker {
  value = '';
  busy = false;
  selectedItems: readonly Item[] = [];
  private listed: readonly Item[] = [];
  private readonly listeners = new Map<string, (given: unknown) => void>();
  readonly onDidChangeValue = this.event('value');
  readonly onDidTriggerItemButton = this.event('button');
  readonly onDidAccept = this.event('accept');
  readonly onDidHide = this.event('hide');

  get items(): readonly Item[] {
    return this.listed;
  }

  set items(items: readonly Item[]) {
    this.listed = items;
    this.selectedItems = items.slice(0, 1);
  }

  type(text: string): void {
    this.value = text;
    this.tell('value', text);
  }

  enter(): void {
    this.tell('accept', undefined);
  }

  show(): void {}
  dispose(): void {}

  hide(): void {
    this.tell('hide', undefined);
  }

  private event(name: string): (listener: (given: unknown) => void) => void {
    return (listener) => this.listeners.set(name, listener);
  }

  private tell(name: string, given: unknown): void {
    this.listeners.get(name)?.(given);
  }
}

const { pickers } = vi.hoisted(() => ({ pickers: [] as unknown[] }));
vi.mock('vscode', () => ({
  env: { language: 'en' },
  ThemeIcon: class {},
  QuickPickItemKind: { Separator: -1 },
  window: {
    createQuickPick: () => {
      const picker = new FakePicker();
      pickers.push(picker);
      return picker;
    },
  },
}));
const { pickSession } = await import('../../../../src/host/library/sessionPicker');

const stored = [
  summary('newest', { title: 'The newest' }),
  summary('repaired', { title: 'Repaired session' }),
  summary('older', { title: 'Older' }),
];
/** Lists the stored sessions whose title holds the text, after a while, as the store does. */
async function listSessions({ text = '' }: { readonly text?: string }): Promise<SessionSummary[]> {
  await new Promise((resolve) => setTimeout(resolve, 40));
  return stored.filter(({ title }) => title?.toLowerCase().includes(text.toLowerCase()));
}

async function opened(search: SessionStore['search'] | null = null) {
  const chosen = pickSession({
    title: 'Resume',
    gateway: { store: { listSessions } },
    search,
    current: null,
    now: () => 0,
    openTranscript: () => undefined,
    showOthers: null,
  });
  await vi.advanceTimersByTimeAsync(100);
  return { picker: pickers.at(-1) as FakePicker, chosen };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('Enter pressed before the list has caught up opens what was typed, not the newest session', async () => {
  const { picker, chosen } = await opened();
  picker.type('repaired');
  picker.enter();
  await vi.advanceTimersByTimeAsync(100);
  expect(await chosen).toEqual({ sessionId: 'repaired', messageUid: null });
});

it('Enter while the list is being read waits for it; further typing cancels the Enter', async () => {
  const { picker, chosen } = await opened();
  picker.type('r');
  await vi.advanceTimersByTimeAsync(160);
  picker.enter();
  picker.type('ol');
  await vi.advanceTimersByTimeAsync(400);
  expect(picker.items.map(({ label }) => label)).toEqual(['Older']);
  picker.enter();
  expect(await chosen).toEqual({ sessionId: 'older', messageUid: null });
});

it('Enter on words without a match leaves the list open', async () => {
  const { picker, chosen } = await opened();
  picker.type('nothing like it');
  picker.enter();
  await vi.advanceTimersByTimeAsync(400);
  const state = await Promise.race([chosen, Promise.resolve('open')]);
  expect([state, picker.items.map(({ label }) => label)]).toEqual(['open', ['Nothing found for “nothing like it”']]);
});

it('a row of the previous list, selected just as the next list arrives, is not taken for what was typed', async () => {
  const { picker, chosen } = await opened();
  const [newest] = picker.items;
  picker.type('repaired');
  await vi.advanceTimersByTimeAsync(400);
  picker.selectedItems = newest === undefined ? [] : [newest];
  picker.enter();
  await vi.advanceTimersByTimeAsync(100);
  expect(await chosen).toEqual({ sessionId: 'repaired', messageUid: null });
});

it('lists a session found by its first prompt once, and still lists its other messages', async () => {
  const hit = (messageUid: string, snippet: string, change: Partial<SearchHit> = {}): SearchHit => ({
    sessionId: 'prompted',
    conversationId: 'prompted',
    position: 1,
    sessionTitle: 'Prompted retries',
    messageUid,
    role: 'user',
    createdAt: 1,
    snippet,
    matches: [],
    ...change,
  });
  stored.push(summary('prompted', { title: 'Prompted retries', preview: 'How do retries work, and where are they?' }));
  const { picker } = await opened(async () => [
    hit('later', 'retries', { createdAt: 3 }),
    hit('answer', 'retries work', { role: 'assistant', createdAt: 2 }),
    hit('first', '…do retries\nwork, and where…'),
    hit('elsewhere', 'How do retries work', { sessionId: 'x', conversationId: 'x' }),
  ]);
  picker.type('retries');
  await vi.advanceTimersByTimeAsync(400);
  stored.pop();
  expect(picker.items.map(({ pick, label }) => pick ?? label)).toEqual([
    { sessionId: 'prompted', messageUid: null },
    'Messages',
    { sessionId: 'prompted', messageUid: 'later' },
    { sessionId: 'prompted', messageUid: 'answer' },
    { sessionId: 'x', messageUid: 'elsewhere' },
  ]);
});
