import { contains } from '../workspacePaths';
import type { AccessPath } from '../../transcript/approval';
import type { PathLookup } from './pathLookup';
import type { DiscardedFiles } from '../files/changes/snapshot';
import { lossesOf, mayDiscard } from './shell/commandEffects';
import { NotUnderstood, type ShellWord } from './shell/shellCommand';
import { parseShell } from './shell/shellParser';
import { foldersOf, writtenPaths } from './writtenPaths';

/** What a command discards by the meaning of its words. `files`: of the work tree, which a checkpoint can restore.
 *  `other`: what no checkpoint holds, or nobody can tell. */
export type Discards = { readonly kind: 'nothing' | 'other' } | ({ readonly kind: 'files' } & DiscardedFiles);

const other: Discards = { kind: 'other' };

/** Words that name files only in the temporary folder discard nothing. */
export function discardsOf(command: string, folder: AccessPath, lookup: PathLookup): Discards {
  const script = parseShell(command);
  const folders = script instanceof NotUnderstood ? null : foldersOf(script, folder, lookup);
  if (script instanceof NotUnderstood || folders === null) return mayDiscard(command) ? other : { kind: 'nothing' };
  const { path, temporary } = lookup;
  /** For a pattern, the folder in which it matches. */
  const places = (word: ShellWord): readonly string[] | null => {
    const plain = word.hasGlob ? (/^([^*?[{]*\/)?[^/]*[*?[{]/.exec(word.text)?.[1] ?? '.') : word.text;
    return writtenPaths({ ...word, hasGlob: false }, folders, lookup, plain)?.map((each) => each.path) ?? null;
  };
  const isFile = (word: ShellWord): boolean =>
    folders.paths.some((each) => {
      const place = path.resolve(each, word.text);
      return lookup.entries(path.dirname(place))?.includes(path.basename(place)) === true;
    });
  const losses = lossesOf(script.parts, isFile);
  const found = losses.flatMap((loss) => (loss.kind === 'files' ? loss.words.map(places) : []));
  if (found.includes(null) || losses.some(({ kind }) => kind === 'other')) return other;
  const lasting = found
    .flatMap((named) => named ?? [])
    .filter((place) => place === temporary || !contains(path, temporary, place));
  const parts = losses.flatMap((loss) => (loss.kind === 'tree' ? loss.part : []));
  const tree = parts.includes('all') ? 'all' : (parts[0] ?? null);
  return lasting.length === 0 && tree === null
    ? { kind: 'nothing' }
    : { kind: 'files', paths: [...new Set(lasting)], tree };
}
