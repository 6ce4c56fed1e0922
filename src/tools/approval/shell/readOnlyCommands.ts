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
  /** The command lists files and facts about them, not their contents. */
  readonly namesOnly?: boolean;
}

type Operands = 'paths' | 'text' | 'none' | 'patternThenPaths';

/** Only the flags listed here count as harmless. Any other flag makes the command need approval. */
interface ReadOnlySpec {
  /** Single letters without a value (`flags`), and with one (`valued`). */
  readonly flags?: string;
  readonly valued?: string;
  /** Long names without a value (`long`), and with one (`longValued`). Never abbreviated. */
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
  readonly takesNumber?: boolean;
  readonly operands: Operands;
}

const plain: Readonly<Record<string, ReadOnlySpec>> = {
  ls: {
    flags: 'aA1lhtrSFdRkinpsgoGcux',
    long: ['all', 'almost-all', 'human-readable', 'recursive', 'reverse', 'size', 'directory', 'inode'],
    longValued: ['color', 'sort', 'time-style'],
    operands: 'paths',
  },
  cat: { flags: 'nbsvetAET', long: ['number', 'show-all'], operands: 'paths' },
  nl: { flags: '', valued: 'b', operands: 'paths' },
  head: { flags: 'qv', valued: 'nc', longValued: ['lines', 'bytes'], takesNumber: true, operands: 'paths' },
  tail: { flags: 'qv', valued: 'nc', longValued: ['lines', 'bytes'], takesNumber: true, operands: 'paths' },
  wc: { flags: 'lwcmL', long: ['lines', 'words', 'bytes', 'chars'], operands: 'paths' },
  sort: {
    flags: 'bdfghiMnrRuVsc',
    valued: 'kt',
    long: ['reverse', 'unique', 'numeric-sort', 'human-numeric-sort'],
    operands: 'paths',
  },
  cut: { flags: 's', valued: 'dfcb', longValued: ['delimiter', 'fields'], operands: 'paths' },
  tr: { flags: 'cdsC', operands: 'text' },
  cmp: { flags: 'ls', operands: 'paths' },
  stat: { flags: '', valued: 'c', longValued: ['format'], operands: 'paths' },
  file: { flags: 'bi', long: ['brief', 'mime', 'mime-type'], operands: 'paths' },
  du: { flags: 'shakmc', valued: 'd', longValued: ['max-depth'], operands: 'paths' },
  basename: { flags: '', operands: 'text' },
  dirname: { flags: '', operands: 'text' },
  realpath: { flags: '', operands: 'paths' },
  readlink: { flags: 'f', operands: 'paths' },
  pwd: { flags: 'LP', operands: 'none' },
  true: { operands: 'none' },
  false: { operands: 'none' },
  whoami: { operands: 'none' },
  uname: { flags: 'asrm', operands: 'none' },
  which: { flags: 'a', operands: 'text' },
  seq: { operands: 'text' },
  // `-r` and `-R` are left out: they read whole folders, including hidden files.
  grep: {
    flags: 'ivnclLwxEFGPohHqsazIb',
    valued: 'ABCme',
    takesNumber: true,
    long: [
      'ignore-case',
      'invert-match',
      'line-number',
      'count',
      'files-with-matches',
      'word-regexp',
      'extended-regexp',
      'fixed-strings',
      'only-matching',
      'no-messages',
      'quiet',
    ],
    longValued: ['context', 'after-context', 'before-context', 'max-count', 'regexp', 'color', 'colour'],
    operands: 'patternThenPaths',
  },
  // Without `--hidden`, `--no-ignore`, and `--follow`, rg skips files that are hidden, ignored by the repository, or
  // reached through links.
  rg: {
    flags: 'ivnclwxFSsoHNUqI',
    valued: 'ABCmegjMtT',
    long: [
      'ignore-case',
      'line-number',
      'no-line-number',
      'files-with-matches',
      'files-without-match',
      'count',
      'files',
      'no-heading',
      'heading',
      'word-regexp',
      'fixed-strings',
      'only-matching',
      'multiline',
      'smart-case',
      'json',
      'stats',
      'no-messages',
      'no-config',
      'column',
      'trim',
      'quiet',
      'invert-match',
    ],
    longValued: [
      'color',
      'type',
      'type-not',
      'glob',
      'max-count',
      'context',
      'after-context',
      'before-context',
      'regexp',
      'max-depth',
      'max-columns',
      'sort',
    ],
    operands: 'patternThenPaths',
  },
};

