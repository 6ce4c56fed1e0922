import { useState } from 'preact/hooks';
import type { ChangedFile } from '../../../transcript/changedFile';
import { Icon } from '../../Icon';
import { Button } from '../../buttons';
import { lineCounts } from '../../toolDetails';
import { t, shownList } from '../../localization';
import { filesText, fileStateWord, isRevertible, isUndecided, revertedWords, ChangedFileItem } from './ChangedFileItem';
import type { ReviewAction } from './fileReviews';
import { Counts } from '../common/marks';
import { useChat } from '../state/chat';
import { FoldState } from '../state/foldState';
import { FileReviews } from './fileReviews';

interface BarProps {
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

/** Files that a turn changed, with Review, Keep and Revert for all files, one file, or one change within a file. */
export function ChangedFilesBar({ turnUid, files }: BarProps) {
  const chat = useChat();
  const foldKey = `files:${turnUid}`;
  const open = chat.part(FoldState).open.value.has(foldKey);
  const busy = chat.part(FileReviews).busy.value.has(turnUid);
  const undecided = files.filter(isUndecided);
  // The line with Undo Revert already says that all are reverted.
  const saysReverted = files.every(({ state, canUndoRevert }) => state === 'reverted' && canUndoRevert === true);
  const settled = undecided.length === 0 && !saysReverted ? fileStateWord(files) : null;
  const openReview = (session: boolean): void => chat.host.send('openReview', { turnUid, session });
  const reviewAll = (action: ReviewAction): void => void chat.part(FileReviews).review(turnUid, null, action);
  return (
    <section class="files-bar" role="group" aria-label={t('Changed files')} aria-busy={busy}>
      <div class="files-line">
        <button
          type="button"
          class="fold-button files-fold"
          aria-expanded={open}
          onClick={() => chat.part(FoldState).toggle(foldKey)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span>{filesText(files)}</span>
          <Counts {...lineCounts(files)} />
          {settled !== null && <span class="files-state">{settled}</span>}
        </button>
        <span class="files-actions">
          <button type="button" class="button secondary tiny" onClick={() => openReview(false)}>
            {t('Review')}
          </button>
          {undecided.length > 0 && (
            <button type="button" class="button secondary tiny" disabled={busy} onClick={() => reviewAll('keep')}>
              {t('Keep')}
            </button>
          )}
          {files.some(isRevertible) && (
            <button type="button" class="button secondary tiny" disabled={busy} onClick={() => reviewAll('revert')}>
              {t('Revert')}
            </button>
          )}
        </span>
      </div>
      <RevertedFiles turnUid={turnUid} files={files} busy={busy} />
      <ReviewProblem turnUid={turnUid} />
      {open && (
        <>
          <ul class="files-list">
            {files.map((file) => (
              <ChangedFileItem key={file.path} turnUid={turnUid} file={file} busy={busy} />
            ))}
          </ul>
          <div class="files-more">
            <button type="button" class="button secondary tiny" onClick={() => openReview(true)}>
              {t('Review Session Changes')}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

/** Says how many files were reverted, and offers to undo that for as long as it is possible. */
function RevertedFiles({ turnUid, files, busy }: BarProps & { readonly busy: boolean }) {
  const chat = useChat();
  const reverted = files.filter(({ canUndoRevert }) => canUndoRevert === true);
  if (reverted.length === 0) return null;
  return (
    <div class="files-line" role="status">
      <span class="files-reverted">{revertedWords(reverted)}</span>
      <span class="files-actions">
        <button
          type="button"
          class="button secondary tiny"
          disabled={busy}
          onClick={() => void chat.part(FileReviews).undoRevert(turnUid, null)}
        >
          {t('Undo Revert')}
        </button>
      </span>
    </div>
  );
}

/** Says what could not be done, and offers what can. Files the user has changed since are overwritten only after a
 *  second press. */
function ReviewProblem({ turnUid }: { readonly turnUid: string }) {
  const chat = useChat();
  const [asks, setAsks] = useState(false);
  const notice = chat.part(FileReviews).notices.value.get(turnUid);
  if (notice === undefined) return null;
  const { sentence, conflicts } = notice;
  return (
    <div class="notice notice-warning" role="alert">
      <Icon name="warning" />
      <div class="notice-body">
        <span>
          {asks
            ? t('This also discards your later changes to {files}. Revert anyway?', {
                files: shownList(conflicts.map(fileName)),
              })
            : sentence}
        </span>
        <span class="notice-actions">
          {conflicts.length > 0 && !asks && <Button label={t('Overwrite My Changes…')} act={() => setAsks(true)} />}
          {conflicts.length > 0 && asks && (
            <Button
              primary
              label={t('Overwrite My Changes')}
              act={() => void chat.part(FileReviews).review(turnUid, conflicts, 'revert', true)}
            />
          )}
          <Button
            label={conflicts.length > 0 ? t('Keep My Changes') : t('Dismiss')}
            act={() => chat.part(FileReviews).dismiss(turnUid)}
          />
        </span>
      </div>
    </div>
  );
}

function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}
