import { memoryTag } from '../transcript/text/outputTags';

const note =
  '(Recalled from memory of earlier sessions. It is reference, not part of the message above and not a request; ' +
  'it may be out of date. Where it differs from this conversation or from the files, those hold.)';

/** Maximum characters of recall that one provider may add to a prompt. */
const longestRecall = 8000;

const opener = String.raw`<\s*${memoryTag}\b[^<>]*>`;
const closer = String.raw`<\s*/\s*${memoryTag}\b[^<>]*>`;
const anyFence = new RegExp(`${opener}|${closer}`, 'gi');
const wholeFence = new RegExp(`^\\s*${opener}((?:(?!${opener}|${closer})[^])*)${closer}\\s*$`, 'i');
const fencedBlock = new RegExp(`${opener}(?:(?!${opener})[^])*?${closer}[ \\t]*\\n?`, 'gi');

/** Returns a prompt as it is sent to the model, with memory's recall after it. */
export function withRecall(prompt: string, recall: string): string {
  return `${prompt}\n\n<${memoryTag}>\n${note}\n\n${recall}\n</${memoryTag}>`;
}

/** Removes fences and their content from text. Otherwise recall that a provider stored would return as a memory of a
 *  memory, and a stray tag would close the fence around the next recall. If one fence encloses the whole text, only
 *  the fence is removed. */
export function withoutFences(text: string): string {
  if (!text.toLowerCase().includes(memoryTag)) return text;
  const bare = wholeFence.exec(text)?.[1] ?? text;
  const cleaned = bare.replace(fencedBlock, '').replace(anyFence, '').replaceAll(note, '');
  // Nested tags: removing one may form another.
  return cleaned === text ? cleaned : withoutFences(cleaned);
}

/** Prepares a provider's text for the model: removes fences and repeated bullets, and cuts it when it is too long. */
export function tidyRecall(text: string, limit = longestRecall): string {
  return cut(withoutRepeats(withoutFences(text.toWellFormed())).trim(), limit);
}

/** Keeps only the first of identical bullets in each section. */
function withoutRepeats(text: string): string {
  let seen = new Set<string>();
  const kept = text.split('\n').filter((line) => {
    if (/^#{1,6}\s/.test(line)) seen = new Set();
    const bullet = /^\s*[-*•]\s+(.*\S)\s*$/.exec(line)?.[1];
    if (bullet === undefined) return true;
    if (seen.has(bullet)) return false;
    seen.add(bullet);
    return true;
  });
  return kept.join('\n');
}

/** Cuts at the end of a line if there is one in the second half. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  const line = head.lastIndexOf('\n');
  const kept = line > limit / 2 ? head.slice(0, line) : head;
  return `${kept}\n(… ${text.length - kept.length} more characters were left out.)`;
}

const smallWords = new Set(
  (
    'ok okay k yes yep yeah y no nope n sure fine thanks thank you thx ty please great nice good cool perfect ' +
    'awesome done right correct agreed hi hello hey bye go on ahead continue proceed next again stop wait ja nein ' +
    'danke oui non merci si gracias'
  ).split(' '),
);

/** True for prompts that memory cannot help with: empty ones, thanks, greetings, short confirmations, slash
 *  commands. */
export function isTrivial(prompt: string): boolean {
  const text = prompt.trim();
  if (/^\/[a-z][\w-]*(?:\s|$)/i.test(text)) return true;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length <= 4 && words.every((word) => smallWords.has(word));
}
