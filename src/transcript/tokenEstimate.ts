/** Maximum tokens of an image if a service counts by size (Anthropic: width × height / 750, scaled down above this). */
export const imageTokens = 1600;

const blob = /([A-Za-z0-9+/_=-]{40,})/;
const run =
  /[a-zA-Z]+|[0-9]+|[ \t]+|[\r\n]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{M}]+|[^\p{L}\p{M}0-9\s]+|\s/gu;
const eastAsian = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Estimates the tokens of a text by classes of characters, for text that no response has counted yet. Measured
 *  against o200k: within 20 % for code, prose, JSON, Chinese, Japanese and Korean, German, Russian, numbers, base64
 *  and hex, where "characters / 4" is off by up to 64 %. A real tokenizer would cost a megabyte, and is quadratic on
 *  repeated characters. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const piece of text.split(blob)) {
    if (isEncoded(piece)) tokens += piece.length / 1.55;
    else for (const [characters] of piece.matchAll(run)) tokens += tokensOf(characters);
  }
  return Math.ceil(tokens);
}

/** True for a long run of mixed letters and digits without a break: base64, hex, hashes. */
function isEncoded(piece: string): boolean {
  return piece.length >= 40 && /\d/.test(piece) && /[a-zA-Z]/.test(piece) && !/[^A-Za-z0-9+/_=-]/.test(piece);
}

function tokensOf(characters: string): number {
  const { length } = characters;
  if (/^[a-zA-Z]/.test(characters)) return Math.max(1, length / 7);
  if (/^[0-9]/.test(characters)) return Math.ceil(length / 3);
  // A single space belongs to the next word.
  if (/^[ \t]/.test(characters)) return length === 1 ? 0 : 1;
  if (/^[\r\n]/.test(characters)) return 0.7;
  if (eastAsian.test(characters)) return length * 0.75;
  if (/^\p{L}/u.test(characters)) return Math.max(1, length / 4);
  return characters.charCodeAt(0) > 127 ? length : Math.max(1, length / 2.5);
}
