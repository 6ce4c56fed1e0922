import type { CommandRisk, NamedRisk } from '../../../transcript/approval';
import type { CommandArguments } from './commandArguments';

interface RiskRow {
  /** Matches the program and its operands in one line, without flags. */
  readonly line: RegExp;
  readonly risk: CommandRisk;
  /** Further condition on the flags. Default: none. */
  readonly when?: (given: CommandArguments) => boolean;
}

const isReal = (given: CommandArguments): boolean => !given.has('', 'dry-run', 'help');
const isGlobal = (given: CommandArguments): boolean => given.has('g', 'global');

const deletesInDatabase =
  /\b(drop\s+(table|database|schema|view|index|user|role|column)|truncate\s+(table\s+)?\w|delete\s+from|dropDatabase|deleteMany|\.drop\()/i;

/** Programs whose first operands tell the risk. A new one is a row here and in the test. */
const rows: readonly RiskRow[] = [
  // Packages that others install
  { line: /^(npm|pnpm|yarn( npm)?|bun|cargo|poetry|uv|hatch|flit|lerna) publish\b/, risk: 'publishes', when: isReal },
  { line: /^(npm|pnpm) (unpublish|deprecate|dist-tag (add|rm))\b/, risk: 'publishes', when: isReal },
  { line: /^(vsce|ovsx|dart pub|flutter pub|changeset) publish\b/, risk: 'publishes', when: isReal },
  { line: /^(twine upload|gem push|dotnet nuget push|nuget push|cargo yank|mvn deploy)\b/, risk: 'publishes' },
  { line: /^(docker|podman) (image )?push\b|^helm push\b|^gh release (create|upload|delete)\b/, risk: 'publishes' },
  { line: /^gradlew? (.*[ :])?publish/, risk: 'publishes' },
  // Code from elsewhere that runs at once
  { line: /^((pnpm|yarn) dlx|bunx|bun x|uvx|uv tool run|pipx run) /, risk: 'downloadedPackage' },
  { line: /^(npx|npm exec) /, risk: 'downloadedPackage', when: (given) => given.has('y', 'yes') },
  // Packages of the machine
  {
    line: /^(apt|apt-get|aptitude) (install|remove|purge|autoremove|upgrade|full-upgrade|dist-upgrade)\b/,
    risk: 'systemPackages',
  },
  {
    line: /^(dnf|yum|zypper|microdnf|rpm-ostree) (\w*install|remove|erase|\w*upgrade|update)\b/,
    risk: 'systemPackages',
  },
  { line: /^(apk (add|del|upgrade)|brew (un)?install|brew (upgrade|reinstall))\b/, risk: 'systemPackages' },
  { line: /^(snap|flatpak|port|pkg|pkg_add|choco|scoop|winget) (un)?install\b/, risk: 'systemPackages' },
  { line: /^snap (remove|refresh)\b|^emerge\b|^port (upgrade|selfupdate)\b/, risk: 'systemPackages' },
  { line: /^pacman\b/, risk: 'systemPackages', when: (given) => given.has('SRU', 'sync', 'remove', 'upgrade') },
  { line: /^(dpkg|rpm)\b/, risk: 'systemPackages', when: (given) => given.has('irPUe', 'install', 'remove', 'purge') },
  { line: /^nix-env\b/, risk: 'systemPackages', when: (given) => given.has('ieu', 'install', 'uninstall', 'upgrade') },
  {
    line: /^(npm|pnpm|bun) (i|install|add|update|up|un|uninstall|rm|remove|link)\b/,
    risk: 'globalPackages',
    when: isGlobal,
  },
  { line: /^yarn global (add|remove|upgrade)\b|^(cargo|gem|go) install\b/, risk: 'globalPackages' },
  {
    line: /^pip[\d.]* (un)?install\b/,
    risk: 'globalPackages',
    when: (given) => given.has('', 'break-system-packages', 'user'),
  },
  // Files
  { line: /^rm\b/, risk: 'deletesRecursively', when: (given) => given.has('rR', 'recursive') },
  { line: /^(find|gfind)\b/, risk: 'deletesRecursively', when: (given) => given.has('', 'delete') },
  { line: /^rimraf\b/, risk: 'deletesRecursively' },
  {
    line: /^rsync\b/,
    risk: 'deletesRecursively',
    when: (given) => given.words.some(({ text }) => /^--(del$|delete)/.test(text)),
  },
  { line: /^(chmod|chown|chgrp)\b/, risk: 'permissions', when: (given) => given.has('R', 'recursive') },
  { line: /^chmod (0?777|a\+rwx|[ugo]*\+s)\b/, risk: 'permissions' },
  { line: /^(mkfs(\.\w+)?|fdisk|sfdisk|parted|wipefs|diskutil (erase|partition)\w*)\b/, risk: 'disk' },
  { line: /^dd (.* )?of=\/dev\//, risk: 'disk' },
  // Processes and services
  { line: /^(pkill|killall|kill)\b/, risk: 'endsProcesses', when: (given) => !given.has('lL', 'list') },
  { line: /^(shutdown|reboot|halt|poweroff)\b|^systemctl (reboot|poweroff|halt|suspend)\b/, risk: 'shutsDown' },
  {
    line: /^systemctl (start|stop|restart|reload|enable|disable|mask|unmask|edit|daemon-reload|kill)\b/,
    risk: 'services',
  },
  {
    line: /^service \S+ (start|stop|restart|reload)\b|^launchctl (load|unload|bootstrap|bootout|enable|disable)\b/,
    risk: 'services',
  },
  { line: /^crontab\b/, risk: 'services', when: (given) => !given.has('l') },
  // Things that others use
  { line: /^(terraform|tofu|pulumi|cdk|cdktf|sst) (apply|destroy|up|deploy|import|remove)\b/, risk: 'infrastructure' },
  { line: /^(terraform|tofu) state (rm|mv|push)\b/, risk: 'infrastructure' },
  {
    line: /^(kubectl|oc) (apply|create|delete|replace|patch|scale|drain|cordon|set|edit|rollout (restart|undo))\b/,
    risk: 'infrastructure',
    when: isReal,
  },
  { line: /^helm (install|upgrade|uninstall|delete|rollback)\b/, risk: 'infrastructure', when: isReal },
  {
    line: /^(serverless|sls|wrangler|fly|flyctl|firebase|netlify|eb|railway|amplify) (deploy|remove|delete|publish|up)\b/,
    risk: 'infrastructure',
  },
  { line: /^(vercel|now)\b/, risk: 'infrastructure', when: (given) => given.has('', 'prod') },
  {
    line: /^aws \S+ (delete|terminate|remove|put|create|update|stop|deregister|rb|rm|sync|mv|cp|run)\b/,
    risk: 'infrastructure',
  },
  { line: /^(gcloud|az|doctl) (.* )?(delete|create|update|deploy|remove|stop|set)\b/, risk: 'infrastructure' },
  {
    line: /^gh (repo|secret|variable|ssh-key|gpg-key) (delete|archive|edit|set|rename|create|add)\b/,
    risk: 'infrastructure',
  },
  { line: /^(dropdb|dropuser)\b|^mysqladmin (.* )?drop\b/, risk: 'database' },
  { line: /^(rails|rake|bin\/rails) db:(drop|reset|purge|schema:load|migrate:reset)\b/, risk: 'database' },
  {
    line: /^prisma (migrate reset|db push)\b|^(artisan|php artisan) (migrate:(fresh|reset|refresh)|db:wipe)\b/,
    risk: 'database',
  },
  { line: /^(\S+ )?manage\.py flush\b|^redis-cli (.* )?(flushall|flushdb)\b/i, risk: 'database' },
  {
    line: /^(psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|clickhouse(-client)?|cqlsh|mongosh?)\b/,
    risk: 'database',
    when: ({ words }) => words.some(({ text }) => deletesInDatabase.test(text)),
  },
  { line: /^(docker|podman) (system|image|container|volume|network|builder) (prune|rm)\b/, risk: 'containers' },
  { line: /^(docker|podman) (rm|rmi|volume rm|kill)\b/, risk: 'containers' },
  {
    line: /^(docker|podman) compose (.* )?(down|rm)\b|^docker-compose (.* )?(down|rm)\b/,
    risk: 'containers',
    when: (given) => given.has('v', 'volumes', 'rmi'),
  },
];

/** Programs that need more than one row. */
const ofTheirOwn: Readonly<Record<string, (given: CommandArguments) => readonly NamedRisk[]>> = {
  git: risksOfGit,
  hg: ({ operands }) => (operands[0] === 'push' ? [{ kind: 'push' }] : []),
  curl: risksOfCurl,
  wget: (given) => (given.has('', 'post-file', 'body-file') ? [{ kind: 'uploads' }] : []),
  scp: risksOfCopy,
  sftp: ({ operands }) => on('otherMachine', hostOf(operands[0])),
  rsync: risksOfCopy,
  ssh: ({ operands }) => on('otherMachine', hostOf(operands[0])),
};

/** Returns the risks that the program and its arguments show by themselves. */
export function risksOfProgram(given: CommandArguments): readonly NamedRisk[] {
  const found = rows.filter(({ line, when }) => line.test(given.line) && (when === undefined || when(given)));
  return [...found.map(({ risk }) => ({ kind: risk })), ...(ofTheirOwn[given.program]?.(given) ?? [])];
}

function risksOfGit(given: CommandArguments): readonly NamedRisk[] {
  const [verb, ...operands] = given.operands;
  switch (verb) {
    case 'push':
      return risksOfPush(given, operands);
    case 'reset':
      return given.has('', 'hard', 'merge') ? [{ kind: 'discardsChanges' }] : [];
    case 'checkout':
    case 'switch':
      return given.has('f', 'force', 'discard-changes') ||
        (verb === 'checkout' &&
          (given.words.some(({ text }) => text === '--') || operands.some((operand) => /^\.{1,2}(\/|$)/.test(operand))))
        ? [{ kind: 'discardsChanges' }]
        : [];
    case 'restore':
      return given.has('S', 'staged') && !given.has('W', 'worktree') ? [] : [{ kind: 'discardsChanges' }];
    case 'stash':
      return /^(drop|clear)$/.test(operands[0] ?? '') ? [{ kind: 'discardsChanges' }] : [];
    case 'branch':
      return given.has('D') || (given.has('d', 'delete') && given.has('f', 'force'))
        ? [{ kind: 'discardsChanges' }]
        : [];
    case 'worktree':
      return operands[0] === 'remove' && given.has('f', 'force') ? [{ kind: 'discardsChanges' }] : [];
    case 'clean':
      return given.has('n', 'dry-run') ? [] : [{ kind: 'deletesUntracked' }];
    case 'filter-branch':
    case 'filter-repo':
      return [{ kind: 'rewritesHistory' }];
    case 'reflog':
      return /^(expire|delete)$/.test(operands[0] ?? '') ? [{ kind: 'rewritesHistory' }] : [];
    case 'gc':
      return given.has('', 'prune') ? [{ kind: 'rewritesHistory' }] : [];
    default:
      return [];
  }
}

function risksOfPush(given: CommandArguments, [named, ...refs]: readonly string[]): readonly NamedRisk[] {
  if (given.has('n', 'dry-run')) return [];
  const remote = remoteName(given.valueOf('--repo') ?? named);
  const isForced =
    given.has('f', 'force', 'force-with-lease', 'force-if-includes', 'mirror') ||
    refs.some((ref) => ref.startsWith('+'));
  const isDeleting = given.has('d', 'delete', 'prune') || refs.some((ref) => ref.startsWith(':'));
  return [
    ...(isForced ? on('forcePush', remote) : []),
    ...(isDeleting ? on('deletesRemote', remote) : []),
    ...(isForced || isDeleting ? [] : on('push', remote)),
  ];
}

function risksOfCurl(given: CommandArguments): readonly NamedRisk[] {
  const isUploading =
    given.has('T', 'upload-file') ||
    given.words.some(({ text }, index) => {
      const value = given.words[index + 1]?.text ?? '';
      if (/^(-d|--data|--data-binary|--data-raw|--data-urlencode|--json)$/.test(text)) return value.startsWith('@');
      if (/^(-F|--form)$/.test(text)) return /=[@<]/.test(value);
      return /^(-d@|--(data(-binary|-urlencode)?|json)=@|-F[^=]+=[@<]|--form=[^=]+=[@<])/.test(text);
    });
  return isUploading ? [{ kind: 'uploads' }] : [];
}

/** For programs that copy to the last operand. */
function risksOfCopy({ operands }: CommandArguments): readonly NamedRisk[] {
  const target = operands.at(-1) ?? '';
  return operands.length > 1 && /^(\w+:\/\/|[^/:]+:)/.test(target) ? on('uploads', hostOf(target)) : [];
}

function on(kind: CommandRisk, target: string | undefined): readonly NamedRisk[] {
  return [target === undefined ? { kind } : { kind, target }];
}

function remoteName(text: string | undefined): string | undefined {
  return text !== undefined && /^[A-Za-z0-9][\w.-]{0,39}$/.test(text) ? text : undefined;
}

function hostOf(text: string | undefined): string | undefined {
  const host = /^(?:\w+:\/\/)?(?:[^@/\s]+@)?([A-Za-z0-9][\w.-]{0,79})/.exec(text ?? '')?.[1];
  return host;
}
