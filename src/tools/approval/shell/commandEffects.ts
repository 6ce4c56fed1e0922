import type { CommandEffect, NamedRisk } from '../../../transcript/approval';
import type { DiscardedFiles } from '../../files/changes/snapshot';
import { carriedCommands, CommandArguments, isComputed, isInterpreter, isScript, programName } from './commandWords';
import { NotUnderstood, type ShellPart, type ShellWord } from './shellCommand';
import { parseShell } from './shellParser';

/** Matches the program and its operands in one line, without flags. `when`: further condition. Default: none. */
type EffectRow = readonly [line: RegExp, when?: (given: CommandArguments) => boolean];

const having =
  (letters: string, ...long: readonly string[]) =>
  (given: CommandArguments): boolean =>
    given.has(letters, ...long);
const lacking =
  (letters: string, ...long: readonly string[]) =>
  (given: CommandArguments): boolean =>
    !given.has(letters, ...long);
const isForced = (given: CommandArguments): boolean =>
  given.has('fd', 'force', 'force-with-lease', 'force-if-includes', 'mirror', 'delete', 'prune') ||
  given.names.slice(2).some((ref) => /^[+:]/.test(ref));
const deletesRows =
  /\b(drop\s+(table|database|schema|view|index|user|role|column)|truncate\s+(table\s+)?\w|delete\s+from|dropDatabase|deleteMany|\.drop\()/i;
const uploading = ({ words }: CommandArguments): boolean =>
  words.some(({ text }, index) => {
    const value = words[index + 1]?.text ?? '';
    if (/^(-d|--data|--data-binary|--data-raw|--data-urlencode|--json)$/.test(text)) return value.startsWith('@');
    if (/^(-F|--form)$/.test(text)) return /=[@<]/.test(value);
    return /^(-T|--upload-file|-d@|--(data(-binary|-urlencode)?|json)=@|(-F|--form=)[^=]+=[@<])/.test(text);
  });

/** Programs whose first operands tell the effect. A new one is a row here and in the test. */
const rows: Readonly<Partial<Record<CommandEffect, readonly EffectRow[]>>> = {
  deletes: [
    [/^rm\b/, (given) => given.has('rR', 'recursive') || given.operands.some(isComputed)],
    [/^(find|gfind)\b/, having('', 'delete')],
    [/^(rimraf|del-cli|shred|srm|wipe)\b/],
    [/^rsync\b/, ({ words }) => words.some(({ text }) => /^--del(ete|$)/.test(text))],
    [/^git clean\b/, lacking('n', 'dry-run')],
  ],
  rewrites: [
    [/^git push\b/, (given) => !given.has('n', 'dry-run') && isForced(given)],
    [/^git (filter-branch|filter-repo|prune|update-ref|reflog (expire|delete))\b/],
    [/^git gc\b/, having('', 'prune')],
  ],
  publishes: [
    [/^git push\b/, (given) => !given.has('n', 'dry-run') && !isForced(given)],
    [/^(npm|pnpm|yarn( npm)?|bun|cargo|poetry|uv|hatch|flit|lerna) publish\b/, lacking('', 'dry-run', 'help')],
    [/^(npm|pnpm) (unpublish|deprecate|dist-tag (add|rm))\b|^hg push\b/, lacking('', 'dry-run', 'help')],
    [/^(vsce|ovsx|dart pub|flutter pub|changeset) publish\b/, lacking('', 'dry-run', 'help')],
    [/^(twine upload|gem push|(dotnet )?nuget push|cargo yank|mvn deploy)\b/],
    [/^(docker|podman) (image )?push\b|^helm push\b|^gh release (create|upload|delete)\b/],
    [/^gradlew? (.*[ :])?publish/],
  ],
  downloads: [[/^((pnpm|yarn) dlx|bunx|bun x|uvx|uv tool run|pipx run) /], [/^(npx|npm exec) /, having('y', 'yes')]],
  uploads: [
    [/^curl\b/, uploading],
    [/^wget\b/, having('', 'post-file', 'body-file')],
    [/^(scp|rsync)\b/, ({ names }) => names.length > 1 && /^(\w+:\/\/|[^/:]+:)/.test(names.at(-1) ?? '')],
    [/^(ssh|sftp)\b/],
  ],
  rights: [[/^(sudo|doas|pkexec|su|runuser|gosu|su-exec)\b/]],
  installs: [
    [
      /^(apt|apt-get|aptitude|dnf|yum|zypper|microdnf|rpm-ostree|apk|brew|snap|flatpak|port|pkg|pkg_add|choco|scoop|winget) (\w*install|reinstall|add|del|remove|purge|autoremove|erase|\w*upgrade|update|refresh|selfupdate)\b|^emerge\b/,
    ],
    [/^pacman\b/, having('SRU', 'sync', 'remove', 'upgrade')],
    [/^(dpkg|rpm)\b/, having('irPUe', 'install', 'remove', 'purge')],
    [/^nix-env\b/, having('ieu', 'install', 'uninstall', 'upgrade')],
    [/^(npm|pnpm|bun) (i|install|add|update|up|un|uninstall|rm|remove|link)\b/, having('g', 'global')],
    [/^yarn global (add|remove|upgrade)\b|^(cargo|gem|go) install\b/],
    [/^pip[\d.]* (un)?install\b/, having('', 'break-system-packages', 'user')],
  ],
  machine: [
    [/^(chmod|chown|chgrp)\b/, having('R', 'recursive')],
    [/^chmod (0?777|a\+rwx|[ugo]*\+s)\b|^dd (.* )?of=\/dev\//],
    [/^(mkfs(\.\w+)?|fdisk|sfdisk|parted|wipefs|diskutil (erase|partition)\w*)\b/],
    [/^(pkill|killall|kill)\b/, lacking('lL', 'list')],
    [/^(shutdown|reboot|halt|poweroff)\b/],
    [
      /^systemctl (start|stop|restart|reload|enable|disable|mask|unmask|edit|daemon-reload|kill|reboot|poweroff|halt|suspend)\b/,
    ],
    [/^service \S+ (start|stop|restart|reload)\b|^launchctl (load|unload|bootstrap|bootout|enable|disable)\b/],
    [/^crontab\b/, lacking('l')],
  ],
  live: [
    [/^(terraform|tofu|pulumi|cdk|cdktf|sst) (apply|destroy|up|deploy|import|remove)\b/],
    [/^(terraform|tofu) state (rm|mv|push)\b/],
    [
      /^(kubectl|oc) (apply|create|delete|replace|patch|scale|drain|cordon|set|edit|rollout (restart|undo))\b/,
      lacking('', 'dry-run', 'help'),
    ],
    [/^helm (install|upgrade|uninstall|delete|rollback)\b/, lacking('', 'dry-run', 'help')],
    [/^(serverless|sls|wrangler|fly|flyctl|firebase|netlify|eb|railway|amplify) (deploy|remove|delete|publish|up)\b/],
    [/^(vercel|now)\b/, having('', 'prod')],
    [/^aws \S+ (delete|terminate|remove|put|create|update|stop|deregister|rb|rm|sync|mv|cp|run)\b/],
    [/^(gcloud|az|doctl) (.* )?(delete|create|update|deploy|remove|stop|set)\b/],
    [/^gh (repo|secret|variable|ssh-key|gpg-key) (delete|archive|edit|set|rename|create|add)\b/],
    [/^(dropdb|dropuser)\b|^mysqladmin (.* )?drop\b/],
    [/^(rails|rake|bin\/rails) db:(drop|reset|purge|schema:load|migrate:reset)\b/],
    [/^prisma (migrate reset|db push)\b|^(php )?artisan (migrate:(fresh|reset|refresh)|db:wipe)\b/],
    [/^(\S+ )?manage\.py flush\b|^redis-cli (.* )?(flushall|flushdb)\b/i],
    [
      /^(psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|clickhouse(-client)?|cqlsh|mongosh?)\b/,
      ({ words }) => words.some(({ text }) => deletesRows.test(text)),
    ],
    [/^(docker|podman) ((system|image|container|volume|network|builder) (prune|rm)|rm|rmi|kill)\b/],
    [/^((docker|podman) compose|docker-compose) (.* )?(down|rm)\b/, having('v', 'volumes', 'rmi')],
  ],
};

/** Work that the words of a command discard. */
export type Loss =
  /** Files that a checkpoint can restore, if it holds these words. */
  | { readonly kind: 'files'; readonly words: readonly ShellWord[] }
  /** Files of the whole work tree. */
  | { readonly kind: 'tree'; readonly part: NonNullable<DiscardedFiles['tree']> }
  /** What no checkpoint holds: records of Git, files that it ignores. Also when it is not known what is lost. */
  | { readonly kind: 'other' };

const other: Loss = { kind: 'other' };
const tree: Loss = { kind: 'tree', part: 'changed' };

/** What these words discard, by their meaning; null for nothing. `isFile`: true when a file has this name. */
export function lossOf(given: CommandArguments, isFile: (word: ShellWord) => boolean): Loss | null {
  const { operands, words } = given;
  const files = (named: readonly ShellWord[]): Loss =>
    named.length === 0 || named.some((word) => word.hasExpansion || /[{}]/.test(word.text))
      ? other
      : { kind: 'files', words: named };
  if (/^(rm|rmdir|unlink|shred|srm|wipe|truncate|rimraf|del-cli)$/.test(given.program))
    return words.length > 0 && words.every(({ text }) => /^--(help|version)$/.test(text)) ? null : files(operands);
  switch (given.program) {
    case 'find':
    case 'gfind': {
      if (!words.some(({ text }) => text === '-delete')) return null;
      const test = words.findIndex(({ text }) => /^[-!(]/.test(text));
      return files(words.slice(0, test));
    }
    case 'rsync':
      return words.some(({ text }) => /^--del(ete|$)/.test(text)) ? files(operands.slice(-1)) : null;
    case 'dd': {
      const written = words.find(({ text }) => text.startsWith('of='));
      return written === undefined ? null : files([{ ...written, text: written.text.slice(3) }]);
    }
    case 'git':
      return lossInGit(given, isFile);
    default:
      return null;
  }
}

const lost = (loss: Loss, isLost: boolean): Loss | null => (isLost ? loss : null);

/** What a verb of Git discards. `first`: its first operand. */
const gitLosses: Readonly<Record<string, (given: CommandArguments, first: string) => Loss | null>> = {
  reset: (given) => lost(tree, given.has('', 'hard', 'merge', 'keep')),
  switch: (given) => lost(tree, given.has('f', 'force', 'discard-changes')),
  restore: (given) => lost(tree, !given.has('S', 'staged') || given.has('W', 'worktree')),
  'read-tree': (given) => lost(tree, given.has('u', 'reset')),
  'checkout-index': (given) => lost(tree, given.has('f', 'force')),
  rm: (given) => lost(tree, !given.has('n', 'dry-run', 'cached')),
  clean: (given) => {
    if (given.has('n', 'dry-run')) return null;
    // With `-ff`, other repositories too.
    const isAll = given.has('xX') || given.words.some(({ text }) => /^-\w*f\w*f/.test(text));
    return isAll ? other : { kind: 'tree', part: 'all' };
  },
  stash: (_, first) => lost(other, /^(drop|clear)$/.test(first)),
  branch: (given) => lost(other, given.has('D') || (given.has('d', 'delete') && given.has('f', 'force'))),
  tag: (given) => lost(other, given.has('d', 'delete')),
  worktree: (_, first) => lost(other, first === 'remove'),
  submodule: (_, first) => lost(other, first === 'deinit'),
  reflog: (_, first) => lost(other, /^(expire|delete)$/.test(first)),
  'update-ref': () => other,
  gc: () => other,
  prune: () => other,
  'filter-branch': () => other,
  'filter-repo': () => other,
};

function lossInGit(given: CommandArguments, isFile: (word: ShellWord) => boolean): Loss | null {
  const [verb, ...rest] = given.operands.filter((word) => !word.hasExpansion);
  if (verb === undefined) return given.operands.length > 0 ? other : null;
  if (verb.text !== 'checkout')
    return Object.hasOwn(gitLosses, verb.text) ? (gitLosses[verb.text]?.(given, rest[0]?.text ?? '') ?? null) : null;
  const isOfPaths = given.words.some(({ text }) => text === '--');
  if (given.has('f', 'force') || isOfPaths || given.has('p', 'patch', 'ours', 'theirs', 'pathspec-from-file'))
    return tree;
  if (given.has('bB', 'orphan', 'detach', 'track')) return null;
  const names = rest.some((word, index) => isComputed(word) || index > 0 || isFile(word));
  return lost(tree, names || rest.length < given.operands.length - 1);
}

/** Everything that the words of these commands discard. For a command whose name the shell computes, both what Git
 *  and what `rm -r` would discard with these words. */
export function lossesOf(parts: readonly ShellPart[], isFile: (word: ShellWord) => boolean): readonly Loss[] {
  return parts
    .flatMap((part) => carriedCommands(part.words))
    .filter(({ isRemote }) => !isRemote)
    .flatMap(({ words, by }) => {
      const [name, ...rest] = words;
      if (name === undefined) return [];
      const loss = isComputed(name) ? null : lossOf(CommandArguments.of(words), isFile);
      // In other repositories.
      if (loss !== null && by?.line.startsWith('git submodule ') === true) return other;
      if (!isComputed(name)) return loss ?? [];
      const inGit = rest.some((word) => !isComputed(word)) ? lossOf(new CommandArguments('git', rest), isFile) : null;
      const deleted = new CommandArguments('rm', rest);
      return [...(inGit === null ? [] : [other]), ...(deleted.has('rR', 'recursive') ? [other] : [])];
    });
}

const emptyPart: ShellPart = {
  assignments: [],
  words: [],
  redirects: [],
  hasExpandedInput: false,
  isPiped: false,
  source: '',
};

/** The same for a text that could not be parsed: quotes and backslashes are left out, and a command may begin after
 *  every sign or word that separates commands. */
export function mayDiscard(text: string): boolean {
  const plain = text.replace(/["'^`\\]/g, '').replace(/\$(?=[({])/g, ' ');
  return plain.split(/[;&|\n(){}]|(?<=^|\s)(?:do|then|else|if|while|until|in|coproc|!)(?=\s)/).some((line) => {
    const texts = line.split(/\s+/).filter((word) => word !== '');
    const first = texts.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const words = first === -1 ? [] : texts.slice(first).map(crudeWord);
    return lossesOf([{ ...emptyPart, words }], () => true).length > 0;
  });
}

function crudeWord(text: string): ShellWord {
  return {
    text,
    source: text,
    hasExpansion: text.includes('$'),
    isNumbered: false,
    hasGlob: false,
    hasTilde: false,
    isQuoted: false,
  };
}

const downloaders = /^(curl|wget|aria2c|http|https|fetch)$/;
const downloadsInside = /(\$\(|<\(|`)[^]*\b(curl|wget|aria2c|fetch)\b/;

/** Names the effects of a command that people fear, for its card, and for rules with a star, which never cover more
 *  of them than their own words have. What is not in the table has no name. Empty too when the text cannot be parsed;
 *  the card has a separate sentence for that. */
export function effectsOfText(text: string): readonly NamedRisk[] {
  const script = parseShell(text);
  if (script instanceof NotUnderstood) return [];
  const found: NamedRisk[] = [];
  const downloaded = new Set<string>();
  let hasDownloaded = false;
  for (const part of script.parts)
    for (const { words, by } of carriedCommands(part.words)) {
      const given = CommandArguments.of(words);
      if (runsDownload(part, words, hasDownloaded, downloaded)) found.push({ kind: 'downloads' });
      else if (by?.program !== 'ssh') found.push(...effectsOf(words));
      else found.push(...effectsOf(words).filter(({ kind }) => kind !== 'uploads'));
      if (!downloaders.test(given.program)) continue;
      hasDownloaded = true;
      for (const file of savedFiles(part, given)) downloaded.add(fileName(file));
    }
  return [...new Map(found.map((effect) => [`${effect.kind} ${effect.target ?? ''}`, effect])).values()];
}

/** Effects of one command by its words, without what it carries. */
export function effectsOf(words: readonly ShellWord[]): readonly NamedRisk[] {
  const given = CommandArguments.of(words);
  const loss = lossOf(given, (word) => /^\.{1,2}(\/|$)/.test(word.text));
  const found = Object.entries(rows).flatMap(([effect, each]) =>
    each.flatMap(([line, when]) => (line.test(given.line) && when?.(given) !== false ? [effect as CommandEffect] : [])),
  );
  const isLosingCommits = found.some((effect) => effect === 'rewrites' || effect === 'deletes');
  return [
    ...found.map((effect) => named(effect, targetOf(effect, given))),
    ...(given.program === 'git' && loss !== null && !isLosingCommits ? [named('discards', undefined)] : []),
  ];
}

function named(kind: CommandEffect, target: string | undefined): NamedRisk {
  return target === undefined ? { kind } : { kind, target };
}

/** Remote, host or user that the words name. */
function targetOf(effect: CommandEffect, given: CommandArguments): string | undefined {
  const { program, names } = given;
  if (program === 'git' && names[0] === 'push') return plainName(given.valueOf('--repo') ?? names[1], 40);
  if (effect === 'uploads' && /^(ssh|sftp)$/.test(program)) return hostOf(names[0]);
  if (effect === 'uploads' && /^(scp|rsync)$/.test(program)) return hostOf(names.at(-1));
  if (effect !== 'rights') return undefined;
  const user = /^(su|gosu|su-exec)$/.test(program) ? names.find((word) => word !== '-') : given.valueOf('-u', '--user');
  return user === 'root' ? undefined : plainName(user, 32);
}

function plainName(text: string | undefined, most: number): string | undefined {
  return text !== undefined && text.length <= most && /^[A-Za-z_][\w.-]*$/.test(text) ? text : undefined;
}

function hostOf(text: string | undefined): string | undefined {
  return /^(?:\w+:\/\/)?(?:[^@/\s]+@)?([A-Za-z0-9][\w.-]{0,79})/.exec(text ?? '')?.[1];
}

/** True when the command runs text that this script downloads. */
function runsDownload(
  part: ShellPart,
  words: readonly ShellWord[],
  hasDownloaded: boolean,
  downloaded: ReadonlySet<string>,
): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const program = programName(first.text);
  const isRunning = isInterpreter(program) || /^(eval|source|\.)$/.test(program);
  if (isRunning && rest.some(({ source, hasExpansion }) => hasExpansion && downloadsInside.test(source))) return true;
  if (hasDownloaded && part.isPiped && isInterpreter(program) && readsInput(words)) return true;
  const script = isRunning ? rest.find(({ text }) => !text.startsWith('-')) : first;
  return script !== undefined && (isRunning || /\//.test(script.text)) && downloaded.has(fileName(script.text));
}

/** True when an interpreter runs its input: `sh`, `bash -s -- --yes`, `python3 -`. */
function readsInput(words: readonly ShellWord[]): boolean {
  const texts = words.map(({ text }) => text);
  if (texts.includes('-c') || texts.includes('-e')) return false;
  return texts.includes('-s') || !isScript(texts.filter((text, at) => at === 0 || !/^-[a-z]+$|^--\w/.test(text)));
}

/** Files that a download is saved as. */
function savedFiles({ redirects }: ShellPart, given: CommandArguments): readonly string[] {
  const isWget = given.program === 'wget';
  const saved = isWget ? given.valueOf('-O', '--output-document') : given.valueOf('-o', '--output');
  const byAddress = isWget ? saved === undefined : given.has('O', 'remote-name');
  return [
    ...(saved === undefined ? [] : [saved]),
    ...(byAddress ? given.names.map((address) => address.split(/[?#]/, 1)[0] ?? '') : []),
    ...redirects.flatMap(({ kind, target }) => (kind === 'write' ? [target.text] : [])),
  ];
}

function fileName(path: string): string {
  return path.split('/').at(-1) ?? '';
}
