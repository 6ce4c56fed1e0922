import { randomUUID } from 'node:crypto';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { Disposable } from '../../../base/disposable';
import type { AsyncSyncedStore } from '../../../store/syncing';
import { compressedServer } from '../core/compressedServer';
import type { PostgresServer } from '../core/postgres/postgresServer';
import { KeyDescription } from '../core/encryption/keyDescription';
import { Cipher } from '../core/encryption/cipher';
import { encryptedServer } from '../core/encryption/encryptedServer';
import { encryptedTurns } from '../core/encryption/encryptedTurns';
import { syncFailureIn } from '../core/syncFailure';
import type { KeptRemoval } from '../core/syncRound';
import { SyncService } from '../core/syncService';
import { TurnSharing } from '../core/turnSharing';
import { describeError } from '../../../host/common/describeError';
import type { SyncChoice, SyncMemory } from './syncMemory';
import { readShownTurn } from './turnElsewhere';
import { WatchedTurns, type WatchedTurnsDeps } from './watchedTurns';

interface RunningSyncDeps extends Pick<WatchedTurnsDeps, 'sessions' | 'shownSession' | 'clock' | 'log'> {
  readonly gateway: WatchedTurnsDeps['gateway'] & GatewayPart<'turns', 'stop'>;
  readonly store: AsyncSyncedStore;
  readonly server: PostgresServer;
  readonly choice: SyncChoice;
  /** Name of this machine. */
  readonly machine: string;
  /** Key of an encrypted history; null for one that is not. */
  readonly key: Uint8Array<ArrayBuffer> | null;
  readonly memory: Pick<SyncMemory, 'sealDescription' | 'keepSealDescription'>;
  readonly onReceived: (conversationId: string, branchId: string | null) => Promise<void>;
  readonly onForgotten: () => void;
  readonly onRemoved: (conversationId: string, kept: KeptRemoval) => void;
  readonly onTwin: () => void;
  readonly onChange: () => void;
}

/** Sync of one store with one server, from its start to its end. */
export class RunningSync implements Disposable {
  readonly service: SyncService;
  readonly watched: WatchedTurns;
  readonly choice: SyncChoice;
  readonly server: PostgresServer;
  private readonly sharing: TurnSharing;

  constructor(deps: RunningSyncDeps) {
    const { server, choice, key, gateway, sessions, clock, log } = deps;
    this.server = server;
    this.choice = choice;
    const cipher = key === null ? null : new Cipher(key, choice.history);
    const description = ({ key: own, historyKey }: Cipher): KeyDescription =>
      new KeyDescription({
        key: own,
        server,
        known: () => deps.memory.sealDescription(historyKey),
        keep: (text) => deps.memory.keepSealDescription(historyKey, text),
      });
    const own = server.turns(choice.origin);
    const turns = cipher === null ? own : encryptedTurns(own, cipher);
    this.sharing = new TurnSharing({
      turns,
      clock,
      log,
      read: (conversationId) => readShownTurn(sessions, conversationId),
      stop: (conversationId) => gateway.turns.stop(conversationId),
    });
    this.service = new SyncService({
      store: deps.store,
      server: cipher === null ? compressedServer(server) : encryptedServer(server, cipher, description(cipher)),
      sharing: this.sharing,
      origin: choice.origin,
      machine: deps.machine,
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
        await deps.onReceived(conversationId, branchId);
        this.watched.active();
      },
      onForgotten: deps.onForgotten,
      onRemoved: deps.onRemoved,
      onTwin: deps.onTwin,
    });
    this.service.onDidChange(deps.onChange);
    this.watched = new WatchedTurns({
      turns,
      service: this.service,
      sessions,
      gateway,
      shownSession: deps.shownSession,
      clock,
      log,
      onChange: deps.onChange,
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
