import { expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { spillNotices } from '../../../../src/host/storage/spillLabels';
import { StoreStatus } from '../../../../src/host/storage/storeStatus';
import { StoreError } from '../../../../src/store/storeError';
import type { SpillStatus } from '../../../../src/store/spill/spillingStore';
import { openState, StoreAtHand } from '../storeAtHand';
import { t } from '../../../../src/base/translate';

it('says once why an answer is not saved, where it is kept and what helps, in any store state, and quietly when it is saved', async () => {
  const changes = new Emitter<void>();
  const cause = new StoreError('full', 'The disk is full.', 'full');
  const spills = {
    statuses: [] as readonly SpillStatus[],
    onDidChange: changes.event,
    asked: 0,
    tryAgain: async () => void spills.asked++,
  };
  const become = (state: SpillStatus['state'], isOver = false): void => {
    spills.statuses = [{ turnUid: 't', sessionId: 's', state, path: '/store/s.jsonl', cause, isOver }];
    changes.fire();
  };
  const connection = new StoreAtHand();
  const service = new StoreStatus(connection, t, spills);
  become('writing');
  const kept = 'Everything shown is kept in /store/s.jsonl until it can be saved to the session.';
  expect(service.shown).toEqual({
    kind: 'open',
    notices: [
      {
        sentence: `The disk is full. The answer continues. ${kept}`,
        actions: [
          { action: 'store.retry', label: 'Try Again' },
          { action: 'showLog', label: 'Show Log' },
        ],
      },
    ],
  });
  connection.become({ kind: 'failed', error: cause });
  expect(service.shown).toMatchObject({ kind: 'failed', sentence: `The disk is full. The answer continues. ${kept}` });
  become('writing', true);
  expect(service.shown).toMatchObject({ kind: 'failed', sentence: `The disk is full. ${kept}` });
  await service.runAction('store.retry');
  become('folded');
  connection.become(openState);
  expect({ asked: spills.asked, shown: service.shown }).toEqual({
    asked: 2,
    shown: {
      kind: 'open',
      notices: [{ sentence: 'An answer that couldn’t be saved earlier is now saved in its session.', actions: [] }],
    },
  });
  service.dispose();
});

it('says the reason once if two answers are kept for it', () => {
  const cause = new StoreError('full', 'The disk is full.', 'full');
  const status = (name: string): SpillStatus => ({
    turnUid: name,
    sessionId: name,
    state: 'writing',
    path: `/store/${name}.jsonl`,
    cause,
    isOver: true,
  });
  expect(spillNotices([status('a'), status('b')], true, t).map(({ sentence }) => sentence)).toEqual([
    'The disk is full. Everything shown is kept in /store/a.jsonl until it can be saved to the session.',
    'Everything shown is kept in /store/b.jsonl until it can be saved to the session.',
  ]);
});
