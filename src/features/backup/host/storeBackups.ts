import { join } from 'node:path';
import type { Log } from '../../../base/log';
import { t, shownList } from '../../../base/translate';
import { BackupClient, type BackupPart } from '../core/backupClient';
import { type BackupPlace, defaultBackups, wouldMigrate } from '../core/folder';
import type { BackupList, ForgottenPlaces } from '../core/backups';
import type { MadeBackup } from '../core/makeBackup';
import type { BackupReason, SessionEntry } from '../core/manifest';
import type { OtherBackups } from '../core/backups';
import type { RestoredStore } from '../core/restoring';
import type { CopiedSessions } from '../../../store/sessionCopying';
import { NodeFileSystem } from '../../../store/engine/nodeFileSystem';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { WorkProgress } from '../../../store/slicedWork';
import { StoreError } from '../../../store/storeError';
import { describeError } from '../../../host/common/describeError';
import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock';
import type { Emitter } from '../../../base/disposable';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { SessionsFeature } from '../../../host/library/sessionsFeature';
import type { EditorActions } from '../../../host/navigation/editorActions';
import type { HermesSettings } from '../../../host/settings/settings';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import type { StoreConnection } from '../../../store/ownership/storeConnection';

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

export type BackupThreads = Pick<BackupClient, 'call' | 'stoppable' | 'bringBack'>;

/** What the backups of one store may take. The oldest go first; the newest always stays. */
const limitBytes = 2048 * 1024 * 1024;

/** Backups of the stores that this window uses, where the settings want them. `store` is the folder of a store. Methods
 *  reject with a `StoreError` unless they say otherwise. */
export class StoreBackups {
  private readonly clients = new Map<string, BackupThreads>();

  private readonly fileSystem = new NodeFileSystem();

  /** `openClient`: called once for each place. Default: makes the backups in threads of their own. */
  constructor(
    private readonly window: {
      readonly context: { readonly globalStorageUri: { readonly fsPath: string } };
      readonly distFolder: string;
      readonly settings: Pick<BackupWindow['settings'], 'current'>;
      readonly log: Log;
    },
    private readonly openClient = (place: BackupPlace): BackupThreads => {
      const copies = join(window.context.globalStorageUri.fsPath, 'reading');
      return new BackupClient(join(window.distFolder, 'backupWorker.js'), place, copies);
    },
  ) {}

  /** Makes a backup beside running turns. It has every row that was acknowledged before the call. */
  async make(store: string, reason: BackupReason, signal?: AbortSignal): Promise<MadeBackup> {
    this.demandFolder();
    return this.client(store).stoppable(signal, 'make', { reason, limitBytes });
  }

  /** Makes a backup unless backups are turned off, then erases from older ones what is due. */
  async makeScheduled(store: string): Promise<void> {
    if (this.window.settings.current.backupsEnabled) {
      const { backup, isNew } = await this.make(store, 'scheduled');
      if (isNew) this.window.log.info(`Backup ${backup.id} was made.`);
    }
    if (this.fileSystem.stat(join(store, 'backups.json')) === undefined) return;
    const { unreachable } = await this.client(store).call('continueForgetting');
    if (unreachable.length > 0)
      this.window.log.warn(`Forgotten sessions could not be erased from backups in ${unreachable.join(', ')} yet.`);
  }

  /** Makes a backup if opening the store would migrate it. Never rejects: returns a sentence for the user when no
   *  backup could be made, otherwise null. */
  async beforeOpening(store: string): Promise<string | null> {
    try {
      if (!this.window.settings.current.backupsEnabled || !wouldMigrate(this.fileSystem, store)) return null;
      this.demandFolder();
      await this.client(store).call('makeBeforeMigration', limitBytes);
      return null;
    } catch (error) {
      this.window.log.warn(`No backup could be made before an update of the file in ${store}.`);
      return t('The file of your sessions was updated for this version without a backup. {reason}', {
        reason: describeError(error).sentence,
      });
    }
  }

