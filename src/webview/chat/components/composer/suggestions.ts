import { useEffect } from 'preact/hooks';
import { t } from '../../../localization';
import { useChat } from '../common/ChatContext';

/** Milliseconds without a change after which it is said how much there is to choose from. */
const pauseMs = 700;

/** Says how many suggestions there are once typing pauses; null where no list is open. */
export function useSaidCount(count: number | null): void {
  const chat = useChat();
  useEffect(() => {
    if (count === null) return undefined;
    return chat.needs.timers.after(pauseMs, () =>
      chat.announce(
        count === 0 ? t('No suggestions') : count === 1 ? t('1 suggestion') : t('{count} suggestions', { count }),
      ),
    );
  }, [count]);
}
