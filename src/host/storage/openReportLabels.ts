import type { Translate } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';
import type { OpenReport } from '../../store/worker/openedStore';
import { foundSpillNotices } from './spillLabels';

/** Notices about the opening of the store. A normal opening has none, even after a crash: interrupted turns are
 *  marked where they ended. */
export function openReportNotices(report: OpenReport, t: Translate): readonly StoreNotice[] {
  const showLog = { action: 'showLog', label: t('Show Log') };
  const found = report.salvaged.filter(({ sessions, messages }) => sessions + messages > 0);
  const { setAside } = report;
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
    return `${damageSentence(setAside?.damage, t)} ${saved}`;
  });
  const lost = setAside !== null && found.length === 0 ? [lostSentence(setAside, report.path, t)] : [];
  return [
    ...[...salvaged, ...lost].map((sentence) => ({ sentence, actions: [showLog] })),
    ...foundSpillNotices(report.spills, t),
  ];
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

function lostSentence({ path, damage }: NonNullable<OpenReport['setAside']>, place: string, t: Translate): string {
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