const gitDiffLong = [
  'stat',
  'numstat',
  'shortstat',
  'summary',
  'name-only',
  'name-status',
  'cached',
  'staged',
  'no-color',
  'no-ext-diff',
  'no-textconv',
  'no-renames',
  'patch',
  'no-patch',
  'check',
  'ignore-all-space',
  'ignore-space-change',
  'find-renames',
  'merge-base',
  'minimal',
  'word-diff',
];
const gitDiffValued = ['unified', 'diff-filter', 'color', 'find-renames', 'stat', 'word-diff', 'inter-hunk-context'];
const gitLogLong = [
  ...gitDiffLong,
  'oneline',
  'graph',
  'all',
  'decorate',
  'no-decorate',
  'merges',
  'no-merges',
  'first-parent',
  'follow',
  'reverse',
  'branches',
  'tags',
  'remotes',
  'abbrev-commit',
  'full-index',
  'date-order',
  'topo-order',
];
const gitLogValued = [
  ...gitDiffValued,
  'max-count',
  'skip',
  'since',
  'after',
  'until',
  'before',
  'author',
  'committer',
  'grep',
  'date',
  'abbrev',
  'decorate',
];
const gitFormats =
  /^--(format|pretty)=(oneline|short|medium|full|fuller|reference|raw|(format:|tformat:)?([^%]|%(n|h|H|s|b|B|an|ae|ad|ar|as|aI|cn|ce|cd|cr|cs|cI|d|D|p|P|t|T|%|x09|x00|Cgreen|Cred|Cblue|Cyellow|Creset))*)$/;

const git: Readonly<Record<string, ReadOnlySpec>> = {
  status: {
    flags: 'sbuz',
    long: ['short', 'branch', 'porcelain', 'long', 'untracked-files', 'ignored', 'show-stash', 'ahead-behind'],
    longValued: ['porcelain', 'untracked-files', 'ignored'],
    operands: 'paths',
  },
  diff: { flags: 'wbpMCzRsa', valued: 'USG', long: gitDiffLong, longValued: gitDiffValued, operands: 'paths' },
  log: {
    flags: 'pwbMCzisE',
    valued: 'nUSG',
    long: gitLogLong,
    longValued: gitLogValued,
    takesNumber: true,
    operands: 'paths',
  },
  show: { flags: 'pwbMCzs', valued: 'U', long: gitLogLong, longValued: gitLogValued, operands: 'paths' },
  branch: { flags: 'arv', long: ['all', 'remotes', 'list', 'show-current', 'verbose', 'no-color'], operands: 'none' },
  'rev-parse': {
    long: ['show-toplevel', 'abbrev-ref', 'short', 'verify', 'is-inside-work-tree', 'show-prefix'],
    operands: 'paths',
  },
  'ls-files': {
    flags: 'mocdsz',
    long: ['modified', 'others', 'cached', 'deleted', 'exclude-standard', 'stage'],
    operands: 'paths',
  },
  blame: { flags: 'wMCse', valued: 'L', operands: 'paths' },
  describe: { long: ['tags', 'always', 'dirty', 'long'], operands: 'none' },
};

/** File name extensions of source code. */
export const programText =
  /\.(tsx?|jsx?|[cm][jt]s|py|rs|go|java|kts?|cc?|cpp|hpp?|cs|rb|php|swift|scala|s?css|less|html?|vue|svelte|mdx?|sql)$/;

/** A `printf` format that accepts text only. With `%n` Bash sets a variable, and zsh evaluates numbers, which can
 *  set variables such as PATH. */
const textFormat = /^(?!-)([^%\\]|\\[abefnrtv\\]|%%|%-?\d*(\.\d+)?[sb])*$/s;

const versionTellers = new Set(['node', 'npm', 'python', 'python3', 'git']);
const findTests = new Set([
  '-type',
  '-name',
  '-iname',
  '-path',
  '-ipath',
  '-wholename',
  '-regex',
  '-iregex',
  '-regextype',
  '-maxdepth',
  '-mindepth',
  '-size',
  '-mtime',
  '-mmin',
  '-ctime',
  '-cmin',
  '-atime',
  '-amin',
  '-perm',
  '-user',
  '-group',
  '-links',
]);
const findSigns = new Set([
  '!',
  '-not',
  '-a',
  '-and',
  '-o',
  '-or',
  '(',
  ')',
  '-print',
  '-print0',
  '-prune',
  '-empty',
  '-depth',
  '-xdev',
  '-mount',
  '-true',
  '-false',
  '-readable',
  '-executable',
  '-writable',
  '-quit',
]);

