import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import { t, translations } from '../../../base/translate';
import { gitIdentityOf, repositoryName } from '../../../store/library/gitIdentity';
import { promisedSync, type AsyncSyncedStore } from '../../../store/syncing';
import { repositoryHistory, type History, serverOf, SyncMemory, type KnownHistory } from './syncMemory';
import { parseConnectionString } from '../core/postgres/connectionString';
import type * as postgres from '../core/postgres/index';
import type { PostgresServer, PostgresServerOptions } from '../core/postgres/postgresServer';
import type { SyncService } from '../core/syncService';
import type { ServerAccount } from '../../../transcript/verification';
import type { CommandTable } from '../../../host/common/commands';
import type { WindowContext } from '../../../host/window/windowContext';
import { describeError } from '../../../host/common/describeError';
import { lazyBundle } from '../../../host/common/lazyBundle';
import { HistoryCiphers } from './historyCiphers';
import { chatSync, syncLine } from './syncLabels';
import { RunningSync } from './runningSync';
import { SyncSetup } from './syncSetup';
import { pickSyncAction } from './syncStatusPick';
import { refuseTurn, SyncNotices } from './syncNotices';
import { joinSentences } from '../../../base/messageText';
import type { Log } from '../../../base/log';

/** Does for sessions that were forgotten on another machine what Forget does on this one beside its store: erases them
 *  from memory, backups and exports. The store notes them until that was done, also across a crash. */
export class ForgottenElsewhere {
  private working: Promise<void> = Promise.resolve();

  /** `erase`: erases sessions from memory, backups and exported files. Resolves with a sentence for everything that it
   *  could not erase. `warn`: tells the user what is left. */
  constructor(
    private readonly store: Pick<AsyncSyncedStore, 'copies' | 'copiesForgotten'>,
    private readonly erase: (sessionIds: readonly string[]) => Promise<readonly string[]>,
    private readonly warn: (sentence: string) => void,
    private readonly log: Log,
  ) {}

  /** Never rejects. What fails is tried again by the next call, at the next start at the latest. */
  finish(): Promise<void> {
    this.working = this.working
      .then(() => this.finishNow())
      .catch((error: unknown) =>
        this.log.warn(`Copies of forgotten sessions could not be erased yet: ${describeError(error).sentence}`),
      );
    return this.working;
  }

  private async finishNow(): Promise<void> {
    const copies = await this.store.copies();
    const sessionIds = copies.flatMap((one) => one.sessionIds);
    if (sessionIds.length === 0) return;
    const left = await this.erase(sessionIds);
    for (const { conversationId } of copies) await this.store.copiesForgotten(conversationId);
    if (left.length > 0)
      this.warn(
        joinSentences([t('A session was forgotten on another machine. Copies of it may be left here.'), ...left]),
      );
  }
}

/** Sync of this window's history with a server of the user's: its setup, its state, and the exchange while the store is
 *  open here. */
