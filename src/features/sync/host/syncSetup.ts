import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { SessionStore } from '../../../store/session/sessionStore';
import { namedHistory, type History, type SyncMemory } from './syncMemory';
import { parseConnectionString, shownAddress, type DatabaseAddress } from '../core/postgres/connectionString';
import type { PostgresServer, PostgresServerOptions } from '../core/postgres/postgresServer';
import { syncFailureIn } from '../core/syncFailure';
import { askNewCipher, askPassphrase, askRecoveryKey, type ChosenCipher } from './cipherQuestions';
import { sizeText } from '../../../host/library/sessionLabels';
import { withServer } from '../core/syncServer';

export interface SyncSetupDeps {
  readonly memory: Pick<SyncMemory, 'machine' | 'nameMachine' | 'sealDescription'>;
  readonly open: (
    deps: PostgresServerOptions,
  ) => Pick<PostgresServer, 'prepare' | 'overview' | 'sealDescription' | 'sealedBody' | 'dispose'>;
  readonly store: Pick<SessionStore, 'storeSizes' | 'listSessions'>;
  /** The repository of the open folder; null when it is no clone of one. */
  readonly repository: () => Promise<History | null>;
  /** Name of the open folder. */
  readonly folderName: () => string;
}

/** The user's choices. */
export interface ChosenSync {
  readonly text: string;
  readonly address: DatabaseAddress;
  readonly history: History;
  readonly cipher: ChosenCipher;
}

const example = 'postgres://user:password@server/database';

/** Leads through Set Up Sync…: the server, which is tested; what belongs together; what will be sent. Canceling at any
 *  step changes nothing. */
export class SyncSetup {
  constructor(private readonly deps: SyncSetupDeps) {}

  /** Null when the user cancels. `known`: the connection string that is in use. */
  async ask(known: string | null): Promise<ChosenSync | null> {
    const text = await this.askConnection(known);
    if (text === null) return null;
    const address = parseConnectionString(text);
    const history = await this.askHistory();
    if (history === null) return null;
    const cipher = await this.askCipher(address, history);
    if (cipher === null) return null;
    const machine = await vscode.window.showInputBox({
      title: t('Set Up Sync'),
      prompt: t('Name of this machine'),
      value: this.deps.memory.machine,
      ignoreFocusOut: true,
      validateInput: (value) => (value.trim() === '' ? t('Enter a name.') : null),
    });
    if (machine === undefined || !(await this.agreed(address, history, cipher.key !== null))) return null;
    await this.deps.memory.nameMachine(machine.trim());
    return { text, address, history, cipher };
  }

  /** Asks until a server can be used. */
  private async askConnection(known: string | null): Promise<string | null> {
    for (let value = known ?? ''; ;) {
      const text = await vscode.window.showInputBox({
        title: t('Set Up Sync'),
        prompt: t('Connection string of your PostgreSQL server. It is kept in the editor’s secret storage.'),
        placeHolder: example,
        password: true,
        value,
        ignoreFocusOut: true,
        validateInput: (entered) => problemOf(entered),
      });
      if (text === undefined) return null;
      if (await this.tested(parseConnectionString(text))) return text;
      value = text;
    }
  }

  /** Makes the tables, too. */
  private async tested(address: DatabaseAddress): Promise<boolean> {
    const location = vscode.ProgressLocation.Notification;
    const title = t('Connecting to {where}…', { where: shownAddress(address) });
    try {
      await withServer(this.deps.open({ address, history: '' }), async (server) =>
        vscode.window.withProgress({ location, title }, () => server.prepare()),
      );
      return true;
    } catch (error) {
      const failure = syncFailureIn(error);
      if (failure === null) throw error;
      const [copy, again] = [t('Copy SQL'), t('Try Again')];
      const buttons = [...(failure.sql === null ? [] : [copy]), again];
      const chosen = await vscode.window.showErrorMessage(failure.message, { modal: true }, ...buttons);
      if (chosen === copy && failure.sql !== null) await vscode.env.clipboard.writeText(failure.sql);
      return false;
    }
  }

  private async askHistory(): Promise<History | null> {
    const repository = await this.deps.repository();
    const other = { label: t('Another Name…'), history: null };
    if (repository !== null) {
      const picked = await vscode.window.showQuickPick(
        [{ label: t('All clones of {name}', { name: repository.name }), history: repository }, other],
        { title: t('Set Up Sync'), placeHolder: t('Which folders share their sessions?'), ignoreFocusOut: true },
      );
      if (picked === undefined) return null;
      if (picked.history !== null) return picked.history;
    }
    const name = await vscode.window.showInputBox({
      title: t('Set Up Sync'),
      prompt: t('All folders with this name share their sessions. Enter the same name on each machine.'),
      value: this.deps.folderName(),
      ignoreFocusOut: true,
      validateInput: (value) => (value.trim() === '' ? t('Enter a name.') : null),
    });
    return name === undefined ? null : namedHistory(name);
  }

  /** A history that others have begun stays as they began it. */
  private askCipher(address: DatabaseAddress, { key }: History): Promise<ChosenCipher | null> {
    return withServer(this.deps.open({ address, history: key }), async (server) => {
      const description = await server.sealDescription();
      if (description !== null) return askPassphrase(description);
      const sample = await server.sealedBody();
      if (sample !== null) {
        // Kept here beside the key.
        const known = await this.deps.memory.sealDescription(key);
        return known === null ? askRecoveryKey(sample, key) : askPassphrase(known);
      }
      const { documents } = await server.overview();
      return documents > 0 ? { key: null, description: null } : askNewCipher();
    });
  }

  private async agreed(address: DatabaseAddress, history: History, isSealed: boolean): Promise<boolean> {
    const { store } = this.deps;
    const isPrivate = new Set(
      (await store.listSessions({ limit: 1_000_000 })).flatMap((session) => (session.private ? session.id : [])),
    );
    const sessions = (await store.storeSizes()).sessions.filter(({ sessionId }) => !isPrivate.has(sessionId));
    const there = await withServer(this.deps.open({ address, history: history.key }), (server) => server.overview());
    const start = t('Start Sync');
    const sum = (of: (session: (typeof sessions)[number]) => number): number =>
      sessions.reduce((total, session) => total + of(session), 0);
    const detail = [
      t('To send: {size} (sessions: {sessions}, messages: {messages}). Private sessions stay here.', {
        sessions: sessions.length,
        messages: sum(({ messages }) => messages),
        size: this.size(sum(({ textBytes, imageBytes }) => textBytes + imageBytes)),
      }),
      t('To receive: {size} (sessions: {sessions}).', { sessions: there.conversations, size: this.size(there.bytes) }),
      isSealed
        ? t('Later messages are sent when their turn has ended. The server holds them encrypted.')
        : t('Later messages are sent when their turn has ended. Whoever runs the server can read them.'),
    ].join('\n\n');
    const question = t('Share the sessions of “{name}” through {where}?', {
      name: history.name,
      where: shownAddress(address),
    });
    return (await vscode.window.showInformationMessage(question, { modal: true, detail }, start)) === start;
  }

  private size(bytes: number): string {
    return sizeText(bytes);
  }
}

/** A sentence for a connection string that cannot be used; null for one that can. */
function problemOf(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    parseConnectionString(text);
    return null;
  } catch (error) {
    return syncFailureIn(error)?.message ?? String(error);
  }
}
