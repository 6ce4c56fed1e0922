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
  /** It also reads hidden files, which often hold secrets: always, or where a path is a folder. Only a sandbox hides
   *  these. */
  readonly readsHidden?: 'always' | 'inFolders';
  /** The command lists files and facts about them, not their contents. */
  readonly namesOnly?: boolean;
}

type Operands = 'paths' | 'text' | 'none' | 'patternThenPaths' | 'onePath';

/** Only the flags listed here count as harmless. Any other flag makes the command need approval. */
interface ReadOnlySpec {
  readonly operands: Operands;
  /** Single letters without a value (`flags`), and with one (`valued`). */
  readonly flags?: string;
  readonly valued?: string;
  /** Long names, separated by spaces: without a value (`long`), and with one (`longValued`). Never abbreviated. */
  readonly long?: string;
  readonly longValued?: string;
  /** Long names whose value may also be the next word. */
  readonly longNext?: string;
  /** Letters and long names with which it also reads hidden files, and those below folders. */
  readonly deep?: readonly [flags: string, long: string];
  /** Reads hidden files if an operand is a folder. */
  readonly readsFolders?: true;
  readonly takesNumber?: boolean;
}

const text: ReadOnlySpec = { operands: 'text' };
const nothing: ReadOnlySpec = { operands: 'none' };
const checksum: ReadOnlySpec = { operands: 'paths', flags: 'bt', long: 'binary text tag' };
const searching = {
  flags: 'ivnclLwxEFGPohHqsazIb',
  valued: 'ABCme',
  takesNumber: true,
  long:
    'ignore-case invert-match line-number count files-with-matches files-without-match word-regexp extended-regexp ' +
    'fixed-strings perl-regexp only-matching no-messages quiet no-filename with-filename',
  longValued: 'context after-context before-context max-count regexp color colour include exclude exclude-dir',
  deep: ['rR', 'recursive dereference-recursive'],
  operands: 'patternThenPaths',
} as const;

const plain: Readonly<Record<string, ReadOnlySpec>> = {
  ls: {
    operands: 'paths',
    flags: 'aA1lhtrSFdRkinpsgoGcux',
    long: 'all almost-all human-readable recursive reverse size directory inode',
    longValued: 'color sort time-style',
  },
  tree: {
    operands: 'paths',
    flags: 'adfhpsuigDFrtnC',
    valued: 'LIP',
    long: 'dirsfirst noreport du prune gitignore',
    longNext: 'filelimit',
  },
  cat: { operands: 'paths', flags: 'nbsvetAET', long: 'number show-all' },
  tac: { operands: 'paths' },
  rev: { operands: 'paths' },
  nl: { operands: 'paths', valued: 'b' },
  fold: { operands: 'paths', flags: 'bs', valued: 'w' },
  paste: { operands: 'paths', flags: 's', valued: 'd' },
  column: { operands: 'paths', flags: 'tnx', valued: 's' },
  expand: { operands: 'paths', valued: 't' },
  comm: { operands: 'paths', flags: '123' },
  join: { operands: 'paths', flags: 'i', valued: 'tajov12' },
  od: { operands: 'paths', flags: 'cxvbdo', valued: 'ANjt' },
  hexdump: { operands: 'paths', flags: 'Cvbcdox', valued: 'ns' },
  strings: { operands: 'paths', flags: 'af', valued: 'nt' },
  // Their second operand is a file that they write.
  uniq: { operands: 'onePath', flags: 'cdiuD', valued: 'fsw', long: 'count repeated unique ignore-case' },
  xxd: { operands: 'onePath', flags: 'pbiu', valued: 'lcsg' },
  head: { operands: 'paths', flags: 'qv', valued: 'nc', longValued: 'lines bytes', takesNumber: true },
  tail: { operands: 'paths', flags: 'qv', valued: 'nc', longValued: 'lines bytes', takesNumber: true },
  wc: { operands: 'paths', flags: 'lwcmL', long: 'lines words bytes chars' },
  sort: {
    operands: 'paths',
    flags: 'bdfghiMnrRuVsc',
    valued: 'kt',
    long: 'reverse unique numeric-sort human-numeric-sort',
  },
  cut: { operands: 'paths', flags: 's', valued: 'dfcb', longValued: 'delimiter fields' },
  tr: { operands: 'text', flags: 'cdsC' },
  cmp: { operands: 'paths', flags: 'ls' },
  diff: {
    operands: 'paths',
    flags: 'uqwbBNiyEZadts',
    valued: 'UW',
    long: 'unified brief ignore-all-space ignore-space-change ignore-blank-lines side-by-side new-file',
    longValued: 'color unified width exclude',
    deep: ['r', 'recursive'],
    readsFolders: true,
  },
  stat: { operands: 'paths', valued: 'c', longValued: 'format printf' },
  file: { operands: 'paths', flags: 'bi', long: 'brief mime mime-type' },
  du: { operands: 'paths', flags: 'shakmc', valued: 'd', longValued: 'max-depth' },
  df: { operands: 'paths', flags: 'hkTPia', long: 'human-readable' },
  md5sum: checksum,
  sha1sum: checksum,
  sha256sum: checksum,
  sha512sum: checksum,
  shasum: { operands: 'paths', flags: 'b', valued: 'a' },
  cksum: { operands: 'paths' },
  basename: text,
  dirname: text,
  realpath: { operands: 'paths' },
  readlink: { operands: 'paths', flags: 'f' },
  // Its filter may read what it names; modules are not loaded without `-L`.
  jq: {
    operands: 'patternThenPaths',
    flags: 'rceSsCMaj',
    long: 'raw-output compact-output exit-status sort-keys slurp tab color-output',
  },
  pwd: { operands: 'none', flags: 'LP' },
  true: nothing,
  false: nothing,
  whoami: nothing,
  hostname: nothing,
  id: { operands: 'none', flags: 'ugn' },
  nproc: nothing,
  uptime: nothing,
  free: { operands: 'none', flags: 'hmg' },
  uname: { operands: 'none', flags: 'asrmpnv' },
  which: { operands: 'text', flags: 'a' },
  type: { operands: 'text', flags: 'atp' },
  seq: text,
  sleep: text,
  grep: searching,
  egrep: searching,
  fgrep: searching,
  // Without `--hidden`, `--no-ignore`, and `--follow`, rg skips files that are hidden, ignored by the repository, or
  // reached through links.
  rg: {
    operands: 'patternThenPaths',
    flags: 'ivnclwxFSsoHNUqIP',
    valued: 'ABCmegjMtT',
    long:
      'ignore-case line-number no-line-number files-with-matches files-without-match count files no-heading heading ' +
      'word-regexp fixed-strings only-matching multiline smart-case json stats no-messages no-config column trim ' +
      'quiet invert-match pcre2',
    longValued:
      'color type type-not glob max-count context after-context before-context regexp max-depth max-columns sort',
    longNext: 'type type-not max-count context after-context before-context max-depth sort',
    deep: ['u.', 'hidden no-ignore unrestricted'],
  },
};

