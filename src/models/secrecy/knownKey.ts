/** The shortest part of a key that is taken for it, in characters. */
const shortestRun = 8;

/** Replaces a known key in a text, and every part of it that has at least eight characters: as it is, percent-encoded, and in base64 (standard and
 *  URL-safe, behind any other bytes). A key of less than eight characters is replaced as a whole, one of less than four not at all. */
export function withoutKnownKey(text: string, key: string, mark: string): string {
  if (key.length < 4) return text;
  if (key.length < shortestRun) return text.replaceAll(key, mark);
  const runs = runsOf(key);
  const kept: string[] = [];
  /** Where the last run ended; runs that overlap or touch are one. */
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

/** The characters that the key alone decides, behind 0, 1 and 2 other bytes: base64 packs three bytes into four characters. */
function inBase64(key: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString('base64').slice(first, last), bytes.toString('base64url').slice(first, last)];
  });
}

/** The shortest key that is masked wherever it occurs, in characters: people give local servers words such as "none" and "lm-studio" for a key. */
const shortestKey = 16;

/** Keys by their values. Keeps them in memory only, for as long as the process lives. */
export class KnownKeys {
  private readonly spellings = new Set<string>();

  add(key: string): void {
    if (key.length < shortestKey || !/\d/.test(key)) return;
    for (const spelling of [key, encodeURIComponent(key.toWellFormed()), ...inBase64(key)])
      this.spellings.add(spelling);
  }

  /** A text with the whole keys in it replaced: as they are, percent-encoded, and in base64. */
  masked(text: string, mark: string): string {
    let result = text;
    for (const spelling of this.spellings) if (result.includes(spelling)) result = result.replaceAll(spelling, mark);
    return result;
  }
}
