import type { SessionStore } from '../../../store/sessionStore';
import type { TextFile } from '../fileEditor';
import { afterAll, beforeAll, type FileHistory, turnsOf } from './fileHistory';
import { hunksBetween, type PlacedHunk } from './hunks';
import type { KeptHunks } from './keptHunks';
import { type LineChange, lineChanges, linesOf } from './lineMerge';
import type { PresentFile, PresentFiles } from './presentFiles';
import { textOf, undo } from './undoing';

/** Changes of one file that can be kept or reverted individually. */
export interface OpenedHunks {
  readonly hunks: readonly PlacedHunk[];
  /** Null: view only. The file was changed in the same places since, is not text, or was created or deleted as a
   *  whole. */
  readonly present: (PresentFile & { readonly text: TextFile }) | null;
  readonly earlier: readonly string[];
  /** True when reverting the only one of them is the same as reverting the file. */
  readonly areWhole: boolean;
}

interface FileHunkDeps {
  readonly store: Pick<SessionStore, 'fileContent'>;
  readonly files: PresentFiles;
  readonly kept: KeptHunks;
}

/** Single changes of a file. */
export class FileHunks {
  constructor(private readonly deps: FileHunkDeps) {}

  /** Changes of the history that are still in the present file. If others changed the same lines: the changes that
   *  the turns made, to view only. */
  async open(history: FileHistory): Promise<OpenedHunks> {
    const { kept, clean } = await this.read(history);
    if (clean !== null) return clean;
    const [from, to] = [await this.linesBefore(history), await this.linesAfter(history)];
    return {
      hunks: from === null || to === null ? [] : hunksBetween(from, to, kept),
      present: null,
      earlier: from ?? [],
      areWhole: true,
    };
  }

  /** The same for an editor that shows the present file. If others changed the same lines, a change is everything
   *  between the content before the turns and the present one, there where the turns changed something. */
  async openInEditor(history: FileHistory): Promise<OpenedHunks> {
    const { present, kept, clean } = await this.read(history);
    if (clean !== null) return clean;
    const [from, to] = [await this.linesBefore(history), await this.linesAfter(history)];
    const { text } = present;
    if (text === null || from === null || to === null || isWhole(history)) return this.open(history);
    const byTurns = lineChanges(from, to);
    const now = linesOf(text.text);
    const touched = lineChanges(from, now).map((change) => byTurns.some((own) => doTouch(own, change)));
    return {
      hunks: hunksBetween(from, now, kept).filter((_hunk, index) => touched[index]),
      present: { ...present, text },
      earlier: from,
      areWhole: false,
    };
  }

  /** Text of the present file without one change. */
  without({ present, earlier }: OpenedHunks, { hunk, at, before }: PlacedHunk): string {
    const lines = linesOf(present?.text.text ?? '');
    return [
      ...lines.slice(0, at),
      ...earlier.slice(before, before + hunk.removed.length),
      ...lines.slice(at + hunk.added.length),
    ].join('');
  }

  private async read(history: FileHistory): Promise<{
    readonly present: PresentFile;
    readonly kept: ReadonlySet<string>;
    /** Null: the changes of the turns cannot be removed from the present file line by line. */
    readonly clean: OpenedHunks | null;
  }> {
    const { path } = history;
    const kept = await this.deps.kept.ofTurns(turnsOf(history), path);
    const present = await this.deps.files.read(path);
    const undone = await undo(history, present.bytes, (hash) => this.deps.store.fileContent(hash));
    const earlier = undone.kind === 'undone' && undone.bytes !== null ? textOf(path, undone.bytes) : null;
    const { text } = present;
    if (earlier === null || text === null) return { present, kept, clean: null };
    const lines = linesOf(earlier.text);
    const clean: OpenedHunks = {
      hunks: hunksBetween(lines, linesOf(text.text), kept),
      present: { ...present, text },
      earlier: lines,
      areWhole: true,
    };
    return { present, kept, clean };
  }

  private linesBefore(history: FileHistory): Promise<readonly string[] | null> {
    return this.linesOfContent(history.path, beforeAll(history));
  }

  private linesAfter(history: FileHistory): Promise<readonly string[] | null> {
    return this.linesOfContent(history.path, afterAll(history) ?? null);
  }

  private async linesOfContent(path: string, hash: string | null): Promise<readonly string[] | null> {
    const bytes = hash === null ? new Uint8Array() : await this.deps.store.fileContent(hash);
    const text = bytes === null ? null : textOf(path, bytes);
    return text === null ? null : linesOf(text.text);
  }
}

/** Created or deleted as a whole. */
function isWhole(history: FileHistory): boolean {
  return beforeAll(history) === null || afterAll(history) === null;
}

function doTouch(one: LineChange, other: LineChange): boolean {
  return one.at <= other.at + other.removed && other.at <= one.at + one.removed;
}
