import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPlace } from '../../../base/realPath';

/** Entry of a Git configuration file. `key`: section and name in lower case, the subsection as written
 *  ("remote.origin.url"). */
export interface GitEntry {
  readonly key: string;
  readonly value: string;
}

/** Settings that Git and common tools write into a new repository. None of them makes Git run a program or read another
 *  configuration. */
const harmless =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree|autocrlf|eol|safecrlf|longpaths|quotepath|sharedrepository|sparsecheckout|sparsecheckoutcone|untrackedcache|protectntfs|protecthfs|abbrev|compression)|extensions\.(objectformat|compatobjectformat|refstorage|partialclone|worktreeconfig|relativeworktrees|noop|preciousobjects)|remote\..+\.(url|pushurl|fetch|push|tagopt|prune|prunetags|promisor|partialclonefilter|mirror|skipdefaultupdate|skipfetchall)|branch\..+\.(remote|merge|rebase|pushremote|description|base|vscode-merge-base|gh-merge-base|github-pr-owner-number)|branch\.(autosetupmerge|autosetuprebase|sort)|submodule\..+\.(url|active|branch|ignore|shallow|fetchrecursesubmodules)|submodule\.(active|recurse|propagatebranches|fetchjobs)|user\.(name|email|useconfigonly)|init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel|recursesubmodules)|merge\.(ff|conflictstyle)|rebase\.(autostash|autosquash)|color\..+|advice\..+|lfs\.repositoryformatversion)$/;

/** Settings that name a program, or a command line with one. */
const programs =
  /^(core\.(fsmonitor|sshcommand|gitproxy|pager|editor|askpass|alternaterefscommand)|filter\..+\.(clean|smudge|process)|diff\.(external|.+\.(command|textconv))|merge\..+\.driver|(difftool|mergetool)\..+\.(cmd|path)|(credential|credential\..+)\.helper|gpg\.(program|.+\.program|ssh\.defaultkeycommand)|alias\..+|pager\..+|sequence\.editor|gui\.editor|interactive\.difffilter|trailer\..+\.(command|cmd)|remote\..+\.(uploadpack|receivepack|vcs)|submodule\..+\.update|uploadpack\.packobjectshook|hook\..+\.command|lfs\.(extension|customtransfer)\..+)$/;

export function isHarmless({ key, value }: GitEntry): boolean {
  // A boolean starts Git's own monitor, any other value is a program.
  if (key === 'core.fsmonitor') return /^(true|false|yes|no|on|off|0|1)?$/i.test(value);
  // `ext::sh -c …` and `name::address` run a program.
  return harmless.test(key) && !(key.endsWith('url') && /^\s*[\w+.-]+::/.test(value));
}

function namesProgram({ key }: GitEntry): boolean {
  return programs.test(key);
}

