import type { Timers } from '../../times';
import type { ChatNotifications, ChatResults, chatCommands, chatRequests } from '../../../protocol/chatProtocol';
import type { HostConnection } from '../../rpc';
import type { ViewMemory } from './viewMemory';

/** Protocol of the chat view in the form that `connectToHost` takes. */
export interface ChatProtocol {
  readonly commands: typeof chatCommands;
  readonly requests: typeof chatRequests;
  readonly results: ChatResults;
  readonly notifications: ChatNotifications;
}

export type ChatHost = HostConnection<ChatProtocol>;

/** What surrounds a chat view. */
export interface ChatSurroundings {
  readonly host: ChatHost;
  readonly timers: Timers;
  readonly newUid: () => string;
  /** The view's memory, and the function that saves changes to it. */
  readonly memory: { readonly recalled: ViewMemory; remember(change: Partial<ViewMemory>): void };
}
