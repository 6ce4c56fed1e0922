import { expect, test } from 'vitest';
import { importReport } from '../../../../../src/features/history/host/importSessions';
import { resultSentence } from '../../../../../src/features/history/host/importLabels';
import type { ImportResult } from '../../../../../src/features/history/core/import/importing';

const result: ImportResult = {
  entries: [
    {
      source: 'claudeCode',
      id: 's1',
      title: 'Fix the\n# sign',
      outcome: 'imported',
      sessionId: 'imported-s1',
      messages: 12,
      records: { in: 15, imported: 12, skipped: 3 },
      reason: null,
    },
    {
      source: 'codex',
      id: 's2',
      title: null,
      outcome: 'failed',
      sessionId: null,
      messages: 0,
      records: { in: 0, imported: 0, skipped: 0 },
      reason: 'It couldn’t be read: EACCES',
    },
  ],
  counts: { imported: 1, extended: 0, branched: 0, unchanged: 0, forgotten: 0, empty: 0, failed: 1 },
  messages: 12,
  records: { in: 15, imported: 12, skipped: 3 },
  leftOut: [
    {
      source: 'claudeCode',
      sessionId: 's1',
      place: { path: '/home/me/a.jsonl', unit: 'line', number: 7 },
      kind: 'damaged',
      reason: 'The line is no JSON.',
      count: 1,
    },
  ],
  leftOutTotal: 3,
  isStopped: false,
};

test('says what an import did, and what it left out with its place', () => {
  expect({ sentence: resultSentence(result), report: importReport(result, 'Nothing is kept.') }).toMatchInlineSnapshot(`
    {
      "report": "# Imported Sessions

    Imported 1 session with 12 messages. Records left out: 3. Sessions that couldn’t be imported: 1.

    Records read: 15. Imported: 12. Left out: 3.

    Nothing is kept.

    ## Sessions

    - Fix the # sign (Claude Code, imported, 12 messages)
    - s2 (Codex, failed, 0 messages): It couldn’t be read: EACCES

    ## Left Out

    - /home/me/a.jsonl:7: The line is no JSON. (Claude Code s1)

    More records left out: 2.
    ",
      "sentence": "Imported 1 session with 12 messages. Records left out: 3. Sessions that couldn’t be imported: 1.",
    }
  `);
});
