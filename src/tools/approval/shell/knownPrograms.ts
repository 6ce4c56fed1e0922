/** Arguments of one program that the star in a rule may stand for. Any argument not listed here makes the command
 *  need approval. */
export interface KnownProgram {
  /** Single letters without a value, and (`valued`) letters whose value is the rest of the word or the next word.
   *  `letters` also has letters with a value where the parser lets another flag follow any letter, as most
   *  JavaScript parsers do. */
  readonly letters?: string;
  readonly valued?: string;
  /** Long names, separated by spaces. Dashes inside them and case do not matter. Any of them may have a value after
   *  `=`; those of `longValued` may have it in the next word. */
  readonly long?: string;
  readonly longValued?: string;
  /** Further harmless words with dashes, such as long names with one dash. */
  readonly words?: RegExp;
  /** Words that tell the program what to run, what to load, or which other machine to use. */
  readonly carrying?: RegExp;
  /** The first argument must be one of these, or one of `namedVerbs` if the rule itself names it. Absent: the
   *  program has no verbs. */
  readonly verbs?: string;
  readonly namedVerbs?: string;
  /** Passes arguments to a script of the project: those after `--`, or all after the script's name. */
  readonly passesOn?: 'afterDashes' | 'afterVerb';
}

/** Other names of known programs. */
const aliases: Readonly<Record<string, string>> = {
  gradlew: 'gradle',
  mvnw: 'mvn',
  gmake: 'make',
  pip3: 'pip',
  gtar: 'tar',
  bsdtar: 'tar',
  podman: 'docker',
  'g++': 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  cc: 'gcc',
};

const gitOutput =
  'stat numstat shortstat summary name-only name-status cached staged patch no-patch check ignore-all-space ' +
  'ignore-space-change find-renames no-renames merge-base minimal word-diff unified diff-filter color no-color ' +
  'inter-hunk-context no-ext-diff no-textconv';
const gitHistory =
  `${gitOutput} oneline graph all decorate no-decorate merges no-merges first-parent follow reverse branches tags ` +
  'remotes abbrev-commit abbrev full-index date-order topo-order max-count skip since after until before author ' +
  'committer grep date format pretty left-right cherry-pick';
const gitList = 'list sort format contains no-contains merged no-merged points-at color no-color column';
/** Continues or ends an operation that the user or the agent has begun. */
const gitSequence = 'continue abort skip quit';

/** Git flags by verb. Excluded: flags that run something (`-x`, `-O`, `--exec`), load settings, write a named file,
 *  open an editor, or name a merge program (`--strategy`). */
