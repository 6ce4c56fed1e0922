import type { CommandEffect, NamedRisk } from '../../../transcript/approval';
import type { DiscardedFiles } from '../../files/changes/snapshot';
import { carriedCommands, CommandArguments, isComputed, isInterpreter, isScript, programName } from './commandWords';
import { NotUnderstood, type ShellPart, type ShellWord } from './shellCommand';
import { parseShell } from './shellParser';

interface EffectRow {
  readonly effect: CommandEffect;
  /** Matches the program and its operands in one line, without flags. */
  readonly line: RegExp;
  /** Further condition. Default: none. */
  readonly when?: (given: CommandArguments) => boolean;
}

const isReal = (given: CommandArguments): boolean => !given.has('', 'dry-run', 'help');
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
const rows: readonly EffectRow[] = [
  {
    effect: 'deletes',
    line: /^rm\b/,
    when: (given) => given.has('rR', 'recursive') || given.operands.some(isComputed),
  },
  { effect: 'deletes', line: /^(find|gfind)\b/, when: (given) => given.has('', 'delete') },
  { effect: 'deletes', line: /^(rimraf|del-cli|shred|srm|wipe)\b/ },
  { effect: 'deletes', line: /^rsync\b/, when: ({ words }) => words.some(({ text }) => /^--del(ete|$)/.test(text)) },
  { effect: 'deletes', line: /^git clean\b/, when: (given) => !given.has('n', 'dry-run') },
  { effect: 'rewrites', line: /^git push\b/, when: (given) => !given.has('n', 'dry-run') && isForced(given) },
  { effect: 'rewrites', line: /^git (filter-branch|filter-repo|prune|update-ref|reflog (expire|delete))\b/ },
  { effect: 'rewrites', line: /^git gc\b/, when: (given) => given.has('', 'prune') },
  { effect: 'publishes', line: /^git push\b/, when: (given) => !given.has('n', 'dry-run') && !isForced(given) },
  { effect: 'publishes', line: /^(npm|pnpm|yarn( npm)?|bun|cargo|poetry|uv|hatch|flit|lerna) publish\b/, when: isReal },
  { effect: 'publishes', line: /^(npm|pnpm) (unpublish|deprecate|dist-tag (add|rm))\b|^hg push\b/, when: isReal },
  { effect: 'publishes', line: /^(vsce|ovsx|dart pub|flutter pub|changeset) publish\b/, when: isReal },
  { effect: 'publishes', line: /^(twine upload|gem push|(dotnet )?nuget push|cargo yank|mvn deploy)\b/ },
  { effect: 'publishes', line: /^(docker|podman) (image )?push\b|^helm push\b|^gh release (create|upload|delete)\b/ },
  { effect: 'publishes', line: /^gradlew? (.*[ :])?publish/ },
  { effect: 'downloads', line: /^((pnpm|yarn) dlx|bunx|bun x|uvx|uv tool run|pipx run) / },
  { effect: 'downloads', line: /^(npx|npm exec) /, when: (given) => given.has('y', 'yes') },
  { effect: 'uploads', line: /^curl\b/, when: uploading },
  { effect: 'uploads', line: /^wget\b/, when: (given) => given.has('', 'post-file', 'body-file') },
  {
    effect: 'uploads',
    line: /^(scp|rsync)\b/,
    when: ({ names }) => names.length > 1 && /^(\w+:\/\/|[^/:]+:)/.test(names.at(-1) ?? ''),
  },
  { effect: 'uploads', line: /^(ssh|sftp)\b/ },
  { effect: 'rights', line: /^(sudo|doas|pkexec|su|runuser|gosu|su-exec)\b/ },
  {
    effect: 'installs',
    line: /^(apt|apt-get|aptitude|dnf|yum|zypper|microdnf|rpm-ostree|apk|brew|snap|flatpak|port|pkg|pkg_add|choco|scoop|winget) (\w*install|reinstall|add|del|remove|purge|autoremove|erase|\w*upgrade|update|refresh|selfupdate)\b|^emerge\b/,
  },
  { effect: 'installs', line: /^pacman\b/, when: (given) => given.has('SRU', 'sync', 'remove', 'upgrade') },
  { effect: 'installs', line: /^(dpkg|rpm)\b/, when: (given) => given.has('irPUe', 'install', 'remove', 'purge') },
  { effect: 'installs', line: /^nix-env\b/, when: (given) => given.has('ieu', 'install', 'uninstall', 'upgrade') },
  {
    effect: 'installs',
    line: /^(npm|pnpm|bun) (i|install|add|update|up|un|uninstall|rm|remove|link)\b/,
    when: (given) => given.has('g', 'global'),
  },
  { effect: 'installs', line: /^yarn global (add|remove|upgrade)\b|^(cargo|gem|go) install\b/ },
  {
    effect: 'installs',
    line: /^pip[\d.]* (un)?install\b/,
    when: (given) => given.has('', 'break-system-packages', 'user'),
  },
  { effect: 'machine', line: /^(chmod|chown|chgrp)\b/, when: (given) => given.has('R', 'recursive') },
  { effect: 'machine', line: /^chmod (0?777|a\+rwx|[ugo]*\+s)\b|^dd (.* )?of=\/dev\// },
  { effect: 'machine', line: /^(mkfs(\.\w+)?|fdisk|sfdisk|parted|wipefs|diskutil (erase|partition)\w*)\b/ },
  { effect: 'machine', line: /^(pkill|killall|kill)\b/, when: (given) => !given.has('lL', 'list') },
  { effect: 'machine', line: /^(shutdown|reboot|halt|poweroff)\b/ },
  {
    effect: 'machine',
    line: /^systemctl (start|stop|restart|reload|enable|disable|mask|unmask|edit|daemon-reload|kill|reboot|poweroff|halt|suspend)\b/,
  },
  {
    effect: 'machine',
    line: /^service \S+ (start|stop|restart|reload)\b|^launchctl (load|unload|bootstrap|bootout|enable|disable)\b/,
  },
  { effect: 'machine', line: /^crontab\b/, when: (given) => !given.has('l') },
  { effect: 'live', line: /^(terraform|tofu|pulumi|cdk|cdktf|sst) (apply|destroy|up|deploy|import|remove)\b/ },
  { effect: 'live', line: /^(terraform|tofu) state (rm|mv|push)\b/ },
  {
    effect: 'live',
    line: /^(kubectl|oc) (apply|create|delete|replace|patch|scale|drain|cordon|set|edit|rollout (restart|undo))\b/,
    when: isReal,
  },
  { effect: 'live', line: /^helm (install|upgrade|uninstall|delete|rollback)\b/, when: isReal },
  {
    effect: 'live',
    line: /^(serverless|sls|wrangler|fly|flyctl|firebase|netlify|eb|railway|amplify) (deploy|remove|delete|publish|up)\b/,
  },
  { effect: 'live', line: /^(vercel|now)\b/, when: (given) => given.has('', 'prod') },
  {
    effect: 'live',
    line: /^aws \S+ (delete|terminate|remove|put|create|update|stop|deregister|rb|rm|sync|mv|cp|run)\b/,
  },
  { effect: 'live', line: /^(gcloud|az|doctl) (.* )?(delete|create|update|deploy|remove|stop|set)\b/ },
  {
    effect: 'live',
    line: /^gh (repo|secret|variable|ssh-key|gpg-key) (delete|archive|edit|set|rename|create|add)\b/,
  },
  { effect: 'live', line: /^(dropdb|dropuser)\b|^mysqladmin (.* )?drop\b/ },
  { effect: 'live', line: /^(rails|rake|bin\/rails) db:(drop|reset|purge|schema:load|migrate:reset)\b/ },
  {
    effect: 'live',
    line: /^prisma (migrate reset|db push)\b|^(php )?artisan (migrate:(fresh|reset|refresh)|db:wipe)\b/,
  },
  { effect: 'live', line: /^(\S+ )?manage\.py flush\b|^redis-cli (.* )?(flushall|flushdb)\b/i },
  {
    effect: 'live',
    line: /^(psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|clickhouse(-client)?|cqlsh|mongosh?)\b/,
    when: ({ words }) => words.some(({ text }) => deletesRows.test(text)),
  },
  {
    effect: 'live',
    line: /^(docker|podman) ((system|image|container|volume|network|builder) (prune|rm)|rm|rmi|kill)\b/,
  },
  {
    effect: 'live',
    line: /^((docker|podman) compose|docker-compose) (.* )?(down|rm)\b/,
    when: (given) => given.has('v', 'volumes', 'rmi'),
  },
];

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
  switch (given.program) {
    case 'rm':
    case 'rmdir':
    case 'unlink':
    case 'shred':
    case 'srm':
    case 'wipe':
    case 'truncate':
    case 'rimraf':
    case 'del-cli':
      return words.length > 0 && words.every(({ text }) => /^--(help|version)$/.test(text)) ? null : files(operands);
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

function lossInGit(given: CommandArguments, isFile: (word: ShellWord) => boolean): Loss | null {
  const plain = given.operands.filter((word) => !word.hasExpansion);
  const [verb, ...rest] = plain;
  const [first] = rest;
  const isRemoving = given.has('d', 'delete');
  switch (verb?.text) {
    case undefined:
      return given.operands.length > 0 ? other : null;
    case 'reset':
      return given.has('', 'hard', 'merge', 'keep') ? tree : null;
    case 'checkout': {
      const at = given.words.findIndex(({ text }) => text === '--');
      if (given.has('f', 'force') || at !== -1 || given.has('p', 'patch', 'ours', 'theirs', 'pathspec-from-file'))
        return tree;
      if (given.has('bB', 'orphan', 'detach', 'track')) return null;
      return rest.some((word, index) => isComputed(word) || index > 0 || isFile(word)) ||
        rest.length < given.operands.length - 1
        ? tree
        : null;
    }
    case 'switch':
      return given.has('f', 'force', 'discard-changes') ? tree : null;
    case 'restore':
      return given.has('S', 'staged') && !given.has('W', 'worktree') ? null : tree;
    case 'read-tree':
      return given.has('u', 'reset') ? tree : null;
    case 'checkout-index':
      return given.has('f', 'force') ? tree : null;
    case 'rm':
      return given.has('n', 'dry-run', 'cached') ? null : tree;
    case 'clean':
      if (given.has('n', 'dry-run')) return null;
      // With `-ff`, other repositories too.
      return given.has('xX') || given.words.some(({ text }) => /^-\w*f\w*f/.test(text))
        ? other
        : { kind: 'tree', part: 'all' };
    case 'stash':
      return /^(drop|clear)$/.test(first?.text ?? '') ? other : null;
    case 'branch':
      return given.has('D') || (isRemoving && given.has('f', 'force')) ? other : null;
    case 'tag':
      return isRemoving ? other : null;
    case 'worktree':
      return first?.text === 'remove' ? other : null;
    case 'submodule':
      return first?.text === 'deinit' ? other : null;
    case 'reflog':
      return /^(expire|delete)$/.test(first?.text ?? '') ? other : null;
    case 'update-ref':
    case 'gc':
    case 'prune':
    case 'filter-branch':
    case 'filter-repo':
      return other;
    default:
      return null;
  }
}

/** Everything that the words of these commands discard. For a command whose name the shell computes, both what Git
 *  and what `rm -r` would discard with these words. */
export function lossesOf(parts: readonly ShellPart[], isFile: (word: ShellWord) => boolean): readonly Loss[] {
  return parts
    .flatMap((part) => carriedCommands(part.words))
    .filter(({ isRemote }) => !isRemote)
    .flatMap(({ words }) => {
      const [name, ...rest] = words;
      if (name === undefined) return [];
      if (!isComputed(name)) return lossOf(CommandArguments.of(words), isFile) ?? [];
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
  return plain.split(/[;&|\n(){}]|(?<=^|\s)(?:do|then|else|if|while|until|in|!)(?=\s)/).some((line) => {
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
  const found = rows.filter(({ line, when }) => line.test(given.line) && (when === undefined || when(given)));
  const isLosingCommits = found.some(({ effect }) => effect === 'rewrites' || effect === 'deletes');
  return [
    ...found.map(({ effect }) => named(effect, targetOf(effect, given))),
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
