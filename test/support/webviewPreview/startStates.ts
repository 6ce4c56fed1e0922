import type { SessionSummary } from '../../../src/transcript/session';
import { modelRow } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** The chat where no conversation is, in surroundings that cannot do everything. */
export function startStates(recent: readonly SessionSummary[]): Readonly<Record<string, PreviewState>> {
  const demo = modelRow({
    ref: 'Demo/demo',
    label: 'Demo',
    provider: 'Demo',
    destination: 'Runs offline, sends nothing',
    contextWindow: null,
    isDemo: true,
  });
  return {
    'empty-virtual': chat(null, {}, { isVirtual: true, restricted: true }),
    'empty-demo': chat(null, {}, { model: { chosen: demo, problem: null } }),
    'empty-unread': chat(
      null,
      {},
      {
        store: {
          kind: 'open',
          notices: [
            {
              sentence:
                'Your recent sessions couldn’t be read. Everything stored is unchanged. The disk reported an error.',
              actions: [
                { action: 'again', label: 'Try Again' },
                { action: 'showLog', label: 'Show Log' },
              ],
            },
          ],
        },
      },
    ),
    'empty-first-session': chat(null, {}, { recentSessions: recent.slice(2, 3) }),
  };
}
