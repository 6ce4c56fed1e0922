/** How far PageUp and PageDown go in a list. */
const page = 8;

/** Where a key leads in an open list of `count` options; null for a key that moves nowhere. Arrows go round, everything else ends at the ends. */
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

/** The next option behind `place` that begins with what was typed; null where none does. */
export function typedAhead(letter: string, place: number, names: readonly string[]): number | null {
  const wanted = letter.toLocaleLowerCase();
  for (let step = 1; step <= names.length; step++) {
    const at = (place + step) % names.length;
    if (names[at]?.toLocaleLowerCase().startsWith(wanted) === true) return at;
  }
  return null;
}
