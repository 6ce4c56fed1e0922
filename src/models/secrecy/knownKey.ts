/** Characters of the shortest part of a key that is recognized as the key. */
const shortestRun = 8;

/** Replaces a known key in a text, and every part of it with at least eight characters: plain, percent-encoded, and
 *  in base64 (standard and URL-safe, after any other bytes). A key of fewer than eight characters is only replaced
 *  as a whole, one of fewer than four not at all. */
export function withoutKnownKey(text: string, key: string, mark: string): string {
  if (key.length < 4) return text;
  if (key.length < shortestRun) return text.replaceAll(key, mark);
  const runs = runsOf(key);
  const kept: string[] = [];
  /** End of the last match. Matches that overlap or touch count as one. */
  let end: number | null = null;
  for (let at = 0; at + shortestRun <= text.length; at++) {
    if (!runs.has(text.slice(at, at + shortestRun))) continue;
    if (end === null || at > end) kept.push(text.slice(end ?? 0, at), mark);
    end = at + shortestRun;
  }
  return kept.join('') + text.slice(end ?? 0);
}

function runsOf(key: string): ReadonlySet<string> {
  const percent = encodeURIComponent(key.toWellFormed());
  const spellings = [key, percent, percent.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase()), ...inBase64(key)];
  return new Set(
    spellings.flatMap((spelling) =>
      Array.from({ length: Math.max(0, spelling.length - shortestRun + 1) }, (_, at) =>
        spelling.slice(at, at + shortestRun),
      ),
    ),
  );
}

/** Returns the base64 characters that depend only on the key, after 0, 1 and 2 other bytes: base64 packs three bytes
 *  into four characters. */
function inBase64(key: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString('base64').slice(first, last), bytes.toString('base64url').slice(first, last)];
  });
}

/** Characters of the shortest key that is masked everywhere: people use words such as "none" and "lm-studio" as keys
 *  for local servers. */
const shortestKey = 16;

/** Known keys by value. Kept only in memory, for the life of the process. */
export class KnownKeys {
  private readonly spellings = new Set<string>();

  add(key: string): void {
    if (key.length < shortestKey || !/\d/.test(key)) return;
    for (const spelling of [key, encodeURIComponent(key.toWellFormed()), ...inBase64(key)])
      this.spellings.add(spelling);
  }

  /** Returns the text with whole keys replaced: plain, percent-encoded, and in base64. */
  masked(text: string, mark: string): string {
    let result = text;
    for (const spelling of this.spellings) if (result.includes(spelling)) result = result.replaceAll(spelling, mark);
    return result;
  }
}
