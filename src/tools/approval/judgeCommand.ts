import type { AccessPath, AskReason, Mode, ShellKind } from '../../transcript/approval';
import { allowed, asked, deniedByRule, type Finding, strictest } from './finding';
import { deniedCommandRule, deniedTextRule, mayBeDenied } from './deniedCommands';
import { judgeEdit, judgeRead } from './judgeAccess';
import type { PathLookup } from './pathLookup';
import type { RuleBook } from './ruleBook';
import { effectsOf, lossOf } from './shell/commandEffects';
import {
  carriedCommands,
  isComputed,
  programName,
  runsItsInput,
  unwrapped,
  CommandArguments,
  isCarrier,
  isInterpreter,
  isScript,
} from './shell/commandWords';
import { lookedAt } from './shell/readOnlyCommands';
import { NotUnderstood, type ShellPart, type ShellRedirect, type ShellWord } from './shell/shellCommand';
import { parseShell } from './shell/shellParser';
import { isSecret } from '../pathTreatment';
import { foldersOf, reachedFiles, type WorkFolders, writtenPaths } from './writtenPaths';
import { parseRule } from './ruleText';

/** Commands that do the same kind of thing whatever follows, so a rule with any further arguments makes sense. */
const families =
  /^((npm|pnpm|yarn|bun) (run [\w:./-]+|test)|git (add|commit|push|pull|fetch|stash|switch|merge)|cargo (build|check|test|clippy|doc)|go (test|build|vet)|dotnet (build|test)|(npx )?(vitest|jest|tsc|eslint|prettier|mocha|playwright)|python3? -m (pytest|unittest|mypy|ruff check)|((uv|poetry) run )?pytest|mypy|ruff check|pyright|swift (build|test)|(gradle|mvn) test|rubocop|rspec|phpunit|tox|nox)(?= |$)/;

/** Rules that match the command, the most useful first. Empty when it can only be allowed once: a command with an
 *  effect that people fear, or one that runs what its words do not tell. */
function offeredRules(
  assignments: readonly { readonly name: string; readonly value: ShellWord }[],
  words: readonly ShellWord[],
): readonly string[] {
  const command = words[0]?.text ?? '';
  const texts = words.map((word) => word.text);
  const fears = effectsOf(words).some(({ kind }) => kind !== 'publishes');
  const given = CommandArguments.of(words);
  // A setting of Git can name a program.
  const isSet =
    given.program === 'git' && globalFlags(given).some(({ text }) => /^-c|^--(config-env|exec-path)/.test(text));
  const isUnknown = isInterpreter(command) ? !isScript(texts) : isCarrier(command) && programName(command) !== 'npx';
  if (fears || lossOf(given, () => false) !== null || isSet || isUnknown || !/^[\x21-\x7e]+$/.test(command)) return [];
  const plain = words.slice(0, words.findIndex(isComputed) >>> 0).map((word) => word.text);
  const family = assignments.length === 0 && !searchesHidden(words) ? families.exec(plain.join(' '))?.[0] : undefined;
  const exact = words.some(isComputed)
    ? null
    : [
        ...assignments.map(({ name, value }) => `${name}=${quoted(value.text)}`),
        ...words.map((word) => (word.hasTilde ? word.source : quoted(word.text))),
      ].join(' ');
  return [
    ...(family === undefined ? [] : checkedRule(family, true)),
    ...(exact === null ? [] : checkedRule(exact, false)),
  ];
}

function globalFlags({ words, operands: [verb] }: CommandArguments): readonly ShellWord[] {
  return verb === undefined ? words : words.slice(0, words.indexOf(verb));
}

function checkedRule(command: string, hasMore: boolean): readonly string[] {
  const text = `run(${command}${hasMore ? ' *' : ''})`;
  const rule = parseRule(text);
  return rule?.kind === 'run' && rule.words !== null && rule.hasMore === hasMore ? [text] : [];
}

