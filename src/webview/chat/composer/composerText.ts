/** What Enter and its relatives mean in the composer. */
export type ComposerKey = 'submit' | 'older' | 'newer' | 'escape' | 'none';

export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  /** An input method is composing: Enter chooses a candidate then, it does not send. */
  readonly isComposing: boolean;
  /** 229 while an input method handles the key; some report it without `isComposing`. */
  readonly keyCode: number;
}

/** What the composer holds when a key is pressed. */
export interface Written {
  readonly text: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
  /** It is an earlier prompt that was brought back, unchanged. */
  readonly isEarlier: boolean;
}

/** Up and Down go through earlier prompts from an empty line on, and move within a prompt of several lines until its first or last one. */
export function composerKey(press: KeyPress, { text, selectionStart, selectionEnd, isEarlier }: Written): ComposerKey {
  if (press.isComposing || press.keyCode === 229) return 'none';
  const modified = press.shiftKey || press.altKey || press.ctrlKey || press.metaKey;
  if (press.key === 'Enter' && !modified) return 'submit';
  const isPlainCaret = !modified && selectionStart === selectionEnd;
  if (
    press.key === 'ArrowUp' &&
    isPlainCaret &&
    (text === '' || (isEarlier && !text.slice(0, selectionStart).includes('\n')))
  )
    return 'older';
  if (press.key === 'ArrowDown' && isPlainCaret && isEarlier && !text.slice(selectionEnd).includes('\n'))
    return 'newer';
  if (press.key === 'Escape' && !modified) return 'escape';
  return 'none';
}

/** What stays in the composer once `submitted` is on disk: whatever was typed after it meanwhile, or was put ahead of it. */
export function afterSubmission(current: string, submitted: string): string {
  if (current === submitted) return '';
  if (current.startsWith(submitted)) return current.slice(submitted.length).trimStart();
  return current.endsWith(`\n\n${submitted}`) ? current.slice(0, -submitted.length).trimEnd() : current;
}

/** Whether the composer still holds what stood there when Enter was pressed. */
export function stillHolds(current: string, typed: string): boolean {
  return afterSubmission(current, typed) !== current || typed === '';
}

/** Puts a text into the composer without costing what is already there. */
export function withInsertion(current: string, inserted: string): string {
  return current.trim() === '' ? inserted : `${current.trimEnd()}\n${inserted}`;
}
