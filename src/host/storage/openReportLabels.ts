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
          'Everything in it was read again ({sessions} sessions, {messages} messages). The damaged file is kept at {path}.',
          args,
        )
      : t(
          'What could be read is here ({sessions} sessions, {messages} messages); some rows could not. The damaged file is kept at {path}.',
          args,
        );
    return `${damageSentence(setAside?.damage, t)} ${saved}`;
  });
  const lost = setAside !== null && found.length === 0 ? [lostSentence(setAside, report.path, t)] : [];
  const unmerged = report.mergeProblems.map((problem) =>
    t('Sessions that another window left in {folder} could not be read. They are kept there.', {
      folder: problem.folder,
    }),
  );
  return [
    ...[...salvaged, ...lost, ...unmerged].map((sentence) => ({ sentence, actions: [showLog] })),
    ...foundSpillNotices(report.spills, t),
  ];
}

function damageSentence(damage: string | undefined, t: Translate): string {
  switch (damage) {
    case 'truncated':
      return t('The session file had been cut short.');
    case 'empty':
      return t('The session file had been emptied.');
    default:
      return t('The session file was damaged.');
  }
}

function lostSentence({ path, damage }: NonNullable<OpenReport['setAside']>, place: string, t: Translate): string {
  return damage === 'empty'
    ? t(
        'The session file was empty when it was opened: another program emptied or replaced it. A new history was begun. To have your sessions back, put a copy of the file at {place} while this window is closed. The empty file is kept at {path}.',
        { path, place },
      )
    : t('The session file could not be read and was set aside, whole, at {path}. A new history was begun.', { path });
}