function quoted(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

export interface CommandDeps {
  readonly mode: Mode;
  readonly rules: RuleBook;
  readonly lookup: PathLookup;
  /** True when the sandbox confines the command: rules with a star count, and files that must not be read are hidden
   *  from it. */
  readonly isConfined: boolean;
  /** True when rules with a star also count without the sandbox, by their first words alone. */
  readonly matchesPrefixes: boolean;
}

/** Variables that only change how a command presents its output. */
const harmlessVariables =
  /^(CI|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|LANG|LC_[A-Z]+|TZ|COLUMNS|LINES|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|VERBOSE|LOG_LEVEL|CGO_ENABLED|HUSKY|BROWSERSLIST_IGNORE_OLD_DATA)$/;
/** Variables that make programs load or run something, or find other programs or settings. */
export const dangerousVariables =
  /^(PATH|HOME|IFS|ENV|SHELL|SHELLOPTS|BASH.*|ZDOTDIR|PS[0-9]|PROMPT.*|CDPATH|FPATH|LD_.*|DYLD_.*|GCONV_PATH|NODE_OPTIONS|NODE_PATH|NODE_REPL.*|NPM_.*|npm_.*|YARN_.*|PNPM_.*|GIT_.*|SSH_.*|PAGER|LESS.*|MANPAGER|EDITOR|VISUAL|BROWSER|PYTHON(PATH|STARTUP|HOME|BREAKPOINT|WARNINGS|INSPECT|EXECUTABLE|USERBASE|PLATLIBDIR|SAFEPATH|CASEOK).*|PIP_.*|UV_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|_JAVA_OPTIONS|JDK_.*|MAVEN_.*|GRADLE_.*|CARGO_.*|RUSTC.*|RUSTFLAGS|RUSTUP_.*|GO.*|CGO_.*FLAGS.*|CC|CXX|LD|AR|MAKE.*|CFLAGS|LDFLAGS|DOTNET_.*|COMPlus_.*|PHP.*|LUA_.*|R_.*|PROXY|.*_proxy|.*_PROXY|RIPGREP_CONFIG_PATH|GREP_.*|KUBECONFIG|DOCKER_.*|AWS_.*|XDG_.*|TMPDIR|TERMINFO.*|OPENSSL_.*|SSL_.*|CURL_.*|WGETRC|PYTEST_.*|JEST_.*|VITEST_.*|ESLINT_.*|ELECTRON_.*|VSCODE_.*)$/;

/** Judges every command in the text, and every place it would write to. */
export function judgeRun(command: string, folder: AccessPath, shell: ShellKind, deps: CommandDeps): Finding {
  const { rules } = deps;
  const script = shell === 'posix' ? parseShell(command) : new NotUnderstood('Only the shells of Unix are understood.');
  const denying =
    script instanceof NotUnderstood
      ? deniedTextRule(command, rules)
      : (deniedTextRule(command, rules, true) ?? deniedCommandRule(script.parts, rules));
  if (denying !== null) return deniedByRule(denying);
  const away: Finding = folder.isInside && !isSecret(folder.shown) ? allowed : asked(['command', 'outside'], null);
  const folders = script instanceof NotUnderstood ? null : foldersOf(script, folder, deps.lookup);
  // The exact text that the user wrote as a rule, whatever it contains.
  const isWritten = rules.allows('run').some((rule) => !rule.hasMore && rule.text === withoutBlanks(command));
  const searches =
    !(script instanceof NotUnderstood) && script.parts.some((part) => mayMeetDenied(unwrapped(part.words).words, deps));
  if (away.kind === 'allow' && isWritten && !searches) return reachedDenials(script, folders, deps);
  if (script instanceof NotUnderstood || folders === null || script.parts.length === 0)
    return strictest([away, asked(['command', 'unparsed'], null)]);
  return strictest([away, ...script.parts.map((part) => judgePart(part, folders, deps))]);
}

function judgePart(part: ShellPart, folders: WorkFolders, deps: CommandDeps): Finding {
  const redirected = part.redirects.map((redirect) => judgeRedirect(redirect, folders, deps));
  const inner = unwrapped(part.words);
  const assignments = [...part.assignments, ...inner.assignments];
  const reached = reachedFiles([...part.words, ...assignments.map(({ value }) => value)], folders, deps);
  if (part.words.length === 0)
    return strictest([
      ...redirected,
      ...reached.denials,
      ...(assignments.length > 0 ? [asked(['command', 'unparsed'], null)] : []),
    ]);
  // For a command that only reads, the files it reads are known and `judgeReadPath` judges them.
  const denials = lookedAt(inner.words) === null ? reached.denials : [];
  return strictest([
    ...redirected,
    ...denials,
    ...(mayBeDenied(part.words, deps.rules) ? [asked(['command', 'unparsed'], null)] : []),
    judgeWords(part, inner.words, assignments, folders, reached.reasons, deps),
  ]);
}

const networkTools =
  /^(curl|wget|http|https|aria2c|ftp|sftp|scp|ssh|rsync|nc|ncat|netcat|socat|telnet|ping|dig|nslookup|host|gh|glab|aws|gcloud|az|kubectl|docker)$/;

function judgeWords(
  part: ShellPart,
  words: readonly ShellWord[],
  assignments: ShellPart['assignments'],
  folders: WorkFolders,
  reasons: readonly AskReason[],
  deps: CommandDeps,
): Finding {
  const [name] = words;
  if (name === undefined || name.hasExpansion || (name.hasGlob && name.source !== '[') || name.hasTilde)
    return asked(['command', 'unparsed'], null);
  if (assignments.some((set) => dangerousVariables.test(set.name) || set.value.hasExpansion))
    return asked(['command', 'unparsed'], null);
  const isHarmless = assignments.every((set) => harmlessVariables.test(set.name));
  if (isHarmless && name.text === 'cd') return judgeFolderChange(words, folders);
  const found = isHarmless && !part.hasExpandedInput ? judgeLook(words, folders, deps) : null;
  if (found !== null && found.kind !== 'ask') return found;
  const seen = found?.reasons ?? reasons;
  // A rule for git also covers Git in a subfolder, so `repositoryInternals` does not count here. A word that names a
  // file of the repository does count.
  const isReaching =
    found === null ? reasons.length > 0 : found.reasons.some((reason) => reason !== 'repositoryInternals');
  const fits = (book: RuleBook): boolean =>
    !part.hasExpandedInput && isAllowedByRule([part.words, words], assignments, isHarmless, isReaching, book, deps);
  if (mayMeetDenied(words, deps))
    return asked(['command', ...(seen.length === 0 ? ['sensitive' as const] : seen)], null);
  if (fits(deps.rules)) return allowed;
  const isNetwork = networkTools.test(programName(name.text));
  // If the file may be read, a command may read it too: offer the rule for the file.
  if (found !== null && isReaching) return asked(['command', ...seen], found.rules);
  // Offer only a rule that would have allowed this exact command.
  const offered = isNetwork
    ? undefined
    : offeredRules(isHarmless ? [] : assignments, words).find((rule) => fits(deps.rules.only(rule)));
  return asked(
    ['command', ...(isNetwork ? (['network'] as const) : []), ...seen],
    offered === undefined || isReaching ? null : [offered],
  );
}

/** Null for a command that may do more than look. Inside the sandbox, secrets are hidden from it and a repository can
 *  make Git run nothing outside. */
function judgeLook(words: readonly ShellWord[], folders: WorkFolders, deps: CommandDeps): Finding | null {
  const { rules, isConfined, lookup } = deps;
  const looked = rules.isUnsure('run') ? null : lookedAt(words);
  if (looked === null) return null;
  const places = looked.paths.map((word) => writtenPaths(word, folders, lookup));
  const isFolder = (path: AccessPath | null): path is AccessPath => path !== null && lookup.entries(path.path) !== null;
  const isHidden = (path: AccessPath): boolean => path.isInside && /(^|\/)\.[^./]/.test(path.shown);
  const here = folders.paths.map((path) => lookup.locate(path));
  const met = {
    inFolders: () => places.flat().some(isFolder),
    inHidden: () => [...here, ...places.flat()].filter(isFolder).some(isHidden),
    always: () => true,
  };
  if (looked.readsHidden !== undefined && !isConfined && met[looked.readsHidden]()) return null;
  const found = strictest([
    ...places.flatMap((each) =>
      each === null ? [asked(['outside'], null)] : each.map((path) => judgeRead(path, rules, lookup.home)),
    ),
    ...(looked.usesRepository && !folders.areRoots && !isConfined ? [asked(['repositoryInternals'], [])] : []),
    ...(looked.readsTree && mayMeetDenied(words, deps) ? [asked(['repositoryInternals'], [])] : []),
  ]);
  return found.kind === 'ask' && (looked.readsTree || looked.namesOnly) ? { ...found, rules: ruleless(found) } : found;
}

/** A rule for a file is of no use where whole folders are read, or only names. */
function ruleless(found: Extract<Finding, { kind: 'ask' }>): readonly string[] | null {
  return found.reasons.every((reason) => reason === 'repositoryInternals') ? found.rules : null;
}

/** True when a rule names the command. `isReaching`: the command names files that need approval in every mode, so
 *  only a rule with the same words covers it. */
function isAllowedByRule(
  spellings: readonly (readonly ShellWord[])[],
  assignments: ShellPart['assignments'],
  isHarmless: boolean,
  isReaching: boolean,
  rules: RuleBook,
  { isConfined, matchesPrefixes }: CommandDeps,
): boolean {
  const isHidden = spellings.some((words) => runsItsInput(words));
  if (isHidden && !isConfined) return false;
  const set = assignments.map(({ name, value }) => `${name}=${value.text}`);
  return rules.allows('run').some((rule) => {
    if (rule.words === null) return false;
    const first = Math.max(
      rule.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)),
      0,
    );
    const [given, named] = [rule.words.slice(0, first), rule.words.slice(first)];
    if (
      given.length === 0 ? !isHarmless : given.length !== set.length || given.some((each, index) => each !== set[index])
    )
      return false;
    return spellings.some((words) => {
      if (words.length < named.length || named.some((word, index) => !isSameWord(word, words[index]))) return false;
      if (!rule.hasMore) return words.length === named.length && !isHidden;
      return (isConfined || matchesPrefixes) && !isReaching && !doesMore(words, named.length, isConfined);
    });
  });
}

