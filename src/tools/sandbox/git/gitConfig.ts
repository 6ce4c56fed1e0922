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

export function namesProgram({ key }: GitEntry): boolean {
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
