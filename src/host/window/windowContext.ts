import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { personalPlaces } from '../../agent/project/personalPlaces';
import { noAnswer } from '../../agent/turnHooks';
import { Emitter } from '../../base/disposable';
import { t } from '../../base/translate';
import type { Gateway } from '../../gateway/conversationGateway';
import { ModelCatalog } from '../../models/catalog/catalog';
import { demoPrompts } from '../../models/demo/demoPrompts';
import { DemoProvider } from '../../models/demo/demoProvider';
import type * as providers from '../../models/providers/index';
import { AccessPaths } from '../../tools/accessPaths';
import { delegateTaskTool } from '../../tools/delegate/delegateTask';
import { ChangeRecorder } from '../../tools/files/changes/changeRecorder';
import { runGit } from '../../tools/files/changes/gitProgram';
import { GitSnapshots } from '../../tools/files/changes/gitSnapshots';
import { fileTools } from '../../tools/files/fileTools';
import { withDiagnostics } from '../../tools/knowledge/diagnosticsAfterEdit';
import { readOnlyTools } from '../../tools/readOnlyTools';
import { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import { ToolRegistry } from '../../tools/toolRegistry';
import { ApprovalRules } from '../approvals/approvalRules';
import { AttachmentService } from '../attachments/attachmentService';
import { ActiveChat, chatSurfaceId } from '../chat/activeChat';
import { ChatSurface, type ChatSurfaceDeps } from '../chat/chatSurface';
import { ChatTabs } from '../chat/chatTabs';
import { ChatView } from '../chat/chatView';
import { DeliveryReports } from '../chat/deliveryReports';
import { lazyBundle } from '../common/lazyBundle';
import { WorkspaceTools } from '../knowledge/workspaceTools';
import { SessionOpener } from '../library/sessionOpener';
import { SessionsFeature } from '../library/sessionsFeature';
import { bundledPrices } from '../models/bundledPrices';
import { editorProviderName, EditorModels } from '../models/editorModels';
import { ModelService } from '../models/modelService';
import { ModelSetup } from '../models/modelSetup';
import { ProviderKeys } from '../models/providerKeys';
import { EditorActions } from '../navigation/editorActions';
import { ApprovalNotices } from '../notifications/approvalNotices';
import { editorWorkNotice, withWorkNotices } from '../notifications/longWork';
import { TerminalFeature } from '../terminal/terminalFeature';
import { WebviewPrograms } from '../webviews/webviewPrograms';
import { EditorFileEditor } from '../workspace/editorFileEditor';
import { EditorTextSearch } from '../workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../workspace/editorWorkspaceFiles';
import { ProjectFiles } from '../workspace/projectFiles';
import { findRipgrep, ripgrepCandidates } from '../workspace/ripgrepPath';
import { agentGateway } from './agentGateway';
import { WindowBasics } from './windowBasics';
import { WindowMemory } from './windowMemory';
import { WindowStore } from './windowStore';

/** The services of one window, and the places in the core that features fill. Each service is built from those above
 *  it; when it is used, it may call any. */
export class WindowContext extends WindowBasics {
  readonly keys = new ProviderKeys(this.context.secrets);
  /** The history of this window. */
  readonly history: WindowStore = this.own(new WindowStore(this));
  readonly catalog: ModelCatalog = createCatalog(this);
  readonly models: ModelService = this.own(createModels(this));
  readonly files = new EditorWorkspaceFiles(
    new EditorTextSearch(
      () => findRipgrep(ripgrepCandidates(vscode.env.appRoot, process.platform, process.arch)),
      this.log,
    ),
  );
  readonly writtenOrders = new WrittenOrders();
  readonly fileEditor = new EditorFileEditor((path, bytes) => this.writtenOrders.note(path, bytes));
  readonly recorder = new ChangeRecorder({
    store: this.history.store,
    git: new GitSnapshots(runGit, this.clock, () => join(this.history.folder, 'checkpoints')),
    clock: this.clock,
    log: this.log,
    ids: { uid: randomUUID },
    isOn: () => this.settings.current.checkpoints,
    roots: () => this.files.roots().map(({ path }) => path),
  });
  readonly terminal: TerminalFeature = this.own(new TerminalFeature(this));
  readonly approvals: ApprovalRules = new ApprovalRules(this);
  readonly tools: ToolRegistry = createTools(this);
  /** Files for agents of the open folders and of the user. */
  readonly project: ProjectFiles = this.own(
    new ProjectFiles({
      files: this.files,
      deniesReading: this.approvals.deniesReading,
      personal: personalPlaces(homedir(), process.env, process.platform),
      settings: this.settings,
      clock: this.clock,
      log: this.log,
    }),
  );
  readonly memory = new WindowMemory(this.settings, this.log);
  readonly gateway: Gateway = createGateway(this);
  /** Names of the features that this window has registered. */
  readonly features: string[] = [];
  readonly programs = new WebviewPrograms(this.context.extensionUri);
  /** Translations for the webviews. */
  readonly localization: Readonly<Record<string, string>> = vscode.l10n.bundle ?? {};
  /** The panel and the chats in tabs. */
  readonly activeChat: ActiveChat = new ActiveChat(this);
  readonly setup: ModelSetup = new ModelSetup(this);
  readonly editor: EditorActions = new EditorActions(this);
  /** Reports of chat views: what they have shown. */
  readonly reports: DeliveryReports = this.own(new DeliveryReports(this));
  readonly attachments: AttachmentService = this.own(new AttachmentService(this));
  /** Fires when a chat may show another session or model. */
  readonly shownChanges = this.own(new Emitter<void>());
  /** The chat of the panel. */
  readonly panel: ChatSurface = this.own(createSurface(this, chatSurfaceId, this.history.store));
  readonly chat: ChatView = new ChatView(this.programs, this.panel);
  readonly chatTabs: ChatTabs = this.own(
    new ChatTabs(this, (id, sessions, onChange) => createSurface(this, id, sessions, onChange)),
  );
  readonly opener: SessionOpener = new SessionOpener(this);
  /** Stored sessions outside the chat: their view, and choosing and removing them. */
  readonly sessions: SessionsFeature = this.own(new SessionsFeature(this));
  readonly approvalNotices: ApprovalNotices = this.own(new ApprovalNotices(this));
}

/** An optional part of the product (src/features/). The core works without it. */
export interface Feature {
  /** Called once, when the core of the window is built and before its store is opened. */
  register(window: WindowContext): void;
}

/** Agents and conversations of a window. */
function createGateway(window: WindowContext): Gateway {
  const { own, context, settings, history, ids, clock, log } = window;
  const { agents, turnHooks, approvals, servers, project, tools, catalog, files, memory } = window;
  const { store } = history;
  let keyChanges = 0;
  own(context.secrets.onDidChange(() => keyChanges++));
  return agentGateway({
    store,
    turnStore: withWorkNotices(store, { clock, notice: editorWorkNotice }),
    settings: () => settings.current,
    catalog,
    tools,
    approvals: approvals.policy,
    hooks: { run: async (...asked) => turnHooks.current?.run(...asked) ?? noAnswer },
    moreTools: async (signal, called) => (await servers.current?.tools(signal, called)) ?? [],
    memory: memory.providers,
    files,
    project: () => project.current,
    projectRead: () => project.ready(),
    otherAgent: (model) => agents.current?.agentFor(model) ?? null,
    beforeTurn: async (conversationId) => void (await Promise.all(window.beforeTurn.run(conversationId))),
    afterTurn: (turn) => turnHooks.current?.afterTurn(turn),
    // An agent is rebuilt when any of these has changed.
    agentSignature: (model, custom = null) => {
      const folders = files.roots().map((root) => root.path);
      return JSON.stringify([model, custom, settings.current, keyChanges, project.version, folders]);
    },
    defaultModel: () => settings.current.model,
    saveDefaultModel: (ref) => settings.saveModel(ref),
    busyMode: () => settings.current.busyInput,
    ids,
    clock,
    log,
  });
}

function createCatalog({ agents, distFolder, settings, keys, clock, log }: WindowContext): ModelCatalog {
  const createTransports = lazyBundle<typeof providers, 'createTransports'>(
    distFolder,
    { file: 'providers.js', name: 'providers' },
    'createTransports',
  );
  return new ModelCatalog({
    settings: () => settings.current.providers,
    others: [new EditorModels(clock, log), new DemoProvider(clock)],
    more: () => agents.current?.providers() ?? [],
    keyOf: (provider, origin) => keys.get(provider, origin),
    loadTransports: async () => createTransports()(),
    fetch: (...request) => globalThis.fetch(...request),
    clock,
    prices: bundledPrices(distFolder, log),
  });
}

function createModels({ catalog, settings, clock, log }: WindowContext): ModelService {
  return new ModelService({
    catalog,
    defaultModel: () => settings.current.model,
    labels: { editorProvider: editorProviderName, machine: thisMachine() },
    clock,
    log,
  });
}

/** Name of the machine on which local servers are searched. In a remote window, that is not the user's own machine. */
function thisMachine(): string {
  return vscode.env.remoteName === undefined
    ? t('this machine')
    : t('the remote machine ({name})', { name: hostname() });
}

/** Creates the chat of the panel, or with `onTabChange` that of a tab. */
function createSurface(
  window: WindowContext,
  id: string,
  sessions: ChatSurfaceDeps['sessions'],
  onTabChange?: () => void,
): ChatSurface {
  const { catalog, terminal, project, servers, agents, localization, log } = window;
  return new ChatSurface(id, {
    gateway: window.gateway,
    sessions,
    store: window.history.status,
    models: window.models,
    editor: window.editor,
    log,
    files: window.changedFiles,
    terminal,
    attachments: window.attachments,
    starters: window.starters,
    contextFiles: () => project.inContext,
    agentCommands: async (model, sessionId) => (await agents.current?.commands(model, sessionId)) ?? null,
    customAgents: (model) =>
      model !== null && catalog.providerNamed(model.slice(0, model.indexOf('/')))?.kind === 'agent'
        ? null
        : project.agents((names) => (model === null ? null : catalog.ofFiles.known(names, model))),
    reports: window.reports,
    sync: window.sync,
    isTab: onTabChange !== undefined,
    onChange: () => {
      window.shownChanges.fire();
      onTabChange?.();
    },
    surroundings: () => ({
      restricted: !vscode.workspace.isTrusted,
      folderName: vscode.workspace.name ?? null,
      isVirtual:
        vscode.workspace.workspaceFolders?.[0] !== undefined &&
        vscode.workspace.workspaceFolders[0].uri.scheme !== 'file',
      features: window.features,
      demoPrompts: demoPrompts(),
      localization,
      promptFiles: [...project.offered, ...(servers.current?.offers.prompts ?? [])],
      commands: terminal.inBackground,
      ...(terminal.sandboxState === null ? {} : { sandbox: terminal.sandboxState }),
    }),
  });
}

/** Tools of a window's agents. */
function createTools(window: WindowContext): ToolRegistry {
  const { files, fileEditor, recorder, terminal, clock, distFolder } = window;
  const { deniesReading } = window.approvals;
  const knowledge = new WorkspaceTools({ files, deniesReading, clock, distFolder });
  const editTools = fileTools({
    paths: new AccessPaths(files),
    editor: fileEditor,
    journal: recorder.journal,
  }).map((tool) => withDiagnostics(tool, knowledge.afterEdit));
  return new ToolRegistry([
    ...readOnlyTools(files, deniesReading),
    ...editTools,
    ...terminal.tools,
    ...knowledge.tools,
    delegateTaskTool(),
  ]);
}
