import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PromptFile } from '../../../agent/project/promptFiles';
import { personalPlaces } from '../../../agent/project/personalPlaces';
import {
  invocable,
  joined,
  noProject,
  type ProjectContext,
  readPersonal,
  readProject,
} from '../../../agent/project/projectContext';
import { type HookAnswer, noAnswer } from '../../../agent/turnHooks';
import type { HookEventName } from '../../../transcript/hookRun';
import type { Clock } from '../../../base/clock';
import type { Ids } from '../../../base/ids';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import type { Gateway } from '../../../gateway/conversationGateway';
import { deniedBySettings, settingsPolicy, type SettingsRules } from '../../../host/approvals/settingsPolicy';
import { guardedFolders, ownFolders } from '../../../host/approvals/guardedFolders';
import { lazyBundle } from '../../../host/common/lazyBundle';
import { bundledPrices } from '../../../host/models/bundledPrices';
import type { HermesSettings } from '../../../host/settings/settings';
import { commandTools } from '../../../host/terminal/commandTools';
import { agentGateway } from '../../../host/window/agentGateway';
import { builtinFactory, builtinName } from '../../builtinMemory/core/builtinProvider';
import { memoryDisk } from '../../builtinMemory/core/memoryFile';
import { RememberedFiles } from '../../builtinMemory/core/rememberedFiles';
import { MemoryProviders } from '../../../memory/memoryProviders';
import { ModelCatalog } from '../../../models/catalog/catalog';
import { demoInfo } from '../../../models/demo/demoModel';
import { DemoProvider } from '../../../models/demo/demoProvider';
import type * as providers from '../../../models/providers/index';
import type { SessionStore } from '../../../store/session/sessionStore';
import { AccessPaths } from '../../../tools/accessPaths';
import { delegateTaskTool } from '../../../tools/delegate/delegateTask';
import { ChangeRecorder } from '../../../tools/files/changes/changeRecorder';
import { GitSnapshots } from '../../../tools/files/changes/gitSnapshots';
import { runGit } from '../../../tools/files/changes/gitProgram';
import { fileTools } from '../../../tools/files/fileTools';
import { readOnlyTools } from '../../../tools/readOnlyTools';
import type { Confinement } from '../../../tools/sandbox/confinement';
import { WrittenOrders } from '../../../tools/sandbox/writtenOrders';
import { commandEnvironment } from '../../../tools/terminal/commandEnvironment';
import { type Environment, LoginEnvironment } from '../../../tools/terminal/loginEnvironment';
import { OutputFolder } from '../../../tools/terminal/outputFolder';
import { RunningCommands } from '../../../tools/terminal/runningCommands';
import { chooseShell } from '../../../tools/terminal/shell';
import type * as mcpClient from '../../mcp/core/client/index';
import type { McpCredentialStore, McpLaunch } from '../../mcp/core/mcpConnection';
import type { McpServerPlan } from '../../mcp/core/mcpServer';
import { McpServers } from '../../mcp/core/mcpServers';
import { stayingAtOrigin } from '../../mcp/core/originFetch';
import { inheritedEnvironment } from '../../mcp/core/serverPlan';
import { ToolRegistry } from '../../../tools/toolRegistry';
import type { ClientFiles } from './clientFiles';
import type { ClientServer } from './served1';
import { keyFrom, keysIn } from './servedHome';

export interface HeadlessDeps {
  readonly store: SessionStore;
  /** Folder that holds `state.db`. */
  readonly historyFolder: string;
  /** Folder of the bundles. */
  readonly distFolder: string;
  /** The editor's user data: its own files and rules of approval are guarded here as well. */
  readonly editorData: string;
  /** Memory for this whole machine. */
  readonly memoryFolder: string;
  readonly settings: HermesSettings;
  /** Model of new sessions. Null: the setting's, and the demo model without one. */
  readonly model: string | null;
  readonly environment: Environment;
  readonly version: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** Hooks do not run here, and one of them may deny the call: so the user decides. */
function answerForHooks(event: HookEventName, { hooks }: ProjectContext): HookAnswer {
  if (event !== 'PreToolUse' || hooks.length === 0) return noAnswer;
  return { ...noAnswer, decision: 'ask', reason: 'Hooks run in VS Code only.' };
}

/** Servers of clients are signed in to by what the client gives them. */
const noCredentials: McpCredentialStore = {
  read: () => Promise.resolve(null),
  write: () => Promise.resolve(),
  exclusively: (_, work) => work(),
};

/** What a window is made of, without one: models, memory and the sandbox of this process, and a gateway with tools for
 *  each session that a client has open. */
export class Headless {
  readonly catalog: ModelCatalog;
  private readonly login: LoginEnvironment;
  private readonly memory: MemoryProviders;
  private readonly writtenOrders = new WrittenOrders();
  private readonly outputs: OutputFolder;
  private readonly git: GitSnapshots;

