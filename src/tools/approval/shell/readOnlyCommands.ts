import { isSecret } from '../../pathTreatment';
import type { ShellWord } from './shellCommand';

/** Files that a read-only command would read. */
interface ReadPaths {
  /** Words that name files, or may name them. */
  readonly paths: readonly ShellWord[];
  /** The command also reads a repository's settings. Only a repository at the root of an open folder is trusted with
   *  that. */
  readonly usesRepository: boolean;
  /** The command reads files that are not named. */
  readonly readsTree?: boolean;
  /** It also reads hidden files, which often hold secrets: always, where a path is a folder, or where it looks into a
   *  folder that is hidden itself. Only a sandbox hides these. */
  readonly readsHidden?: 'always' | 'inFolders' | 'inHidden';
  /** The command lists files and facts about them, not their contents. */
  readonly namesOnly?: boolean;
}

const readsNothing: ReadPaths = { paths: [], usesRepository: false };

/** What a command takes. Any other flag makes the command need approval. */
interface ReadOnlySpec {
  /** paths, text, none, onePath, or patternThenPaths. */
  readonly operands: string;
  /** Flags that count as harmless: `-abc` letters without a value, `-abc:` letters with one, `-#` a number, `--name`
   *  without a value, `--name=` with one, `--name:` with one that may also be the next word. Never abbreviated. */
  readonly flags: readonly string[];
  /** Flags with which it also reads hidden files, and those below folders. */
  readonly deep: readonly string[];
  /** Reads hidden files if an operand is a folder. */
  readonly readsFolders: boolean;
}

/** Reads rows of `names: operands flags folders deep flags`. */
function specs(rows: string): ReadonlyMap<string, ReadOnlySpec> {
  return new Map(
    rows
      .trim()
      .split(/\n {2}(?=\S)/)
      .flatMap((row) => {
        const [names = '', rest = ''] = row.split(/: (.*)/s);
        const [[operands = '', ...flags] = [], deep = []] = rest.split(' deep ').map((part) => part.split(/\s+/));
        const spec = { operands, flags, deep, readsFolders: flags.includes('folders') };
        return names.split(' ').map((name) => [name, spec] as const);
      }),
  );
}

/** `uniq` and `xxd` write their second operand. The filter of `jq` may read what it names; modules are not loaded
 *  without `-L`. Without its deep flags and `--follow`, `rg` skips files that are hidden, ignored by the repository, or
 *  reached through links. */
