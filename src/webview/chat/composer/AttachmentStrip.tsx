import { Icon } from '../../Icon';
import { t } from '../../localization';
import { PartChips } from '../turn/PartChips';
import { Attachments } from './attachments';
import { useChat } from '../state/chat';

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
            <button type="button" class="link-button" onClick={() => chat.ui.chooseModel()}>
              {t('Choose Another Model')}
            </button>
          </span>
        </p>
      )}
      {pasted !== null && (
        <p class="attachments-note" role="status">
          <span>
            {t('The long text you pasted was attached.')}{' '}
            <button type="button" class="link-button" onClick={pasteAsText}>
              {t('Paste as Text')}
            </button>
          </span>
        </p>
      )}
    </div>
  );
}
