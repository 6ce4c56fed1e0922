import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, Emitter, type Disposable } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import { notAFile } from '../../../base/notAFile';
import { withinTime } from '../../../base/pause';
import { t, translations, shownList, quoted } from '../../../base/translate';
import { openPage } from '../../../host/common/editorFeatures';
import { lazyBundle } from '../../../host/common/lazyBundle';
import type { Offer } from '../../../host/storage/storeLabels';
import type { ToolServers } from '../../../host/window/featurePoints';
import type { WindowContext } from '../../../host/window/windowContext';
import { maskSecrets } from '../../../models/secrecy/secrecy';
import { ProgramTrust, type TrustDecision } from '../../../tools/programTrust';
import type { AnyTool } from '../../../tools/tool';
import type * as client from '../core/client/index';
import { connectingConfined } from '../core/confinedConnect';
import type { McpServer } from '../core/mcpServer';
import { McpServers, type McpTrial } from '../core/mcpServers';
import { stayingAtOrigin } from '../core/originFetch';
import { commandLine, definitionId, fingerprint, type ServerDefinition } from '../core/serverDefinition';
import { placeOf, placeSentences, type ServerPlace } from '../core/serverPlace';
import { envFilePath, fillIn as filledIn, handedServer, serverPlan } from '../core/serverPlan';
import type { KnownServer } from './addServer';
import { askToSignIn, BrowserSignIn } from './browserSignIn';
import { EditorTools } from './editorTools';
import { manageServers, ToolSwitches } from './manageServers';
import { SavedCredentials, secretName } from './savedCredentials';
import {
  definingFile,
  fileOf,
  openFolders,
  readWrittenServers,
  type ServerProblem,
  watchWrittenServers,
} from './serverFiles';
import { ServerInputs } from './serverInputs';
import { ServerOffers } from './serverOffers';

/** Debounce in milliseconds: files change in bursts. */
const quietMs = 300;
const readTimeoutMs = 2000;
const offeredKey = 'mcp.offered';
/** The limit of OpenAI and others. */
const mostTools = 128;

/** MCP servers of this window: their definitions, the user's trust in them, and their tools. */
export class McpHost implements ToolServers, Disposable {
  private readonly lifetime = new DisposableStore();
  readonly servers: McpServers;
  readonly offers: ServerOffers;
  private readonly promptsChanged = this.lifetime.register(new Emitter<void>());
  readonly onDidChangePrompts = this.promptsChanged.event;
  private prompts = '[]';
  private readonly trust: ProgramTrust;
  private readonly inputs: ServerInputs;
  readonly switches: ToolSwitches;
  readonly editorTools: EditorTools;
  private readonly credentials: SavedCredentials;
  private known: readonly KnownServer[] = [];
  private problems: readonly ServerProblem[] = [];
  private reading: Promise<void> = Promise.resolve();
  private readings = 0;
  private cancelRead: () => void = () => undefined;
  /** Fingerprints of definitions that the user was already asked about in this window. */
  private readonly asked = new Set<string>();
  private wasUsed = false;
  private offered = 0;
  private readonly closing = new AbortController();

