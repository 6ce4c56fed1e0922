import { rowStates, type RowState } from '../../protocol/transcriptProtocol';
import type { Message } from '../../../../transcript/message';
import { Button, LinkButton, Toggle } from '../../../../webview/buttons';
import { t } from '../../../../webview/localization';
import { roleWord } from '../../../../webview/turnLabels';
import type { TranscriptController } from '../state/transcriptController';

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
          act={() => (transcript.branchesShown.value = !branchesShown)}
        />
      )}
      <div class="toolbar-actions">
        <Button icon="verified" label={t('Verify')} act={() => void transcript.verifier.run()} />
        <Actions transcript={transcript} />
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
        <Toggle on={role === null} label={t('All')} act={set({ role: null })} />
        {roles.map((each) => (
          <Toggle
            key={each}
            on={role === each}
            label={roleWord(each)}
            act={set({ role: role === each ? null : each })}
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
        act={set({ hidden: !hidden })}
      />
      <Toggle on={transcript.raw.value} label={t('Raw')} act={() => (transcript.raw.value = !transcript.raw.value)} />
    </>
  );
}

function stateWord(state: RowState, count: number): string {
  const words: Readonly<Record<RowState, string>> = {
    complete: t('Complete ({count})', { count }),
    interrupted: t('Interrupted ({count})', { count }),
    failed: t('Failed ({count})', { count }),
    waiting: t('Running or Waiting ({count})', { count }),
    repaired: t('Repaired ({count})', { count }),
    hidden: t('Hidden ({count})', { count }),
  };
  return words[state];
}

/** Actions of the tab. Each runs where the user can see it: in the chat, in a dialog. A file can be read and imported,
 *  a session of another folder read, exported, and copied to this folder. */
function Actions({ transcript }: { readonly transcript: TranscriptController }) {
  const { actions, host } = transcript;
  const file = transcript.origin.value?.file ?? null;
  const exporting = <Button icon="export" label={t('Export…')} act={() => host.send('exportSession', {})} />;
  if (file !== null) {
    return (
      <>
        <Button primary icon="cloud-download" label={t('Import')} act={() => transcript.fileAction('import')} />
        {file.sessions > 1 && (
          <Button
            icon="list-unordered"
            label={t('Show All Sessions…')}
            act={() => transcript.fileAction('chooseSession')}
          />
        )}
        <Button icon="refresh" label={t('Reload')} act={() => transcript.reloadFile()} />
      </>
    );
  }
  if (!transcript.isOfThisHistory.value) {
    return (
      <>
        <Button primary icon="move" label={t('Copy to This Folder')} act={() => actions.openInChat(null)} />
        {exporting}
      </>
    );
  }
  const selected = actions.selectedMessage.value;
  const isShown = selected?.visibility.kind === 'shown';
  const isPrompt = isShown && selected.role === 'user';
  return (
    <>
      <Button
        icon="git-branch"
        label={t('Branch from Selected')}
        disabled={!isShown}
        title={isShown ? t('Branch from the selected row') : t('Select a conversation row to branch from it')}
        act={() => actions.branchFrom()}
      />
      <Button
        icon="discard"
        label={t('Rewind to Selected…')}
        disabled={!isPrompt}
        title={isPrompt ? t('Rewind to before the selected prompt') : t('Select a prompt to rewind to')}
        act={() => actions.rewindTo()}
      />
      <Button icon="comment-discussion" label={t('Open in Chat')} act={() => actions.openInChat()} />
      {exporting}
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
      <Button label={t('Copy as Markdown')} act={() => actions.copy('markdown')} />
      <Button label={t('Copy as JSON')} act={() => actions.copy('json')} />
      <LinkButton label={t('Clear Selection')} act={() => actions.selectNothing()} />
    </div>
  );
}