const gitVerbs: Readonly<Record<string, KnownProgram>> = {
  add: {
    letters: 'AunvfN',
    long: 'all no-all update verbose dry-run force intent-to-add ignore-errors renormalize refresh chmod sparse',
  },
  archive: { letters: 'vl', long: 'format prefix list verbose worktree-attributes' },
  blame: { letters: 'wMCse', valued: 'L', long: 'porcelain show-email date' },
  branch: {
    letters: 'arvdDfmMcCqli',
    valued: 'u',
    long:
      'all remotes show-current verbose delete force move copy quiet track no-track set-upstream-to unset-upstream ' +
      `abbrev no-abbrev ${gitList}`,
  },
  checkout: {
    letters: 'ftlqd',
    valued: 'bB',
    long: 'quiet force track no-track detach orphan ours theirs merge progress guess no-guess',
  },
  'cherry-pick': {
    letters: 'nxs',
    valued: 'mX',
    long: `no-commit signoff allow-empty ff mainline strategy-option ${gitSequence}`,
  },
  clean: { letters: 'fdxXnq', valued: 'e', long: 'force dry-run quiet exclude' },
  clone: {
    letters: 'qvln',
    valued: 'bj',
    long: 'quiet verbose single-branch no-single-branch no-tags no-checkout progress',
    longValued: 'depth branch jobs shallow-since origin',
  },
  commit: {
    letters: 'aqvns',
    valued: 'mFCS',
    long:
      'all message amend no-edit signoff quiet verbose allow-empty allow-empty-message author date fixup squash ' +
      'no-verify file reuse-message dry-run short status no-status only include cleanup gpg-sign no-gpg-sign ' +
      'reset-author porcelain branch no-post-rewrite',
  },
  describe: { long: 'tags always dirty long all abbrev match exact-match contains' },
  diff: { letters: 'wbpMCzRsa', valued: 'USG', long: gitOutput },
  fetch: {
    letters: 'apqvtnfkP46',
    valued: 'j',
    long: 'all prune prune-tags tags no-tags unshallow quiet verbose dry-run force append keep progress no-auto-gc',
    longValued: 'depth deepen shallow-since jobs',
  },
  grep: {
    letters: 'ivnclLwEFGPhHqzopW',
    valued: 'ABCmef',
    long:
      'cached ignore-case line-number count name-only files-with-matches word-regexp extended-regexp fixed-strings ' +
      'perl-regexp invert-match all-match and or not break heading show-function function-context max-depth ' +
      'only-matching quiet color no-color',
  },
  init: { letters: 'q', valued: 'b', long: 'quiet initial-branch' },
  log: { letters: 'pwbMCzisE', valued: 'nUSGL', long: gitHistory },
  'ls-files': {
    letters: 'mocdszut',
    long: 'modified others cached deleted exclude-standard stage unmerged full-name error-unmatch',
  },
  merge: {
    letters: 'nqv',
    valued: 'mXS',
    long:
      'no-ff ff ff-only squash no-commit commit no-edit message quiet verbose stat no-stat strategy-option ' +
      `allow-unrelated-histories no-verify signoff log ${gitSequence}`,
  },
  mv: { letters: 'fknv', long: 'force dry-run verbose' },
  pull: {
    letters: 'qvnfptkar46',
    valued: 'Xj',
    long:
      'rebase no-rebase ff ff-only no-ff all prune tags no-tags unshallow quiet verbose autostash no-autostash ' +
      'no-edit squash no-commit allow-unrelated-histories force progress stat no-stat',
    longValued: 'depth strategy-option jobs',
  },
  push: {
    letters: 'uqvfnd46',
    valued: 'o',
    long:
      'set-upstream quiet verbose force force-with-lease force-if-includes all branches tags follow-tags delete ' +
      'dry-run no-verify atomic porcelain prune progress no-progress thin signed no-signed',
    longValued: 'push-option',
  },
  rebase: {
    letters: 'qvnfmkr',
    valued: 'XC',
    long:
      'onto autostash no-autostash keep-base root fork-point no-fork-point no-verify update-refs rebase-merges ' +
      'strategy-option quiet verbose stat no-stat signoff force-rebase no-ff merge apply empty keep-empty ' +
      `reapply-cherry-picks committer-date-is-author-date ${gitSequence}`,
  },
  reset: { letters: 'qN', long: 'hard soft mixed keep merge quiet no-quiet intent-to-add' },
  restore: { letters: 'SWq', valued: 's', long: 'source staged worktree quiet ours theirs progress' },
  'rev-parse': {
    long:
      'show-toplevel abbrev-ref short verify is-inside-work-tree show-prefix symbolic symbolic-full-name quiet ' +
      'git-dir',
  },
  revert: { letters: 'ns', valued: 'mX', long: `no-commit no-edit mainline signoff strategy-option ${gitSequence}` },
  rm: { letters: 'rfnq', long: 'cached force dry-run quiet ignore-unmatch' },
  shortlog: { letters: 'nsec', long: 'summary numbered email committer group all no-merges since until' },
  show: { letters: 'pwbMCzs', valued: 'U', long: gitHistory },
  stash: {
    letters: 'ukqaSp',
    valued: 'm',
    long: `include-untracked no-include-untracked keep-index no-keep-index all message quiet index staged ${gitOutput}`,
  },
  status: { letters: 'sbuzv', long: 'short branch porcelain long untracked-files ignored show-stash ahead-behind' },
  switch: {
    letters: 'dfqt',
    valued: 'cC',
    long: 'create force-create detach force quiet track no-track orphan guess no-guess discard-changes merge',
  },
  tag: {
    letters: 'adflsniv',
    valued: 'mFu',
    long: `annotate message file delete force sign local-user verify ${gitList}`,
  },
};

/** Package managers: the star only covers verbs that list. Other verbs fetch code and run it, or write settings that
 *  name a program to run. */