/** Entries of a configuration file; null when Git would not understand it either. Does not follow includes. */
export function parseGitConfig(text: string): readonly GitEntry[] | null {
  const entries: GitEntry[] = [];
  // Git ends a value there, and each of its versions elsewhere.
  if (text.includes('\0')) return null;
  let section = '';
  let rest = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found !== null) rest = rest.slice(found[0].length);
    return found;
  };
  for (;;) {
    take(/^(?:\s+|[#;][^\n]*)*/);
    if (rest === '') return entries;
    const header = take(/^\[([\w.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]/);
    if (header !== null) {
      const [, name = '', subsection] = header;
      section = name.toLowerCase() + (subsection === undefined ? '' : `.${subsection.replace(/\\(.)/g, '$1')}`);
      continue;
    }
    const name = take(/^([a-z][\w-]*)[ \t]*/i)?.[1];
    if (name === undefined || section === '') return null;
    const value = take(/^=/) === null ? '' : valueIn(take);
    if (value === null) return null;
    entries.push({ key: `${section}.${name.toLowerCase()}`, value });
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

function valueIn(take: (pattern: RegExp) => RegExpExecArray | null): string | null {
  let value = '';
  let isQuoted = false;
  /** Length up to which blanks belong to the value. */
  let kept = 0;
  take(/^[ \t]*/);
  for (;;) {
    if (take(/^\\\n/) !== null) continue;
    const escaped = take(/^\\(.)/)?.[1];
    if (escaped !== undefined) {
      const character = escapes[escaped];
      if (character === undefined) return null;
      value += character;
      kept = value.length;
      continue;
    }
    if (take(/^"/) !== null) {
      isQuoted = !isQuoted;
      kept = value.length;
      continue;
    }
    if (!isQuoted) take(/^[#;][^\n]*/);
    const character = take(/^[^\n]/)?.[0];
    if (character === undefined) return isQuoted ? null : value.slice(0, kept);
    value += character;
    if (isQuoted || !/\s/.test(character)) kept = value.length;
  }
}
// Looks at repositories as Git does, and never starts Git: it would run what a repository names.

/** With it Git works as without `commondir`. Git does not work with an empty one. */
export const ownCommondir = '.\n';

/** Larger files are not configuration. */
const maxBytes = 500_000;

/** Entries of a Git folder that make it one, or tell Git what to run. */
export const followedNames: readonly string[] = [
  'config',
  'config.worktree',
  'commondir',
  'HEAD',
  'objects',
  'refs',
  'hooks',
];

/** Paths that Git follows from one Git folder. */
export interface Followed {
  /** May not be changed, or made. */
  readonly kept: readonly string[];
  /** Missing files that the configuration names. Git would run or include them. */
  readonly absent: readonly string[];
  /** Further Git folders. */
  readonly folders: readonly string[];
}

export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  const found = statOf(path);
  // A pipe would never end, and a link leads to what others may change.
  if (found === null || !found.isFile() || found.size > maxBytes) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** True for the folder of a repository, a worktree, or a submodule, also a bare one that is named otherwise. */
export function isGitFolder(folder: string): boolean {
  const has = (name: string): boolean => statOf(join(folder, name)) !== null;
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

/** Folder that a `.git` file leads to. Null: none, as long as Git refuses the file too. */
export function gitFileTarget(file: string): string | null {
  const named = /^gitdir: ([\s\S]*?)[\r\n]*$/.exec(textOf(file) ?? '')?.[1] ?? '';
  return named === '' ? null : realPlace(resolve(dirname(file), named));
}

/** Folder with the configuration of a Git folder: itself, except for a worktree. Null: unknown. */
function commonFolder(folder: string): string | null {
  const file = join(folder, 'commondir');
  // Git refuses an empty one, which is about to be written.
  if ((statOf(file)?.size ?? 0) === 0) return realPlace(folder);
  const named = textOf(file)?.replace(/[\r\n]+$/, '') ?? '';
  return named === '' ? null : realPlace(resolve(folder, named));
}

/** True for a file of ours that keeps a command from making `commondir`. */
export function isOwnCommondir(file: string): boolean {
  return textOf(file) === ownCommondir;
}

/** Everything that Git follows from a Git folder, and from the configuration files of the user. */
export function followedFrom(folder: string, home: string): Followed {
  const kept = ['config', 'hooks'].map((name) => join(folder, name));
  for (const name of ['gitdir', 'config.worktree', 'info/attributes'])
    if (statOf(join(folder, name)) !== null) kept.push(join(folder, name));
  const common = commonFolder(folder);
  const configs = [join(folder, 'config'), join(folder, 'config.worktree'), ...userConfigs(home)];
  const { entries, included, absent } = entriesOf(configs, home);
  const isOn = (name: string): boolean =>
    entries.some(({ key, value }) => key === name && !/^(false|no|off|0)$/i.test(value));
  if (isOn('extensions.worktreeconfig')) kept.push(join(folder, 'config.worktree'));
  // With such a file Git does not read these two settings, so a missing one must stay missing.
  const needsNone = isOn('core.bare') || (basename(folder) === '.git' && isOn('core.worktree'));
  if (needsNone && statOf(join(folder, 'commondir')) === null) absent.push(join(folder, 'commondir'));
  else kept.push(join(folder, 'commondir'));
  const base = worktreeOf(folder, entries);
  const path = (value: string): string => realPlace(resolve(base, value.replace(/^~(?=\/|$)/, home)));
  for (const entry of entries) {
    if (entry.key === 'core.hookspath' && entry.value !== '') kept.push(path(entry.value));
    else if (namesProgram(entry))
      for (const word of wordsOf(entry.value)) {
        const found = statOf(path(word));
        if (found === null && word.includes('/')) absent.push(path(word));
        else if (found !== null && !found.isDirectory()) kept.push(path(word));
      }
  }
  return {
    kept: [...kept, ...included],
    absent,
    folders: common === null || common === realPlace(folder) ? [] : [common],
  };
}

function userConfigs(home: string): readonly string[] {
  return ['/etc/gitconfig', join(home, '.gitconfig'), join(home, '.config/git/config')];
}

/** Entries of the files and of all that they include, whatever the condition of an include is. */
function entriesOf(
  files: readonly string[],
  home: string,
): { readonly entries: readonly GitEntry[]; readonly included: readonly string[]; readonly absent: string[] } {
  const [entries, included, absent]: [GitEntry[], string[], string[]] = [[], [], []];
  const seen = new Set<string>();
  const read = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    // Users link their own to a folder of such files.
    for (const entry of parseGitConfig(textOf(realPlace(file)) ?? '') ?? []) {
      entries.push(entry);
      if (!/^include(if\..+)?\.path$/.test(entry.key) || entry.value === '') continue;
      const path = realPlace(resolve(dirname(file), entry.value.replace(/^~(?=\/|$)/, home)));
      if (statOf(path) === null) absent.push(path);
      else included.push(path);
      read(path);
    }
  };
  files.forEach(read);
  return { entries, included, absent };
}

/** Folder in which Git starts the programs of a repository. */
function worktreeOf(folder: string, entries: readonly GitEntry[]): string {
  if (basename(folder) === '.git') return dirname(folder);
  const linked = textOf(join(folder, 'gitdir'))?.trim();
  if (linked !== undefined) return dirname(resolve(folder, linked));
  const named = entries.find(({ key }) => key === 'core.worktree')?.value;
  return named === undefined ? folder : resolve(folder, named);
}

function wordsOf(value: string): readonly string[] {
  return value
    .replace(/^!/, '')
    .split(/[\s'";|&()<>]+/)
    .filter((word) => word !== '' && !word.startsWith('-'));
}

/** Files of a Git folder that appeared, and that make Git run a program or follow another folder.
 *  `isTrusted`: true for a Git folder that was there before. */
export function dangersIn(folder: string, isTrusted: (folder: string) => boolean): readonly string[] {
  const dangers = ['config', 'config.worktree'].map((name) => join(folder, name)).filter(isDangerousConfig);
  const common = commonFolder(folder);
  if (common !== realPlace(folder) && (common === null || !isTrusted(common))) dangers.push(join(folder, 'commondir'));
  const hooks = join(folder, 'hooks');
  if (statOf(hooks)?.isSymbolicLink() === true) dangers.push(hooks);
  else for (const name of namesIn(hooks)) if (!name.endsWith('.sample')) dangers.push(join(hooks, name));
  return dangers;
}

function isDangerousConfig(file: string): boolean {
  if (statOf(file) === null) return false;
  const text = textOf(file);
  const entries = text === null ? null : parseGitConfig(text);
  return entries === null || !entries.every(isHarmless);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
