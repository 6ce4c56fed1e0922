import type { Conversation } from '../state/conversation';
import type { TurnBlock } from '../state/conversationRows';
import type { Following } from './useFollow';

/** The feed as it is rendered, for the tools that move in it. */
export interface ShownFeed {
  /** The rendered part of the conversation. */
  readonly conversation: Conversation;
  readonly blocks: readonly TurnBlock[];
  readonly uids: readonly string[];
  readonly view: Following;
}
