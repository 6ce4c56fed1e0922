/** How arriving text relates to what was delivered before it.
 *  again: the same request was asked once more, so its answer may begin from the start ·
 *  goesOn: the model was asked to go on where it stopped, and may repeat the end of what it said, or all of it. */
export type RepeatMode = 'again' | 'goesOn';

/** undecided: all of it may still be a repeat · repeat: it is one, from its first to its last word ·
 *  new: from offset `from` on it is new; `joins` when it goes on right behind what was delivered. */
export type RepeatVerdict =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'new'; readonly from: number; readonly joins: boolean };

/** Letters and digits that must agree before an agreement counts as a repeat: brackets at the end of code agree by chance. */
const letters = { end: 8, whole: 4 };

/** Text as it is compared: models repeat words exactly and white space loosely. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

/** A text and what is compared of it; kept together by the caller, because both may be long and one of them grows. */
export interface ComparedText {
  readonly text: string;
  /** `squeezed(text)` */
  readonly squeezed: string;
}

/** Judges arriving text. When in doubt a sentence is said twice rather than lost. With `ended` nothing more comes, and the verdict is never
 *  `undecided`. */
export function judgeRepeat(
  mode: RepeatMode,
  delivered: ComparedText,
  arriving: ComparedText,
  ended: boolean,
): RepeatVerdict {
  if (delivered.squeezed === '') return { kind: 'new', from: 0, joins: true };
  return mode === 'again' ? judgeAgain(delivered, arriving, ended) : judgeGoesOn(delivered, arriving, ended);
}

function judgeAgain(delivered: ComparedText, arriving: ComparedText, ended: boolean): RepeatVerdict {
  if (delivered.squeezed.startsWith(arriving.squeezed)) return ended ? { kind: 'repeat' } : { kind: 'undecided' };
  if (arriving.squeezed.startsWith(delivered.squeezed))
    return { kind: 'new', from: offsetBehind(delivered.text, arriving.text, delivered.squeezed.length), joins: true };
  return { kind: 'new', from: 0, joins: false };
}

function judgeGoesOn(delivered: ComparedText, arriving: ComparedText, ended: boolean): RepeatVerdict {
  const known = delivered.squeezed;
  const arrived = arriving.squeezed;
  if (known.includes(arrived)) {
    if (!ended) return { kind: 'undecided' };
    const isRepeat = (known.endsWith(arrived) || known.startsWith(arrived)) && lettersIn(arrived) >= letters.end;
    if (isRepeat || arrived === '' || arrived === known) return { kind: 'repeat' };
  }
  const overlap = overlapOf(known, arrived);
  if (overlap === 0) return { kind: 'new', from: 0, joins: true };
  return { kind: 'new', from: offsetBehind(delivered.text, arriving.text, overlap), joins: true };
}

/** Length of the longest beginning of `arrived` that is the end of `known` and is more than chance. */
function overlapOf(known: string, arrived: string): number {
  for (let length = Math.min(known.length, arrived.length); length > 0; length--) {
    const repeat = arrived.slice(0, length);
    if (known.endsWith(repeat))
      return lettersIn(repeat) >= (length === known.length ? letters.whole : letters.end) ? length : 0;
  }
  return 0;
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** The offset in `arriving` behind its first `count` visible characters, and behind the white space that already ends `delivered`. */
function offsetBehind(delivered: string, arriving: string, count: number): number {
  let offset = 0;
  for (let seen = 0; seen < count; offset++) if (/\S/.test(arriving.charAt(offset))) seen++;
  const trailing = /\s*$/.exec(delivered)?.[0] ?? '';
  const space = /^\s*/.exec(arriving.slice(offset))?.[0] ?? '';
  if (trailing === '') return offset;
  return offset + (space.startsWith(trailing) ? trailing.length : space.length);
}
