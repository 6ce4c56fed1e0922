import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { Following } from './useFollow';

/** Scrolls to the newest text. Disappears after the press; the focus then stays where it is (mouse) or moves to the
 *  conversation (keyboard). */
export function JumpButton({ view: { newCount, scroller, goToEnd } }: { readonly view: Following }) {
  const jump = (button: Element): void => {
    if (document.activeElement === button) scroller.current?.focus({ preventScroll: true });
    goToEnd();
  };
  return (
    <button
      type="button"
      class="jump"
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => jump(event.currentTarget)}
      aria-label={newCount > 0 ? t('Jump to latest, {count} new', { count: newCount }) : t('Jump to latest')}
    >
      <Icon name="arrow-down" />
      {newCount > 0 && <span>{t('{count} new', { count: newCount })}</span>}
    </button>
  );
}
