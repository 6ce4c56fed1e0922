import { describe, expect, it } from 'vitest';
import { RecentSessions } from '../../../../src/host/chat/recentSessions';
import { StoreStatus } from '../../../../src/host/storage/storeStatus';
import { RecordingLog } from '../recordingLog';
import { settle } from '../recordingPort';
import { StoreAtHand } from '../storeAtHand';

describe('recent sessions that cannot be read', () => {
  it('are distinguished from none, and read again on request', async () => {
    const store = new StoreStatus(new StoreAtHand());
    let isBroken = true;
    const read: number[] = [];
    const recent: RecentSessions = new RecentSessions(
      { store: { listSessions: async () => (isBroken ? Promise.reject(new Error('disk I/O error')) : []) } },
      new RecordingLog(),
      (sessions) => void read.push(sessions.length),
      (reason) => store.recentUnread(reason, async () => recent.refresh()),
    );
    recent.refresh();
    await settle();
    const notice = store.shown.kind === 'open' ? store.shown.notices : [];
    isBroken = false;
    await store.runAction(notice[0]?.actions[0]?.action ?? '');
    await settle();
    recent.dispose();
    expect([
      notice.map(({ sentence, actions }) => [sentence.slice(0, 81), actions.map(({ label }) => label)]),
      store.shown,
      read,
    ]).toEqual([
      [
        [
          'Your recent sessions couldn’t be read. Everything stored is unchanged. Something ',
          ['Try Again', 'Show Log'],
        ],
      ],
      { kind: 'open', notices: [] },
      [0],
    ]);
  });
});
