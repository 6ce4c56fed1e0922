import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { OpenReport } from '../../store/worker/openedStore';
import { reportFailure } from '../common/commands';
import { translate } from '../common/translation';
import { openReportNotices } from '../storage/openReportLabels';
import { putRightNotices, replacedOffers } from '../storage/replacedLabels';
import type { WindowParts } from './windowParts';

/** Starts the parts that need the history once it is open, and reports how it was opened. */
export function followStore(parts: WindowParts): void {
  const { connection } = parts.history;
  parts.own(connection.onDidChangeState((state) => storeChanged(parts, state)));
}

function storeChanged(parts: WindowParts, state: StoreConnection['state']): void {
  if (state.kind !== 'open' && state.kind !== 'readOnly') return;
  const { report } = state;
  parts.log.info(
    `Sessions are stored in ${report.path}${report.recoveredTurns.length === 0 ? '' : `; ${report.recoveredTurns.length} turns were cut off and are settled`}.`,
  );
  parts.history.desk.setNotices('opening', [
    ...putRightNotices(report, state.kind === 'open' ? state.regained : null, translate),
    ...openReportNotices(report, translate),
  ]);
  offerReplaced(parts, report);
  if (state.kind !== 'open') return;
  parts.memory.hindsight.start();
  parts.sessions.storeOpened();
  void parts.others.movedFolder.opened();
  void parts.approvalNotices.lookForWaiting();
  parts.gateway.resumeQueues().catch((error: unknown) => reportFailure('Queued prompts', error, parts.log));
}

/** Repeats each offer until the user decides it, here or in a later window. */
function offerReplaced(parts: WindowParts, report: OpenReport): void {
  const { connection, desk } = parts.history;
  const leave = async (path: string): Promise<void> => {
    connection.leaveReplaced(path);
    offerReplaced(parts, { ...report, replaced: report.replaced.filter((each) => each.path !== path) });
  };
  desk.offer('replaced', replacedOffers(report, { bringBack: () => connection.bringBack(), leave }, translate));
}
