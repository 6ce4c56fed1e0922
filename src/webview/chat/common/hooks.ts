import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useChat } from '../state/chat';

/** Returns the time in milliseconds, refreshed every `intervalMs` while `active`. */
export function useNow(nowMs: () => number, intervalMs: number, active = true): number {
  const [now, setNow] = useState(nowMs());
  useEffect(() => {
    if (!active) return undefined;
    setNow(nowMs());
    const timer = setInterval(() => setNow(nowMs()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, active]);
  return now;
}

/** True once `active` has lasted for `delayMs`. Shorter states are not shown, so nothing flickers. */
export function useLasting(active: boolean, delayMs: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!active) return undefined;
    const timer = setTimeout(() => setLasting(true), delayMs);
    return () => clearTimeout(timer);
  }, [active, delayMs]);
  return active && lasting;
}

/** Returns the focus after a card or field closes. Goes to the element that opened it by keyboard if it still
 *  exists, otherwise to the composer. After a mouse click, the composer is the better place. */
export function useOpener(): () => void {
  const chat = useChat();
  const [opener] = useState(() =>
    document.activeElement?.matches(':focus-visible') === true ? document.activeElement : null,
  );
  return () => {
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    else chat.focusComposer();
  };
}

/** Closes an open popup when the user presses outside of `root` or, with `focusin`, moves the focus there. */
export function useOutside(
  root: RefObject<HTMLElement | null>,
  isOpen: boolean,
  close: () => void,
  events: readonly ('pointerdown' | 'focusin')[] = ['pointerdown'],
): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = ({ target }: Event): void => {
      if (!(target instanceof Node) || root.current?.contains(target) !== true) close();
    };
    for (const name of events) document.addEventListener(name, leave);
    return () => {
      for (const name of events) document.removeEventListener(name, leave);
    };
  }, [isOpen]);
}

const focused = new WeakSet<Element>();

/** Ref of a field that takes the focus when it appears. */
export function focusOnce(field: HTMLInputElement | HTMLTextAreaElement | null): void {
  if (field === null || focused.has(field)) return;
  focused.add(field);
  field.focus();
}

interface InPlaceEditor {
  readonly editing: boolean;
  /** Opens the editor. */
  readonly edit: (event: MouseEvent) => void;
  /** `hadFocus`: false when the focus is elsewhere already, and stays there. */
  readonly close: (hadFocus: boolean) => void;
}

/** Editor in place of a text. If it was opened by keyboard, `focusButton` returns the focus to its button afterward. If
 *  it was opened by mouse, the focus moves to the composer. */
export function useInPlaceEditor(focusButton: () => void): InPlaceEditor {
  const chat = useChat();
  const [editing, setEditing] = useState(false);
  const returns = useRef(false);
  useEffect(() => {
    if (!editing && returns.current) focusButton();
  }, [editing]);
  const edit = (event: MouseEvent): void => {
    returns.current = event.detail === 0;
    setEditing(true);
  };
  const close = (hadFocus: boolean): void => {
    setEditing(false);
    if (hadFocus && !returns.current) chat.focusComposer();
    returns.current &&= hadFocus;
  };
  return { editing, edit, close };
}