const plain = specs(`
  ls: paths -aA1lhtrSFdRkinpsgoGcux --all --almost-all --human-readable --recursive --reverse --size --directory --inode
    --color= --sort= --time-style=
  tree: paths -adfhpsuigDFrtnC -LIP: --dirsfirst --noreport --du --prune --gitignore --filelimit:
  cat: paths -nbsvetAET --number --show-all
  tac rev cksum realpath: paths
  nl: paths -b:
  fold: paths -bs -w:
  paste: paths -s -d:
  column: paths -tnx -s:
  expand: paths -t:
  comm: paths -123
  join: paths -i -tajov12:
  od: paths -cxvbdo -ANjt:
  hexdump: paths -Cvbcdox -ns:
  strings: paths -af -nt:
  uniq: onePath -cdiuD -fsw: --count --repeated --unique --ignore-case
  xxd: onePath -pbiu -lcsg:
  head tail: paths -qv -nc: -# --lines= --bytes=
  wc: paths -lwcmL --lines --words --bytes --chars
  sort: paths -bdfghiMnrRuVsc -kt: --reverse --unique --numeric-sort --human-numeric-sort
  cut: paths -s -dfcb: --delimiter= --fields=
  tr: text -cdsC
  cmp: paths -ls
  diff: paths -uqwbBNiyEZadts -UW: --unified --brief --ignore-all-space --ignore-space-change --ignore-blank-lines
    --side-by-side --new-file --color= --unified= --width= --exclude= folders deep -r --recursive
  stat: paths -c: --format= --printf=
  file: paths -bi --brief --mime --mime-type
  du: paths -shakmc -d: --max-depth=
  df: paths -hkTPia --human-readable
  md5sum sha1sum sha256sum sha512sum: paths -bt --binary --text --tag
  shasum: paths -b -a:
  readlink: paths -f
  jq: patternThenPaths -rceSsCMaj --raw-output --compact-output --exit-status --sort-keys --slurp --tab --color-output
  pwd: none -LP
  id: none -ugn
  free: none -hmg
  uname: none -asrmpnv
  true false whoami hostname nproc uptime: none
  which: text -a
  type: text -atp
  basename dirname seq sleep: text
  grep egrep fgrep: patternThenPaths -ivnclLwxEFGPohHqsazIb -ABCme: -# --ignore-case --invert-match --line-number
    --count --files-with-matches --files-without-match --word-regexp --extended-regexp --fixed-strings --perl-regexp
    --only-matching --no-messages --quiet --no-filename --with-filename --context= --after-context= --before-context=
    --max-count= --regexp= --color= --colour= --include= --exclude= --exclude-dir= deep -rR --recursive
    --dereference-recursive
  rg: patternThenPaths -ivnclwxFSsoHNUqIP -ABCmegjMtT: --ignore-case --line-number --no-line-number --files-with-matches
    --files-without-match --count --files --no-heading --heading --word-regexp --fixed-strings --only-matching
    --multiline --smart-case --json --stats --no-messages --no-config --column --trim --quiet --invert-match --pcre2
    --color= --glob= --regexp= --max-columns= --type: --type-not: --max-count: --context: --after-context:
    --before-context: --max-depth: --sort: deep -u. --hidden --no-ignore --unrestricted
`);

const gitDiff =
  '--stat --numstat --shortstat --summary --name-only --name-status --cached --staged --no-color --no-ext-diff ' +
  '--no-textconv --no-renames --patch --no-patch --check --ignore-all-space --ignore-space-change --find-renames ' +
  '--merge-base --minimal --word-diff --unified= --diff-filter= --color= --find-renames= --stat= --word-diff= ' +
  '--inter-hunk-context=';
const gitLog =
  `${gitDiff} --oneline --graph --all --decorate --no-decorate --merges --no-merges --first-parent --follow ` +
  '--reverse --branches --tags --remotes --abbrev-commit --full-index --date-order --topo-order --max-count= --skip= ' +
  '--since= --after= --until= --before= --author= --committer= --grep= --date= --abbrev= --decorate=';
const gitList = '--sort= --format= --contains= --no-contains= --merged= --no-merged= --points-at=';
const gitFormats =
  /^--(format|pretty)=(oneline|short|medium|full|fuller|reference|raw|(format:|tformat:)?([^%]|%(n|h|H|s|b|B|an|ae|ad|ar|as|aI|cn|ce|cd|cr|cs|cI|d|D|p|P|t|T|%|x09|x00|Cgreen|Cred|Cblue|Cyellow|Creset))*)$/;

const git = specs(`
  status: paths -sbuz --short --branch --porcelain --long --untracked-files --ignored --show-stash --ahead-behind
    --porcelain= --untracked-files= --ignored=
  diff: paths -wbpMCzRsa -USG: ${gitDiff}
  log: paths -pwbMCzisE -nUSG: -# ${gitLog}
  show: paths -pwbMCzs -U: ${gitLog}
  shortlog: text -sne --summary --numbered --all
  grep: patternThenPaths -ivnclLwEFGPhHqzopW -ABCme: --ignore-case --line-number --count --name-only
    --files-with-matches --word-regexp --extended-regexp --fixed-strings --perl-regexp --show-function --cached --heading
    --break --max-depth= --context= --color=
  branch: none -arv --all --remotes --list --show-current --verbose --no-color ${gitList}
  tag: none -ln --list ${gitList}
  remote: none -v --verbose
  rev-parse: paths --show-toplevel --abbrev-ref --short --verify --is-inside-work-tree --show-prefix
  rev-list: paths --count --all --left-right --no-merges --max-count= --since= --until= --author=
  merge-base: text -a --all --is-ancestor --fork-point
  ls-files: paths -mocdsz --modified --others --cached --deleted --exclude-standard --stage
  ls-tree: paths -rdtlz --name-only --long --full-tree
  check-ignore: paths -vqn
  blame: paths -wMCse -L:
  describe: none --tags --always --dirty --long --all --abbrev= --match=
`);
/** Verbs that only look with these words after them. */
const gitLooks =
  /^(stash (list|show( (-p|--stat|stash@\{\d+\}))*)|worktree list( --porcelain)?|remote get-url [\w.-]+|reflog( show)?( -\d+)?|bisect log)$/;
