import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { systemClock as clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { idsFrom } from '../../base/ids';
import type { Log } from '../../base/log';
import type { ConversationGateway } from '../../gateway/conversationGateway';
import { ModelCatalog } from '../../models/catalog';
import { demoPrompts } from '../../models/demo/demoPrompts';
import { DemoProvider } from '../../models/demo/demoProvider';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { SessionStore } from '../../store/sessionStore';
import { AccessPaths } from '../../tools/accessPaths';
import { delegateTaskTool } from '../../tools/delegate/delegateTask';
import { fileTools } from '../../tools/files/fileTools';
import { withDiagnostics } from '../../tools/knowledge/withDiagnostics';
import { readOnlyTools } from '../../tools/readOnlyTools';
import { ToolRegistry } from '../../tools/toolRegistry';
import { WorkspacePaths } from '../../tools/workspacePaths';
import { ApprovalDesk } from '../approvals/approvalDesk';
import { AnswerNotices } from '../answerNotices';
import { windowNotices } from '../windowNotices';
import { ApprovalNotices } from '../approvalNotices';
import { AttachmentDesk } from '../attachments/attachmentDesk';
import { ExtensionApi } from '../api/extensionApi';
import type { HermesExtension } from '../api/hermes';
import { ChangedFilesDesk } from '../changedFiles/changedFilesDesk';
import { ChatBridge } from '../chatBridge';
import { ChatTabs, chatTabViewType } from '../chatTabs';
import { ChatView, chatViewId } from '../chatView';
import { CodeDesk } from '../codeActions/codeDesk';
import { registerCommands, reportFailure, windowCommands } from '../commands';
import { ContainerNotice } from '../containerNotice';
import { thisMachineFacts } from '../containerPlace';
import { EditorActions } from '../editorActions';
import { EditorFileEditor } from '../editorFileEditor';
import { errorWords } from '../errorWords';
import { editorProviderName, EditorModels } from '../editorModels';
import { EditorTextSearch } from '../editorTextSearch';
import { EditorWorkspaceFiles } from '../editorWorkspaceFiles';
import { registerEntryPoints } from '../knowledge/entryPoints';
import type { AskedAbout } from '../knowledge/promptText';
import { KnowledgeDesk } from '../knowledge/knowledgeDesk';
import { LinkOpener } from '../linkOpener';
import { McpDesk } from '../mcp/mcpDesk';
import { ModelDesk } from '../modelDesk';
import { ModelSetup } from '../modelSetup';
import { openReportNotices } from '../openReportWords';
import { OtherFoldersDesk } from '../otherFolders/otherFoldersDesk';
import { outputLog } from '../outputLog';
import { ProjectDesk } from '../projectDesk';
import { ProviderKeys } from '../providerKeys';
import { providersBundle } from '../providersBundle';
import type { HindsightDesk } from '../hindsightDesk';
import { editorStarters } from '../firstSteps/editorStarters';
import { editorWalkthrough } from '../firstSteps/editorWalkthrough';
import { findRipgrep, ripgrepCandidates } from '../ripgrepPath';
import { findCommand } from '../feed/findCommand';
import { screenCommands } from '../screenCommands';
import { SearchTab, searchViewType } from '../searchTab';
import { SessionOpener } from '../sessionOpener';
import { SessionsDesk } from '../sessions/sessionsDesk';
import { SettingsNotices } from '../settingsNotices';
import { SettingsWatcher } from '../settingsWatcher';
import { StorageMove } from '../storageMove';
import { StatusBar } from '../statusBar';
import { StatusDesk } from '../statusDesk';
import type { StoreDesk } from '../storeDesk';
import { TerminalDesk } from '../terminal/terminalDesk';
import { TranscriptTabs, transcriptViewType } from '../transcriptTabs';
import { GatewayTurnGuard } from '../turnGuard';
import { WebviewPrograms } from '../webviewPrograms';
import { WitnessRooms } from '../witness/witnessRooms';
import { windowGateway } from './windowGateway';
import { WindowMemory } from './windowMemory';
import { WindowStore } from './windowStore';
import { thisMachine, translate } from './windowWords';

/** How long turns may take to settle, and the store to close. The editor gives an extension five seconds in all. */
const settlePatienceMs = 3000;
const closePatienceMs = 1500;
/** How much longer MCP servers may take to end by themselves. */
const serversPatienceMs = 300;

const chatSurfaceId = 'chat';

/** The parts of one editor window, built once and handed what they need. Nothing here waits: the store is being opened and models are looked
 *  for while the window comes up. */
export class HermesWindow {
  private readonly lifetime = new DisposableStore();
  private readonly approvalNotices: ApprovalNotices;
  private readonly gateway: ConversationGateway;
  private readonly store: SessionStore;
  private readonly hindsight: HindsightDesk;
  private readonly terminal: TerminalDesk;
  private readonly sessions: SessionsDesk;
  private readonly others: OtherFoldersDesk;
  private readonly mcp: McpDesk;
  private readonly log: Log;
  readonly api: HermesExtension;

  constructor(context: vscode.ExtensionContext, distFolder: string) {
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    const channel = own(vscode.window.createOutputChannel('Hermes', { log: true }));
    const log = (this.log = outputLog(channel));
    const settings = own(new SettingsWatcher());
    const keys = new ProviderKeys(context.secrets);

    const history = own(
      new WindowStore({ context, distFolder, storagePath: () => settings.current.storagePath, clock, log }),
    );
    const store = (this.store = history.store);
    const { connection, desk: storeDesk } = history;

    // Models
    const catalog = new ModelCatalog({
      settings: () => settings.current.providers,
      others: [new EditorModels(clock, log), new DemoProvider(clock)],
      keyOf: (provider, origin) => keys.get(provider, origin),
      loadTransports: providersBundle(distFolder),
      fetch: (...request) => globalThis.fetch(...request),
      clock,
    });
    const models = own(
      new ModelDesk({
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
    const fileEditor = new EditorFileEditor();
    const changedFiles: ChangedFilesDesk = own(
      new ChangedFilesDesk({
        store,
        files,
        clock,
        log,
        editor: fileEditor,
        ids: { uid: randomUUID },
        isOn: () => settings.current.checkpoints,
        storageFolder: () => history.folder,
        openOutput: (file) => terminal.openOutput(file),
      }),
    );
    const terminal: TerminalDesk = (this.terminal = own(
      new TerminalDesk({
        files,
        clock,
        log,
        secrets: context.secrets,
        checkpoint: changedFiles.checkpoint,
        storageFolder: () => history.folder,
        timeoutSeconds: () => settings.current.terminalTimeoutSeconds,
      }),
    ));
    const knowledge = new KnowledgeDesk({ files, clock, distFolder });
    const editTools = fileTools({
      paths: new AccessPaths(files),
      editor: fileEditor,
      journal: changedFiles.journal,
    }).map((tool) => withDiagnostics(tool, knowledge.afterEdit));
    const tools = new ToolRegistry([
      ...readOnlyTools(files),
      ...editTools,
      ...terminal.tools,
      ...knowledge.tools,
      delegateTaskTool(),
    ]);
    const project = own(new ProjectDesk({ files, clock, log }));
    const mcp = (this.mcp = own(
      new McpDesk({ context, distFolder, clock, log, offer: (offers) => storeDesk.offer('mcp', offers) }),
    ));
    const approvals = new ApprovalDesk({
      settings,
      files,
      memory: context.workspaceState,
      isOwnOutput: (path, conversationId) => terminal.isOwnOutput(path, conversationId),
    });
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

    // What the person sees
    const programs = new WebviewPrograms(context.extensionUri);
    const localization = vscode.l10n.bundle ?? {};
    const setup = new ModelSetup({
      catalog,
      desk: models,
      keys,
      gateway,
      endpoints: { all: () => settings.current.providers, add: (endpoint) => settings.addProvider(endpoint) },
      shownSession: () => gateway.shownSession(surfaceId()),
      focusChat: () => focusChat(),
      modelOf: async (sessionId) => (sessionId === null ? null : ((await store.getSession(sessionId))?.model ?? null)),
    });
    const links = new LinkOpener(new WorkspacePaths(files));
    const code = own(new CodeDesk({ files, editor: fileEditor, clock, log }));
    const editor = new EditorActions({
      links,
      channel,
      code,
      extensionId: context.extension.id,
      pickSession: (surfaceId) => sessions.resume(surfaceId),
      openTranscript: (sessionId, messageUid) => tabs.open(sessionId, messageUid),
      pickModel: (sessionId) => setup.select(sessionId),
      setUpModel: (entryId) => setup.run(entryId),
    });
    const status = own(
      new StatusDesk({
        gateway,
        sessions: store,
        clock,
        bar: own(new StatusBar()),
        facts: () => ({ waiting: notices.count, store: storeDesk.shown.kind, model: bridge.modelState.chosen }),
      }),
    );
    const walkthrough = own(editorWalkthrough(context, gateway, store));
    const showStatus = (): void => (
      status.show(),
      walkthrough.modelChosen(bridge.modelState.chosen !== null),
      walkthrough.plugPulled(witnessRooms.plugWasPulled)
    );
    const attachments = own(
      new AttachmentDesk({
        files,
        sessions: store,
        clock,
        log,
        uid: randomUUID,
        t: translate,
        lastOutput: () => terminal.lastOutput(20_000),
      }),
    );
    const witnessRooms = own(
      new WitnessRooms({
        gateway,
        store,
        storeDesk,
        storageFolder: () => history.folder,
        folder: () => files.roots()[0]?.path ?? null,
        surfaceId: chatSurfaceId,
        ids,
        clock,
        log,
      }),
    );
    const { witness, verification } = witnessRooms;
    const chatNeeds = {
      gateway,
      store: storeDesk,
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
      }),
    };
    const shownChanged = (): void => (showStatus(), sessions.shownChanged(), containerNotice.update());
    const bridge: ChatBridge = own(
      new ChatBridge(chatSurfaceId, { ...chatNeeds, sessions: store, onChange: shownChanged }),
    );
    const chat = new ChatView(programs, bridge);
    const chatTabs: ChatTabs = own(
      new ChatTabs(programs, {
        gateway,
        sessions: store,
        uid: randomUUID,
        onActivity: shownChanged,
        createBridge: (id, port, onChange) =>
          new ChatBridge(id, { ...chatNeeds, sessions: port, onChange: () => (shownChanged(), onChange()) }),
        onFailure: (what, error) => log.warn(`${what}: ${errorWords(error).sentence}`),
      }),
    );
    // Commands mean the panel; a tab only while it is the active editor and no panel is in sight.
    const activeTab = (): ChatBridge | null => (chat.isVisible ? null : chatTabs.active);
    const surfaceId = (): string => activeTab()?.id ?? chatSurfaceId;
    const focusChat = async (): Promise<void> => activeTab()?.focusComposer() ?? chat.focus();
    const opener = new SessionOpener({
      gateway,
      sessions: store,
      chat: () => activeTab() ?? bridge,
      showChat: async (focusComposer) => (focusComposer ? focusChat() : activeTab() === null ? chat.show() : undefined),
      openTab: (sessionId) => chatTabs.open(sessionId),
      openTranscript: (sessionId, messageUid) => tabs.open(sessionId, messageUid),
      storeSettled: () => storeDesk.settled(),
    });
    const insertPrompt = async ({ text, parts }: AskedAbout): Promise<void> => {
      const target = activeTab() ?? bridge;
      await focusChat();
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
        [bridge, ...chatTabs.bridges].some((each) => each.isVisible() && each.shownSession === sessionId),
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
        store: storeDesk,
        localization,
        log,
        open: (...target) => opener.open(...target),
      }),
    );
    const tabs: TranscriptTabs = own(
      new TranscriptTabs(programs, {
        gateway,
        sessions: store,
        store: storeDesk,
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
    );
    own(vscode.window.registerWebviewViewProvider(chatViewId, chat));
    own(vscode.window.registerWebviewPanelSerializer(transcriptViewType, tabs));
    own(vscode.window.registerWebviewPanelSerializer(chatTabViewType, chatTabs));
    own(vscode.window.registerWebviewPanelSerializer(searchViewType, search));

    // Sessions of other folders
    const others = (this.others = own(
      new OtherFoldersDesk({
        context,
        programs,
        gateway,
        sessions: store,
        store: storeDesk,
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
    const containerNotice = new ContainerNotice({
      desk: storeDesk,
      t: translate,
      folder: () => history.folder,
      facts: thisMachineFacts(vscode.env.remoteName),
      isEmptyState: () => gateway.shownSession(chatSurfaceId) === null,
      memory: context.globalState,
      chooseFolder: () => editor.openSettings('hermes.storage.path'),
    });

    const sessions: SessionsDesk = (this.sessions = own(
      new SessionsDesk({
        gateway,
        sessions: store,
        store: storeDesk,
        clock,
        log,
        t: translate,
        files: changedFiles.chat,
        others: others.rows,
        showOthers: () => void others.show().catch((error: unknown) => reportFailure('otherFolders', error, log)),
        surfaceId,
        focusChat,
        showChat: async () => (activeTab() === null ? chat.reveal() : undefined),
        openTranscript: (sessionId, messageUid) => editor.openTranscript(sessionId, messageUid),
        revealMessage: (sessionId, messageUid) => opener.revealMessage(sessionId, messageUid),
        trashDays: () => settings.current.trashDays,
        outsideMemory: () =>
          ['none', 'builtin'].includes(settings.current.memoryProvider) ? null : settings.current.memoryProvider,
      }),
    ));
    const shown = (): string | null => gateway.shownSession(surfaceId());
    changedFiles.careFor(gateway.onDidChangeSessions);
    own(registerCommands(changedFiles.commands(shown), log));
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
        witnessRooms.commands({ chosen: sessions.chosen, verify: (sessionId) => tabs.verify(sessionId), chat }),
        log,
      ),
    );
    const find = findCommand({ chat, panel: bridge, tab: () => chatTabs.active, meant: activeTab });
    own(
      registerCommands(
        { ...sessions.commands, ...others.commands, ...windowTable, ...screens, ...find, ...walkthrough.commands },
        log,
      ),
    );

    // What changes around them
    own(new SettingsNotices(settings, storeDesk, translate));
    own(
      new StorageMove(history.storageFolder, {
        clock,
        t: translate,
        wantedFolder: () => history.wantedFolder(),
        onDidChangeSettings: settings.onDidChange,
        isUsed: () => connection.isUsed || gateway.runningTurns().length > 0,
        move: (folder) => {
          log.info(`The settings name another folder now. This window keeps its sessions in ${folder}.`);
          for (const each of [bridge, ...chatTabs.bridges]) each.leaveStore();
          others.movedFolder.left();
          history.moveTo(folder);
          if (!history.holdsHistory) void others.movedFolder.neverOpened();
        },
        tell: (notices) => storeDesk.setNotices('storage folder', notices),
      }),
    );
    own(connection.onDidChangeState((state) => this.storeChanged(state, storeDesk)));
    own(storeDesk.onDidChange(showStatus));
    own(notices.onDidChange(() => (showStatus(), chat.showWaiting(notices.count))));
    own(settings.onDidChange(() => (models.invalidate(), hindsight.changed(), gateway.memoryChanged())));
    own(settings.onDidChange(() => [bridge, ...chatTabs.bridges].forEach((each) => each.usualModeChanged())));
    own(memory.providers.onDidChange(() => gateway.memoryChanged()));
    own(context.secrets.onDidChange(() => (keyChanges++, models.invalidate(), hindsight.changed())));
    own(vscode.lm.onDidChangeChatModels(() => models.editorModelsChanged()));
    own(project.onDidChange(() => [bridge, ...chatTabs.bridges].forEach((each) => each.promptFilesChanged())));
    own(
      vscode.workspace.onDidGrantWorkspaceTrust(() =>
        [bridge, ...chatTabs.bridges].forEach((each) => each.trustChanged()),
      ),
    );
    own(
      vscode.workspace.onDidChangeWorkspaceFolders(() =>
        [bridge, ...chatTabs.bridges].forEach((each) => each.redraw()),
      ),
    );
    showStatus();
    // Not a part of activating: these look at the disk, the first with a thread of its own.
    const lookAround = clock.after(0, () => {
      if (!history.holdsHistory) void others.movedFolder.neverOpened();
      containerNotice.update();
    });
    own({ dispose: lookAround });
  }

  async close(): Promise<void> {
    void this.terminal.closing();
    await atMost(settlePatienceMs, this.gateway.shutdown()).catch((error: unknown) =>
      this.log.error('Turns could not be settled at closing', error),
    );
    void this.others.close();
    const servers = this.mcp.close();
    await atMost(closePatienceMs, this.store.close()).catch((error: unknown) =>
      this.log.error('The store could not be closed in order', error),
    );
    await atMost(serversPatienceMs, servers);
    this.lifetime.dispose();
  }

  private storeChanged(state: StoreConnection['state'], desk: StoreDesk): void {
    if (state.kind !== 'open' && state.kind !== 'readOnly') return;
    const { report } = state;
    this.log.info(
      `Sessions are stored in ${report.path}${report.recoveredTurns.length === 0 ? '' : `; ${report.recoveredTurns.length} turns were cut off and are settled`}.`,
    );
    desk.setNotices('opening', openReportNotices(report, translate));
    if (state.kind === 'open') this.hindsight.start();
    if (state.kind === 'open') this.sessions.storeOpened();
    if (state.kind === 'open') void this.others.movedFolder.opened();
    if (state.kind === 'open') void this.approvalNotices.lookForWaiting();
    if (state.kind === 'open')
      this.gateway.resumeQueues().catch((error: unknown) => reportFailure('Queued prompts', error, this.log));
  }
}

async function atMost(patienceMs: number, work: Promise<void>): Promise<void> {
  let cancel: () => void = () => undefined;
  const timeout = new Promise<void>((resolve) => (cancel = clock.after(patienceMs, resolve)));
  await Promise.race([work, timeout]).finally(() => cancel());
}
