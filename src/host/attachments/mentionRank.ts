/** A path prepared for search: lower case, with the index where its last name begins. */
export interface RankedPath {
  readonly shown: string;
  readonly folded: string;
  readonly nameAt: number;
}

export function rankedPath(shown: string): RankedPath {
  const folded = shown.toLowerCase();
  return { shown, folded, nameAt: folded.lastIndexOf('/', folded.length - 2) + 1 };
}

/** Scores how well a path matches the typed text; higher is better. Null: no match. The name counts before its
 *  folders: exact name, its beginning, the start of a word in it, anywhere in it. Next come the same matches in the
 *  whole path, then its letters in order. Among equals, the shorter path wins. */
export function rankOf(path: RankedPath, typed: string): number | null {
  const grade = gradeOf(path, typed);
  return grade === null ? null : grade * 1000 - Math.min(999, path.folded.length);
}

function gradeOf({ shown, folded, nameAt }: RankedPath, typed: string): number | null {
  if (typed === '') return 1;
  const name = folded.slice(nameAt).replace(/\/$/, '');
  if (folded === typed) return 12;
  if (name === typed) return 11;
  if (name.startsWith(typed)) return name.charAt(typed.length) === '.' ? 10 : 9;
  const inName = name.indexOf(typed);
  if (inName !== -1) return isWordStart(shown.slice(nameAt), inName) ? 8 : 7;
  if (folded.startsWith(typed)) return 6;
  const inPath = folded.indexOf(typed);
  if (inPath !== -1) return folded.charAt(inPath - 1) === '/' || typed.startsWith('/') ? 5 : 4;
  if (hasInOrder(name, typed)) return 3;
  return hasInOrder(folded, typed) ? 2 : null;
}

function isWordStart(name: string, at: number): boolean {
  const before = name.charAt(at - 1);
  const here = name.charAt(at);
  return /[^\p{L}\p{N}]/u.test(before) || (here !== here.toLowerCase() && before === before.toLowerCase());
}

function hasInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + letter.length;
  }
  return true;
}
