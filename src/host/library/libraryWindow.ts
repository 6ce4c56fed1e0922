import type { Uri } from 'vscode';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import type { Gateway } from '../../gateway/conversationGateway';
import type { SessionStore } from '../../store/session/sessionStore';
import type { ActiveChat } from '../chat/activeChat';
import type { ChatTabs } from '../chat/chatTabs';
import type { ChatView } from '../chat/chatView';
import type { Hooks, Slot } from '../common/slot';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import type { StoreStatus } from '../storage/storeStatus';
import type { ChatFiles } from '../webviews/chatFiles';
import type { SessionOpener } from './sessionOpener';
import type { Transcripts } from './transcripts';

/** The services of a window that the library uses. */
export interface LibraryWindow {
  readonly gateway: Gateway;
  readonly history: { readonly store: SessionStore; readonly status: StoreStatus };
  readonly settings: SettingsWatcher;
  readonly changedFiles: ChatFiles;
  /** The chat to which commands of the palette and of the sessions view apply. */
  readonly activeChat: ActiveChat;
  readonly chat: ChatView;
  readonly chatTabs: ChatTabs;
  readonly opener: SessionOpener;
  readonly transcripts: Slot<Transcripts>;
  /** Imports sessions from files of other agents. */
  readonly importer: Slot<(files: readonly Uri[]) => Promise<void>>;
  /** Erases sessions from backups and exported files. Never rejects: each resolves to sentences about what is left. */
  readonly forgetCopies: Hooks<[sessionIds: readonly string[]], Promise<readonly string[]>>;
  readonly clock: Clock;
  readonly log: Log;
}
