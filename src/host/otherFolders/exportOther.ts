import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { exportSessions, type ExportDeps } from '../sessions/exportSession';
import type { OpenCopies } from './openCopies';

export interface ExportOtherDeps {
  readonly copies: Pick<OpenCopies, 'open'>;
  /** Notes exported files beside this window's store: the files of another folder are only read. */
  readonly exporting: Omit<ExportDeps, 'store'>;
}

/** Exports a session of another folder's store to a place that the user chooses. `store`: folder of that store. */
export async function exportOther(
  store: string,
  sessionId: string,
  { copies, exporting }: ExportOtherDeps,
): Promise<void> {
  const copy = await copies.open(store);
  const session = await copy.store.getSession(sessionId).finally(() => copy.close());
  if (session === null) return void vscode.window.showWarningMessage(t('This session no longer exists.'));
  await exportSessions([session], { ...exporting, store: () => store });
}