  constructor(private readonly window: WindowContext) {
    const { context, clock, log, terminal, history } = window;
    const load = lazyBundle<typeof client, 'createMcpClient'>(
      window.distFolder,
      { file: 'mcp.js', name: 'MCP' },
      'createMcpClient',
    );
    this.trust = new ProgramTrust(context.workspaceState, 'mcp.trusted');
    this.switches = new ToolSwitches(context.workspaceState);
    this.editorTools = new EditorTools(context.globalState);
    this.inputs = new ServerInputs(context.workspaceState, context.secrets);
    const credentials = new SavedCredentials(context.secrets, clock, () =>
      join(context.globalStorageUri.fsPath, 'mcp-sign-in'),
    );
    this.credentials = credentials;
    const browser = this.lifetime.register(new BrowserSignIn(context.extension.id));
    const mcpClient = () =>
      load()({
        version: String((context.extension.packageJSON as { readonly version?: unknown }).version ?? '0'),
        translations: translations(),
        fetch: stayingAtOrigin((...request) => globalThis.fetch(...request)),
        credentials,
      });
    this.servers = this.lifetime.register(
      new McpServers({
        connect: async () =>
          connectingConfined(mcpClient().connect, terminal.confinement, () =>
            join(history.folder, 'taken-out', randomBytes(4).toString('hex')),
          ),
        signIn: {
          ask: async (server, launch, signal) =>
            askToSignIn(server, launch.url, await mcpClient().signInHost(launch, signal)),
          openPage,
          run: (server, launch, signal) =>
            browser.cancellable(server, signal, (stop) => mcpClient().signIn(launch, browser.waysFor(server), stop)),
        },
        isOff: (server, tool) => this.switches.isOff(server, tool),
        roots: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ uri: uri.toString(), name })),
        clock,
        log,
      }),
    );
    this.offers = new ServerOffers(this.servers);
    this.lifetime.register(this.servers.onDidChange(() => (this.notify(), this.comparePrompts())));
    this.lifetime.register(watchWrittenServers(() => this.readSoon()));
    this.lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.servers.rootsChanged()));
    this.lifetime.register(context.secrets.onDidChange(({ key }) => this.signedInElsewhere(key)));
    this.reading = this.read();
  }

  get all(): readonly KnownServer[] {
    return this.known;
  }

  /** Tools of every server that may run, and those of extensions. The first turn starts the servers. Asks the user
   *  about servers that are not decided yet; no turn waits for the answer. */
  async tools(signal: AbortSignal, called: readonly string[] = []): Promise<readonly AnyTool[]> {
    await this.settled();
    signal.throwIfAborted();
    this.wasUsed = true;
    void this.askForTrust().catch((error: unknown) =>
      this.window.log.error('The question whether to trust MCP servers could not be asked', error),
    );
    try {
      const tools = await this.servers.tools(signal, called);
      this.offered = tools.length;
      return [...tools, ...this.editorTools.offered()];
    } catch (error) {
      signal.throwIfAborted();
      this.window.log.error('The tools of MCP servers could not be gathered', error);
      return this.editorTools.offered();
    } finally {
      this.notify();
    }
  }

  async trusted() {
    await this.settled();
    return this.known
      .filter(({ isTrusted }) => isTrusted)
      .map(({ id, definition: { name, transport } }) => ({ id, name, detail: maskSecrets(commandLine(transport)) }));
  }

  async handOver(ids: readonly string[], folder: string, signal: AbortSignal) {
    await this.settled();
    const servers = ids.flatMap((id) => this.known.find((server) => server.id === id) ?? []);
    return Promise.all(
      servers.map(async ({ definition }) => {
        const { name } = definition;
        const env = await readEnvFileOf(definition);
        // As it is now: its variables may have changed since it was trusted.
        const server = this.judge(definition, env.text);
        if (env.problem !== null) return { name, problem: env.problem };
        if (!server.isTrusted) return { name, problem: t('You have not trusted it as it is defined now.') };
        try {
          if (definition.transport.kind === 'stdio' && !(await this.canRun(definition)).outside)
            return { name, problem: t('Your settings let it run in the sandbox only.') };
          const outside: ServerPlace = { kind: 'outside', reason: { kind: 'unwritten' } };
          const launched = await this.planOf(server, env.text, outside).launch(signal);
          if (launched.kind === 'failed') return { name, problem: launched.sentence };
          return handedServer(name, launched.launch, { folder, environment: process.env });
        } catch (error) {
          signal.throwIfAborted();
          return { name, problem: errorMessage(error) };
        }
      }),
    );
  }

  /** Resolves to true when the user trusts the server now. */
  async review(server: KnownServer): Promise<boolean> {
    const decision = await this.askToTrust(server);
    if (decision === null) return false;
    await this.decide(server, decision);
    return true;
  }

  /** Asks the user to trust it. Changes nothing. Null: the user does not trust it. */
  async askToTrust(server: KnownServer): Promise<TrustDecision | null> {
    this.asked.add(server.fingerprint);
    const { name, transport } = server.definition;
    const place = await this.place(server);
    const choices = await this.waysToTrust(server, place);
    const question = server.hasChanged
      ? t('The definition of the MCP server “{name}” has changed since you trusted it. Trust the new one?', { name })
      : t('Trust the MCP server “{name}”?', { name });
    const what =
      transport.kind === 'stdio'
        ? t('It runs this program on your machine:')
        : t('The agent’s tool arguments are sent to:');
    const where = place === null ? [] : [placeSentences(place, server.definition, [])];
    const detail = [
      what,
      commandLine(transport),
      ...where,
      t('Defined in {file}. Hermes asks again if the definition changes.', {
        file: fileOf(server.definition),
      }),
    ].join('\n\n');
    const chosen = await vscode.window.showWarningMessage(
      question,
      { modal: true, detail },
      ...choices.map(({ label }) => label),
    );
    return choices.find(({ label }) => label === chosen)?.decision ?? null;
  }

  /** Returns a server that is not saved yet as it would be known. */
  proposed(definition: ServerDefinition): KnownServer {
    return this.judge(definition, null);
  }

  /** Starts it as the user decided, counts its tools and stops it. Rejects only when aborted. */
  trial(server: KnownServer, decision: TrustDecision, signal: AbortSignal): Promise<McpTrial> {
    return this.servers.trial(this.planOf({ ...server, isTrusted: true, decision }, null), signal);
  }

  /** Saves a new server together with the user's trust, so that nobody is asked about it again. `decision` null: it
   *  needs none. */
  async add(server: KnownServer, decision: TrustDecision | null, save: () => Promise<void>): Promise<void> {
    if (decision !== null) await this.trust.trust(server.id, server.fingerprint, decision);
    try {
      await save();
    } catch (error) {
      if (decision !== null) await this.trust.forget(server.id);
      throw error;
    }
    await this.readNow();
  }

  /** Buttons to trust a server. Normally one button trusts it as it would run. If only the folder asks to run it
   *  without the sandbox, the user gets both choices. */
  private async waysToTrust(
    { definition }: KnownServer,
    place: ServerPlace | null,
  ): Promise<readonly { readonly label: string; readonly decision: TrustDecision }[]> {
    const asShown: TrustDecision = { choice: null, mayRunOutside: place?.kind === 'outside', hosts: [] };
    const isFoldersWish = definition.transport.kind === 'stdio' && definition.transport.sandbox.isEnabled === false;
    if (!isFoldersWish || !(await this.canRun(definition)).inside)
      return [{ label: t('Trust and Start'), decision: asShown }];
    const inside = {
      label: t('Trust and Run in the Sandbox'),
      decision: { choice: 'inside', mayRunOutside: false, hosts: [] },
    } as const;
    return place?.kind === 'outside'
      ? [inside, { label: t('Trust and Run Without the Sandbox'), decision: asShown }]
      : [inside];
  }

  /** Saves the user's decision for exactly this definition, and starts the server accordingly. */
  async decide(server: KnownServer, decision: TrustDecision): Promise<void> {
    await this.trust.trust(server.id, server.fingerprint, decision);
    await this.readNow();
    this.servers.find(server.id)?.start();
  }

  /** Place where the server runs now, or would run if it were trusted. Null for a server that runs no program here. */
  async place({
    definition,
    isTrusted,
    decision: kept,
  }: Pick<KnownServer, 'definition' | 'isTrusted' | 'decision'>): Promise<ServerPlace | null> {
    const { source, transport } = definition;
    if (transport.kind !== 'stdio') return null;
    const { confinement } = this.window.terminal;
    const decision: TrustDecision = isTrusted ? kept : { choice: null, mayRunOutside: true, hosts: [] };
    return placeOf({
      isOwn: source.kind === 'settings',
      isEnabled: transport.sandbox.isEnabled,
      decision,
      sandbox: await confinement.state(),
      isRequired: confinement.isRequired,
    });
  }

  /** Tells if the user may run it in the sandbox, and without it. */
  async canRun(definition: ServerDefinition): Promise<{ readonly inside: boolean; readonly outside: boolean }> {
    if (definition.transport.kind !== 'stdio') return { inside: false, outside: false };
    const { confinement } = this.window.terminal;
    return {
      inside: (await confinement.state()).kind === 'works',
      outside: definition.source.kind === 'settings' || !confinement.isRequired,
    };
  }

  /** Stops the server and removes its trust and its saved inputs. */
  async forget(server: KnownServer): Promise<void> {
    await this.trust.forget(server.id);
    await this.inputs.forget(server.fingerprint, server.definition.inputs);
    await this.readNow();
  }

  /** Signs in and tells how that went. */
  async signIn(server: McpServer): Promise<void> {
    const outcome = await server.signIn(this.closing.signal);
    if (outcome.kind === 'failed') void vscode.window.showErrorMessage(outcome.sentence);
  }

  async isSignedIn(definition: ServerDefinition): Promise<boolean> {
    const address = this.addressOf(definition);
    return address !== null && (await this.credentials.read(address)) !== null;
  }

  /** Removes the tokens of the server on this machine, and stops it. */
  async signOut({ id, definition }: KnownServer): Promise<void> {
    const address = this.addressOf(definition);
    await this.servers.find(id)?.stop(true);
    // A refresh that is under way would store its tokens again.
    if (address !== null) await this.credentials.exclusively(address, () => this.credentials.write(address, null));
  }

  /** Opens the file or setting that defines the server. */
  async open(definition: ServerDefinition): Promise<void> {
    await openPlace(definingFile(definition)?.toString() ?? null);
  }

  /** Resolves once the definitions are read, or have taken too long. */
  async settled(): Promise<void> {
    await withinTime(this.window.clock, readTimeoutMs, this.reading);
  }

  close(): Promise<void> {
    return this.servers.close();
  }

  dispose(): void {
    this.closing.abort();
    this.cancelRead();
    this.lifetime.dispose();
  }

  /** Null when it is not known without asking the user. */
  private addressOf(definition: ServerDefinition): string | null {
    const { transport, inputs } = definition;
    if (transport.kind === 'stdio' || inputs.some(({ id }) => transport.url.includes(`\${input:${id}}`))) return null;
    try {
      return new URL(filledIn(transport.url, { ...valuesFor(definition), inputs: new Map() })).href;
    } catch {
      return null;
    }
  }

  /** Another window of the user signed in. */
  private signedInElsewhere(key: string): void {
    for (const { id, definition } of this.known) {
      const server = this.servers.find(id);
      if (server?.state.kind !== 'failed' || !server.state.signIn) continue;
      const address = this.addressOf(definition);
      if (address !== null && key === secretName(address)) server.start();
    }
  }

  private readSoon(): void {
    this.cancelRead();
    this.cancelRead = this.window.clock.after(quietMs, () => void this.readNow());
  }

  private readNow(): Promise<void> {
    this.reading = this.read();
    return this.reading;
  }

  private async read(): Promise<void> {
    const reading = ++this.readings;
    try {
      // An untrusted folder starts no server. The settings start none either while such a folder is open.
      const written = vscode.workspace.isTrusted ? await readWrittenServers() : { definitions: [], problems: [] };
      const problems = [...written.problems];
      const known: { readonly server: KnownServer; readonly envFileText: string | null }[] = [];
      for (const definition of written.definitions) {
        const env = await readEnvFileOf(definition);
        if (env.problem !== null)
          problems.push({
            sentence: env.problem,
            file: definingFile(definition)?.toString() ?? null,
          });
        else known.push({ server: this.judge(definition, env.text), envFileText: env.text });
      }
      if (reading !== this.readings) return this.reading;
      this.known = known.map(({ server }) => server);
      this.problems = problems;
      for (const { sentence } of problems) this.window.log.warn(sentence);
      this.servers.use(
        known
          .filter(({ server }) => server.isTrusted)
          .map(({ server, envFileText }) => this.planOf(server, envFileText)),
      );
    } catch (error) {
      this.window.log.error('The MCP servers of this window couldn’t be read', error);
    }
  }

  private judge(definition: ServerDefinition, envFileText: string | null): KnownServer {
    const id = definitionId(definition);
    const mark = fingerprint(definition, envFileText);
    const isOwn = definition.source.kind === 'settings';
    return {
      id,
      definition,
      fingerprint: mark,
      isTrusted: isOwn || this.trust.isTrusted(id, mark),
      hasChanged: !isOwn && this.trust.knewAnother(id, mark),
      decision: this.trust.decision(id, mark),
    };
  }

  /** `at`: default: where the user decided that it runs. */
  private planOf(server: KnownServer, envFileText: string | null, at: ServerPlace | null = null) {
    const { definition, decision, fingerprint: mark } = server;
    // A changed decision makes a new plan: the server is restarted.
    return serverPlan(definition, `${mark} ${JSON.stringify(decision)}`, {
      place: async () => at ?? (await this.place(server)) ?? { kind: 'refused', sentence: 'It runs no program.' },
      hosts: decision.hosts,
      values: () => valuesFor(definition),
      askInput: (input, signal) => this.inputs.ask(definition.name, mark, input, signal),
      envFileText,
      isFolder: (path) =>
        stat(path).then(
          (found) => found.isDirectory(),
          () => false,
        ),
    });
  }

  /** Asks once per definition and window. A user who dismisses this finds the servers under Manage MCP Servers. */
  private async askForTrust(): Promise<void> {
    const open = this.known.filter(
      ({ isTrusted, fingerprint: mark, definition }) =>
        definition.source.kind !== 'agent' && !isTrusted && !this.asked.has(mark),
    );
    for (const { fingerprint: mark } of open) this.asked.add(mark);
    const found = await this.newlyFound();
    if (open.length + found.length === 0) return;
    // Break Markdown links: the editor renders them in notifications, and a repository chose these names.
    const namesOf = (servers: readonly KnownServer[]): string =>
      shownList(servers.map(({ definition }) => quoted(definition.name.replaceAll('](', '] ('))));
    const review = t('Review…');
    const sentences = [
      open.length > 0 &&
        t(
          'This folder defines MCP servers that you haven’t trusted: {names}. They don’t run until you review and trust them.',
          { names: namesOf(open) },
        ),
      found.length > 0 &&
        t(
          'MCP servers of other agents on this machine can be used here: {names}. They don’t run until you review and trust them.',
          { names: namesOf(found) },
        ),
    ].filter((sentence) => sentence !== false);
    const chosen = await vscode.window.showInformationMessage(sentences.join(' '), review, t('Not Now'));
    if (chosen !== review) return;
    for (const server of [...open, ...found]) await this.review(server);
  }

  /** Servers of other agents that this workspace was not offered yet: each is offered once. */
  private async newlyFound(): Promise<readonly KnownServer[]> {
    const { workspaceState } = this.window.context;
    const kept = workspaceState.get(offeredKey);
    const offered = Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
    const found = this.known.filter(
      ({ id, definition, isTrusted }) => definition.source.kind === 'agent' && !isTrusted && !offered.includes(id),
    );
    if (found.length > 0) await workspaceState.update(offeredKey, [...offered, ...found.map(({ id }) => id)]);
    return found;
  }

  /** Servers change their state far more often than their prompts. */
  private comparePrompts(): void {
    const prompts = JSON.stringify(this.offers.prompts);
    if (prompts === this.prompts) return;
    this.prompts = prompts;
    this.promptsChanged.fire();
  }

  private notify(): void {
    const manage = { label: t('Manage MCP Servers…'), run: () => manageServers(this) };
    const showLog = {
      label: t('Show Log'),
      run: async () => void (await vscode.commands.executeCommand('hermes.showLog')),
    };
    const wrong = this.problems.map(({ sentence, file }): Offer => ({
      sentence,
      choices: [{ label: t('Open'), run: () => openPlace(file) }],
    }));
    const failed = this.servers.all.flatMap((server): Offer[] => {
      const { plan, state } = server;
      if (state.kind !== 'failed') return [];
      const signIn = { label: t('Sign In'), run: () => this.signIn(server) };
      return [
        {
          sentence: t('The MCP server “{name}” isn’t running: {reason}', { name: plan.name, reason: state.sentence }),
          choices: state.signIn ? [signIn, manage] : [showLog, manage],
        },
      ];
    });
    const late = this.servers.late.map((name): Offer => ({
      sentence: t('The MCP server “{name}” is still starting. Its tools are available with your next prompt.', {
        name,
      }),
      choices: [showLog],
    }));
    const count = this.offered + this.window.tools.names.length;
    const many: readonly Offer[] =
      count > mostTools
        ? [
            {
              sentence: t(
                'The agent has {count} tools. Many models take at most {most}, and get only the first. Switch off tools that you don’t need.',
                { count: String(count), most: String(mostTools) },
              ),
              choices: [manage],
            },
          ]
        : [];
    // A user who never ran an agent in this window need not see notices about its servers.
    this.window.history.status.offer('mcp', this.wasUsed ? [...wrong, ...failed, ...late, ...many] : []);
  }
}

async function openPlace(file: string | null): Promise<void> {
  if (file === null) await vscode.commands.executeCommand('workbench.action.openSettings', 'hermes.mcp.servers');
  else await vscode.window.showTextDocument(vscode.Uri.parse(file));
}

function valuesFor({ source }: ServerDefinition) {
  const folders = openFolders();
  const first = [...folders.values()][0] ?? null;
  return {
    workspaceFolder: source.kind === 'folder' ? source.folder : first,
    folders,
    userHome: homedir(),
    environment: process.env,
    separator: sep,
  };
}

async function readEnvFileOf(
  definition: ServerDefinition,
): Promise<{ readonly text: string | null; readonly problem: string | null }> {
  try {
    const path = envFilePath(definition, valuesFor(definition));
    if (path !== null && !(await stat(path)).isFile()) throw new Error(notAFile(path));
    return { text: path === null ? null : await readFile(path, 'utf8'), problem: null };
  } catch (error) {
    return {
      text: null,
      problem: t('The MCP server “{name}” in {file} is ignored because its "envFile" can’t be read. {reason}', {
        name: definition.name,
        file: fileOf(definition),
        reason: errorMessage(error),
      }),
    };
  }
}
