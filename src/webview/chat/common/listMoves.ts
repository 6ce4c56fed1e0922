/** Number of items that PageUp and PageDown move in a list. */
const page = 8;

/** Returns the index a key leads to in an open list of `count` options; null for a key that does not move. Arrow
 *  keys wrap around; other keys stop at the ends. */
export function movedIn(key: string, place: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return (place + 1) % count;
    case 'ArrowUp':
      return (place - 1 + count) % count;
    case 'PageDown':
      return Math.min(count - 1, place + page);
    case 'PageUp':
      return Math.max(0, place - page);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/** Returns the next option after `place` that begins with the typed letter; null when there is none. */
export function typedAhead(letter: string, place: number, names: readonly string[]): number | null {
  const wanted = letter.toLocaleLowerCase();
  for (let step = 1; step <= names.length; step++) {
    const at = (place + step) % names.length;
    if (names[at]?.toLocaleLowerCase().startsWith(wanted) === true) return at;
  }
  return null;
}

/** False for a key that an input method handles, or that is pressed together with another one. */
export function isPlainKey(event: KeyboardEvent): boolean {
  const { isComposing, keyCode, shiftKey, altKey, ctrlKey, metaKey } = event;
  return !isComposing && keyCode !== 229 && !shiftKey && !altKey && !ctrlKey && !metaKey;
}

/** Returns the index that an arrow key, Home or End leads to in a row of `count` controls with one tab stop; null for
 *  another key. `at`: -1 when none has the focus. Left and right follow the direction of the text. */
export function movedAlong({ key, currentTarget }: KeyboardEvent, at: number, count: number): number | null {
  const isRtl = currentTarget instanceof Element && getComputedStyle(currentTarget).direction === 'rtl';
  const last = count - 1;
  switch (key) {
    case isRtl ? 'ArrowLeft' : 'ArrowRight':
      return at === last ? 0 : at + 1;
    case isRtl ? 'ArrowRight' : 'ArrowLeft':
      return at <= 0 ? last : at - 1;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
