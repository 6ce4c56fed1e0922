import type { ExtensionContext } from 'vscode';
import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import type { Ids } from '../../base/ids';
import type { Log } from '../../base/log';
import type { Gateway } from '../../gateway/conversationGateway';
import type { ChangeRecorder } from '../../tools/files/changes/changeRecorder';
import type { ToolRegistry } from '../../tools/toolRegistry';
import type { ApprovalRules } from '../approvals/approvalRules';
import type { ChatView } from '../chat/chatView';
import type { DeliveryReports } from '../chat/deliveryReports';
import type { SessionOpener } from '../library/sessionOpener';
import type { SessionsFeature } from '../library/sessionsFeature';
import type { ModelService } from '../models/modelService';
import type { ProviderKeys } from '../models/providerKeys';
import type { EditorActions } from '../navigation/editorActions';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import type { TerminalFeature } from '../terminal/terminalFeature';
import type { WebviewPrograms } from '../webviews/webviewPrograms';
import type { EditorFileEditor } from '../workspace/editorFileEditor';
import type { EditorWorkspaceFiles } from '../workspace/editorWorkspaceFiles';
import type { ProjectFiles } from '../workspace/projectFiles';
import type { ModelCatalog } from '../../models/catalog/catalog';
import type { ActiveChat } from './activeChat';
import type { FeaturePoints } from './featurePoints';
import type { WindowMemory } from './windowMemory';
import type { WindowStore } from './windowStore';

/** The services of one window that features use, and the places in the core that a feature can fill. */
export interface WindowContext extends FeaturePoints {
  readonly context: ExtensionContext;
  /** Folder of the bundles. */
  readonly distFolder: string;
  /** Makes a part end with the window, and returns it. */
  readonly own: <T extends Disposable>(part: T) => T;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: SettingsWatcher;
  readonly keys: ProviderKeys;
  /** The history of this window. */
  readonly history: WindowStore;
  readonly gateway: Gateway;
  /** Files for agents of the open folders and of the user. */
  readonly project: ProjectFiles;
  readonly terminal: TerminalFeature;
  readonly memory: WindowMemory;
  readonly files: EditorWorkspaceFiles;
  readonly fileEditor: EditorFileEditor;
  readonly recorder: ChangeRecorder;
  readonly approvals: ApprovalRules;
  readonly tools: ToolRegistry;
  readonly models: ModelService;
  readonly chat: ChatView;
  /** Reports of chat views: what they have shown. */
  readonly reports: DeliveryReports;
  readonly catalog: ModelCatalog;
  /** The panel and the chats in tabs. */
  readonly activeChat: ActiveChat;
  readonly opener: SessionOpener;
  readonly editor: EditorActions;
  readonly programs: WebviewPrograms;
  /** Translations for the webviews. */
  readonly localization: Readonly<Record<string, string>>;
  /** Stored sessions outside the chat: their view, and choosing and removing them. */
  readonly sessions: SessionsFeature;
}

/** An optional part of the product (src/features/). The core works without it. */
export interface Feature {
  /** Called once, when the core of the window is built and before its store is opened. */
  register(window: WindowContext): void;
}