  constructor(private readonly deps: HeadlessDeps) {
    const { clock, log, distFolder, settings, environment, historyFolder, memoryFolder, store } = deps;
    const transports = lazyBundle<typeof providers, 'createTransports'>(
      distFolder,
      { file: 'providers.js', name: 'providers' },
      'createTransports',
    );
    this.catalog = new ModelCatalog({
      settings: () => settings.providers,
      others: [new DemoProvider(clock)],
      keyOf: (provider, origin) => Promise.resolve(keyFrom(environment, provider, origin)),
      loadTransports: () => Promise.resolve(transports()()),
      fetch: (...request) => globalThis.fetch(...request),
      clock,
      prices: bundledPrices(distFolder, log),
    });
    this.login = new LoginEnvironment({ node: process.execPath, own: environment, clock, log });
    this.outputs = new OutputFolder(() => join(historyFolder, 'outputs'), clock);
    this.git = new GitSnapshots(runGit, clock, () => join(historyFolder, 'checkpoints'));
    this.memory = new MemoryProviders(() => (settings.memoryProvider === 'none' ? 'none' : builtinName), log);
    const remembered = new RememberedFiles({
      ...memoryDisk(clock),
      globalFolder: () => join(memoryFolder, 'memories'),
      workspaceFolder: () => join(historyFolder, 'memories'),
    });
    this.memory.register(builtinFactory(remembered, store, log));
  }

  /** References of the models that the providers list now. */
  async models(): Promise<readonly string[]> {
    const listed = await this.catalog.list(AbortSignal.timeout(5000));
    return listed.flatMap(({ listing }) => (listing.kind === 'models' ? listing.models.map(({ ref }) => ref) : []));
  }

  /** A gateway whose agents work in the folders of `files`. `editor`: the client's name. `end`: ends its commands and
   *  servers. `prompts`: what can be typed as a command. */
  gateway(
    files: ClientFiles,
    editor: string,
    clientServers: readonly ClientServer[],
  ): {
    readonly gateway: Gateway;
    readonly end: () => Promise<void>;
    readonly prompts: () => Promise<readonly PromptFile[]>;
  } {
    const { store, clock, ids, log, settings, model, environment } = this.deps;
    const policy = this.approvals(files);
    const deniesReading = (place: Parameters<typeof policy.deniesReading>[0]): boolean => policy.deniesReading(place);
    const recorder = new ChangeRecorder({
      store,
      git: this.git,
      clock,
      ids,
      log,
      isOn: () => settings.checkpoints,
      roots: () => files.roots().map(({ path }) => path),
    });
    const running = new RunningCommands();
    const { tools: commands, confinement } = this.commandTools(files, recorder, running);
    const servers = this.servers(files, clientServers, confinement);
    const tools = new ToolRegistry([
      ...readOnlyTools(files, deniesReading),
      ...fileTools({ paths: new AccessPaths(files), editor: files, journal: recorder.journal }),
      ...commands,
      delegateTaskTool(),
    ]);
    let project: ProjectContext = noProject;
    const places = personalPlaces(homedir(), environment, process.platform);
    const readRules = async (signal: AbortSignal): Promise<void> => {
      const own = { places, groups: settings.personalFiles };
      const denials = { files, deniesReading };
      const both = (['others', 'hooks'] as const).flatMap((wanted) => [
        readProject(denials, wanted, signal),
        readPersonal(denials, own, wanted, signal),
      ]);
      project = joined(await Promise.all(both));
    };
    const gateway = agentGateway({
      store,
      clock,
      ids,
      log,
      settings: () => settings,
      catalog: this.catalog,
      tools,
      approvals: policy,
      hooks: { run: ({ name }) => Promise.resolve(answerForHooks(name, project)) },
      ...(clientServers.length === 0 ? {} : { moreTools: (signal, called) => servers.tools(signal, called) }),
      memory: this.memory,
      files,
      project: () => project,
      projectRead: readRules,
      editor,
      agentSignature: (ref, custom = null) => JSON.stringify([ref, custom]),
      defaultModel: () => model ?? settings.model ?? demoInfo.ref,
      // The choice of a client is its session's alone.
      saveDefaultModel: () => Promise.resolve(),
    });
    return {
      gateway,
      end: () => (running.dispose(), servers.close()),
      prompts: async () => {
        await readRules(new AbortController().signal);
        return invocable(project);
      },
    };
  }

