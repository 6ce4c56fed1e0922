import { randomUUID } from 'node:crypto';
import type { Disposable } from '../../../base/disposable';
import type { AsyncSyncedStore } from '../../../store/syncing';
import { compressedServer } from '../core/compressedServer';
import type { PostgresServer } from '../core/postgres/postgresServer';
import { KeyDescription } from '../core/encryption/cipherDescription';
import { Cipher } from '../core/encryption/cipher';
import { encryptedServer, encryptedTurns } from '../core/encryption/encryptedServer';
import { syncFailureIn } from '../core/syncFailure';
import { type SharedTurns, TurnSharing } from '../core/turnSharing';
import type { SyncServer } from '../core/syncServer';
import { SyncService, type SyncServiceDeps } from '../core/syncService';
import { describeError } from '../../../host/common/describeError';
import type { SyncChoice, SyncMemory } from './syncMemory';
import { readShownTurn, WatchedTurns } from './watchedTurns';
import type { WindowContext } from '../../../host/window/windowContext';

interface SyncStart {
  readonly store: AsyncSyncedStore;
  readonly memory: SyncMemory;
  readonly server: PostgresServer;
  readonly choice: SyncChoice;
  /** Key of an encrypted history; null for one that is not. */
  readonly key: Uint8Array<ArrayBuffer> | null;
}

/** See `SyncService`. */
type SyncEvents = Required<Pick<SyncServiceDeps, 'onReceived' | 'onForgotten' | 'onRemoved' | 'onTwin'>> & {
  readonly onChange: () => void;
};

/** Sync of one store with one server, from its start to its end. */
export class RunningSync implements Disposable {
  readonly service: SyncService;
  readonly watched: WatchedTurns;
  readonly choice: SyncChoice;
  readonly server: PostgresServer;
  private readonly sharing: TurnSharing;

  constructor(window: WindowContext, { store, memory, server, choice, key }: SyncStart, events: SyncEvents) {
    const { gateway, history, activeChat, clock, log } = window;
    const sessions = history.store;
    this.server = server;
    this.choice = choice;
    let [turns, encoded]: [SharedTurns, SyncServer] = [server.turns(choice.origin), compressedServer(server)];
    if (key !== null) {
      const cipher = new Cipher(key, choice.history);
      const description = new KeyDescription({
        key,
        server,
        known: () => memory.sealDescription(choice.history),
        keep: (text) => memory.keepSealDescription(choice.history, text),
      });
      [turns, encoded] = [encryptedTurns(turns, cipher), encryptedServer(server, cipher, description)];
    }
    this.sharing = new TurnSharing({
      turns,
      clock,
      log,
      read: (conversationId) => readShownTurn(sessions, conversationId),
      stop: (conversationId) => gateway.turns.stop(conversationId),
    });
    this.service = new SyncService({
      ...events,
      store,
      server: encoded,
      sharing: this.sharing,
      origin: choice.origin,
      machine: memory.machine,
      newId: randomUUID,
      clock,
      log,
      describe: (error) => {
        const failure = syncFailureIn(error);
        return {
          sentence: failure?.message ?? describeError(error).sentence,
          isTemporary: failure?.isTemporary ?? true,
        };
      },
      running: () => gateway.turns.conversations(),
      onReceived: async (conversationId, branchId) => {
        await events.onReceived(conversationId, branchId);
        this.watched.active();
      },
    });
    this.service.onDidChange(events.onChange);
    this.watched = new WatchedTurns({
      turns,
      service: this.service,
      sessions,
      gateway,
      shownSession: () => gateway.surfaces.shownSession(activeChat.surfaceId),
      clock,
      log,
      onChange: events.onChange,
    });
  }

  /** Called when the user does something. */
  nudge(): void {
    this.service.nudge();
    this.watched.active();
  }

  dispose(): void {
    this.watched.dispose();
    this.sharing.dispose();
    this.service.dispose();
  }
}
