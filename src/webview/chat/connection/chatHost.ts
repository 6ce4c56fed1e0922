import type { ChatNotifications, ChatResults, chatCommands, chatRequests } from '../../../protocol/chatProtocol';
import type { HostConnection } from '../../rpc';
import type { Timers } from '../composer/drafts';
import type { ViewMemory } from './viewMemory';

/** The chat view's protocol as `connectToHost` takes it. */
export interface ChatProtocol {
  readonly commands: typeof chatCommands;
  readonly requests: typeof chatRequests;
  readonly results: ChatResults;
  readonly notifications: ChatNotifications;
}

export type ChatHost = HostConnection<ChatProtocol>;

/** What the chat view is handed. */
export interface ChatNeeds {
  readonly host: ChatHost;
  readonly timers: Timers;
  readonly newUid: () => string;
  /** What the view remembers, and where changes to it go. */
  readonly memory: { readonly recalled: ViewMemory; remember(change: Partial<ViewMemory>): void };
  readonly setLocalization: (strings: Readonly<Record<string, string>>) => void;
}
