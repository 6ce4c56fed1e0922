import type { Disposable } from '../../base/disposable';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { Log } from '../../base/log';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { OpenReport } from '../../store/worker/openedStore';
import { reportFailure } from '../common/commands';
import { openReportNotices, putRightNotices, replacedOffers } from '../storage/storeLabels';
import type { StoreStatus } from '../storage/storeStatus';

/** Parts of the window that follow its store. */
export interface StoreFollowers {
  readonly history: {
    readonly connection: Pick<StoreConnection, 'onDidChangeState' | 'leaveReplaced' | 'bringBack'>;
    readonly status: Pick<StoreStatus, 'setNotices' | 'offer'>;
    readonly isReplacing: boolean;
  };
  readonly sessions: { storeOpened(): void };
  readonly approvalNotices: { readWaiting(): Promise<void> };
  readonly gateway: GatewayPart<'queue', 'resume'>;
  readonly log: Log;
  /** Ends it with the window. */
  own(part: Disposable): void;
}

/** Starts the parts that need the history once it is open, and reports how it was opened. */
export function followStore(deps: StoreFollowers): void {
  const { connection } = deps.history;
  deps.own(connection.onDidChangeState((state) => storeChanged(deps, state)));
}

function storeChanged(deps: StoreFollowers, state: StoreConnection['state']): void {
  if (state.kind !== 'open' && state.kind !== 'readOnly') return;
  const { report } = state;
  const cutOff = report.recoveredTurns.length;
  const settled = cutOff === 0 ? '' : `; ${cutOff} turns were cut off and are settled`;
  deps.log.info(`Sessions are stored in ${report.path}${settled}.`);
  deps.history.status.setNotices('opening', [
    ...putRightNotices(report, state.kind === 'open' ? state.regained : null),
    ...openReportNotices(report),
  ]);
  offerReplaced(deps, report);
  if (state.kind !== 'open') return;
  deps.sessions.storeOpened();
  void deps.approvalNotices.readWaiting();
  // A backup may hold prompts that were queued long ago: restoring it alone sends none of them.
  if (deps.history.isReplacing) return;
  deps.gateway.queue.resume().catch((error: unknown) => reportFailure('Queued prompts', error, deps.log));
}

/** Repeats each offer until the user decides it, here or in a later window. */
function offerReplaced(deps: StoreFollowers, report: OpenReport): void {
  const { connection, status: desk } = deps.history;
  const leave = async (path: string): Promise<void> => {
    connection.leaveReplaced(path);
    offerReplaced(deps, { ...report, replaced: report.replaced.filter((each) => each.path !== path) });
  };
  desk.offer('replaced', replacedOffers(report, { bringBack: () => connection.bringBack(), leave }));
}
