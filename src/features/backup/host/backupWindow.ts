import type { Clock } from '../../../base/clock';
import type { Emitter } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { SessionsFeature } from '../../../host/library/sessionsFeature';
import type { EditorActions } from '../../../host/navigation/editorActions';
import type { HermesSettings } from '../../../host/settings/settings';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import type { SessionStore } from '../../../store/session/sessionStore';

export type BackupSettings = Pick<HermesSettings, 'backupsEnabled' | 'backupsFolder'>;

/** The part of a window that backups use. */
export interface BackupWindow {
  readonly history: {
    readonly folder: string;
    readonly connection: Pick<StoreConnection, 'state' | 'onDidChangeState' | 'whileClosed' | 'during'>;
    readonly store: Pick<SessionStore, 'storeSizes' | 'listSessions'>;
    readonly status: Pick<StoreStatus, 'settled' | 'offer'>;
    isReplacing: boolean;
  };
  readonly settings: { readonly current: BackupSettings; readonly onDidChange: Emitter<void>['event'] };
  readonly gateway: GatewayPart<'actions', 'copyToThisFolder'> & GatewayPart<'turns', 'running' | 'onDidChangeRunning'>;
  readonly activeChat: { readonly all: readonly { leaveStore(): void }[] };
  readonly opener: { open(sessionId: string, messageUid: null, target: 'chat'): Promise<void> };
  readonly editor: Pick<EditorActions, 'openSettings'>;
  readonly sessions: Pick<SessionsFeature, 'trash' | 'erase' | 'refresh'>;
  readonly clock: Clock;
  readonly log: Log;
}
