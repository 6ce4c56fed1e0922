import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OpenReport } from '../../../../src/store/worker/openedStore';
import { type OutsideWindow as Window, outsideWorld } from '../outside/outsideWorld';
import { chunkOf, openingTurn, settlingTurn, spoken } from './turnBuilder';

const { at, openWindow } = outsideWorld({ folds: false });
const session = '20261120_080000_abcdef';

async function ask({ spilling: { store } }: Window, turn: string): Promise<void> {
  await store.openTurn(openingTurn(session, turn));
  await store.appendChunks(chunkOf(session, turn, 1, 0, `Answer to ${turn}`));
  await store.settleTurn(settlingTurn(turn));
}

/** Two whole turns, and a third of which a half is said. */
async function begun(folder = 'store'): Promise<Window> {
  const window = await openWindow(folder);
  await window.spilling.store.createSession({ id: session, startedAt: 1 });
  await ask(window, 't1');
  await ask(window, 't2');
  await window.spilling.store.openTurn(openingTurn(session, 't3'));
  await window.spilling.store.activeMessages(session);
  await window.spilling.store.appendChunks(chunkOf(session, 't3', 1, 0, 'Answer '));
  return window;
}

async function goOn({ spilling: { store } }: Window): Promise<void> {
  await store.appendChunks(chunkOf(session, 't3', 2, 7, 'to t3'));
  await store.settleTurn(settlingTurn('t3'));
}

const turns = (...named: readonly string[]): readonly string[] =>
  named.flatMap((turn) => [`user: Prompt of ${turn}`, `assistant: Answer to ${turn}`]);
const whole = turns('t1', 't2', 't3');

const reaches = ({ connection }: Window, kind: string): Promise<unknown> =>
  expect.poll(() => connection.state.kind).toBe(kind);

/** What a window shows and what is stored, once the answers that were kept aside are folded in. */
async function account(window: Window) {
  await window.spilling.tryAgain();
  const { store } = window.spilling;
  const shown = spoken((await store.readTranscript({ sessionId: session, limit: 100 })).messages);
  return { shown, problems: await store.verifyIntegrity(), spills: spillFiles() };
}
const spillFiles = (folder = 'store'): readonly string[] =>
  readdirSync(at(folder)).filter((name) => name.endsWith('.jsonl'));
const copies = (folder = 'store'): readonly string[] =>
  readdirSync(at(folder))
    .filter((name) => /^state\.\w+-.*\.db$/.test(name))
    .map((name) => name.replace(/\d{8}T.*Z/, 'TIME'));
const stored = { problems: [], spills: [] };

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
  let during: readonly { readonly state: string; readonly isOver: boolean }[] = [];

  /** An older copy of the store, which holds its first turn alone, is put in its place in the middle of the third. */
  async function replacedByOlder(): Promise<Window> {
    const early = await openWindow();
    await early.spilling.store.createSession({ id: session, startedAt: 1 });
    await ask(early, 't1');
    await early.spilling.store.close();
    mkdirSync(at('backup'));
    copyFileSync(at('store', 'state.db'), at('backup', 'state.db'));
    const window = await openWindow();
    await ask(window, 't2');
    await window.spilling.store.openTurn(openingTurn(session, 't3'));
    await window.spilling.store.activeMessages(session);
    await window.spilling.store.appendChunks(chunkOf(session, 't3', 1, 0, 'Answer '));
    renameSync(at('backup', 'state.db'), at('store', 'state.db'));
    await window.spilling.store.appendChunks(chunkOf(session, 't3', 2, 7, 'to t3'));
    during = window.spilling.statuses.map(({ state, isOver }) => ({ state, isOver }));
    await window.spilling.store.settleTurn(settlingTurn('t3'));
    return window;
  }

  it('an older copy: what is missing is offered at every start until it is brought back, in order and once', async () => {
    const window = await replacedByOlder();
    const ended = window.spilling.statuses.map(({ state, isOver }) => ({ state, isOver }));
    expect([during, ended]).toEqual([[{ state: 'writing', isOver: false }], [{ state: 'writing', isOver: true }]]);
    await window.spilling.store.close();
    const offers: (readonly string[])[] = [];
    for (const _ of [1, 2]) {
      const next = await openWindow();
      offers.push(report(next).replaced.map(({ path }) => path));
      await next.spilling.store.close();
    }
    const last = await openWindow();
    const before = (await account(last)).shown;
    await ask(last, 't4');
    await last.connection.bringBack();
    const { broughtBack, replaced } = report(last);
    const after = await account(last);
    await last.spilling.store.close();
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
      before: turns('t1', 't3'),
      after: { ...stored, shown: turns('t1', 't2', 't3', 't4') },
      broughtBack: [[2, true]],
      replaced: [],
      copies: ['state.merged-TIME.db'],
      again: [],
    });
  });

  it('another store: the answer that was kept aside is merged once its session is brought back', async () => {
    const other = await openWindow('other');
    await other.spilling.store.createSession({ id: 'another', startedAt: 1 });
    await other.spilling.store.close();
    const window = await begun();
    renameSync(at('other', 'state.db'), at('store', 'state.db'));
    await goOn(window);
    await window.spilling.store.close();
    const next = await openWindow();
    const before = {
      found: report(next).spills.map(({ outcome }) => outcome),
      offers: report(next).replaced.length,
      spills: spillFiles(),
    };
    await next.connection.bringBack();
    const sessions = (await next.spilling.store.listSessions({ limit: 9, includeEmpty: true }))
      .map(({ id }) => id)
      .sort();
    expect({
      before,
      found: report(next).spills.map(({ outcome }) => outcome),
      sessions,
      ...(await account(next)),
    }).toEqual({
      before: { found: ['otherStore'], offers: 1, spills: [`${session}.jsonl`] },
      found: ['folded'],
      sessions: [session, 'another'].sort(),
      ...stored,
      shown: whole,
    });
  });
});
