import { parseRule } from './ruleText';
import { isCarrier, isInterpreter, programName, runsItsInput } from './shell/commandWrappers';
import type { ShellWord } from './shell/shellCommand';
import { namesCommand } from './shell/starArguments';
import { searchesHidden } from './shell/treeReaders';

/** Commands that do the same kind of thing whatever follows, so a rule with any further arguments makes sense.
 *  Longest first. */
const families: readonly (readonly string[])[] = [
  ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((tool) => [
    [tool, 'run', '*'],
    [tool, 'test'],
  ]),
  ...['add', 'commit', 'push', 'pull', 'fetch', 'stash', 'switch', 'merge', 'status', 'diff', 'log', 'show'].map(
    (verb) => ['git', verb],
  ),
  ...['build', 'check', 'test', 'clippy', 'fmt', 'doc'].map((verb) => ['cargo', verb]),
  ...['test', 'build', 'vet', 'fmt', 'list'].map((verb) => ['go', verb]),
  ...['build', 'test', 'format'].map((verb) => ['dotnet', verb]),
  ...['vitest', 'jest', 'tsc', 'eslint', 'prettier', 'mocha', 'playwright'].flatMap((tool) => [['npx', tool], [tool]]),
  ...['python', 'python3'].flatMap((tool) =>
    ['pytest', 'unittest', 'mypy', 'ruff'].map((module) => [tool, '-m', module]),
  ),
  ['pytest'],
  ['mypy'],
  ['ruff'],
  ['pyright'],
  ['uv', 'run', 'pytest'],
  ['poetry', 'run', 'pytest'],
  ['rg'],
  ['grep'],
  ['swift', 'build'],
  ['swift', 'test'],
  ['gradle', 'test'],
  ['mvn', 'test'],
  ['rubocop'],
  ['rspec'],
  ['phpunit'],
  ['tox'],
  ['nox'],
];

/** Too risky to allow permanently from a card. A user who wants this writes the rule in the settings. */
const neverOffered =
  /^(rm|rmdir|shred|unlink|srm|mkfs.*|fdisk|parted|diskutil|chmod|chown|chgrp|chattr|setfacl|mv|truncate|curl|wget|http|https|aria2c|ftp|scp|sftp|rsync|rclone|s3cmd|aws|az|gcloud|gh|glab|docker|podman|kubectl|helm|terraform|tofu|pulumi|ansible.*|vagrant|reboot|shutdown|halt|poweroff|systemctl|service|launchctl|mount|umount|iptables|ufw|passwd|useradd|usermod|visudo|history|pbpaste|xclip|security|gpg|openssl|base64)$/;

/** Rules that match the command, the most useful first. Empty when it can only be allowed once. */
export function offeredRules(
  assignments: readonly { readonly name: string; readonly value: ShellWord }[],
  words: readonly ShellWord[],
): readonly string[] {
  const command = words[0]?.text ?? '';
  const runsCode =
    isInterpreter(command) && words.some((word) => /^-[A-Za-z]*[cep]$|^--(eval|exec|print|command)/.test(word.text));
  if (
    neverOffered.test(programName(command)) ||
    isCarrier(command) ||
    runsItsInput(words) ||
    runsCode ||
    namesCommand(words) ||
    !/^[\x21-\x7e]+$/.test(command)
  )
    return [];
  // With any further arguments it could search files that hold secrets.
  const family = assignments.length === 0 && !searchesHidden(words) ? familyRule(words) : null;
  const isFixed = !words.some((word) => word.hasExpansion || word.hasGlob);
  const exact = isFixed
    ? checkedRule(
        [
          ...assignments.map(({ name, value }) => `${name}=${quoted(value.text)}`),
          ...words.map((word) => (word.hasTilde ? word.source : quoted(word.text))),
        ].join(' '),
        false,
      )
    : null;
  return [family, exact].filter((rule) => rule !== null);
}

function familyRule(words: readonly ShellWord[]): string | null {
  const family = families.find((named) =>
    named.every((name, index) =>
      name === '*' ? isName(words[index]) : words[index]?.text === name && isName(words[index], name),
    ),
  );
  return family === undefined ? null : checkedRule(family.map((_, index) => words[index]?.text ?? '').join(' '), true);
}

/** True for an argument that names a script or a target rather than a flag. */
function isName(word: ShellWord | undefined, known = ''): boolean {
  return (
    word !== undefined &&
    !word.hasExpansion &&
    !word.hasGlob &&
    (word.text === known || /^[\w][\w:./-]*$/.test(word.text))
  );
}

function checkedRule(command: string, hasMore: boolean): string | null {
  const text = `run(${command}${hasMore ? ' *' : ''})`;
  const rule = parseRule(text);
  return rule?.kind === 'run' && rule.words !== null && rule.hasMore === hasMore ? text : null;
}

function quoted(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
