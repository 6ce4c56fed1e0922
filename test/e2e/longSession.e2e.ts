import type { NewMessage } from '../../src/transcript/message';
import { unknownUsage } from '../../src/transcript/usage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, type Workbench, waitFor, write } from '../support/vscode';
import { openWorldStore } from '../support/worldStore';
import { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

/** Turns of the session, the one that a person had here included. */
const turns = 2000;
/** Articles that are drawn at most: whole turns, and the page that was just loaded. */
const mostArticles = 300;

let server: ModelServer;
let workbench: Workbench;
let panel: ChatPanel;

beforeAll(async () => {
  server = await startModelServer();
  server.otherwise(reply().says('Answered.'));
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
    'hermes.model': 'Local/test-model',
  },
}));

const articles = () => panel.frame.locator('.feed article');
const scroller = () => panel.frame.locator('.scroller');
const firstPrompt = () => panel.frame.getByRole('feed').getByText('Where does the zeppelin land?');
const find = () => panel.frame.getByRole('textbox', { name: 'Find' });
const focused = () =>
  panel.frame.locator('body').evaluate((body) => body.ownerDocument.activeElement?.getAttribute('aria-label') ?? '');

/** The first article in sight, and where it is. */
const place = () =>
  scroller().evaluate((element) => {
    const edge = element.getBoundingClientRect().top;
    const seen = [...element.querySelectorAll('article[data-uid]')].find(
      (article) => article.getBoundingClientRect().bottom > edge + 1,
    );
    return {
      uid: seen?.getAttribute('data-uid') ?? '',
      top: Math.round((seen?.getBoundingClientRect().top ?? 0) - edge),
    };
  });

/** The session goes on for this many turns, as if they had been had here. */
async function goOn(folder: string, sessionId: string, count: number): Promise<void> {
  const { db, store, database } = await openWorldStore(folder, () => Date.now() / 1000);
  // Nothing of it must outlive a power cut.
  database.run('PRAGMA synchronous = OFF');
  const startedAt = Math.floor(Date.now() / 1000);
  for (let number = 2; number < count + 2; number++) {
    const turnUid = `seeded-${number}`;
    const base = (name: string) =>
      ({
        uid: `${turnUid}-${name}`,
        sessionId,
        turnUid,
        createdAt: startedAt + number,
        visibility: { kind: 'shown' },
        carriedFrom: null,
      }) as const;
    const said: NewMessage = {
      ...base('a'),
      role: 'assistant',
      state: 'final',
      lastSeq: 0,
      model: 'Local/test-model',
      finishReason: 'stop',
      usage: unknownUsage,
      parts: [
        {
          kind: 'text',
          text: `Answer ${number}. ${'It goes on like this for a while. '.repeat(6 + (number % 7) * 3)}`,
        },
      ],
    };
    db.openTurn({
      turnUid,
      sessionId,
      model: 'Local/test-model',
      startedAt: startedAt + number,
      userMessage: { ...base('u'), role: 'user', parts: [{ kind: 'text', text: `Prompt ${number}` }] },
    });
    db.settleTurn({
      turnUid,
      settledAt: startedAt + number,
      settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
      messages: [said],
    });
  }
  await store.close();
}

beforeAll(async () => {
  workbench = await vscode().open(vscode().sampleFolder());
  panel = await ChatPanel.open(workbench);
  await panel.send('Where does the zeppelin land?');
  await panel.waitForSettledAnswer('the answer', (text) => text === 'Answered.');
  const folder = vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '';
  const sessionId = String(readStateDb(folder, 'SELECT id FROM sessions')[0]?.['id']);
  await workbench.page.goto('about:blank');
  await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
  await goOn(folder, sessionId, turns - 1);
  await workbench.open(vscode().sampleFolder());
  panel = await ChatPanel.open(workbench);
  await panel.sees(`Prompt ${turns}`, 60_000);
}, 400_000);

