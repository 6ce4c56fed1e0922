import type { AccessPath, AskReason } from '../../transcript/approval';
import { deniedByRule, type Finding } from './finding';
import { denyingFetchRule, parsedUrl } from './judgeAccess';
import type { PathLookup } from './pathLookup';
import type { RuleBook } from './ruleBook';
import { changeReasons, isSecret, judgedName } from '../pathTreatment';
import { programName, unwrapped } from './shell/commandWords';
import { namesProgramText } from './shell/readOnlyCommands';
import type { ShellScript, ShellWord } from './shell/shellCommand';

/** Folders in which the commands of a text may run. */
export interface WorkFolders {
  /** Absolute; each command may run in any of them. */
  readonly paths: readonly string[];
  readonly areInside: boolean;
  /** True when every one is itself an open folder. */
  readonly areRoots: boolean;
}

/** Folders that a command of the text may run in: the call's folder, and every folder that `cd` reaches. Null when
 *  that is uncertain. */
export function foldersOf(
  { parts, hasLoop }: Pick<ShellScript, 'parts' | 'hasLoop'>,
  folder: AccessPath,
  lookup: PathLookup,
): WorkFolders | null {
  let paths: readonly string[] = [folder.path];
  for (const part of parts) {
    const { words } = unwrapped(part.words);
    const [name, target, ...more] = words;
    if (name === undefined || !/^(cd|chdir|pushd|popd)$/i.test(name.text)) continue;
    const isPlain =
      name.text === 'cd' &&
      target !== undefined &&
      more.length === 0 &&
      !target.hasExpansion &&
      !target.hasGlob &&
      !/^[-+]/.test(target.text) &&
      target.text !== '' &&
      !turnsBack(target.text);
    if (hasLoop || !isPlain) return null;
    const reached = paths.flatMap((path) => {
      const logical = target.hasTilde
        ? lookup.path.join(lookup.home, target.text.slice(1))
        : lookup.path.resolve(path, target.text);
      return [logical, lookup.locate(logical)?.path ?? null];
    });
    if (reached.includes(null)) return null;
    paths = [...new Set([...paths, ...reached.filter((path) => path !== null)])];
    if (paths.length > 200) return null;
  }
  const located = paths.map((path) => lookup.locate(path)).filter((path) => path !== null);
  if (located.length < paths.length) return null;
  const roots = lookup.roots();
  return {
    paths,
    areInside: located.every((path) => path.isInside && !isSecret(path.shown)),
    areRoots: located.every((path) => roots.includes(path.path)),
  };
}

/** Places that a word may refer to, one per folder; of a word with a `*`, those of every file that it matches. Null
 *  when that is uncertain. */
export function writtenPaths(
  word: ShellWord,
  folders: WorkFolders,
  lookup: PathLookup,
  text = word.text,
): readonly AccessPath[] | null {
  if (word.hasExpansion || (word.hasGlob && !namesProgramText(word))) return null;
  // `\` separates folders on some systems and is an ordinary character on others; `//host` is another machine on some.
  if (/\\|^\/\/|^[A-Za-z]:/.test(text) || text.includes('\0')) return null;
  // These entries belong to the process that reads them: the command's, not ours.
  if (/^\/+(proc|dev)(\/|$)/.test(lookup.path.posix.normalize(text)) && text !== '/dev/null') return null;
  if (turnsBack(text)) return null;
  const { path, home } = lookup;
  const texts = word.hasGlob ? folders.paths.map((folder) => matchedBy(text, folder, lookup)) : null;
  if (texts?.includes(null) === true) return null;
  const located = word.hasTilde
    ? [lookup.locate(path.join(home, text.slice(1)))]
    : folders.paths.flatMap((folder, index) =>
        (texts?.[index] ?? [text]).map((each) => lookup.locate(path.resolve(folder, each))),
      );
  return located.includes(null) ? null : located.filter((each) => each !== null);
}

/** Files in the folder that a pattern may match: shells differ in whether it matches hidden ones, and other cases.
 *  Null when there are too many, or when a name could be taken for a flag. */
function matchedBy(pattern: string, folder: string, lookup: PathLookup): readonly string[] | null {
  const [, above = '', last = ''] = /^(.*\/)?([^/]*)$/.exec(pattern) ?? [];
  if (above.includes('*')) return null;
  const fits = new RegExp(`^${last.replace(/[.]/g, '\\.').replace(/\*+/g, '.*')}$`, 'i');
  const names = (lookup.entries(lookup.path.resolve(folder, above)) ?? []).filter((name) => fits.test(name));
  if (names.length > 500 || names.some((name) => name.startsWith('-'))) return null;
  return names.length === 0 ? [pattern] : names.map((name) => `${above}${name}`);
}

/** True for `..` after a name. If the name is a link, the path leads elsewhere than its text says. */
function turnsBack(text: string): boolean {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.some((segment, index) => segment === '..' && index > 0 && segments[index - 1] !== '..');
}

