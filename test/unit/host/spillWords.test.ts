import { expect, it } from 'vitest';
import { Emitter } from '../../../src/base/disposable';
import { StoreDesk } from '../../../src/host/storeDesk';
import { StoreError } from '../../../src/store/storeError';
import type { SpillStatus } from '../../../src/store/spill/spillingStore';
import { StoreAtHand } from './storeAtHand';

const t = (message: string, args: Record<string, string> = {}): string =>
  Object.entries(args).reduce((text, [name, value]) => text.replace(`{${name}}`, value), message);

it('says lastingly why an answer is not saved, where it is kept and what can be done, whatever state the store is in, and quietly when it is saved', async () => {
  const changes = new Emitter<void>();
  const cause = new StoreError('full', 'The disk is full.', 'full');
  const spills = {
    statuses: [] as readonly SpillStatus[],
    onDidChange: changes.event,
    asked: 0,
    tryAgain: async () => void spills.asked++,
  };
  const become = (state: SpillStatus['state']): void => {
    spills.statuses = [{ turnUid: 't', sessionId: 's', state, path: '/store/s.jsonl', cause }];
    changes.fire();
  };
  const connection = new StoreAtHand();
  const desk = new StoreDesk(connection, t, spills);
  become('writing');
  const writing =
    'The disk is full. The answer goes on, and everything shown of it is kept in /store/s.jsonl until it can be put into its session.';
  expect(desk.shown).toEqual({
    kind: 'open',
    notices: [
      {
        sentence: writing,
        actions: [
          { action: 'store.retry', label: 'Try Again' },
          { action: 'showLog', label: 'Show Log' },
        ],
      },
    ],
  });
  connection.become({ kind: 'failed', error: cause });
  expect(desk.shown).toMatchObject({ kind: 'failed', sentence: `The disk is full. ${writing}` });
  await desk.runAction('store.retry');
  become('folded');
  connection.become({
    kind: 'open',
    report: {
      path: '',
      created: false,
      recoveredTurns: [],
      setAside: null,
      salvaged: [],
      merged: [],
      mergeProblems: [],
      spills: [],
      readOnly: null,
    },
  });
  expect({ asked: spills.asked, shown: desk.shown }).toEqual({
    asked: 2,
    shown: {
      kind: 'open',
      notices: [{ sentence: 'The answer that could not be saved at first is saved in its session now.', actions: [] }],
    },
  });
  desk.dispose();
});
