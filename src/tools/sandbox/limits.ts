import { join } from 'node:path';

/** File access of a confined command: absolute paths, each with everything below it. Everything else is readable but
 *  not writable. */
export interface Limits {
  readonly writable: readonly string[];
  /** Read-only, even inside `writable`; a missing folder cannot be created. */
  readonly kept: readonly string[];
  /** Not readable. */
  readonly hidden: readonly string[];
  /** Readable, even inside `hidden`. */
  readonly shown: readonly string[];
}

interface LimitDeps {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Open folders, with links resolved. */
  readonly folders: readonly string[];
  readonly temporary: string;
  /** Folders with data of the extension and the editor. */
  readonly own: readonly string[];
  /** Folders of their programs, which may be read. */
  readonly programs: readonly string[];
  /** In the open folders: files that need approval in every mode, and files with secrets. */
  readonly found: FoundFiles;
  /** Names of the entries of the home folder. */
  readonly homeEntries: readonly string[];
  readonly exists: (path: string) => boolean;
}

export interface FoundFiles {
  readonly kept: readonly string[];
  readonly hidden: readonly string[];
  /** Outside of the open folders, but part of their repositories. */
  readonly writable: readonly string[];
}

/** Caches of package managers. No package manager runs their content unless a file elsewhere tells it to. */
const caches: Readonly<Record<'home' | 'linux' | 'darwin', readonly string[]>> = {
  home: [
    '.npm/_cacache',
    '.npm/_logs',
    '.yarn/berry/cache',
    '.yarn/berry/metadata',
    '.pnpm-store',
    '.local/share/pnpm/store',
    '.bun/install/cache',
    '.cargo/registry',
    '.cargo/git',
    'go/pkg/mod',
    'go/pkg/sumdb',
    '.gradle/caches',
    '.m2/repository',
    '.nuget/packages',
    '.ivy2/cache',
    '.pub-cache/hosted',
    '.composer/cache',
  ],
  linux: [
    '.cache/pip',
    '.cache/uv',
    '.cache/pypoetry',
    '.cache/yarn',
    '.cache/pnpm',
    '.cache/go-build',
    '.cache/node',
    '.cache/typescript',
    '.cache/deno',
    '.cache/composer',
    '.cache/golangci-lint',
    '.cache/mypy',
    '.cache/ruff',
  ],
  darwin: [
    'Library/Caches/pip',
    'Library/Caches/uv',
    'Library/Caches/pypoetry',
    'Library/Caches/Yarn',
    'Library/Caches/pnpm',
    'Library/Caches/go-build',
    'Library/Caches/typescript',
    'Library/Caches/deno',
    'Library/pnpm/store',
  ],
};

/** Places where programs store their credentials. */
const keyPaths: readonly string[] = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.password-store',
  '.gcloud',
  '.oci',
  '.fly',
  '.heroku',
  '.chef',
  '.config/gh',
  '.config/gcloud',
  '.config/hub',
  '.config/op',
  '.config/sops',
  '.config/rclone',
  '.config/containers',
  '.config/doctl',
  '.config/stripe',
  '.docker/config.json',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.mylogin.cnf',
  '.git-credentials',
  '.config/git/credentials',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.composer/auth.json',
  '.nuget/NuGet/NuGet.Config',
  '.terraform.d',
  '.terraformrc',
  '.s3cfg',
  '.boto',
  '.curlrc',
  '.wgetrc',
  '.vault-token',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.sqlite_history',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
];

/** Names in a home folder under which programs are installed; those that begin with a dot may be read too. */
const programFolders =
  /^(\..*|go|bin|sbin|lib|sdk|opt|snap|node_modules|miniconda\d?|anaconda\d?|mambaforge|miniforge\d?|micromamba|flutter|Android|Library|perl5|R|gems)$/i;

/** Limits for a command that runs now. */
export function limitsOf({
  home,
  platform,
  folders,
  temporary,
  own,
  found,
  homeEntries,
  programs,
  exists,
}: LimitDeps): Limits {
  const below = (names: readonly string[]): readonly string[] => names.map((name) => join(home, name)).filter(exists);
  const system = platform === 'darwin' ? caches.darwin : caches.linux;
  // If the home folder itself is open, everything in it is part of the work.
  const personal = folders.includes(home)
    ? []
    : homeEntries
        .filter((name) => !programFolders.test(name))
        .map((name) => join(home, name))
        .filter((path) => !folders.includes(path));
  return {
    writable: [...folders, temporary, ...found.writable, ...below([...caches.home, ...system])],
    kept: [...own, ...programs, ...found.kept],
    hidden: [...own, ...below(keyPaths), ...found.hidden, ...personal],
    shown: [...folders, ...found.writable, ...programs],
  };
}

/** Limits with further files that may be neither read nor changed (`hidden`), and files that may not be changed
 *  (`kept`). */
export function narrowed(limits: Limits, hidden: readonly string[], kept: readonly string[]): Limits {
  const isHidden = (path: string): boolean => hidden.some((each) => path === each || path.startsWith(`${each}/`));
  return {
    ...limits,
    kept: [...limits.kept, ...hidden, ...kept],
    hidden: [...limits.hidden, ...hidden],
    shown: limits.shown.filter((path) => !isHidden(path)),
  };
}
