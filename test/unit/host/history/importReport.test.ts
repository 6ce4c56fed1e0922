import { expect, test } from 'vitest';
import { importReport } from '../../../../src/host/history/importReport';
import {
  entryTexts,
  groupTexts,
  type ItemTexts,
  previewSentence,
  resultSentence,
} from '../../../../src/host/history/importLabels';
import type { ImportResult, PreviewEntry } from '../../../../src/history/import/importing';
import type { LabelContext } from '../../../../src/host/sessions/sessionLabels';
import { t } from '../../../../src/base/translate';

const context: LabelContext = { t, language: 'en', now: Date.UTC(2026, 10, 25) / 1000 };
const day = (month: number, date: number): number => Date.UTC(2026, month - 1, date, 12) / 1000;

/** `Intl` puts thin spaces around the dash of a range. */
function withPlainSpaces(texts: ItemTexts): ItemTexts {
  return { ...texts, description: texts.description.replace(/\s/g, ' ') };
}

const result: ImportResult = {
  entries: [
    {
      source: 'claudeCode',
      id: 's1',
      title: 'Fix the\n# sign',
      outcome: 'imported',
      sessionId: 'imported-s1',
      messages: 12,
      tally: { in: 15, imported: 12, skipped: 3 },
      reason: null,
    },
    {
      source: 'codex',
      id: 's2',
      title: null,
      outcome: 'failed',
      sessionId: null,
      messages: 0,
      tally: { in: 0, imported: 0, skipped: 0 },
      reason: 'It couldn’t be read: EACCES',
    },
  ],
  counts: { imported: 1, extended: 0, branched: 0, unchanged: 0, forgotten: 0, empty: 0, failed: 1 },
  messages: 12,
  tally: { in: 15, imported: 12, skipped: 3 },
  leftOut: [
    {
      source: 'claudeCode',
      sessionId: 's1',
      place: { path: '/home/me/a.jsonl', unit: 'line', number: 7 },
      kind: 'damaged',
      reason: 'The line is no JSON.',
    },
  ],
  leftOutTotal: 3,
  isStopped: false,
};

test('says what an import did, and what it left out with its place', () => {
  expect({ sentence: resultSentence(result, context), report: importReport(result, 'Nothing is kept.', context) })
    .toMatchInlineSnapshot(`
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

test('describes what lies on the machine, and each session as it would be imported', () => {
  const entry: PreviewEntry = {
    session: {
      source: 'hermes',
      id: 'h1',
      location: { path: '/home/me/.hermes/state.db', key: 'h1' },
      messageCount: 1,
      lineage: null,
      title: null,
      folder: '/home/me/work',
      model: null,
      startedAt: day(11, 1),
      endedAt: day(11, 23),
      usage: null,
      writtenBy: null,
    },
    state: 'grown',
    sessionId: 'imported-h1',
  };
  const counts = { new: 2, grown: 1, here: 4, forgotten: 0 };
  expect({
    group: withPlainSpaces(
      groupTexts(
        {
          source: 'cline',
          folder: null,
          sessions: 1,
          messages: null,
          bytes: 1_234_000,
          from: day(3, 1),
          to: day(11, 2),
        },
        '/home/me',
        context,
      ),
    ),
    entry: entryTexts(entry, '/home/me', context),
    preview: previewSentence({ entries: [], counts, messages: null, from: null, to: null }, context),
  }).toMatchInlineSnapshot(`
    {
      "entry": {
        "description": "Hermes Agent · yesterday · 1 message · has new messages",
        "detail": "~/work",
        "label": "Untitled Session",
      },
      "group": {
        "description": "1 session · Mar 1 – Nov 2, 2026 · 1.2 MB",
        "detail": "Folder unknown",
        "label": "Cline, Roo Code, Kilo Code",
      },
      "preview": "2 new, 1 with new messages, 4 already here",
    }
  `);
});