/** True when further words make the command do more in kind than the words of the rule: another effect that people
 *  fear, a search of hidden files, files that a check writes, or what only the shell knows. */
function doesMore(words: readonly ShellWord[], count: number, isConfined: boolean): boolean {
  const named = words.slice(0, count);
  if (words.some((word) => word.hasExpansion || (word.hasGlob && !isConfined))) return true;
  if (searchesHidden(words) && !searchesHidden(named)) return true;
  const writes = ({ text }: ShellWord): boolean => /^--(fix|write|output|in-place|apply|update)\b/.test(text);
  if (words.some(writes) && !named.some(writes)) return true;
  const kinds = (each: readonly ShellWord[]): readonly string[] =>
    carriedCommands(each).flatMap((carried) => effectsOf(carried.words).map(({ kind }) => kind));
  const known = kinds(named);
  return kinds(words).some((kind) => !known.includes(kind));
}

function isSameWord(named: string, word: ShellWord | undefined): boolean {
  return word !== undefined && !isComputed(word) && word.text === named;
}

function judgeRedirect(redirect: ShellRedirect, folders: WorkFolders, deps: CommandDeps): Finding {
  const { target } = redirect;
  if (target.hasExpansion || target.hasGlob) return asked(['command', 'unparsed'], null);
  if (['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin'].includes(target.text)) return allowed;
  const paths = writtenPaths(target, folders, deps.lookup);
  if (paths === null) return asked(['command', 'outside'], null);
  const { mode, rules, lookup } = deps;
  return strictest(
    paths.map((path) =>
      redirect.kind === 'read' ? judgeRead(path, rules, lookup.home) : judgeEdit(path, mode, rules, lookup.home),
    ),
  );
}

