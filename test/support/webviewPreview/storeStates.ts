import { putRightNotices, replacedOffers, openReportNotices, storeLabels } from '../../../src/host/storage/storeLabels';
import type { StoreNotice, ViewStoreState } from '../../../src/protocol/chatProtocol';
import { StoreError } from '../../../src/store/storeError';
import type { OpenReport } from '../../../src/store/worker/openedStore';
import { answer, prompt, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';
import { elsewhereState } from '../../unit/host/storeAtHand';

const t = (message: string, args: Record<string, string> = {}): string =>
  Object.entries(args).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), message);

const folder = '/home/me/.config/Code/User/workspaceStorage/0b7c1f2e9d4a4c7f8e1d2a3b4c5d6e7f/hermes.hermes-vscode';
const copy = `${folder}/state.replaced-1.db`;
const report: OpenReport = {
  path: `${folder}/state.db`,
  created: false,
  recoveredTurns: [],
  quarantined: null,
  salvaged: [],
  putBack: null,
  replaced: [],
  broughtBack: [],
  spills: [],
  readOnly: null,
};
const replaced = new StoreError(
  'replaced',
  `Another file replaced the one that holds your sessions. Choose Try Again to use that file. Then you can bring your sessions back. Your sessions are kept in ${copy}.`,
  `${folder}/state.db is not the file that was opened; copied to ${copy}`,
);
const spillPath = `${folder}/20261120_080000_abcdef.jsonl`;

/** The store's sentences as the host words them, with paths as long as they are. `state` makes what the host tells a view first, `streams` a
 *  view in which an answer is being written. */
export function storeStates(streams: (store: ViewStoreState) => PreviewState): Readonly<Record<string, PreviewState>> {
  const done = async (): Promise<void> => undefined;
  const [offer] = replacedOffers(
    { ...report, replaced: [{ path: copy, problem: null }] },
    { bringBack: done, leave: done },
  );
  const offered: StoreNotice = {
    sentence: offer?.sentence ?? '',
    actions: (offer?.choices ?? []).map(({ label }) => ({ action: label, label })),
  };
  const failed = storeLabels({ kind: 'failed', error: replaced }, []);
  const thinking = answer({ uid: 'a1', position: 2 }, [
    { kind: 'thinking', text: 'The test fails on CI only, which smells of time.' },
  ]);
  const crashed = settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'crash' });
  const question = prompt({ uid: 'u1', position: 1 }, 'Why does upload.test.ts fail on CI only?');
  return {
    'store-replaced': streams(failed),
    'store-offer': streams({
      kind: 'open',
      notices: [
        offered,
        ...openReportNotices({ ...report, spills: [{ path: spillPath, outcome: 'notHere', technical: '' }] }),
      ],
    }),
    'store-container': streams({
      kind: 'open',
      notices: [
        {
          sentence: t(
            'Your sessions are stored in this container and are deleted with it. To keep them, mount a folder in the container and choose it.',
          ),
          actions: [t('Choose Folder…'), t('Set Up Sync'), t('Dismiss')].map((label) => ({
            action: label,
            label,
          })),
        },
      ],
    }),
    'store-put-back': streams({ kind: 'open', notices: putRightNotices({ ...report, putBack: copy }, null) }),
    'store-silent': chat(
      null,
      {},
      {
        store: storeLabels({ ...elsewhereState, takeOver: 'unanswered' }, []),
      },
    ),
    'store-thinking': chat(shownSession({ messages: [question, thinking], turns: [crashed] })),
  };
}
