/** Puts the focus back to where it was in the page when the page gets it back by keyboard. The browser forgets that as soon as an element of
 *  the editor around takes the focus, and what is typed would go nowhere. Where that place is gone, `instead` says what is next best.
 *  A press of the mouse decides itself what it focuses. Nothing is taken here: the page has the focus already, and where the event comes so late
 *  that the editor has it again, for a quick pick say, that keeps it. */
export function returnFocus(instead: () => void): void {
  let last = focusedElement();
  let isPressed = false;
  const listen = { capture: true, passive: true } as const;
  document.addEventListener('focusin', () => (last = focusedElement()), listen);
  document.addEventListener('pointerdown', () => ((last = null), (isPressed = true)), listen);
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (isPressed = false), listen);
  window.addEventListener('focus', (event) => {
    if (event.target !== window || !document.hasFocus() || isPressed || last === null || focusedElement() !== null)
      return;
    if (last.isConnected) last.focus({ preventScroll: true });
    if (focusedElement() === null) instead();
  });
}

function focusedElement(): HTMLElement | null {
  const element = document.activeElement;
  return element instanceof HTMLElement && element !== document.body ? element : null;
}
