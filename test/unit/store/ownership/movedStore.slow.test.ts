import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OpenReport } from '../../../../src/store/worker/openedStore';
import { type OutsideWindow as Window, outsideWorld } from '../outside/outsideWorld';
import { chunkOf, openingTurn, settlingTurn, spoken } from './turnBuilder';

const { at, openWindow } = outsideWorld();
const session = '20261120_080000_abcdef';

async function ask({ store }: Window, turn: string): Promise<void> {
  await store.openTurn(openingTurn(session, turn));
  await store.appendChunks(chunkOf(session, turn, 1, 0, `Answer to ${turn}`));
  await store.settleTurn(settlingTurn(turn));
}

/** Two whole turns, and a third of which a half is said. */
async function begun(folder = 'store'): Promise<Window> {
  const window = await openWindow(folder);
  await window.store.createSession({ id: session, startedAt: 1 });
  await ask(window, 't1');
  await ask(window, 't2');
  await window.store.openTurn(openingTurn(session, 't3'));
  await window.store.activeMessages(session);
  await window.store.appendChunks(chunkOf(session, 't3', 1, 0, 'Answer '));
  return window;
}

async function goOn({ store }: Window): Promise<void> {
  await store.appendChunks(chunkOf(session, 't3', 2, 7, 'to t3'));
  await store.settleTurn(settlingTurn('t3'));
}

const turns = (...named: readonly string[]): readonly string[] =>
  named.flatMap((turn) => [`user: Prompt of ${turn}`, `assistant: Answer to ${turn}`]);
const whole = turns('t1', 't2', 't3');

const reaches = ({ connection }: Window, kind: string): Promise<unknown> =>
  expect.poll(() => connection.state.kind).toBe(kind);

/** What a window shows, and what a check finds. */
async function account(window: Window) {
  const { store } = window;
  const shown = spoken((await store.readTranscript({ sessionId: session, limit: 100 })).messages);
  return { shown, problems: await store.verifyIntegrity() };
}
const copies = (folder = 'store'): readonly string[] =>
  readdirSync(at(folder))
    .filter((name) => /^state\.\w+-.*\.db$/.test(name))
    .map((name) => name.replace(/\d{8}T.*Z/, 'TIME'));
const stored = { problems: [] };

function report({ connection: { state } }: Window): OpenReport {
  if (state.kind !== 'open') throw new Error(`the store is ${state.kind}`);
  return state.report;
}

describe('files of a store that disappear while it is open', () => {
  it('the lock: it is acquired again, and the turn continues', async () => {
    const window = await begun();
    rmSync(at('store', 'state.db.lock'));
    await goOn(window);
    await reaches(window, 'open');
    const { state } = window.connection;
    expect({
      ...(await account(window)),
      failed: window.states.includes('failed'),
      locked: readdirSync(at('store')).includes('state.db.lock'),
      regained: state.kind === 'open' && state.regained?.causeClass,
    }).toEqual({
      ...stored,
      shown: whole,
      failed: false,
      locked: true,
      regained: 'deleted',
    });
  });

  it('the file: it is restored, and the turn continues', async () => {
    const window = await begun();
    rmSync(at('store', 'state.db'));
    await goOn(window);
    await reaches(window, 'open');
    expect({ ...(await account(window)), putBack: report(window).putBack, copies: copies() }).toEqual({
      ...stored,
      shown: whole,
      putBack: at('store', 'state.replaced-1.db'),
      copies: [],
    });
  });

  it('the folder: it is created again with everything in it, and the turn continues', async () => {
    const window = await begun();
    rmSync(at('store'), { recursive: true });
    await goOn(window);
    await reaches(window, 'open');
    expect({ ...(await account(window)), putBack: report(window).putBack, copies: copies() }).toEqual({
      ...stored,
      shown: whole,
      putBack: at('store', 'state.replaced-1.db'),
      copies: [],
    });
  });
});

describe('a file that replaces an open store', () => {
  /** An older copy of the store, which holds its first turn alone, is put in its place in the middle of the third. */
  async function replacedByOlder(): Promise<Window> {
    const early = await openWindow();
    await early.store.createSession({ id: session, startedAt: 1 });
    await ask(early, 't1');
    await early.store.close();
    mkdirSync(at('backup'));
    copyFileSync(at('store', 'state.db'), at('backup', 'state.db'));
    const window = await openWindow();
    await ask(window, 't2');
    await window.store.openTurn(openingTurn(session, 't3'));
    await window.store.activeMessages(session);
    await window.store.appendChunks(chunkOf(session, 't3', 1, 0, 'Answer '));
    renameSync(at('backup', 'state.db'), at('store', 'state.db'));
    await expect(window.store.appendChunks(chunkOf(session, 't3', 2, 7, 'to t3'))).rejects.toMatchObject({
      causeClass: 'replaced',
    });
    return window;
  }

  it('an older copy: what is missing is offered at every start until it is brought back, each file in its order, once', async () => {
    const window = await replacedByOlder();
    await window.store.close();
    const offers: (readonly string[])[] = [];
    for (const _ of [1, 2]) {
      const next = await openWindow();
      offers.push(report(next).replaced.map(({ path }) => path));
      await next.store.close();
    }
    const last = await openWindow();
    const before = (await account(last)).shown;
    await ask(last, 't4');
    await last.connection.bringBack();
    const { broughtBack, replaced } = report(last);
    const after = await account(last);
    await last.store.close();
    const again = await openWindow();
    expect({
      offers,
      before,
      after,
      broughtBack: broughtBack.map(({ messages, complete }) => [messages, complete]),
      replaced,
      copies: copies(),
      again: report(again).replaced,
    }).toEqual({
      offers: [[at('store', 'state.replaced-1.db')], [at('store', 'state.replaced-1.db')]],
      before: turns('t1'),
      after: { ...stored, shown: turns('t1', 't4', 't2', 't3') },
      broughtBack: [[4, true]],
      replaced: [],
      copies: ['state.merged-TIME.db'],
      again: [],
    });
  });
});
