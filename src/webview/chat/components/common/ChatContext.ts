import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChatController } from '../../chatController';

export const ChatContext = createContext<ChatController | null>(null);

/** The controller of the view this component is in. */
export function useChat(): ChatController {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error('A chat component is drawn outside of the chat view.');
  return chat;
}
