import type { ChatState, ShownSession } from '../../../src/protocol/chatProtocol';
import type { SessionSummary } from '../../../src/transcript/session';
import { modelRow } from '../builders/viewMessages';
import type { PreviewState } from './states';

/** The chat where no conversation is, in surroundings that cannot do everything. */
export function startStates(
  state: (shown: ShownSession | null, change?: Partial<ChatState>) => ChatState,
  recent: readonly SessionSummary[],
): Readonly<Record<string, PreviewState>> {
  const demo = modelRow({
    ref: 'Demo/demo',
    label: 'Demo',
    provider: 'Demo',
    destination: 'Runs offline, sends nothing',
    contextWindow: null,
    isDemo: true,
  });
  return {
    'empty-virtual': { view: 'chat', bootstrap: state(null, { isVirtual: true, restricted: true }) },
    'empty-demo': { view: 'chat', bootstrap: state(null, { model: { chosen: demo, problem: null } }) },
    'empty-unread': {
      view: 'chat',
      bootstrap: state(null, {
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
      }),
    },
    'empty-first-session': { view: 'chat', bootstrap: state(null, { recentSessions: recent.slice(2, 3) }) },
  };
}