const gitDiffLong =
  'stat numstat shortstat summary name-only name-status cached staged no-color no-ext-diff no-textconv no-renames ' +
  'patch no-patch check ignore-all-space ignore-space-change find-renames merge-base minimal word-diff';
const gitDiffValued = 'unified diff-filter color find-renames stat word-diff inter-hunk-context';
const gitLogLong =
  `${gitDiffLong} oneline graph all decorate no-decorate merges no-merges first-parent follow reverse branches tags ` +
  `remotes abbrev-commit full-index date-order topo-order`;
const gitSelection = 'max-count skip since after until before author committer grep date';
const gitLogValued = `${gitDiffValued} ${gitSelection} abbrev decorate`;
const gitList = 'sort format contains no-contains merged no-merged points-at';
const gitFormats =
  /^--(format|pretty)=(oneline|short|medium|full|fuller|reference|raw|(format:|tformat:)?([^%]|%(n|h|H|s|b|B|an|ae|ad|ar|as|aI|cn|ce|cd|cr|cs|cI|d|D|p|P|t|T|%|x09|x00|Cgreen|Cred|Cblue|Cyellow|Creset))*)$/;

const git: Readonly<Record<string, ReadOnlySpec>> = {
  status: {
    operands: 'paths',
    flags: 'sbuz',
    long: 'short branch porcelain long untracked-files ignored show-stash ahead-behind',
    longValued: 'porcelain untracked-files ignored',
  },
  diff: { operands: 'paths', flags: 'wbpMCzRsa', valued: 'USG', long: gitDiffLong, longValued: gitDiffValued },
  log: {
    operands: 'paths',
    flags: 'pwbMCzisE',
    valued: 'nUSG',
    long: gitLogLong,
    longValued: gitLogValued,
    takesNumber: true,
  },
  show: { operands: 'paths', flags: 'pwbMCzs', valued: 'U', long: gitLogLong, longValued: gitLogValued },
  shortlog: { operands: 'text', flags: 'sne', long: 'summary numbered all' },
  grep: {
    operands: 'patternThenPaths',
    flags: 'ivnclLwEFGPhHqzopW',
    valued: 'ABCme',
    long:
      'ignore-case line-number count name-only files-with-matches word-regexp extended-regexp fixed-strings ' +
      'perl-regexp show-function cached heading break',
    longValued: 'max-depth context color',
  },
  branch: {
    operands: 'none',
    flags: 'arv',
    long: 'all remotes list show-current verbose no-color',
    longValued: gitList,
  },
  tag: { operands: 'none', flags: 'ln', long: 'list', longValued: gitList },
  remote: { operands: 'none', flags: 'v', long: 'verbose' },
  'rev-parse': { operands: 'paths', long: 'show-toplevel abbrev-ref short verify is-inside-work-tree show-prefix' },
  'rev-list': { operands: 'paths', long: 'count all left-right no-merges', longValued: 'max-count since until author' },
  'merge-base': { operands: 'text', flags: 'a', long: 'all is-ancestor fork-point' },
  'ls-files': {
    operands: 'paths',
    flags: 'mocdsz',
    long: 'modified others cached deleted exclude-standard stage',
  },
  'ls-tree': { operands: 'paths', flags: 'rdtlz', long: 'name-only long full-tree' },
  'check-ignore': { operands: 'paths', flags: 'vqn' },
  blame: { operands: 'paths', flags: 'wMCse', valued: 'L' },
  describe: { operands: 'none', long: 'tags always dirty long all', longValued: 'abbrev match' },
};
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
  if (versions.test([command.text, ...texts].join(' '))) return { paths: [], usesRepository: false };
  switch (command.text) {
    case 'echo':
      return { paths: [], usesRepository: false };
    case 'printf':
      return textFormat.test(texts[0] ?? '') ? { paths: [], usesRepository: false } : null;
    case 'date':
      return texts.every((each) => /^(\+.*|-u|-I|-Iseconds|--iso-8601)$/s.test(each))
        ? { paths: [], usesRepository: false }
        : null;
    case 'command':
      return /^-[vV]$/.test(texts[0] ?? '') ? { paths: [], usesRepository: false } : null;
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
  const spec = verb === undefined || !Object.hasOwn(git, verb.text) ? undefined : git[verb.text];
  // Without this flag, a word would be the name of a new tag.
  const isListing = verb?.text === 'tag' && operands.some(({ text: flag }) => /^(-l|--list)$/.test(flag));
  const kept = operands.filter((word) => !gitFormats.test(word.text) && !(isListing && !word.text.startsWith('-')));
  const paths = spec === undefined ? null : operandPaths(kept, spec);
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
  const spec = Object.hasOwn(plain, command) ? plain[command] : undefined;
  if (spec === undefined) return null;
  const texts = rest.map((word) => word.text);
  // A filter of jq can read the environment, which may hold secrets, and other files.
  if (command === 'jq' && texts.some((filter) => /\benv\b|\$ENV\b|\b(import|include)\b/.test(filter))) return null;
  const paths = command === 'rg' && !hasHarmlessGlobs(texts) ? null : operandPaths(rest, spec);
  const [flags, long] = spec.deep ?? ['', ''];
  const deepPaths =
    paths === null && spec.deep !== undefined
      ? operandPaths(rest, { ...spec, flags: `${spec.flags ?? ''}${flags}`, long: `${spec.long ?? ''} ${long}` })
      : null;
  const found = paths ?? deepPaths;
  if (found === null) return null;
  return {
    paths: found,
    usesRepository: false,
    readsTree: command === 'rg' || paths === null,
    ...(paths === null ? { readsHidden: 'always' } : spec.readsFolders ? { readsHidden: 'inFolders' } : {}),
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
function operandPaths(words: readonly ShellWord[], spec: ReadOnlySpec): readonly ShellWord[] | null {
  const operands: ShellWord[] = [];
  let hasPattern = spec.operands !== 'patternThenPaths';
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
    const read = readFlag(word.text, spec);
    if (read === null) return null;
    if (read.isPattern) hasPattern = true;
    if (read.takesNext) {
      if (index + 1 >= words.length) return null;
      index++;
    }
  }
  if (spec.operands === 'none' && operands.length > 0) return null;
  if (spec.operands === 'onePath' && operands.length > 1) return null;
  if (spec.operands === 'text') return [];
  return (hasPattern ? operands : operands.slice(1)).filter((word) => word.text !== '-');
}

function readFlag(
  flag: string,
  spec: ReadOnlySpec,
): { readonly takesNext: boolean; readonly isPattern: boolean } | null {
  const has = (names: string | undefined, name: string): boolean => names?.split(' ').includes(name) === true;
  if (spec.takesNumber === true && /^-\d+$/.test(flag)) return { takesNext: false, isPattern: false };
  if (flag.startsWith('--')) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(flag) ?? [];
    // With `--files`, ripgrep takes no pattern.
    const isPattern = name === 'regexp' || name === 'files';
    if (value === undefined && has(spec.long, name)) return { takesNext: false, isPattern };
    if (value === undefined && has(spec.longNext, name)) return { takesNext: true, isPattern };
    return value !== undefined && (has(spec.longValued, name) || has(spec.longNext, name))
      ? { takesNext: false, isPattern }
      : null;
  }
  const letters = [...flag.slice(1)];
  for (const [index, letter] of letters.entries()) {
    if (spec.flags?.includes(letter) === true) continue;
    if (spec.valued?.includes(letter) !== true) return null;
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
