import { useEffect } from 'preact/hooks';
import { t } from '../../localization';
import { useChat } from '../state/chat';

/** Milliseconds without a change before the number of suggestions is announced. */
const pauseMs = 700;

/** Announces the number of suggestions once typing pauses; null when no list is open. */
export function useAnnouncedCount(count: number | null): void {
  const chat = useChat();
  useEffect(() => {
    if (count === null) return undefined;
    return chat.timers.after(pauseMs, () =>
      chat.ui.announce(
        count === 0 ? t('No suggestions') : count === 1 ? t('1 suggestion') : t('{count} suggestions', { count }),
      ),
    );
  }, [count]);
}
