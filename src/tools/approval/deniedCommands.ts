import type { RuleBook } from './ruleBook';
import { printRule, type Rule } from './ruleText';
import { carriedCommands, CommandArguments, isCarrier, isComputed, programName } from './shell/commandWords';
import { NotUnderstood, type ShellPart, type ShellWord } from './shell/shellCommand';
import { parseShell } from './shell/shellParser';

type RunRule = Extract<Rule, { readonly kind: 'run' }>;

/** Programs that run a command of a project or in surroundings of their own, behind words of theirs. */
const launchers =
  /^(systemd-run|poetry|pipenv|uv|pipx|hatch|pdm|bundle|rbenv|pyenv|asdf|mise|direnv|conda|mamba|nix|nix-shell|dotenvx?|doppler|lerna|nx|hyperfine|perf|valgrind|rlwrap|chrt|setarch|unshare|nsenter|firejail|bwrap|proot|fakeroot|xvfb-run|dbus-run-session)$/;

/** Rule that denies one of the commands; null when none does. Matches broadly: a path before the program, different
 *  case, global flags of the program (`git -C . push`), and words before it (`sudo`, `xargs`, `bash -c`) do not avoid
 *  a match. */
export function deniedCommandRule(parts: readonly ShellPart[], rules: RuleBook): string | null {
  const denies = rules.denies('run');
  if (denies.length === 0) return null;
  const commands = parts.flatMap((part) => spellings(part.words));
  const found = denies.find((rule) => commands.some((words) => fits(rule, words)));
  return found === undefined ? null : printRule(found);
}

/** True when a rule denies something of the same program, and only the shell knows which of its verbs these words
 *  are: computed words, or an alias that they define. */
export function mayBeDenied(words: readonly ShellWord[], rules: RuleBook): boolean {
  return rules.denies('run').some((rule) =>
    carriedCommands(words).some(({ words: own }) => {
      const [named = ''] = rule.words ?? [];
      const given = CommandArguments.of(own);
      if (given.program !== programName(named)) return false;
      const count = (rule.words ?? []).length - 1;
      return (
        given.words.some(({ text }) => /^alias\.|^--config-env/i.test(text)) ||
        (given.operands.some(isComputed) && given.operands.filter((word) => !isComputed(word)).length < count)
      );
    }),
  );
}

/** Rule that denies the text; null when none does. With `onlyWhole`, the text must equal the rule. Otherwise, for a
 *  command that could not be parsed, it only has to contain the rule's words in a row. */
export function deniedTextRule(command: string, rules: RuleBook, onlyWhole = false): string | null {
  const squeezed = (text: string): string =>
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/["'^`\\]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const text = squeezed(command);
  const found = rules.denies('run').find((rule) => {
    const plain = squeezed(rule.hasMore ? rule.text.slice(0, -1) : rule.text);
    if (plain === '') return true;
    if (onlyWhole) return text === plain;
    const at = text.search(
      new RegExp(`(^|[^\\w-])${plain.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(\\.exe)?($|[^\\w-])`),
    );
    return at !== -1;
  });
  return found === undefined ? null : printRule(found);
}

/** The command, what it carries, and for a carrier every command that its words may be. */
function spellings(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return carriedCommands(words).flatMap(({ words: own }) => {
    const [name] = own;
    if (name === undefined || !(isCarrier(name.text) || launchers.test(programName(name.text)))) return [own];
    const later = own.slice(1).flatMap((word, index) => {
      const script = /\s/.test(word.text) ? parseShell(word.text) : null;
      const nested = script === null || script instanceof NotUnderstood ? [] : script.parts;
      return [own.slice(index + 1), ...nested.flatMap((part) => carriedCommands(part.words).map((each) => each.words))];
    });
    return [own, ...later];
  });
}

/** Compares the program, then the words after its global flags, with those that the shell computes left out. Flags of
 *  the rule may stand anywhere. */
function fits({ words: named, hasMore }: RunRule, words: readonly ShellWord[]): boolean {
  if (named === null) return false;
  const set = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text));
  const own = words.slice(Math.max(set, 0));
  const texts = own.map(({ text }) => text);
  if (
    isPrefix(
      named,
      words.map(({ text }) => text),
      hasMore,
    ) ||
    isPrefix(named, texts, hasMore)
  )
    return true;
  const given = CommandArguments.of(own);
  if (isPrefix(named, given.withoutGlobalFlags, hasMore)) return true;
  const [program = '', ...rest] = named;
  const isFlag = (text: string): boolean => text.startsWith('-');
  return (
    hasMore &&
    programName(program) === given.program &&
    rest.some(isFlag) &&
    rest.filter(isFlag).every((flag) => texts.some((text) => isSpelling(flag, text))) &&
    isPrefix(
      [program, ...rest.filter((text) => !isFlag(text))],
      [given.program, ...given.operands.filter((word) => !isComputed(word)).map(({ text }) => text)],
      true,
    )
  );
}

/** True for the flag, and for the beginning of a long one, which Git and others take for the whole. */
function isSpelling(flag: string, text: string): boolean {
  return text === flag || (text.length > 2 && text.startsWith('--') && flag.startsWith(text));
}

function isPrefix(named: readonly string[], words: readonly string[], hasMore: boolean): boolean {
  if (words.length < named.length || (!hasMore && words.length !== named.length)) return false;
  return named.every((name, index) => {
    const word = words[index] ?? '';
    return word.toLowerCase() === name.toLowerCase() || (index === 0 && programName(word) === programName(name));
  });
}
