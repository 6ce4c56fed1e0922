/** Maximum length of a text that is inserted as if typed. Longer ones would block the page. */
const mostTyped = 20_000;

let isWritingNow = false;

/** True while `writeUndoably` changes a field: its input event reports nothing that the user typed. */
export function isWriting(): boolean {
  return isWritingNow;
}

/** Replaces the text of a field so that undo brings the old one back: inserts the changed part as if it were typed.
 *  Setting the value instead would end the field's undo history. The focus stays where it is. */
export function writeUndoably(field: HTMLTextAreaElement, text: string): void {
  if (field.value !== text) insertChange(field, text);
  // Where the page cannot insert: no focus possible, or a text that is too long.
  if (field.value !== text) field.value = text;
}

/** Sets the text of a field and ends its undo history: what was in it belongs elsewhere. */
export function writeAfresh(field: HTMLTextAreaElement, text: string): void {
  // A field that already has the text would keep the history.
  if (field.value === text) field.value = `${text} `;
  field.value = text;
}

function insertChange(field: HTMLTextAreaElement, text: string): void {
  const { start, end, inserted } = changedPart(field.value, text);
  const focused = document.activeElement;
  // Only what would be lost is worth moving the focus for.
  if (focused !== field && field.value.trim() !== '' && text.includes(field.value)) return;
  if (inserted.length > mostTyped || typeof document.execCommand !== 'function') return;
  const caretFromEnd = field.value.length - field.selectionEnd;
  const isCaretBehind = field.selectionEnd >= end;
  isWritingNow = true;
  try {
    if (focused !== field) field.focus({ preventScroll: true });
    field.setSelectionRange(start, end);
    // Deprecated, and the only way to change a field with undo.
    document.execCommand(inserted === '' ? 'delete' : 'insertText', false, inserted);
    // The caret stays behind the same characters, so that typing continues there.
    if (isCaretBehind) field.setSelectionRange(text.length - caretFromEnd, text.length - caretFromEnd);
    if (focused !== field && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  } finally {
    isWritingNow = false;
  }
}

/** Collapses the selection that undo restores: the next key must not replace what was just brought back. */
export function settleCaret(event: Event): void {
  const { currentTarget } = event;
  if (!(event instanceof InputEvent) || !(currentTarget instanceof HTMLTextAreaElement)) return;
  if (event.inputType === 'historyUndo' || event.inputType === 'historyRedo')
    currentTarget.setSelectionRange(currentTarget.selectionEnd, currentTarget.selectionEnd);
}

interface ChangedPart {
  readonly start: number;
  readonly end: number;
  readonly inserted: string;
}

/** Returns the part of `before` that differs from `after`, and what takes its place. Never splits a character. */
export function changedPart(before: string, after: string): ChangedPart {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  if (isLowSurrogate(before, start) || isLowSurrogate(after, start)) start--;
  let kept = 0;
  while (kept < most - start && before[before.length - 1 - kept] === after[after.length - 1 - kept]) kept++;
  if (isLowSurrogate(before, before.length - kept) || isLowSurrogate(after, after.length - kept)) kept--;
  return { start, end: before.length - kept, inserted: after.slice(start, after.length - kept) };
}

function isLowSurrogate(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text[at] ?? '');
}
