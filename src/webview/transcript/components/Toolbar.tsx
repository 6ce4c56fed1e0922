import type { Message } from '../../../protocol/transcriptWords';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { TranscriptController } from '../transcriptController';
import { hiddenCount, roleWord } from '../transcriptRows';

const roles: readonly Message['role'][] = ['user', 'assistant', 'tool'];

export function Toolbar({ transcript }: { readonly transcript: TranscriptController }) {
  const filter = transcript.filter.value;
  const stored = transcript.stored.value;
  const hidden = stored === null ? 0 : hiddenCount(stored);
  return (
    <div class="toolbar" role="toolbar" aria-label={t('Transcript')}>
      <div class="toggle-group" role="group" aria-label={t('Role')}>
        <Toggle on={filter.role === null} label={t('All')} toggle={() => transcript.setFilter({ role: null })} />
        {roles.map((role) => (
          <Toggle key={role} on={filter.role === role} label={roleWord(role)} toggle={() => transcript.setFilter({ role: filter.role === role ? null : role })} />
        ))}
      </div>
      <Toggle on={transcript.raw.value} label={t('Raw')} toggle={() => transcript.setRaw(!transcript.raw.value)} />
      <Toggle
        on={filter.showHidden}
        label={hidden === 0 ? t('Hidden Rows') : t('Hidden Rows ({count})', { count: hidden })}
        toggle={() => transcript.setFilter({ showHidden: !filter.showHidden })}
      />
      <button type="button" class="button compact secondary toolbar-end" onClick={() => transcript.openInChat()}>
        <Icon name="comment-discussion" /> {t('Open in Chat')}
      </button>
    </div>
  );
}

function Toggle({ on, label, toggle }: { readonly on: boolean; readonly label: string; readonly toggle: () => void }) {
  return (
    <button type="button" class={`toggle${on ? ' on' : ''}`} aria-pressed={on} onClick={toggle}>
      {label}
    </button>
  );
}
