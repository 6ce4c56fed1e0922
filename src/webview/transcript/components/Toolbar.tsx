import type { Message } from '../../../protocol/transcriptWords';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { TranscriptController } from '../transcriptController';
import { hiddenCount, roleWord } from '../transcriptRows';

const roles: readonly Message['role'][] = ['user', 'assistant', 'tool'];

export function Toolbar({ transcript, branchesShown }: { readonly transcript: TranscriptController; readonly branchesShown: boolean }) {
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
      {transcript.branches.value.length > 1 && (
        <Toggle on={branchesShown} label={t('Branches ({count})', { count: transcript.branches.value.length })} toggle={() => transcript.showBranches(!branchesShown)} />
      )}
      <div class="toolbar-actions">
        {transcript.otherFolder.value === null ? <Actions transcript={transcript} /> : <OtherFolderActions transcript={transcript} />}
      </div>
    </div>
  );
}

/** What can be done from here. Each is carried out where it can be seen: in the chat, in a dialog. */
function Actions({ transcript }: { readonly transcript: TranscriptController }) {
  const selected = transcript.selectedMessage.value;
  const isShown = selected?.visibility.kind === 'shown';
  const branchHint = isShown ? t('Begin a branch at the selected row') : t('Select a row of the conversation to begin a branch there');
  const rewindHint = isShown && selected.role === 'user' ? t('Take back the selected prompt and everything behind it') : t('Select a prompt to take it back with everything behind it');
  return (
    <>
      <button type="button" class="button compact secondary" disabled={!isShown} title={branchHint} onClick={() => transcript.branchFromSelected()}>
        <Icon name="git-branch" /> {t('Branch from Selected')}
      </button>
      <button type="button" class="button compact secondary" disabled={!isShown || selected.role !== 'user'} title={rewindHint} onClick={() => transcript.rewindToSelected()}>
        <Icon name="discard" /> {t('Rewind to Selected…')}
      </button>
      <button type="button" class="button compact secondary" onClick={() => transcript.openInChat()}>
        <Icon name="comment-discussion" /> {t('Open in Chat')}
      </button>
      <button type="button" class="button compact secondary" onClick={() => transcript.exportSession()}>
        <Icon name="export" /> {t('Export…')}
      </button>
    </>
  );
}

/** A session of another folder can be read, written out, and made one of this folder. */
function OtherFolderActions({ transcript }: { readonly transcript: TranscriptController }) {
  return (
    <>
      <button type="button" class="button compact" onClick={() => transcript.openInChat()}>
        <Icon name="move" /> {t('Bring Over to This Folder')}
      </button>
      <button type="button" class="button compact secondary" onClick={() => transcript.exportSession()}>
        <Icon name="export" /> {t('Export…')}
      </button>
    </>
  );
}

function Toggle({ on, label, toggle }: { readonly on: boolean; readonly label: string; readonly toggle: () => void }) {
  return (
    <button type="button" class={`toggle${on ? ' on' : ''}`} aria-pressed={on} onClick={toggle}>
      {label}
    </button>
  );
}