const gitReadsFiles = /^(diff|log|show|grep|stash)$/;

/** File name extensions of source code. */
const programText =
  /\.(tsx?|jsx?|[cm][jt]s|py|rs|go|java|kts?|cc?|cpp|hpp?|cs|rb|php|swift|scala|s?css|less|html?|vue|svelte|mdx?|sql)$/;

/** A `printf` format that accepts text only. With `%n` Bash sets a variable, and zsh evaluates numbers, which can
 *  set variables such as PATH. */
const textFormat = /^(?!-)([^%\\]|\\[abefnrtv\\]|%%|%-?\d*(\.\d+)?[sb])*$/s;

/** Programs that only tell their version, or what is installed. Left out: those that first run or fetch the version
 *  of themselves that the project names (`yarn`, `pnpm`, `cargo`, `go`, `dotnet`, `gradle`). */
const versions =
  /^((node|npm|npx|tsc|python3?|pip3?|ruby|perl|php|java|javac|git|gh|docker|make|cmake|gcc|g\+\+|clang|uv|jq|rg|bash|zsh|curl|wget|tar|sqlite3) --version|(git|npm) version|(node|npm|tsc|make|perl) -v|python3? -V|java -version|npm (ls|list|root|prefix)( (--depth(=| )\d+|-g|--all))*|pip3? (list|show [\w.-]+))$/;
const findTests = new Set(
  (
    '-type -name -iname -path -ipath -wholename -regex -iregex -regextype -maxdepth -mindepth -size -mtime -mmin ' +
    '-ctime -cmin -atime -amin -perm -user -group -links -newer'
  ).split(' '),
);
const findSigns = new Set(
  (
    '! -not -a -and -o -or ( ) -print -print0 -ls -prune -empty -depth -xdev -mount -true -false -readable ' +
    '-executable -writable -quit'
  ).split(' '),
);

/** Files that the command would read. Null when it may do more than read, or when that is unknown. A word with a `*`
 *  is among them only if it can match nothing but program text (`src/*.ts`). */
export function lookedAt(words: readonly ShellWord[]): ReadPaths | null {
  const [command, ...rest] = words;
  if (command === undefined || words.some((word) => word.hasGlob && !isBracket(word) && !namesProgramText(word)))
    return null;
  // `echo $?` prints a number and reads no file.
  if (
    words.some((word) => word.hasExpansion) &&
    !(command.text === 'echo' && words.every((word) => !word.hasExpansion || word.isNumbered))
  )
    return null;
  const texts = rest.map((word) => word.text);
  if (versions.test([command.text, ...texts].join(' '))) return readsNothing;
  switch (command.text) {
    case 'echo':
      return readsNothing;
    case 'printf':
      return textFormat.test(texts[0] ?? '') ? readsNothing : null;
    case 'date':
      return texts.every((each) => /^(\+.*|-u|-I|-Iseconds|--iso-8601)$/s.test(each)) ? readsNothing : null;
    case 'command':
      return /^-[vV]$/.test(texts[0] ?? '') ? readsNothing : null;
    case '[':
      return texts.at(-1) === ']' ? tested(rest.slice(0, -1)) : null;
    case 'test':
      return tested(rest);
    case 'find':
      return lookedFor(rest);
    case 'sed':
      return texts[0] === '-n' &&
        /^(\d+|\$)(,(\d+|\$))?p$|^\/[\w .:-]+\/p$/.test(texts[1] ?? '') &&
        !rest.slice(2).some((word) => word.text.startsWith('-'))
        ? { paths: rest.slice(2), usesRepository: false }
        : null;
    case 'git':
      return lookedAtInGit(rest);
    default:
      return lookedAtPlainly(command.text, rest);
  }
}

