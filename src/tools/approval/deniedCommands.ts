import type { RuleBook } from './ruleBook';
import { printRule } from './ruleText';
import { isCarrier, isInterpreter, programName, unwrapped } from './shell/commandWrappers';
import { NotUnderstood, type ShellPart, type ShellWord } from './shell/shellCommand';
import { parseShell } from './shell/shellParser';

/** Rule that denies one of the commands; null when none does. Matches broadly: a path before the program, different
 *  case, and words before it (`sudo`, `xargs`, `bash -c`) do not avoid a match. */
export function deniedCommandRule(parts: readonly ShellPart[], rules: RuleBook): string | null {
  const denies = rules.denies('run');
  if (denies.length === 0) return null;
  const found = denies.find(
    (rule) =>
      rule.words !== null &&
      parts.some((part) => spellings(part.words).some((words) => fits(rule.words ?? [], rule.hasMore, words))),
  );
  return found === undefined ? null : printRule(found);
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

/** Words of the command, and of every command that may follow them. */
function spellings(words: readonly ShellWord[], depth = 0): readonly (readonly string[])[] {
  const inner = unwrapped(words).words;
  const texts = inner.map((word) => word.text);
  const own = [words.map((word) => word.text), texts];
  if (depth > 3 || inner[0] === undefined || !(isCarrier(inner[0].text) || isInterpreter(inner[0].text))) return own;
  const later = texts.slice(1).flatMap((text, index) => {
    const script = /\s/.test(text) ? parseShell(text) : null;
    const nested =
      script === null || script instanceof NotUnderstood
        ? []
        : script.parts.flatMap((part) => spellings(part.words, depth + 1));
    return [texts.slice(index + 1), ...nested];
  });
  return [...own, ...later];
}

function fits(named: readonly string[], hasMore: boolean, words: readonly string[]): boolean {
  const set = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return [words, words.slice(Math.max(set, 0))].some((candidate) => {
    if (candidate.length < named.length || (!hasMore && candidate.length !== named.length)) return false;
    return named.every((name, index) => {
      const word = candidate[index] ?? '';
      return (
        word.toLowerCase() === name.toLowerCase() ||
        (index === 0 && programName(word).replace(/\.exe$/, '') === programName(name).replace(/\.exe$/, ''))
      );
    });
  });
}