const packageManagers = Object.fromEntries(
  [
    'apt',
    'apt-get',
    'dnf',
    'yum',
    'apk',
    'snap',
    'choco',
    'winget',
    'scoop',
    'port',
    'conda',
    'mamba',
    'luarocks',
    'opam',
    'rustup',
    'brew',
    'gem',
    'bundle',
    'composer',
    'poetry',
    'pipenv',
    'pdm',
    'uv',
    'pip',
    'pipx',
    'nix',
    'cpan',
    'hex',
  ].map((name): [string, KnownProgram] => [
    name,
    {
      verbs: 'list show search info outdated freeze check validate licenses graph tree deps leaves',
      letters: 'qv',
      long: 'outdated format local user files verbose quiet direct json',
    },
  ]),
);

/** For programs whose words are `make` variables: `A=b` sets one, and some of them are commands. */
const assignment = /=/;
/** Words that name a file with further arguments in it. */
const argumentFile = /^@/;

const others: Readonly<Record<string, KnownProgram>> = {
  npm: {
    verbs:
      'test t tst run run-script start stop restart ls list la ll outdated view info show explain why help ping ' +
      'whoami root bin fund query',
    passesOn: 'afterDashes',
    letters: 'sw',
    long:
      'silent quiet if-present workspaces workspace include-workspace-root json long depth all parseable omit ' +
      'include production dry-run color no-color ignore-scripts loglevel offline prefer-offline no-audit no-fund ' +
      'no-update-notifier',
  },
  pnpm: {
    verbs: 'test t run start ls list why outdated licenses root build lint format check typecheck dev',
    passesOn: 'afterVerb',
  },
  yarn: { verbs: 'test run start list why info outdated build lint format check typecheck dev', passesOn: 'afterVerb' },
  bun: { verbs: 'test', letters: 't', long: 'watch bail timeout coverage only todo test-name-pattern' },
  deno: {
    verbs: 'test fmt lint check task bench info doc',
    long: 'watch quiet check fix coverage filter fail-fast no-check parallel',
    carrying: /:/,
  },
  '--test': {
    long:
      'watch test-name-pattern test-skip-pattern test-only test-concurrency test-timeout test-shard ' +
      'test-force-exit experimental-test-coverage enable-source-maps',
  },
  cargo: {
    verbs: 'build b check c test t clippy fmt doc tree metadata bench',
    namedVerbs: 'clean',
    passesOn: 'afterDashes',
    letters: 'qvr',
    valued: 'pjF',
    long:
      'release all workspace package features all-features no-default-features lib bins bin tests test examples ' +
      'example benches bench all-targets jobs locked offline frozen quiet verbose message-format no-run doc ' +
      'no-fail-fast exclude keep-going profile no-deps document-private-items color check edition',
  },
  go: {
    verbs: 'test build vet fmt list version doc',
    namedVerbs: 'mod',
    carrying: /@/,
    words:
      /^--?(run|v|count|race|short|timeout|bench|benchmem|benchtime|cover|coverpkg|covermode|coverprofile|failfast|parallel|cpu|shuffle|skip|json|p|n|x|trimpath|tags|a|deps|f|test|m)(=|$)/,
  },
  dotnet: {
    verbs: 'build test format',
    letters: 'vcf',
    long: 'configuration no-build no-restore verbosity filter framework nologo verify-no-changes list-tests',
    carrying: argumentFile,
  },
  swift: {
    verbs: 'build test',
    letters: 'vc',
    long:
      'configuration verbose filter skip parallel build-tests show-bin-path enable-code-coverage quiet product ' +
      'target list-tests num-workers',
    carrying: argumentFile,
  },
  docker: {
    verbs: 'ps logs images inspect version info stats top port diff history events',
    namedVerbs: 'build pull compose stop start restart kill rm rmi network volume image container system',
    letters: 'aqdlst',
    valued: 'n',
    long:
      'all quiet no-trunc tail since until timestamps follow format latest size last detach no-cache progress tag ' +
      'filter',
    carrying: /^(run|exec|cp|create|import|load|plugin)$/,
  },
  kubectl: {
    verbs: 'get describe logs explain version top api-resources api-versions',
    namedVerbs: 'apply delete scale rollout label annotate wait diff',
    letters: 'AwfR',
    valued: 'nlocL',
    long:
      'namespace selector output all-namespaces watch show-labels sort-by field-selector container tail since ' +
      'follow previous no-headers filename recursive dry-run wait timeout replicas',
    carrying: /:\/\//,
  },
  gh: {
    verbs: 'status search',
    namedVerbs: 'pr issue run release workflow label',
    letters: 'dcfm',
    valued: 'LsSaltbBHq',
    long:
      'limit state search author assignee label json jq title body base head draft fill comments squash merge ' +
      'rebase delete-branch auto watch exit-status log log-failed',
  },
  make: {
    letters: 'kBnqsStirRwdpj',
    valued: 'l',
    long:
      'jobs keep-going silent quiet dry-run just-print always-make question touch ignore-errors print-directory ' +
      'no-print-directory no-builtin-rules trace debug load-average output-sync warn-undefined-variables',
    words: /^-[kBnqsStirRwdp]*j\d+$/,
    carrying: assignment,
  },
  pytest: {
    letters: 'xqvslh',
    valued: 'krmn',
    carrying: argumentFile,
    long:
      'tb maxfail lf last-failed ff failed-first nf new-first sw stepwise exitfirst verbose quiet capture ' +
      'durations durations-min collect-only co no-header no-summary show-capture color setup-show setup-only ' +
      'fixtures markers strict-markers cov cov-report cov-fail-under no-cov numprocesses dist timeout reruns ' +
      'randomly-seed runxfail deselect ignore ignore-glob showlocals disable-warnings cache-clear benchmark-only ' +
      'snapshot-update keyword',
  },
  unittest: { letters: 'vqfbc', valued: 'k', long: 'verbose quiet failfast buffer catch locals' },
  mypy: {
    letters: 'v',
    valued: 'pm',
    long:
      'strict ignore-missing-imports show-error-codes pretty no-error-summary no-incremental namespace-packages ' +
      'explicit-package-bases check-untyped-defs warn-unused-ignores python-version platform follow-imports ' +
      'exclude no-color-output show-traceback',
    carrying: argumentFile,
  },
  ruff: {
    verbs: 'check format rule linter version',
    letters: 'qvsenw',
    long:
      'fix no-fix unsafe-fixes diff watch select ignore extend-select preview quiet verbose silent check ' +
      'statistics show-fixes output-format exit-zero no-cache target-version line-length exit-non-zero-on-fix',
    carrying: argumentFile,
  },
  pyright: { letters: 'w', long: 'watch stats outputjson level warnings verbose skipunannotated dependencies' },
  vitest: {
    letters: 'wut',
    carrying: /^init$/,
    long:
      'run watch coverage update test-name-pattern silent bail retry pass-with-no-tests changed project shard ' +
      'max-workers hide-skipped-tests log-heap-usage allow-only dom globals typecheck test-timeout hook-timeout ' +
      'isolate no-isolate file-parallelism no-file-parallelism color no-color',
  },
  jest: {
    letters: 'ibuofewt',
    long:
      'run-in-band bail update-snapshot watch watch-all coverage verbose silent max-workers test-name-pattern ' +
      'test-path-pattern test-path-patterns only-changed only-failures pass-with-no-tests ci no-cache ' +
      'detect-open-handles force-exit list-tests shard select-projects changed-since colors find-related-tests ' +
      'json test-timeout randomize seed',
  },
  tsc: {
    letters: 'bwvhd',
    long:
      'no-emit build watch strict pretty incremental skip-lib-check list-files show-config declaration ' +
      'emit-declaration-only dry verbose force clean explain-files diagnostics extended-diagnostics target module ' +
      'jsx lib preserve-watch-output trace-resolution',
    words: /^-(noEmit|build|watch)$/,
    carrying: argumentFile,
  },
  eslint: {
    letters: 'hv',
    long:
      'fix fix-dry-run fix-type quiet max-warnings cache cache-strategy no-cache ext color no-color debug ' +
      'report-unused-disable-directives no-error-on-unmatched-pattern no-warn-ignored no-inline-config ' +
      'exit-on-fatal-error stats no-ignore',
  },
  prettier: {
    letters: 'clwu',
    long:
      'check write list-different ignore-unknown no-config no-editorconfig loglevel log-level cache no-cache color ' +
      'no-color single-quote tab-width print-width no-semi trailing-comma',
  },
  mocha: {
    letters: 'bwgftjs',
    long:
      'bail watch grep fgrep timeout retries parallel jobs exit recursive forbid-only check-leaks color dry-run ' +
      'invert slow sort delay full-trace',
  },
  playwright: {
    verbs: 'test',
    letters: 'xuhgj',
    long:
      'headed grep grep-invert workers retries project max-failures timeout list last-failed only-changed ' +
      'pass-with-no-tests quiet shard update-snapshots trace repeat-each forbid-only fully-parallel',
  },
  gradle: {
    letters: 'qisSdwmt',
    valued: 'x',
    long:
      'tests info quiet stacktrace full-stacktrace offline parallel no-parallel continue dry-run rerun-tasks ' +
      'no-daemon daemon build-cache no-build-cache configuration-cache no-configuration-cache warn debug ' +
      'exclude-task console warning-mode fail-fast max-workers continuous',
  },
  // A goal with a colon names a plugin, which is fetched and run.
  mvn: {
    words: /^-(q|B|ntp|e|X|o|U|am|amd|pl|fae|ff|fn|nsu|N|T|V|T\d+C?)$/,
    long:
      'quiet batch-mode no-transfer-progress also-make also-make-dependents projects fail-at-end fail-fast ' +
      'fail-never offline errors debug threads non-recursive',
    carrying: /:|^(site-)?deploy$/,
  },
  rubocop: {
    letters: 'aAlLPx',
    long:
      'autocorrect autocorrect-all auto-correct only except parallel no-parallel fail-level display-cop-names lint ' +
      'layout force-exclusion fail-fast',
  },
  rspec: {
    letters: 'bw',
    valued: 'et',
    long:
      'example tag fail-fast profile no-color color only-failures next-failure seed order backtrace warnings ' +
      'dry-run',
  },
  phpunit: {
    letters: 'v',
    long:
      'filter testsuite group exclude-group stop-on-failure stop-on-error testdox colors verbose debug list-tests ' +
      'no-coverage random-order-seed display-deprecations display-warnings coverage-text fail-on-warning',
  },
  tox: {
    letters: 'qvr',
    valued: 'ep',
    long: 'recreate parallel notest skip-pkg-install list listenvs',
    carrying: /^(exec|e|devenv|d|quickstart)$/,
    passesOn: 'afterDashes',
  },
  nox: {
    letters: 'rRlv',
    valued: 'sektp',
    long:
      'reuse-existing-virtualenvs no-install sessions list stop-on-first-error error-on-missing-interpreters ' +
      'verbose',
    passesOn: 'afterDashes',
  },
  // A colon names another machine; for tar, in `-f` too. `-W` takes a long flag on macOS.
  tar: {
    letters: 'cxtrudAvzjJapkmhoOw',
    valued: 'fC',
    long:
      'create extract list gzip bzip2 xz zstd verbose file directory exclude exclude-vcs strip-components ' +
      'keep-old-files same-permissions no-same-owner wildcards auto-compress append update totals',
    carrying: /:/,
  },
  rsync: {
    letters: 'avzrnPhptgolDHuqcW',
    long:
      'archive verbose dry-run delete progress stats human-readable exclude include recursive checksum update ' +
      'existing',
    carrying: /:/,
  },
  zip: { letters: 'rqvjy' },
  unzip: { letters: 'lqotn', valued: 'd' },
  grep: {
    letters: 'abcEFGHhiIlLnoPqrRsTUuvVwxyZz',
    valued: 'ABCDdefm',
    long:
      'recursive ignore-case invert-match line-number count files-with-matches word-regexp extended-regexp ' +
      'fixed-strings only-matching no-messages quiet context after-context before-context max-count regexp color ' +
      'colour include exclude exclude-dir',
  },
  rg: {
    letters: 'ivnclwxFSsoHNUqIuLaP.',
    valued: 'ABCmegjMtTfrE',
    long:
      'hidden no-ignore follow ignore-case line-number no-line-number files-with-matches files-without-match count ' +
      'files no-heading heading word-regexp fixed-strings only-matching multiline smart-case json stats ' +
      'no-messages no-config column trim quiet invert-match color type type-not glob iglob max-count context ' +
      'after-context before-context regexp max-depth max-columns sort unrestricted replace',
  },
  man: { letters: 'afkw' },
  sort: { letters: 'bdfghiMnrRuVscC', valued: 'kt', long: 'reverse unique numeric-sort human-numeric-sort' },
  mkdir: { letters: 'pv', valued: 'm', long: 'parents verbose' },
  touch: { letters: 'acm', valued: 'dtr' },
  cp: { letters: 'rRavpfnuidPLT', valued: 't', long: 'recursive archive verbose force no-clobber update parents' },
  mv: { letters: 'fnuviT', valued: 't', long: 'force no-clobber verbose update' },
  rm: { letters: 'rRfivd', long: 'recursive force verbose dir' },
  rmdir: { letters: 'pv' },
  chmod: { letters: 'RvcfrwxXst', long: 'recursive verbose' },
  curl: {
    letters: 'sSfLIivg',
    valued: 'XHm',
    long: 'silent show-error fail location head include max-time request header',
  },
  gcc: {
    words: /^-(c|g|o|S|O[0-3sg]?|W[a-z][a-z\d=-]*|std=[\w+]+|I[\w./-]+|l\w+|fPIC|D\w+(=\w*)?|pthread|shared|m(32|64))$/,
    carrying: argumentFile,
  },
};

