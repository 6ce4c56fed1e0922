import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FeedPage } from '../../../../../src/protocol/feedProtocol';
import { applyTurnEvent, conversationFrom, mergeSnapshot } from '../../../../../src/webview/chat/state/conversation';
import {
  bounded,
  placedAt,
  withEarlier,
  withLater,
  type Pages,
  mostRendered,
} from '../../../../../src/webview/chat/state/feedFetching';
import { answer, delivered, prompt, runningTurn, shownSession } from '../../../../support/builders/viewMessages';
import { longConversation } from '../../../../support/webviewPreview/feedStates';

const stored = longConversation(500);
const now = 0;

function page(from: number, to: number): FeedPage {
  const messages = stored.messages.slice(Math.max(0, from), to);
  const uids = new Set(messages.map(({ turnUid }) => turnUid));
  return {
    messages,
    turns: stored.turns.filter(({ uid }) => uids.has(uid)),
    versions: [],
    changes: {},
    hasEarlier: from > 0,
    hasLater: to < stored.messages.length,
  };
}

const count = stored.messages.length;
const opened: Pages = { tail: conversationFrom(shownSession({ ...page(count - 60, count) }), now), away: null };
const indexOf = (uid: string | undefined): number => stored.messages.findIndex((message) => message.uid === uid);
const drawn = ({ tail, away }: Pages): readonly string[] => (away ?? tail).messages.map(({ uid }) => uid);
const isContiguous = (uids: readonly string[]): boolean =>
  uids.every((uid, index) => indexOf(uid) === indexOf(uids[0]) + index);

/** What a person does, as the view has it done. */
type Step = { readonly kind: 'up' | 'down' | 'latest' } | { readonly kind: 'jump'; readonly to: number };

function after(pages: Pages, step: Step): { readonly pages: Pages; readonly reading: string | null } {
  const [first, last] = [indexOf(drawn(pages)[0]), indexOf(drawn(pages).at(-1))];
  switch (step.kind) {
    case 'up':
      return {
        pages: first === 0 ? pages : withEarlier(pages, page(first - 60, first), now),
        reading: stored.messages[first]?.uid ?? null,
      };
    case 'down':
      return {
        pages: withLater(pages, page(last + 1, last + 61), now),
        reading: pages.away === null ? null : (stored.messages[last]?.uid ?? null),
      };
    case 'jump':
      return {
        pages: drawn(pages).includes(stored.messages[step.to]?.uid ?? '')
          ? pages
          : placedAt(pages.tail, page(step.to - 30, step.to + 30), now),
        reading: stored.messages[step.to]?.uid ?? null,
      };
    case 'latest':
      return { pages: { ...pages, away: null }, reading: null };
  }
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'up' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'down' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'latest' }) },
  { weight: 1, arbitrary: fc.nat(count - 1).map((to): Step => ({ kind: 'jump', to })) },
);

describe('the pages of a long conversation', () => {
  test('have no gaps, hold the reading position and the end, and stay few, wherever the user goes', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (taken) => {
        let pages = opened;
        for (const step of taken) {
          const next = after(pages, step);
          pages = bounded(next.pages, next.reading);
          const uids = drawn(pages);
          expect({
            contiguous: isContiguous(uids) && isContiguous(pages.tail.messages.map(({ uid }) => uid)),
            few: uids.length <= mostRendered && pages.tail.messages.length <= mostRendered,
            reading: next.reading === null || uids.includes(next.reading),
            end: pages.tail.messages.at(-1)?.uid,
            hasEarlier: (pages.away ?? pages.tail).hasEarlier,
          }).toEqual({
            contiguous: true,
            few: true,
            reading: true,
            end: stored.messages.at(-1)?.uid,
            hasEarlier: indexOf(uids[0]) > 0,
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  test('lead back to the end page by page, where separate parts are joined', () => {
    let pages = placedAt(opened.tail, page(0, 60), now);
    let rounds = 0;
    for (; pages.away !== null && rounds < 100; rounds++) {
      const next = after(pages, { kind: 'down' });
      pages = bounded(next.pages, next.reading);
    }
    expect([pages.away, rounds, drawn(pages).at(-1), isContiguous(drawn(pages))]).toEqual([
      null,
      Math.ceil((count - 120) / 60) + 1,
      stored.messages.at(-1)?.uid,
      true,
    ]);
  });

  test('include what happens at the end while the user is elsewhere', () => {
    const away = placedAt(opened.tail, page(0, 60), now);
    const asked = applyTurnEvent(
      away.tail,
      {
        kind: 'turnOpened',
        turn: runningTurn('new', 'nu'),
        userMessage: prompt({ uid: 'nu', position: 9001, turnUid: 'new' }, 'Go on'),
      },
      now,
    );
    const told = applyTurnEvent(asked, delivered('new', 'na', 1, 0, 'Yes'), now);
    const pages = bounded({ tail: told, away: away.away }, 'lu0');
    expect([
      drawn(pages)[0],
      pages.away?.activity,
      pages.tail.messages.slice(-2).map(({ uid }) => uid),
      bounded({ tail: pages.tail, away: null }, null).tail.turns.get('new')?.state,
    ]).toEqual(['lu0', null, ['nu', 'na'], 'running']);
  });

  test('keep a longer turn complete', () => {
    const rows = Array.from({ length: 400 }, (_, index) =>
      answer({ uid: `x${index}`, position: 6000 + index, turnUid: 'long' }, ['Step']),
    );
    const tail = conversationFrom(
      shownSession({ messages: [...stored.messages.slice(-60), ...rows], turns: [], hasEarlier: true }),
      now,
    );
    expect(bounded({ tail, away: null }, null).tail.messages.map(({ uid }) => uid)).toEqual(rows.map(({ uid }) => uid));
  });

  test('stay the same when the host repeats what it sent first', () => {
    const long = bounded(
      withEarlier(withEarlier(opened, page(count - 120, count - 60), now), page(count - 180, count - 120), now),
      null,
    );
    const again = mergeSnapshot(long.tail, shownSession({ ...page(count - 60, count) }), now);
    expect(again.messages.map(({ uid }) => uid)).toEqual(long.tail.messages.map(({ uid }) => uid));
  });
});
