import { parseRule } from './ruleText';
import { effectsOf, lossOf } from './shell/commandEffects';
import { CommandArguments, isCarrier, isComputed, isInterpreter, isScript, programName } from './shell/commandWords';
import type { ShellWord } from './shell/shellCommand';
import { searchesHidden } from './shell/treeReaders';

/** Commands that do the same kind of thing whatever follows, so a rule with any further arguments makes sense. */
const families =
  /^((npm|pnpm|yarn|bun) (run [\w:./-]+|test)|git (add|commit|push|pull|fetch|stash|switch|merge)|cargo (build|check|test|clippy|doc)|go (test|build|vet)|dotnet (build|test)|(npx )?(vitest|jest|tsc|eslint|prettier|mocha|playwright)|python3? -m (pytest|unittest|mypy|ruff check)|((uv|poetry) run )?pytest|mypy|ruff check|pyright|swift (build|test)|(gradle|mvn) test|rubocop|rspec|phpunit|tox|nox)(?= |$)/;

/** Rules that match the command, the most useful first. Empty when it can only be allowed once: a command with an
 *  effect that people fear, or one that runs what its words do not tell. */
export function offeredRules(
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
