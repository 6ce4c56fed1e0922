import type { OutputPiece } from '../../../src/agent/outputFilter';

const tag = /<\/?(?:think|thinking)>/iy;
const memoryOpener = /<memory-context>[ \t\r]*\n/iy;
const memoryCloser = /<\/memory-context>[ \t\r]*\n?/gi;

interface Character {
  readonly text: string;
  readonly isThinking: boolean;
}

/** Whether `pieces` are `raw` with nothing but tags taken out: every other character is there, once, in order, as text outside of a pair of think tags
 *  and as thinking inside of one. White space behind a closer and a memory fence with what it holds belong to their tags, and thinking may end at `cut`,
 *  where another request begins. Finds any way to read it so. */
export function isOnlyUntagged(raw: string, pieces: readonly OutputPiece[], cut: number): boolean {
  const shown = pieces.flatMap((piece): readonly Character[] =>
    piece.kind === 'thinkingEnd'
      ? []
      : [...piece.text].map((text) => ({ text, isThinking: piece.kind === 'thinking' })),
  );
  const characters = [...raw];
  const offsets = characters.reduce<number[]>(
    (known, character) => [...known, (known.at(-1) ?? 0) + character.length],
    [0],
  );
  const indexAt = new Map(offsets.map((offset, index) => [offset, index]));
  const seen = new Set<string>();
  const open: { readonly at: number; readonly to: number; readonly inThinking: boolean }[] = [
    { at: 0, to: 0, inThinking: false },
  ];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const { at, to, inThinking } = state;
    const key = `${at} ${to} ${inThinking}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (at === characters.length && to === shown.length) return true;
    if (at < characters.length && shown[to]?.text === characters[at] && shown[to]?.isThinking === inThinking)
      open.push({ at: at + 1, to: to + 1, inThinking });
    const offset = offsets[at] ?? 0;
    if (offset === cut && inThinking) open.push({ at, to, inThinking: false });
    const found = matchAt(tag, raw, offset);
    if (found !== null) {
      const closes = found.startsWith('</');
      const space = closes ? (/^\s*/.exec(raw.slice(offset + found.length))?.[0].length ?? 0) : 0;
      for (let taken = 0; taken <= space; taken++)
        open.push({ at: indexAt.get(offset + found.length + taken) ?? at, to, inThinking: !closes });
    }
    if (inThinking || matchAt(memoryOpener, raw, offset) === null) continue;
    for (const closer of raw.slice(offset).matchAll(memoryCloser))
      open.push({ at: indexAt.get(offset + closer.index + closer[0].length) ?? at, to, inThinking });
  }
  return false;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