export class SyncFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly memory: SyncMemory;
  private readonly notices: SyncNotices;
  private readonly setup: SyncSetup;
  private readonly seals: HistoryCiphers;
  private readonly synced: AsyncSyncedStore;
  private readonly forgotten: ForgottenElsewhere;
  private readonly load: () => typeof postgres.openPostgres;
  private running: RunningSync | null = null;
  private starting: Promise<void> = Promise.resolve();

  constructor(private readonly window: WindowContext) {
    const { context, distFolder, gateway, sync, log } = window;
    const { store, status, connection } = window.history;
    this.load = lazyBundle<typeof postgres, 'openPostgres'>(
      distFolder,
      { file: 'sync.js', name: 'PostgreSQL' },
      'openPostgres',
    );
    this.memory = new SyncMemory(context.secrets, context.globalState, store);
    this.notices = new SyncNotices(status, (sessionId) => window.opener.open(sessionId, null, 'chat'), log);
    this.seals = new HistoryCiphers(this.memory, (server) => this.open(server));
    this.setup = new SyncSetup({
      memory: this.memory,
      open: (server) => this.open(server),
      store,
      repository: () => this.repository(),
      folderName: () => vscode.workspace.name ?? '',
    });
    this.synced = promisedSync((call) => store.sync(call));
    this.forgotten = new ForgottenElsewhere(
      this.synced,
      async (ids) => [
        ...(await gateway.actions.forgetInMemory(ids)),
        ...(await Promise.all(window.forgetCopies.run(ids))).flat(),
      ],
      (sentence) => void vscode.window.showWarningMessage(sentence),
      log,
    );
    sync.connect({
      setUp: () => this.setUp(),
      stopElsewhere: async () => this.running?.watched.stop(),
      takeOver: async () => this.running?.watched.takeOver(),
      showSync: () => this.showStatus(),
      account: (conversationId) => this.account(conversationId),
    });
    const follow = (part: Disposable): void => void this.lifetime.register(part);
    follow(window.beforeTurn.add((conversationId) => this.beforeTurn(conversationId)));
    follow(connection.onDidChangeState(() => this.restart()));
    follow(gateway.surfaces.onDidChangeSessions(() => this.running?.service.nudge()));
    follow(gateway.turns.onDidChangeRunning(() => this.running?.service.runningChanged()));
    follow(gateway.surfaces.onDidSwitchSession(() => this.running?.watched.shownChanged()));
    follow(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.running?.nudge()));
    this.restart();
  }

  get commands(): CommandTable {
    return { setUpSync: () => this.setUp(), syncStatus: () => this.showStatus() };
  }

  dispose(): void {
    this.lifetime.dispose();
    void this.stop();
  }

  private open(deps: PostgresServerOptions): PostgresServer {
    return this.load()(deps, translations());
  }

  /** Leads through the choices, then starts sync. */
  async setUp(): Promise<void> {
    const { status } = this.window.history;
    status.begin();
    await status.settled();
    // A stored connection string that cannot be read is asked for again.
    const known = await this.memory.connection().catch(() => null);
    if (known === null && !(await isWanted())) return;
    const chosen = await this.setup.ask(known);
    if (chosen === null) return;
    const { address, history, cipher } = chosen;
    const before = await this.memory.choice();
    const isOther = before !== null && before.history !== history.key;
    await this.seals.keep(chosen);
    await this.stop();
    await this.memory.keepConnection(chosen.text);
    // Versions are those of one history. Another server of the same one is compared with by its first look.
    if (isOther) await this.synced.end();
    await this.begin({
      history: history.key,
      name: history.name,
      server: serverOf(address),
      isSealed: cipher.key !== null,
    });
    if (cipher.description !== null) await this.seals.showKey();
    void vscode.window.showInformationMessage(
      t('Sync is on. To have these sessions on another machine, set up sync there with the same connection string.'),
    );
  }

  private async account(conversationId: string): Promise<ServerAccount | null> {
    const { running } = this;
    if (running === null) return null;
    const unread = (sentence: string): ServerAccount => ({ same: 0, waiting: 0, different: [], unread: sentence });
    try {
      const account = await running.service.account(conversationId);
      return account ?? unread(t('The server wasn’t compared because Hermes is answering.'));
    } catch (error) {
      return unread(t('The server couldn’t be compared. {reason}', { reason: describeError(error).sentence }));
    }
  }

  private async begin(known: KnownHistory): Promise<void> {
    await this.memory.rememberHistory(known);
    await this.memory.choose({ ...known, isOn: true });
    this.restart();
    await this.starting;
  }

  private async showStatus(): Promise<void> {
    await this.starting;
    const { running } = this;
    if (running === null) return this.setUp();
    const { service, server, choice } = running;
    const titled = service.state.refused.map(async ({ conversationId, sentence }) => ({
      title: await this.titleOf(conversationId),
      sentence,
    }));
    const refused = await Promise.all(titled);
    const action = await pickSyncAction(choice, service.state, refused, () => server.overview());
    switch (action) {
      case null:
        return;
      case 'now':
        return this.syncNow(service);
      case 'key':
        return this.seals.showKey();
      case 'passphrase':
        await this.seals.changePassphrase();
        return this.syncNow(service);
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
      .catch((error: unknown) => this.window.log.error('Sync could not start', error));
  }

  private async start(): Promise<void> {
    const { history, log } = this.window;
    if (this.lifetime.isDisposed || history.connection.state.kind !== 'open') return;
    let choice = await this.memory.choice();
    if (choice === null) return this.offerKnown();
    if (!choice.isOn) return;
    const text = await this.memory.connection();
    if (text === null) return log.info('Sync waits: no connection string is stored on this machine.');
    const address = parseConnectionString(text);
    const key = choice.isSealed ? await this.memory.cipherKey(choice.history) : null;
    if (choice.isSealed && key === null) return this.notices.askForKey(() => this.setUp());
    await this.synced.begin();
    const server = this.open({ address, history: choice.history });
    if (serverOf(address) !== choice.server) {
      // The connection string is that of all folders: nothing of this one goes to a server that was chosen for another.
      const isSame = await this.hasHistory(server).catch((error: unknown) => error);
      if (isSame !== true) await server.dispose();
      if (isSame === false) return this.notices.askForServer(choice.name, () => this.setUp());
      if (isSame !== true) return log.info(`Sync waits for another server: ${describeError(isSame).sentence}`);
      choice = await this.memory.choose({ ...choice, server: serverOf(address) });
    }
    const { memory, synced: store } = this;
    const running = new RunningSync(
      this.window,
      { store, memory, server, choice, key },
      {
        onReceived: (conversationId, branchId) => this.received(conversationId, branchId),
        onForgotten: () => void this.forgotten.finish(),
        onRemoved: (id, kept) => void this.titleOf(id).then((title) => this.notices.removed(kept, title)),
        onTwin: () => void memory.renewOrigin().then(() => this.restart()),
        onChange: () => this.statusChanged(),
      },
    );
    this.running = running;
    running.service.start();
    void this.forgotten.finish();
    this.statusChanged();
  }

  /** True for the server that this store was synchronized with, under whatever name. */
  private async hasHistory(server: PostgresServer): Promise<boolean> {
    const read = await this.synced.read();
    await server.prepare();
    return read !== null && (await server.news({ origin: '' }, read.changes)).generation === read.generation;
  }

  /** Offers what this user synchronizes on other machines: a clone of the same repository, in a new container say.
   *  Nothing is asked of the server before. */
  private async offerKnown(): Promise<void> {
    const text = await this.memory.connection().catch(() => null);
    const repository = text === null ? null : await this.repository();
    if (text === null || repository === null) return;
    const known = this.memory.knownHistory(repository.key, serverOf(parseConnectionString(text)));
    if (known === null) return;
    this.notices.offerKnown(known, () => this.begin(known));
  }

  private async stop(): Promise<void> {
    const { running } = this;
    this.notices.none();
    if (running === null) return;
    this.running = null;
    this.window.sync.show(null, null);
    running.dispose();
    await running.server.dispose();
  }

  private async beforeTurn(conversationId: string): Promise<void> {
    const start = await this.running?.service.beforeTurn(conversationId);
    if (start !== undefined) refuseTurn(start);
  }

  private async received(conversationId: string, branchId: string | null): Promise<void> {
    await this.window.gateway.switching.received(conversationId, branchId);
    if (branchId !== null) this.notices.divided(branchId, await this.titleOf(branchId));
  }

  /** Never rejects. */
  private async titleOf(conversationId: string): Promise<string> {
    const { history, log } = this.window;
    try {
      return (await history.store.getSession(conversationId))?.title ?? t('Untitled Session');
    } catch (error) {
      log.warn(`The title of ${conversationId} could not be read: ${describeError(error).sentence}`);
      return t('Untitled Session');
    }
  }

  private statusChanged(): void {
    const { sync, clock } = this.window;
    const status = this.running?.service.state ?? null;
    if (status === null) sync.show(null, null);
    else sync.show(chatSync(status, clock.now(), this.running?.watched.turn ?? null), syncLine(status));
    this.notices.update(status, clock.now(), () => this.showStatus());
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

/** Says what sync does and needs, before anything is asked for. */
async function isWanted(): Promise<boolean> {
  const detail = t(
    'Sessions of this folder are sent to a PostgreSQL server of yours, and your other machines get them from there. You need its connection string. You can encrypt everything on this machine first, so that the server can’t read it. Sync Status turns it off again.',
  );
  const next = t('Continue');
  return (await vscode.window.showInformationMessage(t('Set Up Sync'), { modal: true, detail }, next)) === next;
}
