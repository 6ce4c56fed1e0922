import { rowStates, type RowState } from '../../protocol/transcriptProtocol';
import type { Message } from '../../../../transcript/message';
import { Icon } from '../../../../webview/Icon';
import { t } from '../../../../webview/localization';
import type { TranscriptController } from '../state/transcriptController';
import { roleWord } from '../state/transcriptRows';

const roles: readonly Message['role'][] = ['user', 'assistant', 'tool'];

export function Toolbar({
  transcript,
  branchesShown,
}: {
  readonly transcript: TranscriptController;
  readonly branchesShown: boolean;
}) {
  return (
    <div class="toolbar" role="toolbar" aria-label={t('Transcript')}>
      <Filters transcript={transcript} />
      {transcript.branches.value.length > 1 && (
        <Toggle
          on={branchesShown}
          label={t('Branches ({count})', { count: transcript.branches.value.length })}
          toggle={() => transcript.showBranches(!branchesShown)}
        />
      )}
      <div class="toolbar-actions">
        <button
          type="button"
          class="button compact secondary"
          title={t('Verify')}
          onClick={() => void transcript.verifier.run()}
        >
          <Icon name="verified" /> <span class="label">{t('Verify')}</span>
        </button>
        <ActionsOfPlace transcript={transcript} />
      </div>
    </div>
  );
}

function Filters({ transcript }: { readonly transcript: TranscriptController }) {
  const { role, state, hidden } = transcript.filter.value;
  const counts = transcript.stored.value?.counts;
  const set = (change: Parameters<TranscriptController['setFilter']>[0]) => (): void =>
    void transcript.setFilter(change);
  const hiddenRows = counts?.hidden ?? 0;
  return (
    <>
      <div class="toggle-group" role="group" aria-label={t('Role')}>
        <Toggle on={role === null} label={t('All')} toggle={set({ role: null })} />
        {roles.map((each) => (
          <Toggle
            key={each}
            on={role === each}
            label={roleWord(each)}
            toggle={set({ role: role === each ? null : each })}
          />
        ))}
      </div>
      <select
        class="select"
        aria-label={t('State')}
        value={state ?? ''}
        onChange={(event) =>
          void transcript.setFilter({ state: rowStates.find((each) => each === event.currentTarget.value) ?? null })
        }
      >
        <option value="">{t('Every State')}</option>
        {rowStates.map((each) => (
          <option key={each} value={each}>
            {stateWord(each, counts?.[each] ?? 0)}
          </option>
        ))}
      </select>
      <Toggle
        on={hidden}
        label={hiddenRows === 0 ? t('Hidden Rows') : t('Hidden Rows ({count})', { count: hiddenRows })}
        toggle={set({ hidden: !hidden })}
      />
      <Toggle on={transcript.raw.value} label={t('Raw')} toggle={() => transcript.setRaw(!transcript.raw.value)} />
    </>
  );
}

function stateWord(state: RowState, count: number): string {
  switch (state) {
    case 'complete':
      return t('Complete ({count})', { count });
    case 'interrupted':
      return t('Interrupted ({count})', { count });
    case 'failed':
      return t('Failed ({count})', { count });
    case 'waiting':
      return t('Running or Waiting ({count})', { count });
    case 'repaired':
      return t('Repaired ({count})', { count });
    case 'hidden':
      return t('Hidden ({count})', { count });
  }
}

/** Actions of the tab. Each runs where the user can see it: in the chat, in a dialog. */
function Actions({ transcript }: { readonly transcript: TranscriptController }) {
  const { actions } = transcript;
  const selected = actions.selectedMessage.value;
  const isShown = selected?.visibility.kind === 'shown';
  const branchHint = isShown ? t('Branch from the selected row') : t('Select a conversation row to branch from it');
  const rewindHint =
    isShown && selected.role === 'user' ? t('Rewind to before the selected prompt') : t('Select a prompt to rewind to');
  return (
    <>
      <button
        type="button"
        class="button compact secondary"
        disabled={!isShown}
        title={branchHint}
        onClick={() => actions.branchFrom()}
      >
        <Icon name="git-branch" /> <span class="label">{t('Branch from Selected')}</span>
      </button>
      <button
        type="button"
        class="button compact secondary"
        disabled={!isShown || selected.role !== 'user'}
        title={rewindHint}
        onClick={() => actions.rewindTo()}
      >
        <Icon name="discard" /> <span class="label">{t('Rewind to Selected…')}</span>
      </button>
      <button
        type="button"
        class="button compact secondary"
        title={t('Open in Chat')}
        onClick={() => actions.openInChat()}
      >
        <Icon name="comment-discussion" /> <span class="label">{t('Open in Chat')}</span>
      </button>
      <button
        type="button"
        class="button compact secondary"
        title={t('Export…')}
        onClick={() => transcript.exportSession()}
      >
        <Icon name="export" /> <span class="label">{t('Export…')}</span>
      </button>
    </>
  );
}

function ActionsOfPlace({ transcript }: { readonly transcript: TranscriptController }) {
  if (transcript.file.value !== null)
    return <FileActions transcript={transcript} sessions={transcript.file.value.sessions} />;
  return transcript.isOfThisHistory.value ? (
    <Actions transcript={transcript} />
  ) : (
    <OtherFolderActions transcript={transcript} />
  );
}

/** A file can be read and imported. */
function FileActions({
  transcript,
  sessions,
}: {
  readonly transcript: TranscriptController;
  readonly sessions: number;
}) {
  return (
    <>
      <button type="button" class="button compact" title={t('Import')} onClick={() => transcript.importFile()}>
        <Icon name="cloud-download" /> <span class="label">{t('Import')}</span>
      </button>
      {sessions > 1 && (
        <button
          type="button"
          class="button compact secondary"
          title={t('Show All Sessions…')}
          onClick={() => transcript.chooseSession()}
        >
          <Icon name="list-unordered" /> <span class="label">{t('Show All Sessions…')}</span>
        </button>
      )}
      <button
        type="button"
        class="button compact secondary"
        title={t('Reload')}
        onClick={() => transcript.reloadFile()}
      >
        <Icon name="refresh" /> <span class="label">{t('Reload')}</span>
      </button>
    </>
  );
}

/** A session of another folder can be read, exported, and brought over to this folder. */
function OtherFolderActions({ transcript }: { readonly transcript: TranscriptController }) {
  return (
    <>
      <button
        type="button"
        class="button compact"
        title={t('Copy to This Folder')}
        onClick={() => transcript.actions.openInChat(null)}
      >
        <Icon name="move" /> <span class="label">{t('Copy to This Folder')}</span>
      </button>
      <button
        type="button"
        class="button compact secondary"
        title={t('Export…')}
        onClick={() => transcript.exportSession()}
      >
        <Icon name="export" /> <span class="label">{t('Export…')}</span>
      </button>
    </>
  );
}

/** Actions for several rows at once. */
export function SelectionBar({ transcript: { actions } }: { readonly transcript: TranscriptController }) {
  const count = actions.selectedCount.value;
  if (count < 2) return null;
  return (
    <div class="selection-bar" role="toolbar" aria-label={t('Selected rows')}>
      <span role="status">{t('{count} rows selected', { count })}</span>
      <button type="button" class="button compact secondary" onClick={() => actions.copy('markdown')}>
        {t('Copy as Markdown')}
      </button>
      <button type="button" class="button compact secondary" onClick={() => actions.copy('json')}>
        {t('Copy as JSON')}
      </button>
      <button type="button" class="link-button" onClick={() => actions.selectNothing()}>
        {t('Clear Selection')}
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
