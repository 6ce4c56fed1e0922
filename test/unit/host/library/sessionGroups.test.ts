import { afterEach, describe, expect, it } from 'vitest';
import {
  missingOrigins,
  secondsToMidnight,
  sessionGroups,
  type SessionTreeEntry,
  type SessionLists,
} from '../../../../src/host/library/sessionGroups';
import { summary } from '../scriptedGateway';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const at = (time: string): number => Date.parse(time) / 1000;
const none = { sessions: [], hasMore: false };

function lists(parts: Partial<SessionLists>): SessionLists {
  return { active: none, archived: none, trash: none, ...parts };
}

function outline(entry: SessionTreeEntry): unknown {
  return entry.branches.length === 0 ? entry.sessionId : [entry.sessionId, ...entry.branches.map(outline)];
}

function groups(given: SessionLists, now: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    sessionGroups(given, now).map(({ group, entries, hasMore }) => [
      group,
      [...entries.map(outline), ...(hasMore ? ['more'] : [])],
    ]),
  );
}

describe('the groups of the sessions view', () => {
  it('are days in the local time zone: today, the six days before, and older', () => {
    const now = at('2026-11-20T03:00:00Z');
    const sessions = [
      '2026-11-20T02:00:00Z',
      '2026-11-19T14:59:59Z',
      '2026-11-19T06:00:00Z',
      '2026-11-14T06:00:00Z',
      '2026-11-13T12:00:00Z',
    ].map((time) => summary(time, { lastActiveAt: at(time) }));
    const given = lists({ active: { sessions, hasMore: false } });
    process.env['TZ'] = 'Asia/Tokyo';
    const tokyo = groups(given, now);
    process.env['TZ'] = 'America/Los_Angeles';
    const losAngeles = groups(given, now);
    expect({ tokyo, losAngeles }).toEqual({
      tokyo: {
        today: ['2026-11-20T02:00:00Z'],
        week: ['2026-11-19T14:59:59Z', '2026-11-19T06:00:00Z', '2026-11-14T06:00:00Z'],
        older: ['2026-11-13T12:00:00Z'],
      },
      losAngeles: {
        today: ['2026-11-20T02:00:00Z', '2026-11-19T14:59:59Z'],
        week: ['2026-11-19T06:00:00Z', '2026-11-14T06:00:00Z', '2026-11-13T12:00:00Z'],
      },
    });
  });

  it('count calendar days when clocks are set back', () => {
    process.env['TZ'] = 'Europe/Berlin';
    // 25 October 2026 has 25 hours in Berlin.
    const now = at('2026-10-25T22:30:00Z');
    const given = lists({
      active: {
        sessions: [
          summary('firstHour', { lastActiveAt: at('2026-10-24T22:10:00Z') }),
          summary('dayBefore', { lastActiveAt: at('2026-10-24T21:50:00Z') }),
        ],
        hasMore: false,
      },
    });
    expect([groups(given, now), secondsToMidnight(now)]).toEqual([{ today: ['firstHour'], week: ['dayBefore'] }, 1800]);
  });

  it('put branches below their origin, and a thread where its newest activity belongs', () => {
    process.env['TZ'] = 'UTC';
    const sessions = [
      summary('branchOfBranch', { lastActiveAt: at('2026-11-20T08:00:00Z'), from: 'branch' }),
      summary('alone', { lastActiveAt: at('2026-11-20T07:00:00Z') }),
      summary('otherBranch', { lastActiveAt: at('2026-11-10T00:00:00Z'), from: 'root' }),
      summary('branch', { lastActiveAt: at('2026-11-09T00:00:00Z'), from: 'root' }),
      summary('root', { lastActiveAt: at('2026-11-01T00:00:00Z') }),
      summary('orphan', { lastActiveAt: at('2026-11-01T00:00:00Z'), from: 'gone' }),
    ];
    expect(groups(lists({ active: { sessions, hasMore: false } }), at('2026-11-20T09:00:00Z'))).toEqual({
      today: [['root', ['branch', 'branchOfBranch'], 'otherBranch'], 'alone'],
      older: ['orphan'],
    });
  });

  it('keep pinned sessions on top, with their branches; a pinned branch of another session is its own row there', () => {
    process.env['TZ'] = 'UTC';
    const now = at('2026-11-20T09:00:00Z');
    const sessions = [
      summary('pinned', { pinned: true, lastActiveAt: now - 90 * 86_400 }),
      summary('below', { from: 'pinned', lastActiveAt: now }),
      summary('plain', { lastActiveAt: now }),
      summary('pinnedBranch', { pinned: true, from: 'plain', lastActiveAt: now - 60 }),
    ];
    expect(groups(lists({ active: { sessions, hasMore: false } }), now)).toEqual({
      pinned: [['pinned', 'below'], 'pinnedBranch'],
      today: ['plain'],
    });
  });

  it('include the archive and the trash, and no empty group; a group with more sessions requests further pages', () => {
    process.env['TZ'] = 'UTC';
    const now = at('2026-11-20T09:00:00Z');
    const trash = [
      summary('deleted', { trashedAt: now }),
      summary('deletedBranch', { trashedAt: now, from: 'deleted' }),
      summary('branchOfKept', { trashedAt: now, from: 'kept' }),
    ];
    expect(
      groups(
        lists({
          active: { sessions: [summary('kept', { lastActiveAt: now })], hasMore: true },
          archived: { sessions: [summary('put away')], hasMore: true },
          trash: { sessions: trash, hasMore: false },
        }),
        now,
      ),
    ).toEqual({
      today: ['kept', 'more'],
      archived: ['put away', 'more'],
      trash: [['deleted', 'deletedBranch'], 'branchOfKept'],
    });
  });

  it('show every session once, even in a damaged file in which branches are branches of each other', () => {
    const sessions = [
      summary('one', { from: 'two' }),
      summary('two', { from: 'one' }),
      summary('three', { from: 'one' }),
      summary('self', { from: 'self' }),
      summary('twice'),
      summary('twice'),
    ];
    const shown = JSON.stringify(groups(lists({ active: { sessions, hasMore: false } }), 10)).match(
      /one|two|three|self|twice/g,
    );
    expect(shown?.sort()).toEqual(['one', 'self', 'three', 'two', 'twice'].sort());
  });
});

describe('origins that are not on the page', () => {
  it('are listed once each', () => {
    expect(
      missingOrigins([
        summary('a', { from: 'x' }),
        summary('b', { from: 'x' }),
        summary('c', { from: 'a' }),
        summary('d'),
      ]),
    ).toEqual(['x']);
  });
});
