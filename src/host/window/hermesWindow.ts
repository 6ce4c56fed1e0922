import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { systemClock as clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { idsFrom } from '../../base/ids';
import type { Log } from '../../base/log';
import { withinTime } from '../../base/pause';
import type { ConversationGateway } from '../../gateway/conversationGateway';
import { ModelCatalog } from '../../models/catalog';
import { demoPrompts } from '../../models/demo/demoPrompts';
import { DemoProvider } from '../../models/demo/demoProvider';
import { maskSecrets, secretRules } from '../../models/secrecy/secrecy';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { SessionStore } from '../../store/sessionStore';
import type { OpenReport } from '../../store/worker/openedStore';
import { AccessPaths } from '../../tools/accessPaths';
import { delegateTaskTool } from '../../tools/delegate/delegateTask';
import { fileTools } from '../../tools/files/fileTools';
import { withDiagnostics } from '../../tools/knowledge/withDiagnostics';
import { readOnlyTools } from '../../tools/readOnlyTools';
import { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import { ToolRegistry } from '../../tools/toolRegistry';
import { WorkspacePaths } from '../../tools/workspacePaths';
import { ApprovalRules } from '../approvals/approvalRules';
import { guardedFolders, ownFolders } from '../approvals/guardedFolders';
import type * as providers from '../../models/providers/index';
import type * as secretlint from '../../models/secretlint/index';
import { lazyBundle } from '../common/lazyBundle';
import { AnswerNotices } from '../notifications/answerNotices';
import { windowNotices } from '../notifications/windowNotices';
import { ApprovalNotices } from '../notifications/approvalNotices';
import { AttachmentService } from '../attachments/attachmentService';
import { ExtensionApi } from '../api/extensionApi';
import type { HermesExtension } from '../api/hermes';
import { ChangedFilesFeature } from '../changedFiles/changedFilesFeature';
import { ChatSurface } from '../chat/chatSurface';
import { ChatTabs, chatTabViewType } from '../chat/chatTabs';
import { ChatView, chatViewId } from '../chat/chatView';
import { CodeActionsFeature } from '../codeActions/codeActionsFeature';
import { registerCommands, reportFailure } from '../common/commands';
import { windowCommands } from './windowCommands';
import { ContainerNotice } from '../storage/containerNotice';
import { thisMachineFacts } from '../storage/containerPlace';
import { EditorActions } from '../navigation/editorActions';
import { translate } from '../common/translation';
import { EditorFileEditor } from '../workspace/editorFileEditor';
import { describeError } from '../common/describeError';
import { editorProviderName, EditorModels } from '../models/editorModels';
import { EditorTextSearch } from '../workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../workspace/editorWorkspaceFiles';
import { registerEntryPoints } from '../attachments/entryPoints';
import type { AskedAbout } from '../attachments/promptText';
import { WorkspaceTools } from '../knowledge/workspaceTools';
import { LinkOpener } from '../navigation/linkOpener';
import { MaskedLog } from '../common/maskedLog';
import { McpHost } from '../mcp/mcpHost';
import { ModelService } from '../models/modelService';
import { ModelSetup } from '../models/modelSetup';
import { openReportNotices } from '../storage/openReportLabels';
import { OtherFoldersFeature } from '../otherFolders/otherFoldersFeature';
import { outputLog } from '../common/outputLog';
import { ProjectFiles } from '../workspace/projectFiles';
import { putRightNotices, replacedOffers } from '../storage/replacedLabels';
import { ProviderKeys } from '../models/providerKeys';
import type { HindsightHost } from '../memory/hindsightHost';
import { editorStarters } from '../firstSteps/editorStarters';
import { editorWalkthrough } from '../firstSteps/editorWalkthrough';
import { findRipgrep, ripgrepCandidates } from '../workspace/ripgrepPath';
import { findCommand } from '../chat/find/findCommand';
import { screenCommands } from '../navigation/screenCommands';
import { SearchTab, searchViewType } from '../search/searchTab';
import { SessionOpener } from '../navigation/sessionOpener';
import { SessionsFeature } from '../sessions/sessionsFeature';
import { SettingsNotices } from '../settings/settingsNotices';
import { SettingsWatcher } from '../settings/settingsWatcher';
import { StorageMove } from '../storage/storageMove';
import { StatusBar } from '../notifications/statusBar';
import { StatusPresenter } from '../notifications/statusPresenter';
import type { StoreStatus } from '../storage/storeStatus';
import { noteEditorWrites } from '../terminal/setAsideNotice';
import { TerminalFeature } from '../terminal/terminalFeature';
import { TranscriptTabs, transcriptViewType } from '../transcript/transcriptTabs';
import { GatewayTurnGuard } from '../storage/turnGuard';
import { WebviewPrograms } from '../webviews/webviewPrograms';
import { VerifyFeature } from '../verify/verifyFeature';
import { windowGateway } from './windowGateway';
import { WindowMemory } from './windowMemory';
import { WindowStore } from './windowStore';
import { thisMachine } from './windowLabels';

/** Milliseconds for turns to settle, and for the store to close. The editor gives an extension five seconds in
 *  total. */
const settlePatienceMs = 3000;
const closePatienceMs = 1500;
/** Additional milliseconds for MCP servers to end on their own. */
const serversPatienceMs = 300;

const chatSurfaceId = 'chat';

/** Builds and connects the parts of one editor window. Nothing here waits: the store opens and models are searched
 *  while the window starts. */
export class HermesWindow {
  private readonly lifetime = new DisposableStore();
  private readonly approvalNotices: ApprovalNotices;
  private readonly gateway: ConversationGateway;
  private readonly store: SessionStore;
  private readonly connection: StoreConnection;
  private readonly hindsight: HindsightHost;
  private readonly terminal: TerminalFeature;
  private readonly sessions: SessionsFeature;
  private readonly others: OtherFoldersFeature;
  private readonly mcp: McpHost;
  private readonly panel: ChatSurface;
  private readonly chat: ChatView;
  private readonly chatTabs: ChatTabs;
  private readonly transcripts: TranscriptTabs;
  private readonly containerNotice: ContainerNotice;
  private readonly log: Log;
  readonly api: HermesExtension;

  constructor(context: vscode.ExtensionContext, distFolder: string) {
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    const channel = own(vscode.window.createOutputChannel('Hermes', { log: true }));
    const log = (this.log = own(
      new MaskedLog(outputLog(channel), { clock, isReady: () => secretRules.isReady, mask: maskSecrets }),
    ));
    secretRules.from({
      load: lazyBundle<typeof secretlint, 'findSecrets'>(
        distFolder,
        { file: 'secretlint.js', name: 'secretlint' },
        'findSecrets',
      ),
      onFailure: (error) =>
        log.warn(
          `Secrets are masked by fewer rules than usual, because those of secretlint cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        ),
    });
    const settings = own(new SettingsWatcher());
    const keys = new ProviderKeys(context.secrets);

    const history = own(
      new WindowStore({ context, distFolder, storagePath: () => settings.current.storagePath, clock, log }),
    );
    const store = (this.store = history.store);
    const { connection, desk: storeStatus } = history;
    this.connection = connection;

    // Models
    const createTransports = lazyBundle<typeof providers, 'createTransports'>(
      distFolder,
      { file: 'providers.js', name: 'providers' },
      'createTransports',
    );
    const catalog = new ModelCatalog({
      settings: () => settings.current.providers,
      others: [new EditorModels(clock, log), new DemoProvider(clock)],
      keyOf: (provider, origin) => keys.get(provider, origin),
      loadTransports: async () => createTransports()(),
      fetch: (...request) => globalThis.fetch(...request),
      clock,
    });
    const models = own(
      new ModelService({
        catalog,
        defaultModel: () => settings.current.model,
        words: { editorProvider: editorProviderName, t: translate, machine: thisMachine() },
        clock,
        log,
      }),
    );

    // Files and tools
    const textSearch = new EditorTextSearch(
      () => findRipgrep(ripgrepCandidates(vscode.env.appRoot, process.platform, process.arch)),
      log,
    );
    const files = new EditorWorkspaceFiles(textSearch);
    const writtenOrders = new WrittenOrders();
    own(noteEditorWrites(writtenOrders));
    const fileEditor = new EditorFileEditor((path, bytes) => writtenOrders.note(path, bytes));
    const changedFiles: ChangedFilesFeature = own(
      new ChangedFilesFeature({
        store,
        files,
        clock,
        log,
        editor: fileEditor,
        ids: { uid: randomUUID },
        isOn: () => settings.current.checkpoints,
        storageFolder: () => history.folder,
        openOutput: (file) => this.terminal.openOutput(file),
      }),
    );
    const isInstalled = context.extensionMode === vscode.ExtensionMode.Production;
    const ownPlaces = ownFolders(context, isInstalled);
    const terminal = (this.terminal = own(
      new TerminalFeature({
        files,
        clock,
        log,
        secrets: context.secrets,
        checkpoint: changedFiles.checkpoint,
        storageFolder: () => history.folder,
        timeoutSeconds: () => settings.current.terminalTimeoutSeconds,
        sandbox: {
          distFolder,
          writtenOrders,
          setting: () => settings.current.sandbox,
          own: () => ({ ...ownPlaces, kept: [...ownPlaces.kept, history.folder] }),
        },
      }),
    ));
    const approvals = new ApprovalRules({
      settings,
      files,
      memory: context.workspaceState,
      guarded: guardedFolders(context, isInstalled),
      isOwnOutput: (path, conversationId) => terminal.isOwnOutput(path, conversationId),
    });
    const { deniesReading } = approvals;
    const knowledge = new WorkspaceTools({ files, deniesReading, clock, distFolder });
    const editTools = fileTools({
      paths: new AccessPaths(files),
      editor: fileEditor,
      journal: changedFiles.journal,
    }).map((tool) => withDiagnostics(tool, knowledge.afterEdit));
    const tools = new ToolRegistry([
      ...readOnlyTools(files, deniesReading),
      ...editTools,
      ...terminal.tools,
      ...knowledge.tools,
      delegateTaskTool(),
    ]);
    const project = own(new ProjectFiles({ files, clock, log }));
    const mcp = (this.mcp = own(
      new McpHost({
        context,
        distFolder,
        confinement: terminal.confinement,
        storageFolder: () => history.folder,
        clock,
        log,
        offer: (offers) => storeStatus.offer('mcp', offers),
      }),
    ));
    own(registerCommands({ ...mcp.commands, ...approvals.commands }, log));

    const memory = own(new WindowMemory({ context, distFolder, store: history, settings, keys, clock, log }));
    const hindsight = (this.hindsight = memory.hindsight);

    // Agents and conversations
    const ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
    let keyChanges = 0;
    const gateway = (this.gateway = windowGateway({
      store,
      settings,
      catalog,
      tools,
      approvals,
      mcp,
      project,
      memory: memory.providers,
      files,
      keyChanges: () => keyChanges,
      ids,
      clock,
      log,
    }));
    this.api = own(
      new ExtensionApi({
        gateway,
        store,
        memory: memory.providers,
        log,
        chosenMemory: () => settings.current.memoryProvider,
      }),
    ).exports;
    terminal.careFor(store, gateway.onDidChangeSessions);
    connection.setTurnGuard(own(new GatewayTurnGuard(gateway, store, log)));

    // User interface
    const programs = new WebviewPrograms(context.extensionUri);
    const localization = vscode.l10n.bundle ?? {};
    const setup = new ModelSetup({
      catalog,
      desk: models,
      keys,
      gateway,
      endpoints: { all: () => settings.current.providers, add: (endpoint) => settings.addProvider(endpoint) },
      shownSession: () => gateway.shownSession(this.surfaceId()),
      focusChat: () => this.focusChat(),
      modelOf: async (sessionId) => (sessionId === null ? null : ((await store.getSession(sessionId))?.model ?? null)),
    });
    const links = new LinkOpener(new WorkspacePaths(files));
    const code = own(new CodeActionsFeature({ files, editor: fileEditor, clock, log }));
    const editor = new EditorActions({
      links,
      channel,
      code,
      extensionId: context.extension.id,
      pickSession: (surfaceId) => this.sessions.resume(surfaceId),
      openTranscript: (sessionId, messageUid) => this.transcripts.open(sessionId, messageUid),
      pickModel: (sessionId) => setup.select(sessionId),
      setUpModel: (entryId) => setup.run(entryId),
    });
    const verifyFeature = own(
      new VerifyFeature({
        gateway,
        store,
        storeStatus,
        storageFolder: () => history.folder,
        folder: () => files.roots()[0]?.path ?? null,
        surfaceId: chatSurfaceId,
        ids,
        clock,
        log,
      }),
    );
    const { witness, verification } = verifyFeature;
    const status = own(
      new StatusPresenter({
        gateway,
        sessions: store,
        clock,
        bar: own(new StatusBar()),
        facts: () => ({
          waiting: this.approvalNotices.count,
          store: storeStatus.shown.kind,
          model: this.panel.modelState.chosen,
        }),
      }),
    );
    const walkthrough = own(editorWalkthrough(context, gateway, store));
    const showStatus = (): void => (
      status.show(),
      walkthrough.modelChosen(this.panel.modelState.chosen !== null),
      walkthrough.plugPulled(verifyFeature.plugWasPulled)
    );
    const attachments = own(
      new AttachmentService({
        files,
        sessions: store,
        clock,
        log,
        uid: randomUUID,
        t: translate,
        lastOutput: () => terminal.lastOutput(20_000),
      }),
    );
    const chatNeeds = {
      gateway,
      store: storeStatus,
      models,
      editor,
      log,
      files: changedFiles.chat,
      attachments,
      starters: editorStarters(files, log, translate),
      witness,
      surroundings: () => ({
        restricted: !vscode.workspace.isTrusted,
        folderName: vscode.workspace.name ?? null,
        isVirtual:
          vscode.workspace.workspaceFolders?.[0] !== undefined &&
          vscode.workspace.workspaceFolders[0].uri.scheme !== 'file',
        demoPrompts,
        localization,
        promptFiles: project.offered,
        ...(terminal.sandboxState === null ? {} : { sandbox: terminal.sandboxState }),
      }),
    };
    const shownChanged = (): void => (showStatus(), this.sessions.shownChanged(), this.containerNotice.update());
    const panel = (this.panel = own(
      new ChatSurface(chatSurfaceId, { ...chatNeeds, sessions: store, onChange: shownChanged }),
    ));
    const chat = (this.chat = new ChatView(programs, panel));
    const chatTabs = (this.chatTabs = own(
      new ChatTabs(programs, {
        gateway,
        sessions: store,
        uid: randomUUID,
        onActivity: shownChanged,
        createBridge: (id, port, onChange) =>
          new ChatSurface(id, {
            ...chatNeeds,
            isTab: true,
            sessions: port,
            onChange: () => (shownChanged(), onChange()),
          }),
        onFailure: (what, error) => log.warn(`${what}: ${describeError(error).sentence}`),
      }),
    ));
    const opener = new SessionOpener({
      gateway,
      sessions: store,
      chat: () => this.activeTab() ?? panel,
      showChat: async (focusComposer) =>
        focusComposer ? this.focusChat() : this.activeTab() === null ? chat.show() : undefined,
      openTab: (sessionId) => chatTabs.open(sessionId),
      openTranscript: (sessionId, messageUid) => this.transcripts.open(sessionId, messageUid),
      storeSettled: () => storeStatus.settled(),
    });
    const insertPrompt = async ({ text, parts }: AskedAbout): Promise<void> => {
      const target = this.activeTab() ?? panel;
      await this.focusChat();
      target.insertPrompt(text, parts);
    };
    own(registerEntryPoints({ files, insert: insertPrompt, uid: randomUUID }, log));
    const noticed = {
      gateway,
      log,
      clock,
      t: translate,
      when: () => settings.current.notifications,
      isInSight: (sessionId: string) =>
        [panel, ...chatTabs.bridges].some((each) => each.isVisible() && each.shownSession === sessionId),
      open: (sessionId: string) => opener.open(sessionId, null, 'chat'),
    };
    const notices = (this.approvalNotices = own(
      new ApprovalNotices({
        ...noticed,
        notify: (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
      }),
    ));
    own(
      new AnswerNotices({
        ...noticed,
        ...windowNotices,
        sessions: store,
        turnOff: () => settings.saveNotifications('never'),
      }),
    );
    const search = own(
      new SearchTab(programs, {
        gateway,
        sessions: store,
        store: storeStatus,
        localization,
        log,
        open: (...target) => opener.open(...target),
      }),
    );
    const tabs = (this.transcripts = own(
      new TranscriptTabs(programs, {
        gateway,
        sessions: store,
        store: storeStatus,
        clock,
        localization,
        log,
        verification,
        code,
        editor: {
          openInChat: (sessionId, messageUid) => opener.open(sessionId, messageUid, 'chat'),
          branchFrom: async (sessionId, messageUid) =>
            void (await vscode.commands.executeCommand('hermes.branchFromHere', { sessionId, messageUid })),
          rewindTo: async (sessionId, messageUid) =>
            void (await vscode.commands.executeCommand('hermes.rewindToHere', { sessionId, messageUid })),
          exportSession: (sessionId) => editor.exportSession(sessionId),
          copy: (text) => editor.copy(text),
          openLink: (href) => editor.openLink(href),
        },
      }),
    ));
    own(vscode.window.registerWebviewViewProvider(chatViewId, chat));
    own(vscode.window.registerWebviewPanelSerializer(transcriptViewType, tabs));
    own(vscode.window.registerWebviewPanelSerializer(chatTabViewType, chatTabs));
    own(vscode.window.registerWebviewPanelSerializer(searchViewType, search));

    // Sessions of other folders
    const others = (this.others = own(
      new OtherFoldersFeature({
        context,
        programs,
        gateway,
        sessions: store,
        store: storeStatus,
        distFolder,
        localization,
        clock,
        log,
        t: translate,
        editor,
        code,
        storagePath: () => settings.current.storagePath,
        ownFolder: () => history.folder,
        startWorker: history.startWorker,
        openInChat: (sessionId) => opener.open(sessionId, null, 'chat'),
      }),
    ));
    const containerNotice = (this.containerNotice = new ContainerNotice({
      desk: storeStatus,
      t: translate,
      folder: () => history.folder,
      facts: thisMachineFacts(vscode.env.remoteName),
      isEmptyState: () => gateway.shownSession(chatSurfaceId) === null,
      memory: context.globalState,
      chooseFolder: () => editor.openSettings('hermes.storage.path'),
    }));

    const sessions = (this.sessions = own(
      new SessionsFeature({
        gateway,
        sessions: store,
        store: storeStatus,
        clock,
        log,
        t: translate,
        files: changedFiles.chat,
        others: others.rows,
        showOthers: () => void others.show().catch((error: unknown) => reportFailure('otherFolders', error, log)),
        surfaceId: () => this.surfaceId(),
        focusChat: () => this.focusChat(),
        showChat: async () => (this.activeTab() === null ? chat.reveal() : undefined),
        openTranscript: (sessionId, messageUid) => editor.openTranscript(sessionId, messageUid),
        revealMessage: (sessionId, messageUid) => opener.revealMessage(sessionId, messageUid),
        trashDays: () => settings.current.trashDays,
        outsideMemory: () =>
          ['none', 'builtin'].includes(settings.current.memoryProvider) ? null : settings.current.memoryProvider,
      }),
    ));
    const shown = (): string | null => gateway.shownSession(this.surfaceId());
    changedFiles.careFor(gateway.onDidChangeSessions);
    own(registerCommands(changedFiles.commands(shown), log));
    own(registerCommands(changedFiles.editorCommands(), log));
    const windowTable = windowCommands({
      chat,
      shown,
      editor,
      setUpModel: () => setup.run(null),
      setUpMemory: () => memory.setup.run(),
    });
    const screens = screenCommands({ chosen: sessions.chosen, search, opener });
    own(
      registerCommands(
        verifyFeature.commands({ chosen: sessions.chosen, verify: (sessionId) => tabs.verify(sessionId), chat }),
        log,
      ),
    );
    const find = findCommand({ chat, panel, tab: () => chatTabs.active, meant: () => this.activeTab() });
    own(
      registerCommands(
        { ...sessions.commands, ...others.commands, ...windowTable, ...screens, ...find, ...walkthrough.commands },
        log,
      ),
    );

    // Changes from outside
    own(new SettingsNotices(settings, storeStatus, translate));
    own(
      new StorageMove(history.storageFolder, {
        clock,
        t: translate,
        wantedFolder: () => history.wantedFolder(),
        onDidChangeSettings: settings.onDidChange,
        isUsed: () => connection.isUsed || gateway.runningTurns().length > 0,
        move: (folder) => {
          log.info(`The settings name another folder now. This window keeps its sessions in ${folder}.`);
          for (const each of [panel, ...chatTabs.bridges]) each.leaveStore();
          others.movedFolder.left();
          history.moveTo(folder);
          if (!history.holdsHistory) void others.movedFolder.neverOpened();
        },
        tell: (notices) => storeStatus.setNotices('storage folder', notices),
      }),
    );
    own(connection.onDidChangeState((state) => this.storeChanged(state, storeStatus)));
    own(storeStatus.onDidChange(showStatus));
    own(notices.onDidChange(() => (showStatus(), chat.showWaiting(notices.count))));
    own(settings.onDidChange(() => (models.invalidate(), hindsight.changed(), gateway.memoryChanged())));
    own(settings.onDidChange(() => [panel, ...chatTabs.bridges].forEach((each) => each.usualModeChanged())));
    own(memory.providers.onDidChange(() => gateway.memoryChanged()));
    own(context.secrets.onDidChange(() => (keyChanges++, models.invalidate(), hindsight.changed())));
    own(vscode.lm.onDidChangeChatModels(() => models.editorModelsChanged()));
    own(project.onDidChange(() => [panel, ...chatTabs.bridges].forEach((each) => each.promptFilesChanged())));
    own(terminal.onDidChangeSandbox(() => [panel, ...chatTabs.bridges].forEach((each) => each.sandboxChanged())));
    own(settings.onDidChange(() => void terminal.lookForSandbox()));
    own(
      vscode.workspace.onDidGrantWorkspaceTrust(() =>
        [panel, ...chatTabs.bridges].forEach((each) => each.trustChanged()),
      ),
    );
    own(
      vscode.workspace.onDidChangeWorkspaceFolders(() => [panel, ...chatTabs.bridges].forEach((each) => each.redraw())),
    );
    showStatus();
    // Run after activation: both read the disk, the first in its own thread.
    const lookAround = clock.after(0, () => {
      if (!history.holdsHistory) void others.movedFolder.neverOpened();
      containerNotice.update();
    });
    own({ dispose: lookAround });
  }

  /** Commands apply to the panel; to a tab only while it is the active editor and the panel is hidden. */
  private activeTab(): ChatSurface | null {
    return this.chat.isVisible ? null : this.chatTabs.active;
  }

  private surfaceId(): string {
    return this.activeTab()?.id ?? chatSurfaceId;
  }

  private async focusChat(): Promise<void> {
    return this.activeTab()?.focusComposer() ?? this.chat.focus();
  }

  async close(): Promise<void> {
    void this.terminal.closing();
    await withinTime(clock, settlePatienceMs, this.gateway.shutdown()).catch((error: unknown) =>
      this.log.error('Turns could not be settled at closing', error),
    );
    void this.others.close();
    const servers = this.mcp.close();
    await withinTime(clock, closePatienceMs, this.store.close()).catch((error: unknown) =>
      this.log.error('The store could not be closed in order', error),
    );
    await withinTime(clock, serversPatienceMs, servers);
    this.lifetime.dispose();
  }

  /** Repeats each offer until the user decides it, here or in a later window. */
  private offerReplaced(report: OpenReport, desk: StoreStatus): void {
    const leave = async (path: string): Promise<void> => {
      this.connection.leaveReplaced(path);
      this.offerReplaced({ ...report, replaced: report.replaced.filter((each) => each.path !== path) }, desk);
    };
    desk.offer('replaced', replacedOffers(report, { bringBack: () => this.connection.bringBack(), leave }, translate));
  }

  private storeChanged(state: StoreConnection['state'], desk: StoreStatus): void {
    if (state.kind !== 'open' && state.kind !== 'readOnly') return;
    const { report } = state;
    this.log.info(
      `Sessions are stored in ${report.path}${report.recoveredTurns.length === 0 ? '' : `; ${report.recoveredTurns.length} turns were cut off and are settled`}.`,
    );
    desk.setNotices('opening', [
      ...putRightNotices(report, state.kind === 'open' ? state.regained : null, translate),
      ...openReportNotices(report, translate),
    ]);
    this.offerReplaced(report, desk);
    if (state.kind === 'open') this.hindsight.start();
    if (state.kind === 'open') this.sessions.storeOpened();
    if (state.kind === 'open') void this.others.movedFolder.opened();
    if (state.kind === 'open') void this.approvalNotices.lookForWaiting();
    if (state.kind === 'open')
      this.gateway.resumeQueues().catch((error: unknown) => reportFailure('Queued prompts', error, this.log));
  }
}