/** Files that the command would read. Null when it may do more than read, or when that is unknown. */
export function lookedAt(words: readonly ShellWord[]): ReadPaths | null {
  const [command, ...rest] = words;
  if (command === undefined || words.some((word) => word.hasGlob)) return null;
  // `echo $?` prints a number and reads no file.
  if (
    words.some((word) => word.hasExpansion) &&
    !(command.text === 'echo' && words.every((word) => !word.hasExpansion || word.isNumbered))
  )
    return null;
  const texts = rest.map((word) => word.text);
  if (versionTellers.has(command.text) && texts.length === 1 && texts[0] === '--version')
    return { paths: [], usesRepository: false };
  switch (command.text) {
    case 'echo':
      return { paths: [], usesRepository: false };
    case 'printf':
      return textFormat.test(texts[0] ?? '') ? { paths: [], usesRepository: false } : null;
    case 'date':
      return texts.every((text) => /^(\+.*|-u)$/s.test(text)) ? { paths: [], usesRepository: false } : null;
    case 'find':
      return lookedFor(rest);
    case 'sed':
      return texts[0] === '-n' &&
        /^\d+(,(\d+|\$))?p$/.test(texts[1] ?? '') &&
        !rest.slice(2).some((word) => word.text.startsWith('-'))
        ? { paths: rest.slice(2), usesRepository: false }
        : null;
    case 'git': {
      const [verb, ...operands] = rest[0]?.text === '--no-pager' ? rest.slice(1) : rest;
      const spec = verb === undefined || !Object.hasOwn(git, verb.text) ? undefined : git[verb.text];
      const kept = operands.filter((word) => !gitFormats.test(word.text));
      const paths = spec === undefined ? null : operandPaths(kept, spec);
      // Git expands wildcards in words that are quoted for the shell: `'*env'`.
      if (
        paths?.some(({ text }) => /[*?[]/.test(text) && !(/^[\w./*-]+$/.test(text) && programText.test(text))) === true
      )
        return null;
      // The text after a colon is a file of another version.
      return paths === null
        ? null
        : {
            paths: paths.flatMap((word) =>
              word.text.includes(':')
                ? [word, { ...word, text: word.text.slice(word.text.lastIndexOf(':') + 1) }]
                : [word],
            ),
            usesRepository: true,
            readsTree: ['diff', 'log', 'show'].includes(verb?.text ?? ''),
          };
    }
    default: {
      const spec = Object.hasOwn(plain, command.text) ? plain[command.text] : undefined;
      const paths = spec === undefined ? null : operandPaths(rest, spec);
      if (paths === null || (command.text === 'rg' && !hasHarmlessGlobs(texts))) return null;
      return {
        paths,
        usesRepository: false,
        readsTree: command.text === 'rg',
        namesOnly: ['ls', 'du', 'stat', 'file', 'realpath', 'readlink'].includes(command.text),
      };
    }
  }
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
  if (spec.operands === 'text') return [];
  return hasPattern
    ? operands.filter((word) => word.text !== '-')
    : operands.slice(1).filter((word) => word.text !== '-');
}

function readFlag(
  text: string,
  spec: ReadOnlySpec,
): { readonly takesNext: boolean; readonly isPattern: boolean } | null {
  if (spec.takesNumber === true && /^-\d+$/.test(text)) return { takesNext: false, isPattern: false };
  if (text.startsWith('--')) {
    const [name = '', value] = splitFlag(text.slice(2));
    // With `--files`, ripgrep takes no pattern.
    const isPattern = name === 'regexp' || name === 'files';
    if (value === null && spec.long?.includes(name) === true) return { takesNext: false, isPattern };
    return value !== null && spec.longValued?.includes(name) === true ? { takesNext: false, isPattern } : null;
  }
  const letters = [...text.slice(1)];
  for (const [index, letter] of letters.entries()) {
    if (spec.flags?.includes(letter) === true) continue;
    if (spec.valued?.includes(letter) !== true) return null;
    return { takesNext: index === letters.length - 1, isPattern: letter === 'e' };
  }
  return { takesNext: false, isPattern: false };
}

function splitFlag(text: string): readonly [string, string | null] {
  const at = text.indexOf('=');
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
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
  const globs = texts.flatMap((text, index) => {
    if (text.startsWith('--glob=')) return [text.slice('--glob='.length)];
    const short = /^-[a-zA-Z]*?g(.*)$/s.exec(text);
    if (short === null || text.startsWith('--')) return [];
    return short[1] === '' ? [texts[index + 1] ?? ''] : [short[1] ?? ''];
  });
  return globs.every((glob) => {
    if (glob.startsWith('!')) return true;
    if (!harmless.test(glob) || isSecret(glob)) return false;
    const extensions = (glob.split('.').at(-1) ?? '').replace(/[{}]/g, '').split(',');
    return extensions.every((extension) => programText.test(`.${extension}`));
  });
}
