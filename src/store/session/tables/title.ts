import { t } from '../../../base/translate';
import type { TitleSource } from '../../../transcript/session';
import { refused } from './refusal';

export const titleLimit = 200;
const derivedTitleLimit = 60;
const previewLimit = 120;

const authority: { readonly [S in TitleSource]: number } = { derived: 0, model: 1, person: 2 };

/** True when a title from `next` may replace one from `current`: equal authority may, a lower one never. */
export function mayReplace(current: TitleSource | null, next: TitleSource): boolean {
  return current === null || authority[next] >= authority[current];
}

/** Cleans a title for display on one line: no control, zero-width or direction characters, white space collapsed.
 *  Throws `invalid` with a sentence when nothing is left or more than 200 characters are. */
export function cleanTitle(title: string): string {
  const cleaned = oneLine(title);
  if (cleaned === '')
    throw refused(t('Enter at least one visible character for the title.'), 'a title without a visible character');
  if (cleaned.length > titleLimit)
    throw refused(
      t('This title has {count} characters. At most {limit} fit.', { count: cleaned.length, limit: titleLimit }),
      `a title of ${cleaned.length} characters; ${titleLimit} fit`,
    );
  return cleaned;
}

/** The title, or, if it is taken (compared in lower case), the title with the first free number from `first` on:
 *  "Parser #2". Number 1 is the title itself. */
export function numberedTitle(title: string, taken: ReadonlySet<string>, first: 1 | 2): string {
  if (first === 1 && !taken.has(title.toLowerCase())) return title;
  for (let number = 2; ; number++) {
    const mark = ` #${number}`;
    const numbered = `${cutAtCharacter(title, titleLimit - mark.length).trimEnd()}${mark}`;
    if (!taken.has(numbered.toLowerCase())) return numbered;
  }
}

/** The default title of a session: the beginning of the first prompt's first line. Null when the prompt has no text. */
export function derivedTitle(prompt: string, limit = derivedTitleLimit): string | null {
  const first = prompt
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(oneLine)
    .find((line) => line !== '');
  return first === undefined ? null : cutAtWord(first, limit);
}

/** Preview of the first prompt for lists, at most 120 characters. */
export function previewOf(prompt: string): string | null {
  const line = oneLine(prompt.slice(0, previewLimit * 8));
  return line === '' ? null : cutAtCharacter(line, previewLimit);
}

function oneLine(text: string): string {
  // Cf contains the zero-width and direction characters; keep the zero-width joiner, because emoji are built with it.
  return text
    .replace(/\s+/gu, ' ')
    .replace(/(?!\u200d)[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '')
    .replace(/ {2,}/g, ' ')
    .replace(/^[\s\u200d]+|[\s\u200d]+$/gu, '');
}

function cutAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = cutAtCharacter(text, limit - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Cuts a text, but never inside a surrogate pair. */
function cutAtCharacter(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit).replace(/\p{Surrogate}$/u, '');
}
