import { useEffect, useRef } from 'preact/hooks';
import { imageTypes } from '../../../protocol/attachmentProtocol';
import { Icon } from '../../buttons';
import { t } from '../../localization';
import { mentionKinds } from '../drafts/draftParts';
import { Attachments } from './attachments';
import { readFiles } from './incomingFiles';
import { movedIn, typedAhead } from '../common/listMoves';
import { useChat } from '../state/chat';

interface MenuEntry {
  readonly icon: string;
  readonly label: string;
  readonly act: () => void;
}

/** Menu of things to attach to the prompt. Up and Down move through it; a letter jumps to the next item that begins
 *  with it. */
export function AttachMenu({ close }: { readonly close: () => void }) {
  const chat = useChat();
  const menu = useRef<HTMLDivElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const attachments = chat.part(Attachments);
  const entries: readonly MenuEntry[] = [
    { icon: mentionKinds.file.icon, label: t('File…'), act: () => void attachments.attachFiles() },
    { icon: mentionKinds.selection.icon, label: t('Selection'), act: () => void attachments.pin('selection') },
    {
      icon: mentionKinds.problems.icon,
      label: t('Problems'),
      act: () => attachments.add([{ kind: 'mention', source: 'problems', label: t('Problems') }]),
    },
    { icon: mentionKinds.terminal.icon, label: t('Terminal Output'), act: () => void attachments.pin('terminal') },
    {
      icon: 'git-compare',
      label: t('Git Changes'),
      act: () => attachments.add([{ kind: 'mention', source: 'git:diff', label: t('Git Changes') }]),
    },
  ];
  const buttons = (): readonly HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  useEffect(() => buttons()[0]?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = buttons();
    const at = all.findIndex((button) => button === document.activeElement);
    const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
    const names = all.map((button) => button.textContent.trim());
    const next = movedIn(event.key, at, all.length) ?? (isLetter ? typedAhead(event.key, at, names) : null);
    if (next === null) return;
    all[next]?.focus();
    event.preventDefault();
  };
  const picked = async (input: HTMLInputElement): Promise<void> => {
    const files = Array.from(input.files ?? []);
    close();
    chat.focusComposer();
    const { parts, problems } = await readFiles(files);
    attachments.add(parts, problems);
  };
  return (
    <div class="popup attach-menu" role="menu" aria-label={t('Attach')} ref={menu} onKeyDown={onKeyDown}>
      {entries.map(({ icon, label, act }) => (
        <MenuItem
          icon={icon}
          label={label}
          key={label}
          act={() => {
            close();
            chat.focusComposer();
            act();
          }}
        />
      ))}
      <MenuItem icon="file-media" label={t('Image…')} act={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        accept={imageTypes.join(',')}
        onChange={(event) => void picked(event.currentTarget)}
      />
      <p class="attach-note">{t('Hold Shift to drop files from VS Code here.')}</p>
    </div>
  );
}

function MenuItem({ icon, label, act }: MenuEntry) {
  return (
    <button type="button" class="attach-item" role="menuitem" tabIndex={-1} onClick={act}>
      <Icon name={icon} />
      <span>{label}</span>
    </button>
  );
}
