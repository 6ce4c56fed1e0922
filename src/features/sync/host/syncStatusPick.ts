import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { syncFailureIn } from '../core/syncFailure';
import type { SyncStatus } from '../core/syncService';
import type { ServerMachine, ServerOverview } from '../core/syncServer';
import { describeError } from '../../../host/common/describeError';
import { dateAndTime, syncLine } from './syncLabels';
import type { SyncChoice } from './syncMemory';

type SyncAction = 'now' | 'off' | 'other' | 'key' | 'passphrase';

/** A session that waits, and why. */
interface RefusedSession {
  readonly title: string;
  readonly sentence: string;
}

interface SyncItem extends vscode.QuickPickItem {
  readonly action?: SyncAction;
}

/** Shows the state of sync, the machines that share the history, and what can be done. Null when the user cancels. */
export async function pickSyncAction(
  { name, origin, isSealed, server }: SyncChoice,
  status: SyncStatus,
  refused: readonly RefusedSession[],
  overview: () => Promise<ServerOverview>,
): Promise<SyncAction | null> {
  const before = [...actions(isSealed), ...refusedItems(refused, server)];
  const items = overview().then(
    ({ machines }) => [...before, ...machineItems(machines, origin)],
    // The state says why nothing can be read from the server.
    (error: unknown) => [
      ...before,
      { label: `$(warning) ${syncFailureIn(error)?.message ?? describeError(error).sentence}` },
    ],
  );
  const picked = await vscode.window.showQuickPick<SyncItem>(items, {
    title: t('Sync of “{name}”', { name }),
    // The list says why the server cannot be used.
    placeHolder: syncLine({ ...status, failure: null }),
  });
  return picked?.action ?? null;
}

function actions(isSealed: boolean): readonly SyncItem[] {
  return [
    { label: `$(sync) ${t('Sync Now')}`, action: 'now' },
    ...(isSealed
      ? [
          { label: `$(key) ${t('Recovery Key…')}`, action: 'key' as const },
          { label: `$(lock) ${t('Change Passphrase…')}`, action: 'passphrase' as const },
        ]
      : []),
    { label: `$(plug) ${t('Set Up Sync')}`, action: 'other' },
    { label: `$(circle-slash) ${t('Turn Off Sync for This Folder')}`, action: 'off' },
  ];
}

function refusedItems(refused: readonly RefusedSession[], server: string): readonly SyncItem[] {
  if (refused.length === 0) return [];
  return [
    { label: t('Sessions that wait: {count}', { count: refused.length }), kind: vscode.QuickPickItemKind.Separator },
    ...refused.map(({ title, sentence }) => ({ label: `$(warning) ${title}`, description: server, detail: sentence })),
  ];
}

function machineItems(machines: readonly ServerMachine[], origin: string): readonly SyncItem[] {
  return [
    { label: t('Machines'), kind: vscode.QuickPickItemKind.Separator },
    ...machines.map(({ name, origin: of, seenAt, unerased }) => ({
      label: `$(device-desktop) ${name}`,
      description: of === origin ? t('this machine') : t('last seen {date}', { date: dateAndTime(seenAt) }),
      ...(unerased === 0
        ? {}
        : { detail: t('Forgotten sessions that it has not erased yet: {count}', { count: unerased }) }),
    })),
  ];
}
