import { useState } from 'preact/hooks';
import { useChat } from './ChatContext';

/** Where the focus goes when what took it is given up: back to what it was opened from by keyboard, as long as that is there; otherwise to where
 *  one writes. A mouse that opened it goes on in neither, so for it the composer is the better place. */
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
