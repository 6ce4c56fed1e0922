import { Icon, LinkButton } from '../../buttons';
import { t } from '../../localization';
import { PartChips } from '../turn/PartChips';
import { Attachments } from './attachments';
import { useChat } from '../state/chat';
import type { CurrentFile } from '../../../protocol/attachmentProtocol';
import type { DraftPart } from '../../../transcript/draftPart';

/** Attachments of the prompt being written, above its text. */
export function AttachmentStrip({ pasteAsText }: { readonly pasteAsText: () => void }) {
  const chat = useChat();
  const parts = chat.part(Attachments).parts.value;
  const pasted = chat.part(Attachments).lastPasted.value;
  const model = chat.steady.value.model.chosen;
  if (parts.length === 0) return null;
  const takesNoImages = model?.images === false && parts.some(({ kind }) => kind === 'image');
  return (
    <div class="attachments">
      <PartChips
        parts={parts}
        remove={(part) => chat.part(Attachments).remove(part)}
        leave={() => chat.focusComposer()}
      />
      {takesNoImages && (
        <p class="attachments-note" role="status">
          <Icon name="warning" />
          <span>
            {t('{model} can’t see images.', { model: model.label })}{' '}
            <LinkButton label={t('Choose Another Model')} act={() => chat.ui.chooseModel()} />
          </span>
        </p>
      )}
      {pasted !== null && (
        <p class="attachments-note" role="status">
          <span>
            {t('The long text you pasted was attached.')} <LinkButton label={t('Paste as Text')} act={pasteAsText} />
          </span>
        </p>
      )}
    </div>
  );
}

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
