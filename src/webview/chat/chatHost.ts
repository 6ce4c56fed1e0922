import type { ChatNotifications, ChatResults, chatCommands, chatRequests } from '../../protocol/chatProtocol';
import type { HostConnection } from '../rpc';

/** The chat view's protocol as `connectToHost` takes it. */
export interface ChatProtocol {
  readonly commands: typeof chatCommands;
  readonly requests: typeof chatRequests;
  readonly results: ChatResults;
  readonly notifications: ChatNotifications;
}

export type ChatHost = HostConnection<ChatProtocol>;