test('words that stand in the first turn alone are found, gone to, and left by Escape', async () => {
  await panel.composer.focus();
  await workbench.page.keyboard.press('Control+f');
  await write(find(), 'zeppelin');
  await panel.frame.getByRole('search').getByText('1 of 1').waitFor({ timeout: 60_000 });
  await firstPrompt().waitFor();
  const seen = {
    articles: (await articles().count()) <= mostArticles,
    focus: await focused(),
    inEditor: await workbench.page.locator('.editor-widget.find-widget.visible').count(),
  };
  await workbench.page.keyboard.press('Escape');
  await find().waitFor({ state: 'detached' });
  expect([seen, await focused()]).toEqual([{ articles: true, focus: 'Find', inEditor: 0 }, 'Message']);
});

test('a reload is back at the place, and the newest is one press away', async () => {
  await scroller().evaluate((element) => (element.scrollTop += 400));
  await waitFor('the place to be noted', async () => {
    const first = await place();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return (await place()).top === first.top ? true : undefined;
  });
  const before = await place();
  await workbench.reload();
  panel = await ChatPanel.attach(workbench);
  await firstPrompt().waitFor();
  const after = await waitFor('the place', async () => ((await place()).uid === before.uid ? place() : undefined));
  await panel.button('Jump to latest').click();
  await panel.sees(`Prompt ${turns}`);
  expect([Math.abs(after.top - before.top) <= 2, (await articles().count()) <= mostArticles]).toEqual([true, true]);
});

test('keys walk through turns beyond what is loaded, and Home and End reach both ends', async () => {
  await panel.composer.focus();
  const up = await waitFor('turns that were not loaded', async () => {
    await workbench.page.keyboard.press('Alt+PageUp');
    const { uid } = await place();
    return Number(/\d+/.exec(uid)?.[0]) <= turns - 20 ? uid : undefined;
  });
  const composer = await focused();
  await scroller().focus();
  await workbench.page.keyboard.press('Home');
  await firstPrompt().waitFor();
  await workbench.page.keyboard.press('Alt+PageDown');
  await waitFor('the second turn', async () => ((await place()).uid === 'seeded-2-u' ? true : undefined));
  await workbench.page.keyboard.press('End');
  await panel.sees(`Prompt ${turns}`);
  expect([composer, up.startsWith('seeded-'), (await articles().count()) <= mostArticles]).toEqual([
    'Message',
    true,
    true,
  ]);
});

test('scrolling up goes on and on with a bounded page', async () => {
  let most = 0;
  let first: string | null = null;
  // Each page comes in its own time.
  await waitFor(
    'turns far above',
    async () => {
      await scroller().evaluate((element) => (element.scrollTop = 200));
      most = Math.max(most, await articles().count());
      first = await articles().first().getAttribute('data-uid');
      return Number(/\d+/.exec(first ?? '')?.[0]) < turns - 300;
    },
    { seen: () => ({ first, most }) },
  );
  const nodes = await panel.frame.locator('body').evaluate((body) => body.querySelectorAll('*').length);
  expect({ bounded: most <= mostArticles, nodes: nodes < 15_000 }).toEqual({ bounded: true, nodes: true });
});

test('an answer that streams at the end moves nothing where the person reads, and is there at one press', async () => {
  const words = numberedWords('w', 400);
  const [begin, end] = [numberedWords('w', 100).length, numberedWords('w', 300).length];
  const [reading, rest] = [gate(), gate()];
  server.script(
    reply()
      .says(words.slice(0, begin))
      .waitsFor(reading.opened)
      .says(words.slice(begin, end), { every: 10 })
      .waitsFor(rest.opened)
      .says(words.slice(end)),
  );
  await panel.send('And now?');
  await panel.waitForAnswer('some words', (text) => text.includes('w0010'));
  await scroller().focus();
  await workbench.page.keyboard.press('Home');
  await firstPrompt().waitFor();
  const before = await waitFor('the beginning', async () => ((await place()).top >= 0 ? place() : undefined));
  reading.open();
  // Far from the end nothing of it is drawn: that it goes on is known from the server.
  const said = server.requests.at(-1)?.delivered.text.length ?? 0;
  await waitFor('much more to be said', () => (server.requests.at(-1)?.delivered.text.length ?? 0) > said + 500);
  const after = await place();
  rest.open();
  await panel.button('Jump to latest').click();
  await panel.waitForAnswer('the whole answer', (text) => text.includes('w0400'));
  expect([after, (await articles().count()) <= mostArticles]).toEqual([before, true]);
});
