import { homedir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { personalPlaces } from '../../agent/project/personalPlaces';
import { Emitter } from '../../base/disposable';
import type { Gateway } from '../../gateway/conversationGateway';
import type { ModelCatalog } from '../../models/catalog/catalog';
import { ChangeRecorder } from '../../tools/files/changes/changeRecorder';
import { runGit } from '../../tools/files/changes/gitProgram';
import { GitSnapshots } from '../../tools/files/changes/gitSnapshots';
import { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import type { ToolRegistry } from '../../tools/toolRegistry';
import { ApprovalRules } from '../approvals/approvalRules';
import { AttachmentService } from '../attachments/attachmentService';
import { ActiveChat, chatSurfaceId } from '../chat/activeChat';
import type { ChatSurface } from '../chat/chatSurface';
import { ChatTabs } from '../chat/chatTabs';
import { ChatView } from '../chat/chatView';
import { DeliveryReports } from '../chat/deliveryReports';
import { SessionOpener } from '../library/sessionOpener';
import { SessionsFeature } from '../library/sessionsFeature';
import type { ModelService } from '../models/modelService';
import { ModelSetup } from '../models/modelSetup';
import { ProviderKeys } from '../models/providerKeys';
import { EditorActions } from '../navigation/editorActions';
import { ApprovalNotices } from '../notifications/approvalNotices';
import { TerminalFeature } from '../terminal/terminalFeature';
import { WebviewPrograms } from '../webviews/webviewPrograms';
import { EditorFileEditor } from '../workspace/editorFileEditor';
import { EditorTextSearch } from '../workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../workspace/editorWorkspaceFiles';
import { ProjectFiles } from '../workspace/projectFiles';
import { findRipgrep, ripgrepCandidates } from '../workspace/ripgrepPath';
import { createGateway } from './createGateway';
import { createCatalog, createModels } from './createModels';
import { createSurface } from './createSurface';
import { createTools } from './createTools';
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
