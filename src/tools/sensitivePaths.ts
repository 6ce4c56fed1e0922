import type { AccessPath, AskReason } from '../transcript/approval';

/** Kind of file that needs approval in every mode. Names are compared ignoring case, on every system. */
interface SensitiveFiles {
  readonly reason: Extract<AskReason, 'sensitive' | 'dotConfig' | 'repositoryInternals'>;
  /** True: sensitive to read too. False: only to change. */
  readonly isSecret: boolean;
  /** Reason, for docs/approvals.md and for anyone who extends this list. */
  readonly why: string;
  /** Matched against the path with `/`, in lower case. Each entry matches from the start of a segment to the end of
   *  the path. */
  readonly names: readonly RegExp[];
}

const sensitiveFiles: readonly SensitiveFiles[] = [
  {
    reason: 'sensitive',
    isSecret: true,
    why: 'Keys and passwords in the clear.',
    names: [
      /\.env[^/]*/,
      /[^/]*\.env/,
      /\.?envrc/,
      /\.npmrc/,
      /\.yarnrc(\.yml)?/,
      /\.netrc/,
      /_netrc/,
      /\.pypirc/,
      /\.pgpass/,
      /pgpass\.conf/,
      /\.my\.cnf/,
      /\.mylogin\.cnf/,
      /\.htpasswd/,
      /credentials[^/]*/,
      /[^/]*credentials(\.[^/]+)?/,
      /\.?git-?credentials/,
      /secrets?\.(json|ya?ml|toml|ini|txt|env|xml|properties)/,
      /\.secrets?/,
      /[^/]*[._-]secrets?\.(json|ya?ml|toml|ini|txt)/,
      /\.dockercfg/,
      /\.vault[-_]?token/,
      /\.vault_pass[^/]*/,
      /service[-_]?account[^/]*\.json/,
      /application_default_[^/]*\.json/,
      /\.git\/(.*\/)?config(\.worktree)?/,
      /terraform\.tfstate[^/]*/,
      /\.docker\/config\.json/,
      /\.m2\/settings(-security)?\.xml/,
      /\.?kubeconfig[^/]*/,
      /[^/]*\.kubeconfig/,
      /\.(curlrc|wgetrc|s3cfg|boto|passwd-s3fs|databrickscfg|snowsql)/,
      /\.?mcp\.json/,
      /\.claude\/settings\.local\.json/,
      /\.codex\/config\.toml/,
      /(\.?auth|oauth[^/]*)\.json/,
      /\.dev\.vars[^/]*/,
      /client[-_]secrets?[^/]*\.json/,
      /[^/]*[-_]key\.json/,
      /\.gem\/credentials/,
      /\.cargo\/credentials(\.toml)?/,
      /[^/]*\.tfvars(\.json)?/,
      /\.terraformrc/,
      /master\.key/,
    ],
  },
  {
    reason: 'sensitive',
    isSecret: true,
    why: 'Private keys, certificates with keys, and stores of passwords.',
    names: [
      /[^/]*\.(pem|key|p12|pfx|pkcs12|p8|jks|keystore|kdbx?|ppk|asc|gpg|age|ovpn|keychain(-db)?)/,
      /id_(rsa|dsa|ecdsa|ed25519|ed448|xmss)[^/]*/,
      /ssh_host_[^/]*/,
      /login data[^/]*/,
      /logins\.json/,
      /key[34]\.db/,
      /cookies\.sqlite/,
      /wallet\.dat/,
    ],
  },
  {
    reason: 'sensitive',
    isSecret: true,
    why: 'Folders in which programs keep how they log in, and what a person typed.',
    names: [
      /\.(ssh|gnupg|aws|azure|kube|password-store|gcloud|oci|fly|heroku|chef)(\/.*)?/,
      /\.config\/(gh|gcloud|hub|op|sops|rclone|containers|doctl|stripe)(\/.*)?/,
      /keychains(\/.*)?/,
      /keyrings(\/.*)?/,
      /\.[^/]*_history/,
      /[^/]*consolehost_history\.txt/,
      /fish_history/,
      /proc\/(\d+|self|thread-self)(\/.*)?/,
      /environ/,
    ],
  },
  {
    reason: 'repositoryInternals',
    isSecret: false,
    why: 'Git runs what stands here, or follows it elsewhere. A file HEAD makes a folder a repository.',
    names: [
      /\.git(\/.*)?/,
      /git~\d(\/.*)?/,
      /\.husky(\/.*)?/,
      /\.githooks(\/.*)?/,
      /[^/]*hooks\/(pre|post|commit|applypatch|prepare|update|push|fsmonitor)-[^/]*/,
      /head/,
      /\.gitmodules/,
      /\.gitattributes/,
      /\.gitconfig/,
      /\.hg(\/.*)?/,
      /\.svn(\/.*)?/,
      /\.jj(\/.*)?/,
    ],
  },
  {
    reason: 'dotConfig',
    isSecret: false,
    why: 'Editors, containers and build services run what stands here, often without asking.',
    names: [
      /\.(vscode|cursor|windsurf|vscodium|codium|openvscode|code-server|positron|trae|antigravity)[^/]*(\/.*)?/,
      /library\/(application support|launchagents|launchdaemons|services|scripts)(\/.*)?/,
      /appdata(\/.*)?/,
      /\.(idea|fleet|zed|devcontainer|vs|run|settings|nova|cargo|circleci|buildkite|gitlab|woodpecker|forgejo|gitea|nvim|vim|emacs\.d|direnv|mvn|yarn|config|local|bin)(\/.*)?/,
      /\.devcontainer\.json/,
      /[^/]*\.code-workspace/,
      /\.github\/(workflows|actions)(\/.*)?/,
      /\.github\/dependabot\.ya?ml/,
      /\.gitlab-ci\.ya?ml/,
      /\.travis\.ya?ml/,
      /\.drone\.ya?ml/,
      /azure-pipelines\.ya?ml/,
      /jenkinsfile/,
      /bitbucket-pipelines\.ya?ml/,
      /\.pre-commit-config\.yaml/,
      /lefthook\.ya?ml/,
      /\.?lefthook(-local)?\.ya?ml/,
    ],
  },
  {
    reason: 'dotConfig',
    isSecret: false,
    why: 'Shells and tools run it, or take from it what to run, when they start.',
    names: [
      /\.(bash|zsh|ksh|csh|tcsh|fish|profile|login|logout|inputrc|kshrc|mkshrc)[^/]*/,
      /\.z(shrc|profile|login|logout|shenv|env)/,
      /\.(x|w)(initrc|session|profile)/,
      /\.pnpmfile\.c?js/,
      /\.pnpmrc/,
      /\.bunfig\.toml/,
      /bunfig\.toml/,
      /\.mise[^/]*/,
      /mise\.toml/,
      /\.tool-versions/,
      /\.asdfrc/,
      /\.rtx\.toml/,
      /\.(babelrc|eslintrc|prettierrc|mocharc|lintstagedrc|commitlintrc|stylelintrc|swcrc|nycrc)[^/]*/,
      /\.[^/]*rc\.(c|m)?js/,
      /\.curlrc/,
      /\.wgetrc/,
      /\.screenrc/,
      /\.tmux\.conf/,
      /\.vimrc/,
      /\.exrc/,
      /\.nvimrc/,
      /\.gdbinit/,
      /\.lldbinit/,
      /\.irbrc/,
      /\.pryrc/,
      /\.pythonrc(\.py)?/,
      /\.pdbrc/,
      /\.rprofile/,
      /\.gemrc/,
      /\.bundle(\/.*)?/,
      /\.condarc/,
      /pip\.conf/,
      /\.ripgreprc/,
      /\.(oh-my-[^/]*|nvm|fnm|volta|nodenv|pyenv|rbenv|rvm|jenv|goenv|asdf|sdkman|zprezto|zinit|zplug|antigen|antidote|ipython|jupyter|gradle|m2|ivy2|sbt|docker|deno|bun|rustup)(\/.*)?/,
      /\.xsessionrc/,
      /\.xprofile/,
      /(\.?v?env|\.?virtualenv|\.conda|\.tox\/[^/]+|\.nox\/[^/]+)\/(bin|scripts)(\/.*)?/,
      /[^/]*\.pth/,
      /sitecustomize\.py/,
      /usercustomize\.py/,
    ],
  },
  {
    reason: 'dotConfig',
    isSecret: false,
    why: 'Extensions of the editor and package managers load it and run what it says, often as soon as it is saved.',
    names: [
      /(eslint|prettier|stylelint|svelte|tailwind|vite|vitest|jest|postcss|babel|playwright|commitlint|lint-staged)\.config\.[^/]*/,
      /\.pnp\.[^/]*/,
      /node_modules(\/.*)?/,
      /(site|dist)-packages(\/.*)?/,
      /gradle\/wrapper(\/.*)?/,
      /(build|settings|init)\.gradle(\.kts)?/,
      /conftest\.py/,
      /\.?pylintrc/,
      /\.flake8/,
      /\.rubocop\.yml/,
      /\.php-cs-fixer[^/]*\.php/,
      /build\.rs/,
      /rust-toolchain(\.toml)?/,
      /[^/]*\.(cs|fs|vb)proj/,
      /directory\.build\.(props|targets)/,
      /cmakelists\.txt/,
      /mix\.exs/,
      /\.nvim\.lua/,
    ],
  },
  {
    reason: 'dotConfig',
    isSecret: false,
    why: 'Agents take orders from it, this one too.',
    names: [
      /\.(claude|cursor|codex|gemini|windsurf|continue|cline|roo|kilocode|aider|hermes|agents?|amazonq|junie|kiro|copilot|opencode|augment)(\/.*)?/,
      /agents?(\.[^/]*)?\.md/,
      /claude(\.[^/]*)?\.md/,
      /gemini\.md/,
      /hermes\.md/,
      /\.cursorrules/,
      /\.windsurfrules/,
      /\.clinerules(\/.*)?/,
      /\.roorules[^/]*/,
      /\.goosehints/,
      /\.aider[^/]*/,
      /skill\.md/,
      /\.github\/(copilot-instructions\.md|instructions(\/.*)?|prompts(\/.*)?|agents(\/.*)?|chatmodes(\/.*)?|skills(\/.*)?)/,
      /\.?mcp\.json/,
      /\.rules/,
      /convention(s)?\.md/,
    ],
  },
];

const compiled = sensitiveFiles.map((files) => ({
  ...files,
  expression: new RegExp(`(^|/)(${files.names.map((name) => name.source).join('|')})$`, 'su'),
}));

/** Reasons against changing the file; empty for a plain file. */
export function changeReasons(path: string): readonly AskReason[] {
  const name = foldedPath(path);
  return [...new Set(compiled.filter(({ expression }) => expression.test(name)).map(({ reason }) => reason))];
}

/** True when the content needs approval to read. */
export function isSecret(path: string): boolean {
  const name = foldedPath(path);
  return compiled.some((files) => files.isSecret && files.expression.test(name));
}

/** Name that a path is judged by. Inside an open folder, the names of the folders above it do not count. */
export function judgedName(path: AccessPath): string {
  return path.isInside ? path.shown : path.path;
}

/** Unifies spellings that a file system resolves to the same file: case, characters that some systems ignore, and
 *  what Windows cuts off the end of a name. */
function foldedPath(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
    .replaceAll('\\', '/')
    .split('/')
    .map((segment, index) =>
      index === 0 && /^[a-z]:$/.test(segment) ? segment : segment.replace(/:.*$/, '').replace(/(?<=[^. ])[. ]+$/, ''),
    )
    .join('/');
}