  /** Servers of the client for one session. It starts them as it would itself: outside the sandbox, unless that is
   *  required. Nobody can sign in here: a server that wants it brings its own header. */
  private servers(
    files: ClientFiles,
    given: readonly ClientServer[],
    confinement: Pick<Confinement, 'isRequired'>,
  ): McpServers {
    const { clock, log, distFolder, version, environment } = this.deps;
    const client = lazyBundle<typeof mcpClient, 'createMcpClient'>(
      distFolder,
      { file: 'mcp.js', name: 'MCP' },
      'createMcpClient',
    );
    const [root] = files.roots();
    const refused = 'The setting hermes.terminal.sandbox lets programs run in the sandbox only.';
    const servers = new McpServers({
      connect: () =>
        Promise.resolve(
          client()({
            version,
            translations: { language: 'en', texts: {} },
            fetch: stayingAtOrigin((...request) => globalThis.fetch(...request)),
            credentials: noCredentials,
          }).connect,
        ),
      signIn: {
        ask: () => Promise.resolve(false),
        openPage: () => Promise.resolve(),
        run: () => Promise.resolve({ kind: 'failed', sentence: t('Sign in to it in VS Code, or give it a header.') }),
      },
      roots: () => files.roots().map(({ path, name }) => ({ uri: pathToFileURL(path).href, name })),
      clock,
      log,
    });
    servers.use(
      given.map((server, index): McpServerPlan => ({
        id: String(index),
        name: server.name,
        fingerprint: JSON.stringify(server),
        launch: () =>
          Promise.resolve(
            'command' in server && confinement.isRequired
              ? { kind: 'failed', sentence: refused }
              : {
                  kind: 'ready',
                  launch: launchOf(server, root?.path ?? null, environment),
                  secrets: secretsOf(server),
                },
          ),
      })),
    );
    return servers;
  }

  private approvals(files: ClientFiles) {
    const { distFolder, historyFolder } = this.deps;
    const guarded = guardedFolders(this.extensionFolders(), true);
    return settingsPolicy(this.rules(files), {
      workspaceAllow: () => [],
      // Rules are allowed for the session only; those of the settings are the user's to write.
      remember: () => Promise.reject(new Error('Rules can be kept for this session only.')),
      isTrusted: () => true,
      isOwnOutput: (path, conversationId) => this.outputs.isOwnOutput(path, conversationId),
      guarded: () => [...guarded, historyFolder, distFolder],
    });
  }

  private rules(files: ClientFiles): SettingsRules {
    return { settings: { current: this.deps.settings }, files };
  }

  private commandTools(files: ClientFiles, recorder: ChangeRecorder, running: RunningCommands) {
    const { clock, log, settings, distFolder, historyFolder, environment } = this.deps;
    const shell = chooseShell(environment['SHELL'] ?? '', process.platform, existsSync);
    const login = (): Promise<Environment> => this.login.of(shell);
    const own = ownFolders(this.extensionFolders(), true);
    return commandTools({
      files,
      sandbox: {
        distFolder,
        appRoot: '',
        writtenOrders: this.writtenOrders,
        environment: login,
        log,
        folders: () => files.roots().map(({ path }) => path),
        onRemovedFiles: (_, command) => log.warn(`Files that appeared while "${command}" ran were moved out.`),
        denied: () => deniedBySettings(this.rules(files)),
        setting: () => settings.sandbox,
        own: () => ({ ...own, kept: [...own.kept, historyFolder] }),
      },
      shell: () => shell,
      environment: async () =>
        commandEnvironment({
          login: await login(),
          secrets: keysIn(environment),
          terminal: {},
          python: null,
          platform: process.platform,
        }),
      isReadOnly: () => false,
      checkpoint: recorder.checkpoint,
      timeoutSeconds: () => settings.terminalTimeoutSeconds,
      clock,
      outputs: this.outputs,
      running,
    });
  }

  private extensionFolders(): Parameters<typeof ownFolders>[0] {
    const { editorData, distFolder, memoryFolder } = this.deps;
    return {
      globalStorageUri: { fsPath: memoryFolder },
      storageUri: undefined,
      logUri: { fsPath: join(editorData, 'logs') },
      extensionUri: { fsPath: dirname(distFolder) },
    };
  }
}

function valuesIn(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function launchOf(server: ClientServer, folder: string | null, environment: Environment): McpLaunch {
  if (!('command' in server)) return { kind: 'http', url: server.url, headers: valuesIn(server.headers) };
  const { command, args, env } = server;
  return {
    kind: 'stdio',
    command,
    args,
    environment: { ...inheritedEnvironment(environment), ...valuesIn(env) },
    folder,
    confined: null,
  };
}

/** Values that no log may have. */
function secretsOf(server: ClientServer): readonly string[] {
  return ('command' in server ? server.env : server.headers)
    .map(({ value }) => value)
    .filter(({ length }) => length >= 8);
}
