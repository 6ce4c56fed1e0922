import { expect, test } from 'vitest';
import { rescueReport, rescueStatus } from '../../../../../src/features/history/host/rescueFeature';
import { type RescueRecord } from '../../../../../src/features/history/core/rescue/rescueRecord';

const session = { source: 'claudeCode', id: 's1', title: 'Fix the\n# sign', isFolderless: false } as const;
const record: RescueRecord = {
  version: 1,
  importedAt: 1_700_000_000,
  scope: '',
  files: {
    '/a.jsonl': { stamp: '1', isGone: false, sessions: [session] },
    '/b.jsonl': { stamp: '1', isGone: true, sessions: [{ ...session, source: 'codex', id: 's2', title: null }] },
    '/other.jsonl': { stamp: '1', isGone: false, sessions: [] },
  },
};

test('says what is kept, and which originals are gone', () => {
  expect(rescueReport(record, rescueStatus(record, 1_700_000_600))).toMatchInlineSnapshot(`
    "# Rescued Sessions

    Kept up to date in this folder: 2 sessions of other agents. Deleted there and kept here: 1 session. Last import: 10 minutes ago.

    ## Deleted by Their Agents

    - s2 (Codex, /b.jsonl)

    ## Sessions

    - Fix the # sign (Claude Code, /a.jsonl)
    "
  `);
});
