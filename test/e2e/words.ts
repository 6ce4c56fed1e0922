/** A text of numbered words in which every piece tells where it belongs: what is missing, doubled or out of order shows at once. It renders
 *  as one paragraph with exactly these characters. */
export function numberedWords(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(4, '0')}`).join(' ');
}
