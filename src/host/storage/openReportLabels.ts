import type { Translate } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';
import type { OpenReport } from '../../store/worker/openedStore';
import type { FoundSpill } from '../../store/worker/earlierSpills';

/** Notices about the opening of the store. A normal opening has none, even after a crash: interrupted turns are
 *  marked where they ended. */
export function openReportNotices(report: OpenReport, t: Translate): readonly StoreNotice[] {
  const showLog = { action: 'showLog', label: t('Show Log') };
  const found = report.salvaged.filter(({ sessions, messages }) => sessions + messages > 0);
  const { quarantined } = report;
  const salvaged = found.map(({ path, sessions, messages, complete }) => {
    const args = { path, sessions: String(sessions), messages: String(messages) };
    const saved = complete
      ? t(
          'All of its contents were recovered ({sessions} sessions, {messages} messages). The damaged file is kept at {path}.',
          args,
        )
      : t(
          'Most of it was recovered ({sessions} sessions, {messages} messages); some rows couldn’t be read. The damaged file is kept at {path}.',
          args,
        );
    return `${damageSentence(quarantined?.damage, t)} ${saved}`;
  });
  const lost = quarantined !== null && found.length === 0 ? [lostSentence(quarantined, report.path, t)] : [];
  return [
    ...[...salvaged, ...lost].map((sentence) => ({ sentence, actions: [showLog] })),
    ...report.spills.map(({ outcome, path }) => ({
      sentence: spillSentence(outcome, path, t),
      actions: outcome === 'stored' ? [] : [showLog],
    })),
  ];
}

/** Describes an answer that an earlier build kept in a file of its own. */
function spillSentence(outcome: FoundSpill['outcome'], path: string, t: Translate): string {
  switch (outcome) {
    case 'stored':
      return t('An answer that couldn’t be saved earlier is now saved in its session.');
    case 'kept':
      return t('The readable part of an unsaved answer is now in its session. The rest is kept in {path}.', { path });
    case 'notHere':
      return t(
        'An unsaved answer belongs to a session that isn’t in this file. It is kept in {path}. Restore that session to add the answer to it.',
        { path },
      );
    case 'failed':
      return t('The unsaved answer in {path} couldn’t be read. Hermes tries again the next time it starts.', { path });
    default:
      return outcome satisfies never;
  }
}

function damageSentence(damage: string | undefined, t: Translate): string {
  switch (damage) {
    case 'truncated':
      return t('The session file had been cut off.');
    case 'empty':
      return t('The session file had been emptied.');
    default:
      return t('The session file was damaged.');
  }
}

function lostSentence({ path, damage }: NonNullable<OpenReport['quarantined']>, place: string, t: Translate): string {
  return damage === 'empty'
    ? t(
        'The session file was emptied or replaced by another program, so Hermes started a new history. To restore your sessions, close this window and put a copy of the file at {place}. The empty file is kept at {path}.',
        { path, place },
      )
    : t(
        'The session file couldn’t be read, so Hermes started a new history. The old file is kept unchanged at {path}.',
        { path },
      );
}
