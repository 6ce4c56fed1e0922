import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { DisposableStore, Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { t, translations } from '../../base/translate';
import type { ConversationGateway } from '../../gateway/conversationGateway';
import { GatewayError } from '../../gateway/gateway';
import { gitIdentityOf, repositoryName } from '../../store/library/gitIdentity';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { SessionStore } from '../../store/sessionStore';
import { promisedSync, type AsyncSyncedStore } from '../../store/syncing';
import { repositoryHistory, type History } from '../../sync/historyKey';
import { parseConnectionString } from '../../sync/postgres/connectionString';
import type * as postgres from '../../sync/postgres/index';
import type { PostgresServer, PostgresServerDeps } from '../../sync/postgres/postgresServer';
import { Seal } from '../../sync/sealing/seal';
import { sealedServer } from '../../sync/sealing/sealedServer';
import { syncFailureIn } from '../../sync/syncFailure';
import { SyncService, type SyncStatus } from '../../sync/syncService';
import { reportFailure, type CommandTable } from '../common/commands';
import { describeError } from '../common/describeError';
import { lazyBundle } from '../common/lazyBundle';
import type { StoreStatus } from '../storage/storeStatus';
import { HistorySeals } from './historySeals';
import { isOverdue, syncLine } from './syncLabels';
import { serverOf, SyncMemory, type SyncChoice } from './syncMemory';
import { SyncSetup } from './syncSetup';
import { pickSyncAction } from './syncStatusPick';
import type { TurnGate } from './turnGate';

export interface SyncFeatureDeps {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>;
  readonly distFolder: string;
  readonly sessions: SessionStore;
  readonly connection: Pick<StoreConnection, 'state' | 'onDidChangeState'>;
  readonly storeFolder: () => string;
  readonly store: Pick<StoreStatus, 'begin' | 'settled' | 'offer'>;
  readonly gateway: Pick<
    ConversationGateway,
    'received' | 'runningConversations' | 'onDidChangeSessions' | 'onDidChangeRunning'
  >;
  readonly turnGate: TurnGate;
  readonly openInChat: (sessionId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Running {
  readonly service: SyncService;
  readonly server: PostgresServer;
  readonly choice: SyncChoice;
}

/** Sync of this window's history with a server of the user's: its setup, its state, and the exchange while the store is
 *  open here. */
export class SyncFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<void>());
  private readonly memory: SyncMemory;
  private readonly setup: SyncSetup;
  private readonly seals: HistorySeals;
  private readonly synced: AsyncSyncedStore;
  private readonly load: () => typeof postgres.openPostgres;
  private running: Running | null = null;
  private starting: Promise<void> = Promise.resolve();
  readonly onDidChange = this.changes.event;

  constructor(private readonly deps: SyncFeatureDeps) {
    const { context, distFolder, sessions, connection, storeFolder, gateway, turnGate } = deps;
    this.load = lazyBundle<typeof postgres, 'openPostgres'>(
      distFolder,
      { file: 'sync.js', name: 'PostgreSQL' },
      'openPostgres',
    );
    this.memory = new SyncMemory({
      secrets: context.secrets,
      global: context.globalState,
      store: sessions,
      storeFolder,
      machineId: vscode.env.machineId,
      hostName: hostname(),
      newId: randomUUID,
    });
    this.seals = new HistorySeals({ memory: this.memory, open: (server) => this.open(server) });
    this.setup = new SyncSetup({
      memory: this.memory,
      open: (server) => this.open(server),
      store: sessions,
      repository: () => this.repository(),
      folderName: () => vscode.workspace.name ?? '',
    });
    this.synced = promisedSync((call) => sessions.sync(call));
    turnGate.set((conversationId) => this.beforeTurn(conversationId));
    const follow = (part: Disposable): void => void this.lifetime.register(part);
    follow(connection.onDidChangeState(() => this.restart()));
    follow(gateway.onDidChangeSessions(() => this.running?.service.nudge()));
    follow(gateway.onDidChangeRunning(() => this.running?.service.runningChanged()));
    follow(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.running?.service.nudge()));
    this.restart();
  }

  /** Null while this history is not synchronized, or not open here. */
  get status(): SyncStatus | null {
    return this.running?.service.state ?? null;
  }

  get commands(): CommandTable {
    return { setUpSync: () => this.setUp(), syncStatus: () => this.showStatus() };
  }

  dispose(): void {
    this.lifetime.dispose();
    void this.stop();
  }

  private open(deps: PostgresServerDeps): PostgresServer {
    return this.load()(deps, translations());
  }

  /** Leads through the choices, then starts sync. */
  async setUp(): Promise<void> {
    const { store } = this.deps;
    store.begin();
    await store.settled();
    // A stored connection string that cannot be read is asked for again.
    const chosen = await this.setup.ask(await this.memory.connection().catch(() => null));
    if (chosen === null) return;
    const { address, history, seal } = chosen;
    const before = await this.memory.choice();
    const isOther = before !== null && (before.history !== history.key || before.server !== serverOf(address));
    await this.seals.keep(chosen);
    await this.stop();
    await this.memory.keepConnection(chosen.text);
    // Versions and positions are those of one server.
    if (isOther) await this.synced.end();
    await this.memory.choose({
      isOn: true,
      history: history.key,
      name: history.name,
      server: serverOf(address),
      isSealed: seal.key !== null,
    });
    this.restart();
    await this.starting;
    if (seal.description !== null) await this.seals.showKey();
    void vscode.window.showInformationMessage(
      t('Sync is on. To have these sessions on another machine, set up sync there with the same connection string.'),
    );
  }

  private async showStatus(): Promise<void> {
    await this.starting;
    const { running } = this;
    if (running === null) return this.setUp();
    const { service, server, choice } = running;
    const action = await pickSyncAction(
      { name: choice.name, origin: choice.origin, isSealed: choice.isSealed, status: service.state },
      () => server.overview(),
    );
    switch (action) {
      case null:
        return;
      case 'now':
        return this.syncNow(service);
      case 'key':
        return this.seals.showKey();
      case 'other':
        return this.setUp();
      case 'off':
        await this.memory.choose({ ...choice, isOn: false });
        return this.stop();
      default:
        return action satisfies never;
    }
  }

  private async syncNow(service: SyncService): Promise<void> {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: t('Syncing…') }, () =>
      service.exchangeNow(),
    );
    void vscode.window.showInformationMessage(syncLine(service.state));
  }

  /** Follows the store, which may have been opened, closed or moved. */
  private restart(): void {
    this.starting = this.starting
      .then(() => this.stop())
      .then(() => this.start())
      .catch((error: unknown) => this.deps.log.error('Sync could not start', error));
  }

  private async start(): Promise<void> {
    const { connection, gateway, clock, log } = this.deps;
    if (this.lifetime.isDisposed || connection.state.kind !== 'open') return;
    const choice = await this.memory.choice();
    if (choice === null || !choice.isOn) return;
    const text = await this.memory.connection();
    if (text === null) return log.info('Sync waits: no connection string is stored on this machine.');
    const address = parseConnectionString(text);
    if (serverOf(address) !== choice.server) return log.info('Sync waits: this history belongs to another server.');
    const key = choice.isSealed ? await this.memory.sealKey(choice.history) : null;
    if (choice.isSealed && key === null) return this.askForKey();
    await this.synced.begin();
    const server = this.open({ address, history: choice.history });
    const service = new SyncService({
      store: this.synced,
      server: key === null ? server : sealedServer(server, new Seal(key, choice.history)),
      origin: choice.origin,
      machine: this.memory.machine,
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
      running: () => gateway.runningConversations(),
      onReceived: (conversationId, branchId) => this.received(conversationId, branchId),
    });
    service.onDidChange(() => this.statusChanged());
    this.running = { service, server, choice };
    service.start();
    this.changes.fire();
  }

  private askForKey(): void {
    this.deps.store.offer('sync', [
      {
        sentence: t('Sync waits for the passphrase of this history.'),
        choices: [{ label: t('Set Up Sync'), run: () => this.setUp() }],
      },
    ]);
  }

  private async stop(): Promise<void> {
    const { running } = this;
    if (running === null) return;
    this.running = null;
    this.deps.store.offer('sync', []);
    this.changes.fire();
    running.service.dispose();
    await running.server.dispose();
  }

  private async beforeTurn(conversationId: string): Promise<void> {
    const start = await this.running?.service.beforeTurn(conversationId);
    if (start?.kind === 'leased')
      throw new GatewayError(
        'busy',
        t('{machine} is answering in this session. Wait until it has finished, or branch the session.', {
          machine: start.machine,
        }),
      );
    if (start?.kind === 'divided')
      throw new GatewayError(
        'busy',
        t(
          'This session was also continued on another machine. What was added here is now a branch. Send your prompt again.',
        ),
      );
  }

  private async received(conversationId: string, branchId: string | null): Promise<void> {
    const { gateway, sessions, openInChat, log } = this.deps;
    await gateway.received(conversationId, branchId);
    if (branchId === null) return;
    const title = (await sessions.getSession(branchId))?.title ?? t('Untitled Session');
    const show = t('Show Session');
    const sentence = t('A session was continued here and on another machine. What was added here is now “{title}”.', {
      title,
    });
    // Nobody waits for the answer.
    Promise.resolve(vscode.window.showInformationMessage(sentence, show))
      .then((chosen) => (chosen === show ? openInChat(branchId) : undefined))
      .catch((error: unknown) => reportFailure('sync', error, log));
  }

  private statusChanged(): void {
    const { status } = this;
    const { store, clock } = this.deps;
    store.offer(
      'sync',
      status === null || !isOverdue(status, clock.now())
        ? []
        : [
            {
              sentence: t('For more than a day, new messages could not be sent to your server. {reason}', {
                reason: status.failure?.sentence ?? '',
              }),
              choices: [{ label: t('Sync Status…'), run: () => this.showStatus() }],
            },
          ],
    );
    this.changes.fire();
  }

  /** The repository of the open folder; null when it is no clone of one. */
  private async repository(): Promise<History | null> {
    const uri = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (uri === undefined || (uri.scheme !== 'file' && uri.scheme !== 'vscode-remote')) return null;
    const [identity, name] = await Promise.all([gitIdentityOf(uri.fsPath), repositoryName(uri.fsPath)]);
    const remote = identity?.remote ?? null;
    return remote === null || name === null ? null : repositoryHistory(remote, name);
  }
}
