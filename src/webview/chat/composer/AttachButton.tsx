import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { lazyComposer } from './lazyComposer';

/** Opens the menu of things to attach to the prompt. */
export function AttachButton() {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const lazy = lazyComposer.value;
  const close = (): void => {
    isOpen.value = false;
  };
  useEffect(() => {
    if (!isOpen.value) return undefined;
    const leave = (event: Event): void => {
      if (!(event.target instanceof Node) || root.current?.contains(event.target) !== true) close();
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen.value]);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen.peek()) return;
    event.preventDefault();
    close();
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div class="attach" ref={root} onKeyDown={escape}>
      <button
        type="button"
        class="icon-button"
        aria-label={t('Attach')}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        title={t('Attach files, images and more')}
        onClick={() => (isOpen.value = !isOpen.peek())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          isOpen.value = true;
        }}
      >
        <Icon name="add" />
      </button>
      {isOpen.value && lazy !== null && <lazy.AttachMenu close={close} />}
    </div>
  );
}
