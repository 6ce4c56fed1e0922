import { useRef } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { lazyPickers } from './lazyPickers';
import { useChat } from '../state/chat';

/** Button that names the model and where prompts go, and opens the list of models. */
export function ModelPicker() {
  const chat = useChat();
  const { chosen } = chat.steady.value.model;
  const open = chat.ui.pickerOpen.value;
  const button = useRef<HTMLButtonElement>(null);
  const lazy = lazyPickers.value;
  const close = (): void => {
    chat.ui.pickerOpen.value = false;
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
        onClick={() => (open ? close() : chat.ui.chooseModel())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          chat.ui.chooseModel();
        }}
      >
        <span class="model-label" dir="auto">
          {chosen?.label ?? t('Choose a Model')}
        </span>
        {chosen !== null && <span class="model-destination">{chosen.destination}</span>}
        <Icon name="chevron-down" />
      </button>
      {open && lazy !== null && <lazy.ModelPopup close={close} />}
    </div>
  );
}
