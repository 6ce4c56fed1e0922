import { describe, expect, it } from 'vitest';
import { putRightNotices, replacedOffers } from '../../../../src/host/storage/storeLabels';
import { StoreError } from '../../../../src/store/storeError';
import type { OpenReport } from '../../../../src/store/worker/openedStore';
import { emptyReport } from '../../store/ownership/emptyReport';

const report = (found: Partial<OpenReport>): OpenReport => ({ ...emptyReport, ...found });

describe('sessions in a file that another file replaced', () => {
  it('are offered, with their location and both answers', async () => {
    const asked: string[] = [];
    const choices = {
      bringBack: async () => void asked.push('bring'),
      leave: async (path: string) => void asked.push(`leave ${path}`),
    };
    const offers = replacedOffers(
      report({
        replaced: [
          { path: '/s/state.replaced-1.db', problem: null },
          { path: '/s/state.replaced-2.db', problem: 'malformed' },
        ],
      }),
      choices,
    );
    for (const { choices: buttons } of offers) for (const { run } of buttons) await run();
    expect({
      said: offers.map(({ sentence, choices: buttons }) => [sentence, ...buttons.map(({ label }) => label)]),
      asked,
    }).toEqual({
      said: [
        [
          'Another file replaced your session file. Restore your sessions to have both here. They are kept ' +
            'in /s/state.replaced-1.db.',
          'Restore Sessions',
          'Leave Them There',
        ],
        [
          'Couldn’t restore the sessions kept in /s/state.replaced-2.db. That file is unchanged.',
          'Try Again',
          'Leave Them There',
        ],
      ],
      asked: ['bring', 'leave /s/state.replaced-1.db', 'bring', 'leave /s/state.replaced-2.db'],
    });
  });
});

describe('the report of repairs when the store is opened', () => {
  const said = (found: Partial<OpenReport>, regained: StoreError | null = null) =>
    putRightNotices(report(found), regained).map(({ sentence }) => sentence);
  const lost = new StoreError('deleted', 'Deleted.', 'gone');

  it('names the cause: a deleted file, a deleted lock, or restored sessions', () => {
    expect([
      said({}),
      said({ putBack: '/s/state.replaced-1.db' }, lost),
      said({}, lost),
      said({ broughtBack: [{ path: '/s/state.merged-1.db', sessions: 0, messages: 4, complete: true }] }),
    ]).toEqual([
      [],
      ['Your session file was deleted while in use. Hermes restored it.'],
      ['The lock file for your sessions was deleted. Hermes created it again. Everything shown is saved.'],
      [
        'Your sessions are restored: 4 missing messages were added. The file they came from is kept in /' +
          's/state.merged-1.db.',
      ],
    ]);
  });
});
