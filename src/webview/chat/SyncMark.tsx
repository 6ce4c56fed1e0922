import { Icon } from '../Icon';
import type { ChatSync } from '../../protocol/syncProtocol';
import { useChat } from './state/chat';

const icons: Readonly<Record<ChatSync['state'], string>> = {
  even: 'cloud',
  waiting: 'cloud-upload',
  failed: 'cloud',
  overdue: 'warning',
};

/** Says up to when the server has the sessions. Quiet as long as nothing is older than a day. */
export function SyncMark() {
  const chat = useChat();
  const { sync } = chat.steady.value;
  if (sync === null) return null;
  return (
    <button
      type="button"
      class={`icon-button sync-mark sync-mark-${sync.state}`}
      title={sync.line}
      aria-label={sync.line}
      onClick={() => chat.host.send('showSync', {})}
    >
      <Icon name={icons[sync.state]} />
    </button>
  );
}