function judgeFolderChange(words: readonly ShellWord[], folders: WorkFolders): Finding {
  return words.length === 2 && folders.areInside ? allowed : asked(['command', 'outside'], null);
}

/** A rule that denies wins over rules that allow: a search of whole folders may come across any file. The sandbox
 *  hides such files, except for rules that begin with a wildcard at the root or in the home folder. */
function mayMeetDenied(words: readonly ShellWord[], { rules, isConfined }: CommandDeps): boolean {
  return (isConfined ? rules.hasUnboundedReadDenial : rules.denies('read').length > 0) && readsWholeTree(words);
}

/** Denials that still apply when a rule allows the exact text. */
function reachedDenials(
  script: ReturnType<typeof parseShell>,
  folders: WorkFolders | null,
  deps: CommandDeps,
): Finding {
  if (script instanceof NotUnderstood || folders === null) return allowed;
  const found = script.parts.flatMap((part) => [
    ...reachedFiles(part.words, folders, deps).denials,
    ...part.redirects.map((redirect) => judgeRedirect(redirect, folders, deps)),
  ]);
  return strictest(found.filter((finding) => finding.kind === 'deny'));
}

/** Leaves out what a shell skips around a command. To a shell, the other characters that `trim` removes (a carriage
 *  return, a no-break space) are part of a word. */
function withoutBlanks(command: string): string {
  return command.replace(/^[ \t\n]+|[ \t\n]+$/g, '');
}

/** True when the command outputs the contents of files that it does not name: whole folders, or Git history. */
function readsWholeTree(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words.map(({ text }) => text);
  const command = programName(first ?? '');
  if (/^(rg|ag|ack|rgrep|ugrep|ug|sift|pt)$/.test(command)) return true;
  if (/^[efbz]?grep$/.test(command))
    return rest.some((text) => /^-[A-Za-z\d]*[rR]|^--(r|de|dir)|^-[A-Za-z]*d/.test(text));
  const verbs = /^(grep|diff|log|show|archive|stash|whatchanged|format-patch|range-diff|cat-file)$/;
  return command === 'git' && rest.some((text) => verbs.test(text));
}

/** True when such a search includes hidden or ignored files, which often hold secrets. */
function searchesHidden(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words.map(({ text }) => text);
  const command = programName(first ?? '');
  if (command === 'rg')
    return (
      rest.some((text) => /^-[A-Za-z\d]*[uLg.]|^--(h|no-ig|u|fo|glob|ig|search-z|pre)/.test(text)) ||
      lookedAt(words)?.paths.some(({ text }) => /(^|\/)\.[^./]/.test(text)) === true
    );
  return /^[efbz]?grep$/.test(command) && readsWholeTree(words);
}
