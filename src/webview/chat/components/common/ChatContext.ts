import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChatController } from '../../chatController';

export const ChatContext = createContext<ChatController | null>(null);

/** Returns the controller of the view that contains this component. */
export function useChat(): ChatController {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error('A chat component is drawn outside of the chat view.');
  return chat;
}