/** Files in the words of an unknown command: reasons to ask for approval, and paths that a rule denies. */
export function reachedFiles(
  words: readonly ShellWord[],
  folders: WorkFolders,
  deps: { readonly rules: RuleBook; readonly lookup: PathLookup },
): { readonly reasons: readonly AskReason[]; readonly denials: readonly Finding[] } {
  const { rules, lookup } = deps;
  const reasons = new Set<AskReason>();
  const denials: Finding[] = [];
  const changed = changeReasonsFor(words);
  for (const [index, word] of words.map((each) => begun(each, lookup)).entries()) {
    for (const text of /^[a-z][a-z0-9+.-]*:\/\//i.test(word.text) ? [word.text] : namesIn(word.text)) {
      const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? parsedUrl(text) : null;
      const denyingUrl = url === null ? null : denyingFetchRule(url, rules);
      if (denyingUrl !== null) denials.push(deniedByRule(denyingUrl));
      if (url !== null && !/^file:/i.test(text)) continue;
      const isFromHome = /^~(\/|$)/.test(text);
      const paths =
        writtenPaths({ ...word, hasTilde: isFromHome, hasExpansion: false, hasGlob: false }, folders, lookup, text) ??
        [];
      // An uncertain path is not enough to allow something, but enough to deny it.
      const supposed = isFromHome
        ? []
        : folders.paths.map((folder) => lookup.locate(lookup.path.resolve(folder, text)));
      for (const path of [...paths, ...supposed]) {
        const denying =
          path === null || index === 0
            ? null
            : (rules.denyingPathRule('read', path) ?? rules.denyingPathRule('edit', path));
        if (denying !== null) denials.push(deniedByRule(denying));
      }
      for (const path of paths) {
        if (index === 0) continue;
        if (isSecret(judgedName(path))) reasons.add('sensitive');
        for (const reason of changed(judgedName(path))) reasons.add(reason);
        if (rules.guards(path)) reasons.add('dotConfig');
        if (!path.isInside && text !== '/dev/null') reasons.add('outside');
      }
      if (paths.length === 0 && index > 0 && looksLikePath(text)) reasons.add('outside');
    }
  }
  return { reasons: [...reasons], denials };
}

/** The word with its first variable in place, as far as everybody has it. What follows another one is in no known
 *  folder: `/x` in `$DIR/x` is not at the root. */
function begun(word: ShellWord, { temporary }: PathLookup): ShellWord {
  const [whole, name] = /^"?(?:\$\{?(\w+)|\$\(|`)/.exec(word.source) ?? [];
  if (!word.hasExpansion || whole === undefined) return word;
  const text = word.text.replace(/^\/+/, '');
  if (name === 'HOME') return { ...word, text: `~/${text}` };
  return { ...word, text: name === 'TMPDIR' ? `${temporary}/${text}` : text };
}

/** Git verbs that leave the named files of the work tree unchanged. */
const keepingVerbs =
  /^(add|archive|blame|branch|commit|describe|diff|fetch|grep|log|ls-files|push|rev-parse|shortlog|show|status|tag)$/;

/** Returns a function that gives the reasons to ask before a named file changes. */
function changeReasonsFor(words: readonly ShellWord[]): (path: string) => readonly AskReason[] {
  const [program, verb] = unwrapped(words).words;
  const name = programName(program?.text ?? '');
  // Deleting installed packages plants nothing.
  if (/^(rm|rmdir|rimraf)$/.test(name))
    return (path) => (/(^|\/)(node_modules|(site|dist)-packages)(\/|$)/.test(path) ? [] : changeReasons(path));
  if (name !== 'git') return changeReasons;
  if (keepingVerbs.test(verb?.text ?? '')) return () => [];
  // `git mv` names only files. Any other command may name the version HEAD.
  if (verb?.text === 'mv') return changeReasons;
  return (path) => (/(^|\/)HEAD$/.test(path) ? [] : changeReasons(path));
}

/** The word itself, and its parts after `=`, `:`, `@`, `,`, or short flags. */
function namesIn(text: string): readonly string[] {
  const flags = /^-[A-Za-z]+/.exec(text)?.[0].length ?? 0;
  // In `-rt.git`, the value may begin after any of the letters.
  const afterFlag = Array.from({ length: Math.min(Math.max(flags - 1, 0), 6) }, (_, letter) => text.slice(letter + 2));
  const afterSign = [...text.matchAll(/[=:@,](?=([^=:@,].*)$)/gs)].map((found) => found[1] ?? '');
  return [...new Set([text, ...afterFlag, ...afterSign].filter((name) => name !== ''))].slice(0, 20);
}

function looksLikePath(text: string): boolean {
  return text !== '/dev/null' && /^(\/|~(\/|$)|\.\.(\/|$)|\\\\|[A-Za-z]:[\\/])|(^|\/)\.\.(\/|$)/.test(text);
}
