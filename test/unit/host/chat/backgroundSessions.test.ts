import { describe, expect, it } from 'vitest';
import { BackgroundSessions } from '../../../../src/host/chat/chatSurface';
import type { SessionSummary } from '../../../../src/transcript/session';
import { summary } from '../scriptedGateway';

const entry = (
  id: string,
  state: NonNullable<SessionSummary['lastTurn']>['state'] | null,
  change: Partial<SessionSummary> = {},
): SessionSummary => summary(id, { lastTurn: state === null ? null : { state }, ...change });

describe('background sessions', () => {
  it('are those that answer while another is shown, named by title or first words', () => {
    const list = [
      entry('s1', 'running'),
      entry('s2', 'running'),
      entry('s3', 'waiting', { title: null, preview: 'Why?' }),
      entry('s4', 'complete'),
      entry('s5', null),
    ];
    expect(new BackgroundSessions().among(list, 's1')).toEqual([
      { sessionId: 's2', title: 'Title of s2', state: 'running' },
      { sessionId: 's3', title: 'Why?', state: 'waiting' },
    ]);
  });

  it('stay in the list when they finish, until the user has seen them', () => {
    const sessions = new BackgroundSessions();
    const steps = [
      sessions.among([entry('s2', 'running')], 's1'),
      sessions.among([entry('s2', 'failed', { unread: true })], 's1'),
      sessions.among([entry('s2', 'failed')], 's1'),
      sessions.among([entry('s2', 'failed', { unread: true })], 's1'),
    ];
    expect(steps.map((step) => step.map(({ state }) => state))).toEqual([['running'], ['failed'], [], []]);
  });

  it('are not reported after they are shown or dismissed, unless they answer again', () => {
    const sessions = new BackgroundSessions();
    const done = [entry('s2', 'complete', { unread: true }), entry('s3', 'complete', { unread: true })];
    sessions.among([entry('s2', 'running'), entry('s3', 'running')], 's1');
    const shown = sessions.among(done, 's2').map(({ sessionId }) => sessionId);
    sessions.dismiss('s3');
    expect({
      shown,
      dismissed: sessions.among(done, 's1'),
      again: sessions.among([entry('s3', 'running')], 's1').length,
    }).toEqual({ shown: ['s3'], dismissed: [], again: 1 });
  });

  it('remain the same when they continue in their next segment', () => {
    const sessions = new BackgroundSessions();
    sessions.among([entry('s2', 'running', { conversationId: 'c' })], null);
    expect(sessions.among([entry('s2b', 'complete', { conversationId: 'c', unread: true })], null)).toEqual([
      { sessionId: 's2b', title: 'Title of s2b', state: 'complete' },
    ]);
  });

  it('do not include sessions that were unread before', () => {
    expect(new BackgroundSessions().among([entry('s2', 'complete', { unread: true })], null)).toEqual([]);
  });
});
