/** Actions of Enter and related keys in the composer. */
type ComposerKey = 'submit' | 'older' | 'newer' | 'escape' | 'none';

interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  /** True while an input method composes: Enter then chooses a candidate and does not send. */
  readonly isComposing: boolean;
  /** 229 while an input method handles the key; some report it without `isComposing`. */
  readonly keyCode: number;
}

/** State of the composer when a key is pressed. */
interface Written {
  readonly text: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
  /** True when the text is an earlier prompt brought back unchanged. */
  readonly isEarlier: boolean;
}

/** Up and Down start browsing earlier prompts from an empty field. Within a prompt of several lines they move the
 *  caret until it reaches the first or last line. */
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

/** Returns the text that stays in the composer once `submitted` is on disk: text typed after it meanwhile, or put
 *  before it. */
export function afterSubmission(current: string, submitted: string): string {
  if (current === submitted) return '';
  if (current.startsWith(submitted)) return current.slice(submitted.length).trimStart();
  return current.endsWith(`\n\n${submitted}`) ? current.slice(0, -submitted.length).trimEnd() : current;
}

/** True when the composer still contains the text it had when Enter was pressed. */
export function stillHolds(current: string, typed: string): boolean {
  return afterSubmission(current, typed) !== current || typed === '';
}

/** Inserts a text into the composer without losing what is already there. */
export function withInsertion(current: string, inserted: string): string {
  return current.trim() === '' ? inserted : `${current.trimEnd()}\n${inserted}`;
}