function lookedAtInGit(rest: readonly ShellWord[]): ReadPaths | null {
  const [verb, ...operands] = rest[0]?.text === '--no-pager' ? rest.slice(1) : rest;
  const readsTree = gitReadsFiles.test(verb?.text ?? '');
  if (gitLooks.test([verb, ...operands].map((word) => word?.text ?? '').join(' ')))
    return { paths: [], usesRepository: true, readsTree };
  const spec = git.get(verb?.text ?? '');
  // Without this flag, a word would be the name of a new tag.
  const isListing = verb?.text === 'tag' && operands.some(({ text: flag }) => /^(-l|--list)$/.test(flag));
  const kept = operands.filter((word) => !gitFormats.test(word.text) && !(isListing && !word.text.startsWith('-')));
  const paths = spec === undefined ? null : operandPaths(kept, spec, spec.flags);
  // Git expands wildcards in words that are quoted for the shell: `'*env'`.
  if (
    paths?.some(({ text: name }) => /[*?[]/.test(name) && !(/^[\w./*-]+$/.test(name) && programText.test(name))) ===
    true
  )
    return null;
  if (paths === null) return null;
  // The text after a colon is a file of another version.
  const versionsOf = (word: ShellWord): readonly ShellWord[] =>
    word.text.includes(':') ? [word, { ...word, text: word.text.slice(word.text.lastIndexOf(':') + 1) }] : [word];
  return { paths: paths.flatMap(versionsOf), usesRepository: true, readsTree };
}

function lookedAtPlainly(command: string, rest: readonly ShellWord[]): ReadPaths | null {
  const spec = plain.get(command);
  if (spec === undefined) return null;
  const texts = rest.map((word) => word.text);
  // A filter of jq can read the environment, which may hold secrets, and other files.
  if (command === 'jq' && texts.some((filter) => /\benv\b|\$ENV\b|\b(import|include)\b/.test(filter))) return null;
  const paths = command === 'rg' && !hasHarmlessGlobs(texts) ? null : operandPaths(rest, spec, spec.flags);
  const found = paths ?? (spec.deep.length > 0 ? operandPaths(rest, spec, [...spec.flags, ...spec.deep]) : null);
  if (found === null) return null;
  return {
    paths: found,
    usesRepository: false,
    readsTree: command === 'rg' || paths === null,
    ...(paths === null ? { readsHidden: 'always' } : spec.readsFolders ? { readsHidden: 'inFolders' } : {}),
    ...(command === 'rg' && paths !== null ? { readsHidden: 'inHidden' } : {}),
    namesOnly: /^(ls|tree|du|df|stat|file|realpath|readlink)$/.test(command),
  };
}

/** `test -f x`, `[ a = b ]`. Numbers are left out: zsh calculates them, which can run commands. */
function tested(words: readonly ShellWord[]): ReadPaths | null {
  const signs = /^(-[efdrwxszLhn]|-[no]t|-ef|!|=|==|!=)$/;
  const isKnown = words.every(({ text: word }) =>
    word.startsWith('-') ? signs.test(word) : /^[\w./@%+:,=!~ -]*$/.test(word),
  );
  const paths = words.filter(({ text: word }) => word !== '' && !signs.test(word));
  return isKnown ? { paths, usesRepository: false, namesOnly: true } : null;
}

/** Operands that name files. Null when a flag is not listed. */
function operandPaths(
  words: readonly ShellWord[],
  { operands: kind }: ReadOnlySpec,
  flags: readonly string[],
): readonly ShellWord[] | null {
  const operands: ShellWord[] = [];
  let hasPattern = kind !== 'patternThenPaths';
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    if (word.text === '--') {
      operands.push(...words.slice(index + 1));
      break;
    }
    if (!word.text.startsWith('-') || word.text === '-') {
      operands.push(word);
      continue;
    }
    const read = readFlag(word.text, flags);
    if (read === null) return null;
    if (read.isPattern) hasPattern = true;
    if (read.takesNext) {
      if (index + 1 >= words.length) return null;
      index++;
    }
  }
  if ((kind === 'none' && operands.length > 0) || (kind === 'onePath' && operands.length > 1)) return null;
  if (kind === 'text') return [];
  return (hasPattern ? operands : operands.slice(1)).filter((word) => word.text !== '-');
}

function readFlag(
  flag: string,
  known: readonly string[],
): { readonly takesNext: boolean; readonly isPattern: boolean } | null {
  if (known.includes('-#') && /^-\d+$/.test(flag)) return { takesNext: false, isPattern: false };
  if (flag.startsWith('--')) {
    const [, name = '', value] = /^--([^=:]*)(?:=(.*))?$/s.exec(flag) ?? [];
    const takesNext = value === undefined && !known.includes(`--${name}`);
    if (
      takesNext
        ? !known.includes(`--${name}:`)
        : value !== undefined && !known.some((each) => each === `--${name}=` || each === `--${name}:`)
    )
      return null;
    // With `--files`, ripgrep takes no pattern.
    return { takesNext, isPattern: name === 'regexp' || name === 'files' };
  }
  const among = (letter: string, isValued: boolean): boolean =>
    known.some((each) => /^-[^-#]/.test(each) && each.endsWith(':') === isValued && each.includes(letter, 1));
  const letters = [...flag.slice(1)];
  for (const [index, letter] of letters.entries()) {
    if (/[:-]/.test(letter)) return null;
    if (among(letter, false)) continue;
    if (!among(letter, true)) return null;
    return { takesNext: index === letters.length - 1, isPattern: letter === 'e' };
  }
  return { takesNext: false, isPattern: false };
}

/** Reads the starting points of `find`, then its tests, which must only select and print. */
function lookedFor(words: readonly ShellWord[]): ReadPaths | null {
  const firstTest = words.findIndex((word) => /^[-!(]/.test(word.text));
  const tests = firstTest === -1 ? [] : words.slice(firstTest);
  for (let index = 0; index < tests.length; index++) {
    const test = tests[index]?.text ?? '';
    if (findSigns.has(test)) continue;
    if (!findTests.has(test) || ++index >= tests.length) return null;
  }
  return { paths: firstTest === -1 ? words : words.slice(0, firstTest), usesRepository: false, namesOnly: true };
}

/** An explicit glob overrides ripgrep's default filters, so it may only name source code. */
function hasHarmlessGlobs(texts: readonly string[]): boolean {
  const harmless = /^!.*$|^([\w*./-]*\/)?[\w*-][\w*.-]*\.(\{(\w+,?)+\}|\w+)$/;
  const globs = texts.flatMap((flag, index) => {
    if (flag.startsWith('--glob=')) return [flag.slice('--glob='.length)];
    const short = /^-[a-zA-Z]*?g(.*)$/s.exec(flag);
    if (short === null || flag.startsWith('--')) return [];
    return short[1] === '' ? [texts[index + 1] ?? ''] : [short[1] ?? ''];
  });
  return globs.every((glob) => {
    if (glob.startsWith('!')) return true;
    if (!harmless.test(glob) || isSecret(glob)) return false;
    const extensions = (glob.split('.').at(-1) ?? '').replace(/[{}]/g, '').split(',');
    return extensions.every((extension) => programText.test(`.${extension}`));
  });
}

/** True for a pattern such as `src/*.ts`: it can match neither a flag nor a file that needs approval. */
export function namesProgramText(word: ShellWord): boolean {
  const name = word.source.replace(/^\.\//, '');
  return /^[\w*][\w./*-]*$/.test(name) && !/\/\./.test(name) && programText.test(name);
}

/** `[ -f x ]`: these brackets are words of their own and match nothing. */
function isBracket(word: ShellWord): boolean {
  return /^[[\]]$/.test(word.source);
}
