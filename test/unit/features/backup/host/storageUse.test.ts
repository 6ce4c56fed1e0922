import { describe, expect, it, vi } from 'vitest';
import type { SessionSummary } from '../../../../../src/transcript/session';
import { summary } from '../../../host/scriptedGateway';
import { editor } from '../../../host/answeringEditor';
import { StorageUse, prunableSessions } from '../../../../../src/features/backup/host/storageUse';
import { ManualClock } from '../../../../support/manualClock';
import { fakeBackupWindow, never } from './fakeBackupWindow';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

const day = 86_400;
const now = 1000 * day;
const aged = (id: string, days: number, change: Parameters<typeof summary>[1] = {}): SessionSummary =>
  summary(id, { title: id, conversationId: id, lastActiveAt: now - days * day, ...change });

function useOf(active: readonly SessionSummary[], archived: readonly SessionSummary[] = []) {
  const done: string[] = [];
  const clock = new ManualClock();
  clock.now = () => now;
  const window = fakeBackupWindow({
    history: {
      store: {
        listSessions: async ({ state, offset = 0, limit }) =>
          (state === 'archived' ? archived : active).slice(offset, offset + limit),
        storeSizes: async () => ({
          sessions: [
            { sessionId: 'big', title: 'Big', messages: 3, textBytes: 2e6, imageBytes: 3e6 },
            { sessionId: 'small', title: null, messages: 1, textBytes: 2000, imageBytes: 0 },
          ],
          fileContentBytes: 4e6,
          searchIndexBytes: 5e5,
          freeBytes: 0,
          fileBytes: 12e6,
        }),
      },
    },
    clock,
    opener: { open: async (id) => void done.push(`open ${id}`) },
    sessions: {
      trash: async (sessions) => void done.push(`trash ${sessions.map(({ id }) => id).join()}`),
      erase: async (sessions) => void done.push(`erase ${sessions.map(({ id }) => id).join()}`),
      refresh: never,
    },
  });
  const { table } = new StorageUse(window);
  return { show: async () => table['showStorageUse']?.(), done };
}

describe('Show Storage Use', () => {
  it('lists what takes the space, and opens the session that is chosen', async () => {
    const { show, done } = useOf([]);
    editor.picks.push('Big');
    await show();
    expect([editor.offered[0], done]).toEqual([
      [
        'Remove Old Sessions… | ',
        'All Sessions | ',
        'Text | 2 MB',
        'Images | 3 MB',
        'Contents of changed files | 4 MB',
        'Search index | 500 kB',
        'Unused, taken by the next messages | 0 kB',
        'Sessions | ',
        'Big | 5 MB · 3 messages · images: 3 MB',
        'Untitled Session | 2 kB · 1 message',
      ],
      ['open big'],
    ]);
  });

  it('removes sessions of an age, in the way that the user chooses, and those in the archive too', async () => {
    const { show, done } = useOf([aged('new', 3), aged('old', 40), aged('older', 200)], [aged('archived', 100)]);
    editor.picks.push('Remove Old Sessions…', 'Not active for 90 days', 'Delete Permanently…');
    await show();
    editor.picks.push('Remove Old Sessions…', 'Not active for 30 days', 'Move to Trash');
    await show();
    editor.picks.push('Remove Old Sessions…', 'Not active for 30 days', undefined);
    await show();
    expect([editor.offered[1], done]).toEqual([
      [
        'Not active for 30 days | 3 sessions',
        'Not active for 90 days | 2 sessions',
        'Not active for 180 days | 1 session',
      ],
      ['erase older,archived', 'trash old,older,archived'],
    ]);
  });
});

describe('sessions that may be removed', () => {
  it('are never pinned, live, or the origin of one that stays', () => {
    const all = [
      aged('root', 400),
      aged('middle', 300, { from: 'root' }),
      aged('leaf', 1, { from: 'middle' }),
      aged('pinned', 400, { pinned: true }),
      aged('queued', 400, { queuedCount: 1 }),
      aged('waiting', 400, { lastTurn: { state: 'waiting' } }),
      aged('running', 400),
      aged('old', 400),
      aged('oldBranch', 350, { from: 'old' }),
    ];
    const removed = prunableSessions(all, new Set(['running']), now - 30 * day);
    expect(removed.map(({ id }) => id)).toEqual(['old', 'oldBranch']);
  });
});