  folder(store: string): string {
    return this.placeOf(store).backups;
  }

  list(store: string): Promise<BackupList> {
    return this.client(store).call('list');
  }

  /** Backups of stores at other paths in the chosen folder. None without a chosen folder: then each store has its
   *  own. */
  async others(store: string): Promise<readonly OtherBackups[]> {
    const shared = this.window.settings.current.backupsFolder;
    return shared === null ? [] : this.client(store).call('others', shared);
  }

  /** `folder`: the one that holds the backup; default: that of this store. */
  contents(store: string, id: string, folder?: string): Promise<readonly SessionEntry[]> {
    return this.client(store).call('contents', id, folder);
  }

  /** Puts the backup in place of the store, which must be closed. */
  restore(store: string, id: string): Promise<RestoredStore> {
    return this.client(store).call('restore', id, limitBytes);
  }

  /** Brings the conversations of sessions back into the present history. */
  bringBack(
    store: string,
    into: Pick<SessionStore, 'copyToThisFolder'>,
    part: BackupPart,
    signal: AbortSignal,
    onProgress: (progress: WorkProgress) => void,
  ): Promise<CopiedSessions> {
    return this.client(store).bringBack(into, part, signal, onProgress);
  }

  /** Erases sessions from every backup. Never rejects: returns sentences about what could not be
   *  reached. */
  async forget(store: string, sessionIds: readonly string[]): Promise<readonly string[]> {
    try {
      return leftInBackups(await this.client(store).call('forget', sessionIds));
    } catch (error) {
      return [t('Backups may still hold them. {reason}', { reason: describeError(error).sentence })];
    }
  }

  private placeOf(store: string): BackupPlace {
    return backupPlaceOf(store, this.window.settings.current.backupsFolder);
  }

  private client(store: string): BackupThreads {
    const place = this.placeOf(store);
    const key = JSON.stringify(place);
    const known = this.clients.get(key) ?? this.openClient(place);
    this.clients.set(key, known);
    return known;
  }

  /** Refuses to create the chosen folder: without its disk, the backups would be on this one. */
  private demandFolder(): void {
    const folder = this.window.settings.current.backupsFolder;
    if (folder === null || this.fileSystem.stat(folder)?.kind === 'folder') return;
    throw new StoreError(
      'not-found',
      t('The folder for backups, {folder}, can’t be found. Connect its disk, or choose another folder.', { folder }),
      `there is no folder ${folder}`,
    );
  }
}

/** Folder for the backups of a store. `folder`: the one from the settings, shared by all stores; null: beside the
 *  store. The name in a shared folder follows from the store's path alone, so a new store at the same path, after the
 *  loss of the disk, finds the backups of the former one. */
export function backupPlaceOf(store: string, folder: string | null): BackupPlace {
  const name = createHash('sha256').update(store).digest('hex').slice(0, 16);
  return { store, backups: folder === null ? defaultBackups(store) : join(folder, name) };
}

/** Sentences about sessions that may still be in backups. Empty when none are. */
function leftInBackups({ unreachable, unreadable, incomplete, removed }: ForgottenPlaces): readonly string[] {
  return [
    ...sentenceOf(unreachable, (folders) =>
      t('Backups in {folders} can’t be reached now. Hermes erases the sessions there once it can.', { folders }),
    ),
    ...sentenceOf(unreadable, (names) => t('Backups that can’t be read may still hold them: {names}.', { names })),
    ...sentenceOf(incomplete, (names) => t('Traces may remain in unused parts of these backups: {names}.', { names })),
    ...sentenceOf(removed, (names) => t('Damaged backups that may have held them were removed: {names}.', { names })),
  ];
}

function sentenceOf(names: readonly string[], sentence: (list: string) => string): readonly string[] {
  return names.length === 0 ? [] : [sentence(shownList([...new Set(names)]))];
}
