import { useEffect } from 'preact/hooks';
import type { ChangedFile, FileHunk } from '../../../../protocol/transcriptTypes';
import { Icon } from '../../../Icon';
import { t } from '../../../localization';
import { showMisleading } from '../../../../protocol/invisibleCharacters';
import { changeWord, fileStateWord, isRevertible, isUndecided } from '../../labels/changedFileLabels';
import { Counts } from './Counts';
import { useChat } from '../common/ChatContext';
import { Toolbar, type ToolbarAction } from '../common/Toolbar';

interface FileProps {
  readonly turnUid: string;
  readonly file: ChangedFile;
  readonly busy: boolean;
}

const icons: Readonly<Record<ChangedFile['kind'], string>> = {
  created: 'diff-added',
  edited: 'diff-modified',
  deleted: 'diff-removed',
};

/** One file that a turn changed; opens to show its changes. */
export function ChangedFileItem({ turnUid, file, busy }: FileProps) {
  const chat = useChat();
  const foldKey = `hunks:${turnUid}:${file.path}`;
  const isText = file.added !== null;
  const open = isText && chat.folds.open.value.has(foldKey);
  const word = fileStateWord([file]);
  // As in VS Code's own lists: the name before its folder, and the folder is shortened first.
  const [, folder = '', name = file.shown] = /^(?:(.*)[/\\])?([^/\\]+)$/.exec(file.shown) ?? [];
  const actions: readonly (ToolbarAction | false)[] = [
    isUndecided(file) && {
      icon: 'check',
      label: t('Keep'),
      act: () => void chat.files.review(turnUid, [file.path], 'keep'),
      disabled: busy,
    },
    isRevertible(file) && {
      icon: 'discard',
      label: t('Revert'),
      act: () => void chat.files.review(turnUid, [file.path], 'revert'),
      disabled: busy,
    },
    file.canUndoRevert === true && {
      icon: 'redo',
      label: t('Undo Revert'),
      act: () => void chat.files.undoRevert(turnUid, [file.path]),
      disabled: busy,
    },
    // Last, so that the icons of all files are aligned: every file has it.
    { icon: 'diff', label: t('Diff'), act: () => chat.openDiff(turnUid, file.path) },
  ];
  return (
    <li class={`files-item file-${file.state}`}>
      <div class="files-line">
        <button
          type="button"
          class="fold-button files-fold"
          aria-expanded={isText ? open : undefined}
          title={file.path}
          onClick={() => (isText ? chat.folds.toggle(foldKey) : chat.openDiff(turnUid, file.path))}
        >
          <Icon name={icons[file.kind]} />
          <span class="files-name" dir="auto">
            {name}
          </span>
          {folder !== '' && (
            <span class="files-folder" dir="auto">
              {' '}
              {folder}
            </span>
          )}
          <span class="visually-hidden">{changeWord(file.kind)}</span>
          <Counts added={file.added} removed={file.removed} />
          {word !== null && <span class="files-state">{word}</span>}
        </button>
        <Toolbar
          label={t('Actions for {file}', { file: file.shown })}
          actions={actions.filter((action) => action !== false)}
        />
      </div>
      {open && <Hunks turnUid={turnUid} file={file} busy={busy} />}
    </li>
  );
}

function Hunks({ turnUid, file, busy }: FileProps) {
  const chat = useChat();
  const list = chat.files.hunks(turnUid, file.path);
  useEffect(() => void chat.files.readHunks(turnUid, file.path), [file]);
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
          act={(action) => void chat.files.reviewHunk(turnUid, file.path, hunk.id, action)}
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
          <button
            type="button"
            class="button secondary tiny"
            disabled={busy}
            aria-label={t('Keep the change at line {line}', { line })}
            onClick={() => act('keep')}
          >
            {t('Keep')}
          </button>
          <button
            type="button"
            class="button secondary tiny"
            disabled={busy}
            aria-label={t('Revert the change at line {line}', { line })}
            onClick={() => act('revert')}
          >
            {t('Revert')}
          </button>
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
