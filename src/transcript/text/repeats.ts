/** Relation of arriving text to the text delivered before it. again: the same request was sent again, so its answer
 *  may begin from the start. goesOn: the model was asked to continue, and may repeat the end of its text, or all of
 *  it. thinksOn: thinking of such a request, which may repeat the earlier thinking but is usually new. */
export type RepeatMode = 'again' | 'goesOn' | 'thinksOn';

/** undecided: all of it may still be a repeat. repeat: all of it is one. new: new from offset `from`; `joins` when
 *  it continues directly after the delivered text. */
type RepeatVerdict =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'new'; readonly from: number; readonly joins: boolean };

/** Minimum match before a continuation counts as a repeat: characters without white space, and letters or digits
 *  among them. Brackets and table rules match by chance. */
const least = { characters: 32, letters: 16 };
/** Match that no text has by chance, wherever it begins. */
const leastOfAny = { characters: 60, letters: 30 };
/** Minimum match for an answer that begins again from its first word. */
const leastOfWhole = { characters: 8, letters: 8 };

/** Text for comparison: models repeat words exactly but white space loosely. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Text with its comparison form. The caller keeps them together, because both may be long and one of them grows. */
export interface ComparedText {
  readonly text: string;
  /** `squeezed(text)` */
  readonly squeezed: string;
}

/** Judges arriving text. When in doubt, a sentence appears twice rather than getting lost: a continuation that
 *  begins with the previous line counts as new. With `ended` nothing more follows, and the verdict is never
 *  `undecided`. */
export function judgeRepeat(
  mode: RepeatMode,
  delivered: ComparedText,
  arriving: ComparedText,
  ended: boolean,
): RepeatVerdict {
  if (delivered.squeezed === '') return { kind: 'new', from: 0, joins: true };
  switch (mode) {
    case 'again':
      return judgeAgain(delivered, arriving, ended);
    case 'thinksOn':
      return isEnough(
        delivered.squeezed.startsWith(arriving.squeezed) && ended ? arriving.squeezed : delivered.squeezed,
        least,
      )
        ? judgeAgain(delivered, arriving, ended)
        : { kind: 'new', from: 0, joins: true };
    case 'goesOn':
      return judgeContinuation(delivered, arriving, ended);
    default:
      return mode satisfies never;
  }
}

function judgeAgain(delivered: ComparedText, arriving: ComparedText, ended: boolean): RepeatVerdict {
  if (delivered.squeezed.startsWith(arriving.squeezed)) return ended ? { kind: 'repeat' } : { kind: 'undecided' };
  if (arriving.squeezed.startsWith(delivered.squeezed))
    return { kind: 'new', from: offsetAfter(delivered.text, arriving.text, delivered.squeezed.length), joins: true };
  return { kind: 'new', from: 0, joins: false };
}

function judgeContinuation(delivered: ComparedText, arriving: ComparedText, ended: boolean): RepeatVerdict {
  const known = delivered.squeezed;
  const arrived = arriving.squeezed;
  if (!ended && known.includes(arrived)) return { kind: 'undecided' };
  const overlap = overlapOf(known, arrived);
  const from = overlap === 0 ? 0 : offsetAfter(delivered.text, arriving.text, overlap);
  if (overlap === 0 || !isRepeat(delivered, arriving.text.slice(0, from), overlap))
    return { kind: 'new', from: 0, joins: true };
  return overlap === arrived.length ? { kind: 'repeat' } : { kind: 'new', from, joins: true };
}

/** Length of the longest beginning of `arrived` that is also the end of `known`. */
function overlapOf(known: string, arrived: string): number {
  for (let length = Math.min(known.length, arrived.length); length > 0; length--) {
    if (known.endsWith(arrived.slice(0, length))) return length;
  }
  return 0;
}

const sentenceStart = /(?:\n\s*|[.!?]["'\u201d\u2019)\]*_]*\s+)$/;

/** True when `arrived` repeats the delivered text. `arrived` is a beginning of a continuation that is also the end of
 *  the delivered text. A model that repeats itself restarts the line or sentence in which it was cut off (or the whole
 *  text) from its beginning. All other cases are in doubt and count as new: text after a finished line (the next row
 *  may resemble the last ones) and text that begins inside a sentence, unless they are long. The same holds for short
 *  text, text that occurred more than once, and text that repeats itself. */
function isRepeat({ text, squeezed: known }: ComparedText, arrived: string, overlap: number): boolean {
  const repeat = known.slice(known.length - overlap);
  if (isPeriodic(repeat)) return false;
  const isOnce = known.indexOf(repeat) === known.length - overlap;
  // A refrain comes again too, and ends as what stands before it: "A B A" goes on with "B A".
  const isRefrain = repeat.endsWith(known.slice(0, known.length - overlap).slice(-leastOfWhole.characters));
  if (isOnce && !isRefrain && isEnough(repeat, leastOfAny)) return true;
  if (/\n\s*$/.test(text) || /^\s*\n/.test(arrived)) return false;
  if (overlap === known.length) return isEnough(repeat, leastOfWhole);
  return isOnce && isEnough(repeat, least) && sentenceStart.test(textBefore(text, overlap));
}

/** `text` without its last `count` visible characters. */
function textBefore(text: string, count: number): string {
  let end = text.length;
  for (let seen = 0; seen < count; end--) if (/\S/.test(text.charAt(end - 1))) seen++;
  return text.slice(0, end);
}

function isEnough(text: string, { characters, letters }: typeof least): boolean {
  return text.length >= characters && (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= letters;
}

/** True when the text is one piece, repeated at least twice (the last time perhaps in part). */
function isPeriodic(text: string): boolean {
  const half = text.slice(0, Math.ceil(text.length / 2));
  for (
    let period = text.indexOf(half, 1);
    period !== -1 && period <= text.length / 2;
    period = text.indexOf(half, period + 1)
  ) {
    if (text.startsWith(text.slice(period))) return true;
  }
  return false;
}

/** Offset in `arriving` after its first `count` visible characters, and after the white space that already ends
 *  `delivered`. */
function offsetAfter(delivered: string, arriving: string, count: number): number {
  let offset = 0;
  for (let seen = 0; seen < count; offset++) if (/\S/.test(arriving.charAt(offset))) seen++;
  const trailing = /\s*$/.exec(delivered)?.[0] ?? '';
  const space = /^\s*/.exec(arriving.slice(offset))?.[0] ?? '';
  if (trailing === '') return offset;
  return offset + (space.startsWith(trailing) ? trailing.length : space.length);
}
