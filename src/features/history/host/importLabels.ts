import { homedir } from 'node:os';
import { sep } from 'node:path';
import { shownList, t, shownLanguage } from '../../../base/translate';
import type { ImportOutcome, ImportResult, Preview, PreviewEntry, ScanGroup } from '../core/import/importing';
import { ageLabels, messageCount, sessionCount, sizeText, type ItemTexts } from '../../../host/library/sessionLabels';
import { sourceTitle } from '../../../transcript/sourceTitles';

/** Row of the first picker: an agent's sessions in one folder. */
export function groupTexts(group: ScanGroup): ItemTexts {
  return {
    label: sourceTitle(group.source),
    description: [sessionCount(group.sessions), spanText(group), sizeText(group.bytes)]
      .filter((text) => text !== '')
      .join(' · '),
    detail: group.folder === null ? t('Folder unknown') : shortPath(group.folder),
  };
}

/** Row of the second picker: a session as it would be imported. */
export function entryTexts({ session, state }: PreviewEntry, now: number): ItemTexts {
  const active = session.endedAt ?? session.startedAt;
  const count = session.messageCount;
  const facts = [
    sourceTitle(session.source),
    ...(active === null ? [] : [ageLabels(active, now)]),
    ...(count === null ? [] : [messageCount(count)]),
    ...(state === 'grown' ? [t('has new messages')] : []),
    ...(state === 'forgotten' ? [t('was erased here')] : []),
  ];
  return {
    label: session.title ?? t('Untitled Session'),
    description: facts.join(' · '),
    detail: session.folder === null ? '' : shortPath(session.folder),
  };
}

/** Sentence above the second picker. */
export function previewSentence({ counts }: Preview): string {
  const parts = [
    counts.new === 0 ? '' : t('{count} new', { count: String(counts.new) }),
    counts.grown === 0 ? '' : t('{count} with new messages', { count: String(counts.grown) }),
    counts.forgotten === 0 ? '' : t('{count} erased here', { count: String(counts.forgotten) }),
    counts.here === 0 ? '' : t('{count} already here', { count: String(counts.here) }),
  ];
  return shownList(parts.filter((part) => part !== ''));
}

/** Summary of an import in one to three sentences. */
export function resultSentence(result: ImportResult): string {
  const { imported, extended, branched, failed } = result.counts;
  const done = imported + extended + branched;
  const sentences = [
    result.isStopped
      ? t('Import was canceled. Sessions imported so far are here: {count}.', { count: String(done) })
      : done === 0
        ? t('Nothing was imported.')
        : t('Imported {sessions} with {messages}.', {
            sessions: sessionCount(done),
            messages: messageCount(result.messages),
          }),
    result.leftOutTotal === 0 ? '' : t('Records left out: {count}.', { count: String(result.leftOutTotal) }),
    failed === 0 ? '' : t('Sessions that couldn’t be imported: {count}.', { count: String(failed) }),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

export function outcomeLabel(outcome: ImportOutcome): string {
  switch (outcome) {
    case 'imported':
      return t('imported');
    case 'extended':
      return t('new messages added');
    case 'branched':
      return t('changed in both places: imported as a branch');
    case 'unchanged':
      return t('already here');
    case 'forgotten':
      return t('erased here earlier: not imported');
    case 'empty':
      return t('holds no messages');
    case 'failed':
      return t('failed');
    default:
      return outcome satisfies never;
  }
}

function spanText({ from, to }: ScanGroup): string {
  if (from === null || to === null) return '';
  return new Intl.DateTimeFormat(shownLanguage(), { dateStyle: 'medium' }).formatRange(
    new Date(from * 1000),
    new Date(Math.max(from, to) * 1000),
  );
}

/** The path with `~` for the home folder. */
function shortPath(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