/** Unknown program: a few flags that mean the same nearly everywhere. Excludes words with which many programs run
 *  another one or set a variable. */
const unknownProgram: KnownProgram = {
  letters: 'ahnqvVy',
  long:
    'verbose quiet silent dry-run json color no-color all force watch check fix list yes recursive release help ' +
    'version',
  carrying: /^(exec|eval|shell|ssh|console|repl|runner)$|^[A-Za-z_.][\w.]*[:+?!]*=/,
};

const programs: Readonly<Record<string, KnownProgram>> = {
  ...packageManagers,
  ...others,
  git: { verbs: Object.keys(gitVerbs).join(' ') },
  ...Object.fromEntries(Object.entries(gitVerbs).map(([verb, known]) => [`git ${verb}`, known])),
};

/** Name under which this module lists the program. */
export function knownName(name: string): string {
  const bare = name.replace(/\.(exe|cmd|bat)$/, '');
  return Object.hasOwn(aliases, bare) ? (aliases[bare] ?? bare) : bare;
}

/** Entry of the program, or of one of its verbs (`git push`). Null when unknown. */
export function knownProgram(name: string): KnownProgram | null {
  return Object.hasOwn(programs, name) ? (programs[name] ?? null) : null;
}

/** Entry for the arguments of a program after its verb. */
export function knownArguments(name: string, verb: string): KnownProgram {
  return knownProgram(`${name} ${verb}`) ?? knownProgram(name) ?? unknownProgram;
}

