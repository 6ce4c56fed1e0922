import type { TextSearch } from '../../tools/workspaceFiles';

interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The matching lines of one text, at most `limit`. Throws JavaScript's own error for an invalid expression. */
export function matchingLines(text: string, search: TextSearch, limit: number): readonly LineMatch[] {
  const expression = lineExpression(search);
  const matches: LineMatch[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (matches.length >= limit) break;
    if (expression.test(line)) matches.push({ line: index + 1, text: line });
  }
  return matches;
}

/** Returns an expression that tests one line. */
export function lineExpression(search: TextSearch): RegExp {
  return new RegExp(
    search.isRegularExpression ? search.query : escapeExpression(search.query),
    search.caseSensitive ? '' : 'i',
  );
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
