/** Restores the focus within the page when the page regains it by keyboard. The browser forgets that place when an
 *  element of VS Code takes the focus, and typed text would be lost. If the place is gone, `instead` picks another.
 *  A mouse click chooses its own focus. Never steals the focus: it acts only when the page already has it. If the
 *  event comes so late that VS Code has the focus again, for example for a quick pick, VS Code keeps it. */
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