export function hasWord(list: string | undefined, word: string): boolean {
  return list !== undefined && list.split(' ').includes(word);
}

/** Tells if a word with dashes is a harmless flag, and if the next word is its value. */
export function readKnownFlag(
  text: string,
  known: KnownProgram,
): { readonly isHarmless: boolean; readonly takesNext: boolean } {
  const unknown = { isHarmless: false, takesNext: false };
  if (!text.startsWith('-')) return unknown;
  if (/^-\d+$/.test(text) || known.words?.test(text) === true || text === '--help' || text === '--version')
    return { isHarmless: true, takesNext: false };
  if (text.startsWith('--')) {
    const [name = '', value] = text.slice(2).split(/=(.*)/s);
    const isIn = (list: string | undefined): boolean =>
      hasWord(list?.replaceAll('-', ''), name.replaceAll('-', '').toLowerCase());
    if (!/^[A-Za-z]/.test(name)) return unknown;
    return isIn(known.longValued)
      ? { isHarmless: true, takesNext: value === undefined }
      : { isHarmless: isIn(known.long), takesNext: false };
  }
  const letters = [...text.slice(1)];
  for (const [index, letter] of letters.entries()) {
    if (known.valued?.includes(letter) === true) return { isHarmless: true, takesNext: index === letters.length - 1 };
    if (known.letters?.includes(letter) !== true) return unknown;
  }
  return { isHarmless: true, takesNext: false };
}
