import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../../webview/localization';
import { rowElement } from '../state/find';
import type { TranscriptController } from '../state/transcriptController';

interface MenuItem {
  readonly name: string;
  readonly run: () => void;
}

/** Menu of a row: opens by right click, by Shift+F10 or the menu key, and by More Actions…. */
export function RowMenu({ transcript }: { readonly transcript: TranscriptController }) {
  const menu = transcript.actions.menu.value;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (menu === null || element.current === null) return;
    const { style, offsetWidth, offsetHeight } = element.current;
    style.left = `${Math.max(0, Math.min(menu.x, innerWidth - offsetWidth - 4))}px`;
    style.top = `${Math.max(0, Math.min(menu.y, innerHeight - offsetHeight - 4))}px`;
    element.current.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [menu]);
  useEffect(() => {
    if (menu === null) return;
    const close = (event: Event): void => {
      if (!(event.target instanceof Node) || element.current?.contains(event.target) !== true)
        transcript.actions.menu.value = null;
    };
    addEventListener('pointerdown', close, true);
    addEventListener('blur', close);
    // The menu's position is no longer valid.
    addEventListener('resize', close);
    return () => {
      removeEventListener('pointerdown', close, true);
      removeEventListener('blur', close);
      removeEventListener('resize', close);
    };
  }, [menu]);
  if (menu === null) return null;
  const leave = (): void => {
    transcript.actions.menu.value = null;
    rowElement(menu.uid)?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(element.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = items.findIndex((item) => item === document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') leave();
    else if (next !== undefined) items[next % items.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" role="menu" aria-label={t('Row Actions')} ref={element} onKeyDown={onKeyDown}>
      {itemsOf(menu.uid, transcript).map(({ name, run }) => (
        <button
          type="button"
          class="menu-item"
          role="menuitem"
          tabIndex={-1}
          key={name}
          onClick={() => {
            leave();
            run();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function itemsOf(uid: string, transcript: TranscriptController): readonly MenuItem[] {
  const { actions } = transcript;
  const message = transcript.stored.value?.messages.find((row) => row.uid === uid) ?? null;
  const several =
    actions.selectedCount.value > 1 && (actions.selection.value.all || actions.selection.value.uids.has(uid));
  const isShown = message?.visibility.kind === 'shown' && transcript.isOfThisHistory.value;
  return [
    { name: actions.rawRows.value.has(uid) ? t('Hide Raw Row') : t('Raw Row'), run: () => void actions.toggleRaw(uid) },
    { name: several ? t('Copy Rows') : t('Copy Row'), run: () => actions.copy('markdown', uid) },
    { name: t('Copy as JSON'), run: () => actions.copy('json', uid) },
    { name: t('Copy Text'), run: () => actions.copy('text', uid) },
    ...(isShown
      ? [
          { name: t('Open in Chat'), run: () => actions.openInChat(message) },
          { name: t('Branch from Here'), run: () => actions.branchFrom(message) },
        ]
      : []),
    ...(isShown && message.role === 'user'
      ? [{ name: t('Rewind to Here…'), run: () => actions.rewindTo(message) }]
      : []),
  ];
}
