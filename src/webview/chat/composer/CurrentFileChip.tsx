import type { CurrentFile } from '../../../protocol/attachmentProtocol';
import type { DraftPart } from '../../../protocol/transcriptTypes';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { Attachments } from './attachments';
import { useChat } from '../state/chat';

/** Offers the file or the selection that the user works on. A press attaches it; nothing is sent before that. */
export function CurrentFileChip() {
  const chat = useChat();
  const file = chat.steady.value.currentFile;
  if (file === null || isAttached(file, chat.part(Attachments).parts.value)) return null;
  const attach = (): void => {
    if (file.kind === 'selection') void chat.part(Attachments).pin(file.source);
    else chat.part(Attachments).add([{ kind: 'mention', source: file.source, label: file.label }]);
    chat.focusComposer();
  };
  // A name that lacks room is cut, the lines after it are not.
  const [, name = file.label, lines = ''] = /([^/]*?)(:[\d-]+)?$/.exec(file.label) ?? [];
  return (
    <div class="current-file">
      <button
        type="button"
        class="current-file-chip"
        aria-label={t('Attach {name}', { name: file.label })}
        title={t('Attach {name}', { name: file.label })}
        onClick={attach}
      >
        <Icon name="add" />
        <span class="current-file-label" dir="auto">
          {name}
        </span>
        {lines !== '' && <span class="current-file-lines">{lines}</span>}
      </button>
    </div>
  );
}

/** A selection that is attached has its lines as its label. */
function isAttached({ source, label }: CurrentFile, parts: readonly DraftPart[]): boolean {
  return parts.some((part) => part.kind !== 'image' && part.source === source && part.label === label);
}
