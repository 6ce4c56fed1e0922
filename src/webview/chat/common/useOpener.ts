import { useState } from 'preact/hooks';
import { useChat } from '../state/chat';

/** Returns the focus after a card or field closes. Goes to the element that opened it by keyboard if it still
 *  exists, otherwise to the composer. After a mouse click, the composer is the better place. */
export function useOpener(): () => void {
  const chat = useChat();
  const [opener] = useState(() =>
    document.activeElement?.matches(':focus-visible') === true ? document.activeElement : null,
  );
  return () => {
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    else chat.focusComposer();
  };
}
