import type { StoreNotice } from '../protocol/chatProtocol';
import type { OpenReport } from '../store/worker/openedStore';
import { foundSpillNotices } from './spillWords';

type Translate = (message: string, args?: Record<string, string>) => string;

/** What opening the store found that a person should know. An ordinary opening, also after a crash, says nothing: what was cut off is
 *  marked where it happened. */
export function openReportNotices(report: OpenReport, t: Translate): readonly StoreNotice[] {
  const showLog = { action: 'showLog', label: t('Show Log') };
  const found = report.salvaged.filter(({ sessions, messages }) => sessions + messages > 0);
  const kept = found.map((salvage) => salvage.path);
  const salvaged = found.map(({ path, sessions, messages, complete }) => {
    const args = { path, sessions: String(sessions), messages: String(messages) };
    return complete
      ? t(
          'The session file was damaged. Everything in it was read again ({sessions} sessions, {messages} messages). The damaged file is kept at {path}.',
          args,
        )
      : t(
          'The session file was damaged. What could be read is here ({sessions} sessions, {messages} messages); some rows could not. The damaged file is kept at {path}.',
          args,
        );
  });
  const { setAside } = report;
  const lost =
    setAside !== null && !kept.includes(setAside.path)
      ? [
          t('The session file could not be read and was set aside, whole, at {path}. A new history was begun.', {
            path: setAside.path,
          }),
        ]
      : [];
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
