/** One place of a file that a patch changes, with its old and new lines. */
export interface PatchHunk {
  /** Text of lines before it, outermost first ("class Cart", "total() {"). Selects one of several matching places. */
  readonly under: readonly string[];
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** True when it is at the end of the file. */
  readonly atEnd: boolean;
  /** Line number from a unified diff, from 1; only a hint. */
  readonly line: number | null;
}

export type PatchedFile =
  | { readonly kind: 'add'; readonly path: string; readonly text: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly moveTo: string | null;
      readonly hunks: readonly PatchHunk[];
    };

/** Thrown for a patch that cannot be parsed. The sentence names the line and what was expected there. */
export class UnreadablePatch extends Error {
  override readonly name = 'UnreadablePatch';
}

/** Parses a patch between `*** Begin Patch` and `*** End Patch`, or a unified diff. Throws `UnreadablePatch`. */
export function readPatch(text: string): readonly PatchedFile[] {
  const lines = withoutFence(text.replace(/\r\n?/g, '\n')).split('\n');
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  const files = begin >= 0 ? readSections(lines, begin + 1) : readUnified(lines);
  if (files.length === 0)
    throw new UnreadablePatch(
      'The patch names no file. Between "*** Begin Patch" and "*** End Patch", write "*** Update File: <path>", ' +
        '"*** Add File: <path>" or "*** Delete File: <path>".',
    );
  return files;
}

const sectionStart = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

function readSections(lines: readonly string[], from: number): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  let at = from;
  for (;;) {
    const line = lines[at];
    if (line === undefined)
      throw new UnreadablePatch(
        'The patch has no "*** End Patch" at its end, so it may have been cut off. Send it whole.',
      );
    if (line.trim() === '*** End Patch') return files;
    if (line.trim() === '') {
      at++;
      continue;
    }
    const [, kind, path = ''] = sectionStart.exec(line.trimEnd()) ?? [];
    if (kind === undefined)
      throw unexpected(at, line, '"*** Add File:", "*** Update File:", "*** Delete File:" or "*** End Patch"');
    let end = at + 1;
    while (
      end < lines.length &&
      !sectionStart.test(lines[end]?.trimEnd() ?? '') &&
      lines[end]?.trim() !== '*** End Patch'
    )
      end++;
    files.push(readSection(kind, path.trim(), lines, at + 1, end));
    at = end;
  }
}

function readSection(kind: string, path: string, lines: readonly string[], from: number, to: number): PatchedFile {
  if (kind === 'Delete') {
    const stray = lines.slice(from, to).findIndex((line) => line.trim() !== '');
    if (stray >= 0) throw unexpected(from + stray, lines[from + stray] ?? '', 'nothing, because the file is deleted');
    return { kind: 'delete', path };
  }
  if (kind === 'Add') return { kind: 'add', path, text: addedText(lines, from, to) };
  const [, moveTo] = /^\*\*\* Move to: (.+)$/.exec(lines[from]?.trimEnd() ?? '') ?? [];
  const hunks = readHunks(lines, moveTo === undefined ? from : from + 1, to);
  if (hunks.length === 0 && moveTo === undefined)
    throw new UnreadablePatch(`The patch says "*** Update File: ${path}" without any change below it.`);
  return { kind: 'update', path, moveTo: moveTo?.trim() ?? null, hunks };
}

function addedText(lines: readonly string[], from: number, to: number): string {
  const added: string[] = [];
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('+')) added.push(line.slice(1));
    else if (line.trim() !== '') throw unexpected(at, line, 'lines of the new file, each beginning with "+"');
  }
  return added.map((line) => `${line}\n`).join('');
}

function readHunks(lines: readonly string[], from: number, to: number): readonly PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let under: string[] = [];
  let body: string[] = [];
  const close = (atEnd: boolean): void => {
    const trimmed = withoutTrailingBlank(body);
    if (trimmed.length > 0) hunks.push({ under, ...sides(trimmed), atEnd, line: null });
    if (trimmed.length > 0) under = [];
    body = [];
  };
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('@@')) {
      close(false);
      const header = line
        .slice(2)
        .replace(/@@\s*$/, '')
        .trim();
      if (header !== '' && !/^-\d+(,\d+)? \+\d+(,\d+)?$/.test(header)) under = [...under, header];
    } else if (line.trim() === '*** End of File') close(true);
    else if (line === '' || /^[ +-]/.test(line)) body.push(line);
    else throw unexpected(at, line, 'a line that begins with " " (stays), "-" (goes), "+" (comes) or "@@"');
  }
  close(false);
  return hunks;
}

/** Ignores the counts in "@@ -1,3 +1,4 @@", which models get wrong. */
function readUnified(lines: readonly string[]): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!isUnifiedHeader(lines, at)) continue;
    const [oldPath, newPath] = [unifiedPath(lines[at] ?? ''), unifiedPath(lines[at + 1] ?? '')];
    let end = at + 2;
    while (end < lines.length && !isUnifiedHeader(lines, end) && !(lines[end] ?? '').startsWith('diff --git ')) end++;
    const hunks = readUnifiedHunks(lines, at + 2, end);
    if (oldPath === null && newPath !== null)
      files.push({
        kind: 'add',
        path: newPath,
        text: hunks.flatMap((hunk) => hunk.newLines.map((line) => `${line}\n`)).join(''),
      });
    else if (oldPath !== null && newPath === null) files.push({ kind: 'delete', path: oldPath });
    else if (oldPath !== null && newPath !== null)
      files.push({ kind: 'update', path: oldPath, moveTo: newPath === oldPath ? null : newPath, hunks });
    at = end - 1;
  }
  return files;
}

function readUnifiedHunks(lines: readonly string[], from: number, to: number): readonly PatchHunk[] {
  const hunks: PatchHunk[] = [];
  for (let at = from; at < to; at++) {
    const [, line] = /^@@ -(\d+)/.exec(lines[at] ?? '') ?? [];
    if (line === undefined) continue;
    const body: string[] = [];
    while (at + 1 < to && !(lines[at + 1] ?? '').startsWith('@@')) {
      const next = lines[++at] ?? '';
      if (next.startsWith('\\')) continue;
      if (next !== '' && !/^[ +-]/.test(next))
        throw unexpected(at, next, 'a line that begins with " ", "-", "+" or "@@"');
      body.push(next);
    }
    hunks.push({ under: [], ...sides(withoutTrailingBlank(body)), atEnd: false, line: Number(line) });
  }
  return hunks;
}

function isUnifiedHeader(lines: readonly string[], at: number): boolean {
  return /^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '');
}

function unifiedPath(header: string): string | null {
  const written = header.slice(4).split('\t')[0]?.trim() ?? '';
  return written === '/dev/null' ? null : written.replace(/^[ab]\//, '');
}

/** Editors and models drop the single space of an unchanged empty line. */
function sides(body: readonly string[]): {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
} {
  return {
    oldLines: body.filter((line) => !line.startsWith('+')).map((line) => line.slice(1)),
    newLines: body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1)),
  };
}

/** Blank lines between sections belong to the patch, not to the file. */
function withoutTrailingBlank(body: readonly string[]): readonly string[] {
  return body.slice(0, body.findLastIndex((line) => line !== '') + 1);
}

function withoutFence(text: string): string {
  return /^\s*```[^\n]*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;
}

function unexpected(index: number, line: string, wanted: string): UnreadablePatch {
  return new UnreadablePatch(
    `Line ${index + 1} of the patch is ${JSON.stringify(line.slice(0, 120))}; expected ${wanted}. Nothing was changed.`,
  );
}
