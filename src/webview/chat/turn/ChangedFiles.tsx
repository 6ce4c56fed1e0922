import { useEffect, useState } from 'preact/hooks';
import type { ChangedFile, FileHunk } from '../../../transcript/changedFile';
import { Button, Icon } from '../../buttons';
import { t, shownList } from '../../localization';
import { showMisleading } from '../../../transcript/text/invisibleCharacters';
import { Counts, FoldButton } from '../common/marks';
import { Toolbar, type ToolbarProps } from '../common/Toolbar';
import { useChat } from '../state/chat';
import { FoldState } from '../state/foldState';
import { FileReviews, type ReviewAction } from './fileReviews';
import { lineCounts } from '../../toolDetails';

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
        <FoldButton class="files-fold" open={open} toggle={() => chat.part(FoldState).toggle(foldKey)}>
          <span>{filesText(files)}</span>
          <Counts {...lineCounts(files)} />
          {settled !== null && <span class="files-state">{settled}</span>}
        </FoldButton>
        <span class="files-actions">
          <Button label={t('Review')} size="tiny" act={() => openReview(false)} />
          {undecided.length > 0 && (
            <Button label={t('Keep')} size="tiny" disabled={busy} act={() => reviewAll('keep')} />
          )}
          {files.some(isRevertible) && (
            <Button label={t('Revert')} size="tiny" disabled={busy} act={() => reviewAll('revert')} />
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
            <Button label={t('Review Session Changes')} size="tiny" act={() => openReview(true)} />
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
        <Button
          label={t('Undo Revert')}
          size="tiny"
          disabled={busy}
          act={() => void chat.part(FileReviews).undoRevert(turnUid, null)}
        />
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
              label={t('Overwrite My Changes')}
              primary
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

interface FileProps {
  readonly turnUid: string;
  readonly file: ChangedFile;
  readonly busy: boolean;
}

const kinds: Readonly<Record<ChangedFile['kind'], { readonly icon: string; readonly word: () => string }>> = {
  created: { icon: 'diff-added', word: () => t('created') },
  edited: { icon: 'diff-modified', word: () => t('edited') },
  deleted: { icon: 'diff-removed', word: () => t('deleted') },
};

/** One file that a turn changed; opens to show its changes. */
function ChangedFileItem({ turnUid, file, busy }: FileProps) {
  const chat = useChat();
  const foldKey = `hunks:${turnUid}:${file.path}`;
  const isText = file.added !== null;
  const open = isText && chat.part(FoldState).open.value.has(foldKey);
  const word = fileStateWord([file]);
  // As in VS Code's own lists: the name before its folder, and the folder is shortened first.
  const [, folder = '', name = file.shown] = /^(?:(.*)[/\\])?([^/\\]+)$/.exec(file.shown) ?? [];
  const openDiff = (): void => chat.host.send('openDiff', { turnUid, path: file.path });
  const actions: ToolbarProps['actions'] = [
    isUndecided(file) && {
      icon: 'check',
      label: t('Keep'),
      act: () => void chat.part(FileReviews).review(turnUid, [file.path], 'keep'),
      disabled: busy,
    },
    isRevertible(file) && {
      icon: 'discard',
      label: t('Revert'),
      act: () => void chat.part(FileReviews).review(turnUid, [file.path], 'revert'),
      disabled: busy,
    },
    file.canUndoRevert === true && {
      icon: 'redo',
      label: t('Undo Revert'),
      act: () => void chat.part(FileReviews).undoRevert(turnUid, [file.path]),
      disabled: busy,
    },
    // Last, so that the icons of all files are aligned: every file has it.
    { icon: 'diff', label: t('Diff'), act: openDiff },
  ];
  return (
    <li class={`files-item file-${file.state}`}>
      <div class="files-line">
        <button
          type="button"
          class="fold-button files-fold"
          aria-expanded={isText ? open : undefined}
          title={file.path}
          onClick={() => (isText ? chat.part(FoldState).toggle(foldKey) : openDiff())}
        >
          <Icon name={kinds[file.kind].icon} />
          <span class="files-name" dir="auto">
            {name}
          </span>
          {folder !== '' && (
            <span class="files-folder" dir="auto">
              {' '}
              {folder}
            </span>
          )}
          <span class="visually-hidden">{kinds[file.kind].word()}</span>
          <Counts added={file.added} removed={file.removed} />
          {word !== null && <span class="files-state">{word}</span>}
        </button>
        <Toolbar label={t('Actions for {file}', { file: file.shown })} actions={actions} />
      </div>
      {open && <Hunks turnUid={turnUid} file={file} busy={busy} />}
    </li>
  );
}

function Hunks({ turnUid, file, busy }: FileProps) {
  const chat = useChat();
  const list = chat.part(FileReviews).hunks(turnUid, file.path);
  useEffect(() => void chat.part(FileReviews).readHunks(turnUid, file.path), [file]);
  if (list === undefined || list.kind === 'loading') return null;
  if (list.kind === 'refused') return <p class="files-note">{list.sentence}</p>;
  if (list.hunks.length === 0) return <p class="files-note">{t('No changes from this turn are left in this file.')}</p>;
  return (
    <ol class="hunks">
      {list.hunks.map((hunk) => (
        <Hunk
          key={hunk.id}
          hunk={hunk}
          busy={busy}
          act={(action) => void chat.part(FileReviews).reviewHunk(turnUid, file.path, hunk.id, action)}
        />
      ))}
    </ol>
  );
}

interface HunkProps {
  readonly hunk: FileHunk;
  readonly busy: boolean;
  readonly act: (action: 'keep' | 'revert') => void;
}

function Hunk({ hunk, busy, act }: HunkProps) {
  const { line, removed, added } = hunk;
  return (
    <li class="hunk">
      <div class="hunk-line">
        <span class="hunk-place">{t('line {line}', { line })}</span>
        <span class="files-actions">
          <Button
            label={t('Keep')}
            size="tiny"
            disabled={busy}
            aria-label={t('Keep the change at line {line}', { line })}
            act={() => act('keep')}
          />
          <Button
            label={t('Revert')}
            size="tiny"
            disabled={busy}
            aria-label={t('Revert the change at line {line}', { line })}
            act={() => act('revert')}
          />
        </span>
      </div>
      <div class="diff" tabIndex={0} role="region" aria-label={t('Change at line {line}', { line })}>
        <div class="diff-lines">
          {removed.map((text, index) => (
            <HunkText key={`r${index}`} sign="-" kind="removed" text={text} />
          ))}
          {added.map((text, index) => (
            <HunkText key={`a${index}`} sign="+" kind="added" text={text} />
          ))}
        </div>
      </div>
    </li>
  );
}

function HunkText({
  sign,
  kind,
  text,
}: {
  readonly sign: string;
  readonly kind: 'added' | 'removed';
  readonly text: string;
}) {
  return (
    <div class={`diff-line diff-${kind}`}>
      <span class="diff-sign">{sign}</span>
      <span class="diff-text">
        {showMisleading(text)}
        {'\n'}
      </span>
    </div>
  );
}

/** True when the changes are neither kept nor reverted, or only partly. */
function isUndecided({ state }: ChangedFile): boolean {
  return state === 'open' || state === 'partly' || state === 'changedSince';
}

/** True when there may be something to revert. Keeping changes does not prevent that. */
function isRevertible({ state }: ChangedFile): boolean {
  return state !== 'reverted';
}

/** "3 files changed". */
function filesText(files: readonly ChangedFile[]): string {
  return files.length === 1 ? t('1 file changed') : t('{count} files changed', { count: files.length });
}

/** "Reverted 2 files.": of files with a revert that can be undone. */
function revertedWords(files: readonly ChangedFile[]): string {
  const count = files.length;
  if (files.every(({ state }) => state === 'reverted'))
    return count === 1 ? t('Reverted 1 file.') : t('Reverted {count} files.', { count });
  return count === 1 ? t('Reverted changes in 1 file.') : t('Reverted changes in {count} files.', { count });
}

/** Returns the state of the files when all have the same; null when there is nothing to say. */
function fileStateWord(files: readonly ChangedFile[]): string | null {
  const states = new Set(files.map(({ state }) => state));
  const state = [...states][0];
  if (states.size > 1)
    return [...states].every((one) => one === 'kept' || one === 'reverted') ? t('partly kept or reverted') : null;
  switch (state) {
    case 'kept':
      return t('kept');
    case 'reverted':
      return t('reverted');
    case 'partly':
      return t('partly reviewed');
    case 'changedSince':
      return t('changed since');
    default:
      return null;
  }
}
