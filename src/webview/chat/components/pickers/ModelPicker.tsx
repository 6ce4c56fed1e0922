import { useRef } from 'preact/hooks';
import { Icon } from '../../../Icon';
import { t } from '../../../localization';
import { useChat } from '../common/ChatContext';
import { laterParts } from '../common/laterParts';

/** Button that names the model and where prompts go, and opens the list of models. */
export function ModelPicker() {
  const chat = useChat();
  const { chosen } = chat.steady.value.model;
  const open = chat.screen.pickerOpen.value;
  const button = useRef<HTMLButtonElement>(null);
  const later = laterParts.value;
  const close = (): void => {
    chat.screen.pickerOpen.value = false;
    button.current?.focus();
  };
  return (
    <div class="model-picker">
      <button
        ref={button}
        type="button"
        class="model-button"
        role="combobox"
        aria-label={t('Model')}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? 'model-popup' : undefined}
        title={
          chosen === null
            ? t('Choose a Model')
            : t('{model}: prompts go to {destination}', { model: chosen.label, destination: chosen.destination })
        }
        onClick={() => (open ? close() : chat.chooseModel())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          chat.chooseModel();
        }}
      >
        <span class="model-label" dir="auto">
          {chosen?.label ?? t('Choose a Model')}
        </span>
        {chosen !== null && <span class="model-destination">{chosen.destination}</span>}
        <Icon name="chevron-down" />
      </button>
      {open && later !== null && <later.ModelPopup close={close} />}
    </div>
  );
}
