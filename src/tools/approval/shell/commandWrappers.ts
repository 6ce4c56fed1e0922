import type { ShellWord } from './shellCommand';

/** Programs that run code from their arguments or their input. */
const interpreters =
  /^((ba|z|da|k|mk|c|tc|fi|a|r)?sh|pwsh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|perl|php|lua[\d.]*|luajit|rscript|julia|osascript|tclsh|wish|groovy|scala|swift)(\.exe)?$/i;

/** Databases, editors, debuggers, and shells that accept commands for other programs in any word and on their input. */
const commandReaders =
  /^(sqlite3|duckdb|psql|mysql|mariadb|mongosh?|redis-cli|clickhouse(-client)?|cqlsh|sqlplus|sqlcmd|bc|dc|gdb|lldb|m4|ed|ex|vi|vim|view|gvim|nvim|emacs|nano|expect|ghci|irb|iex|erl|r|octave|gnuplot|powershell|cmd)(\.exe)?$/i;

/** Programs whose arguments are another command or a program of their own. A rule with ` *` never matches them. */
const carriers =
  /^(sudo|doas|su|pkexec|runas|ssh|scp|sftp|eval|exec|source|\.|xargs|parallel|watch|watchexec|nodemon|concurrently|entr|tmux|screen|xterm|less|more|most|valgrind|perf|hyperfine|caffeinate|unbuffer|fakeroot|firejail|bwrap|gosu|su-exec|setpriv|runuser|taskset|numactl|chrt|prlimit|dotenv|cross-env|direnv|script|strace|ltrace|dtruss|chroot|unshare|nsenter|setsid|systemd-run|at|batch|crontab|flock|busybox|toybox|env|printenv|command|builtin|nohup|nice|ionice|stdbuf|time|timeout|trap|alias|unalias|hash|enable|set|shopt|setopt|export|declare|typeset|local|readonly|unset|read|mapfile|exit|return|awk|gawk|mawk|nawk|sed|gsed|find|fd|fdfind|nc|ncat|netcat|socat|telnet|tee|dd|install|ln|start|wsl|abbr|functions?|bind|complete|kill|pkill|killall|open|xdg-open)(\.exe)?$/i;

/** Flags that make programs run something else, load something, or write somewhere. */
const carryingFlags = [
  'exec',
  'exec-path',
  'exec-batch',
  'eval',
  'command',
  'call',
  'config',
  'config-env',
  'config-file',
  'plugin',
  'plugins',
  'require',
  'import',
  'loader',
  'experimental-loader',
  'init-script',
  'init-file',
  'init-module',
  'rcfile',
  'shell',
  'script-shell',
  'node-options',
  'userconfig',
  'globalconfig',
  'prefix',
  'pre',
  'to-command',
  'checkpoint-action',
  'use-compress-program',
  'compress-program',
  'rsh',
  'rsh-command',
  'rsync-path',
  'receive-pack',
  'upload-pack',
  'ext-diff',
  'textconv',
  'extcmd',
  'tool',
  'open-files-in-pager',
  'editor',
  'pager',
  'wrapper',
  'output',
  'toolexec',
  'vettool',
  'overlay',
  'modfile',
  'ldflags',
  'gcflags',
  'asmflags',
  'unzip-command',
  'hostname-bin',
  'rulesdir',
  'resolve-plugins-relative-to',
  'parser',
  'info-script',
  'new-volume-script',
  'rmt-command',
  'output-file',
  'outfile',
  'outdir',
  'directory',
  'include-dir',
  'manifest-path',
  'browser',
  'kubeconfig',
  'use-yarnrc',
  'registry',
  'cwd',
  'dir',
  'preload',
  'inspect',
  'inspect-brk',
  'global-setup',
  'globalsetup',
  'setupfiles',
  'git-dir',
  'work-tree',
  'template',
  'interactive',
  'file',
  'makefile',
  'test-runner',
  'runner',
  'transform',
  'git',
  'agent',
  'javaagent',
  'edit',
];

/** Short flags of this kind for each program, matched anywhere in a group of short flags. */
const carryingLetters: Readonly<Record<string, string>> = {
  git: 'xOoicu',
  eslint: 'cfo',
  npm: 'cC',
  npx: 'cp',
  pnpm: 'cC',
  yarn: 'cC',
  make: 'fCEI',
  cargo: 'ZC',
  pytest: 'pco',
  tar: 'IF',
  rsync: 'e',
  gradle: 'IDPbcp',
  mvn: 'Dfs',
  mocha: 'r',
  vitest: 'cr',
  jest: 'c',
  tsc: 'p',
  gcc: 'B',
  zip: 'T',
  man: 'PH',
};
/** Other words of this kind for each program. */
const carryingWords: Readonly<Record<string, RegExp>> = {
  git: /^ext::/i,
  make: /^[^-].*=/,
  docker: /^(run|exec|-v|--volume.*|--mount.*|--privileged)$/,
  podman: /^(run|exec|-v|--volume.*|--mount.*|--privileged)$/,
  kubectl: /^(exec|run|cp|edit|debug|plugin)$/,
  dotnet: /^(exec|fsi|tool)$|^-p:/,
  gh: /^(alias|extension)$/,
  tar: /^[A-Za-z]*[IF][A-Za-z]*$/,
};

/** Command without its wrapper. `assignments`: variables set for this command only. */
interface Unwrapped {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
}

/** Removes wrappers that only change how a command runs (`time`, `timeout 10`, `env A=b`), as far as that is
 *  certain. Otherwise returns the same words. */
export function unwrapped(words: readonly ShellWord[]): Unwrapped {
  const rest = withoutWrapper(words);
  if (rest === null) return { words, assignments: [] };
  const inner = unwrapped(rest.words);
  return { words: inner.words, assignments: [...rest.assignments, ...inner.assignments] };
}

function withoutWrapper(words: readonly ShellWord[]): Unwrapped | null {
  const [first, second, third] = words;
  const after = (count: number): Unwrapped | null =>
    words.length > count && words[count]?.text.startsWith('-') === false
      ? { words: words.slice(count), assignments: [] }
      : null;
  switch (first?.text) {
    case 'time':
      return after(second?.text === '-p' ? 2 : 1);
    case 'nohup':
    case 'command':
      return after(1);
    case 'nice':
      return second?.text === '-n' && /^\d+$/.test(third?.text ?? '') ? after(3) : after(1);
    case 'timeout':
      return isPlain(second) && /^\d+(\.\d+)?[smhd]?$/.test(second.text) ? after(2) : null;
    case 'env': {
      const count = words.slice(1).findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text) || !isPlain(word));
      if (count === -1 || words[1 + count]?.text.startsWith('-') === true) return null;
      const assignments = words.slice(1, 1 + count).map((word) => {
        const at = word.text.indexOf('=');
        return { name: word.text.slice(0, at), value: { ...word, text: word.text.slice(at + 1) } };
      });
      return { words: words.slice(1 + count), assignments };
    }
    default:
      return null;
  }
}

/** True when the command runs its input, or code that is put together at run time. Even a rule with the same words
 *  does not tell what it runs. */
export function runsItsInput(words: readonly ShellWord[]): boolean {
  const command = programName(words[0]?.text ?? '');
  if (
    [
      'eval',
      'exec',
      'source',
      '.',
      'xargs',
      'parallel',
      'trap',
      'alias',
      'set',
      'shopt',
      'setopt',
      'enable',
      'export',
      'declare',
      'typeset',
      'local',
      'readonly',
      'unset',
      'read',
      'mapfile',
      'hash',
      'pushd',
      'popd',
      'builtin',
      'abbr',
    ].includes(command)
  )
    return true;
  return commandReaders.test(command) || (interpreters.test(command) && !isScript(words.map((word) => word.text)));
}

/** Name of the program without its folder, in lower case. */
export function programName(text: string): string {
  return (text.split(/[\\/]/).at(-1) ?? '').toLowerCase();
}

export function isCarrier(word: string): boolean {
  return carriers.test(programName(word)) || commandReaders.test(programName(word));
}

export function isInterpreter(word: string): boolean {
  return interpreters.test(programName(word));
}

/** True when an interpreter gets a file or a module to run. False for inline code or no argument. */
export function isScript(words: readonly string[]): boolean {
  const [, first, second] = words;
  if (first === undefined || first === '-' || /^\/dev\//.test(first)) return false;
  if (first === '-m')
    return second !== undefined && /^python|^pypy/.test(programName(words[0] ?? '')) && second !== 'code';
  // An address names code that is fetched (`npm:x` too).
  if (/^(eval|repl)$|^[a-z]+:/.test(first)) return false;
  if (first === '--test' && /^node/.test(programName(words[0] ?? ''))) return true;
  return !/^[-+]/.test(first) && programName(words[0] ?? '').replace('.exe', '') !== 'cmd';
}

/** True when an argument's name shows that it makes the program run something else, load something, or write
 *  somewhere. */
export function carries(command: string, text: string): boolean {
  const letters = carryingLetters[command];
  if (letters !== undefined && new RegExp(`^-[A-Za-z]*[${letters}]`).test(text)) return true;
  if (carryingWords[command]?.test(text) === true) return true;
  const name = /^--?([A-Za-z][\w-]*)/.exec(text)?.[1]?.toLowerCase();
  if (name === undefined || (!text.startsWith('--') && name.length < 3)) return false;
  // Many programs accept an abbreviated long flag.
  const isAbbreviated =
    ['git', 'npm', 'tar', 'rsync', 'make', 'sort', 'pytest'].includes(command) && text.startsWith('--');
  return carryingFlags.some(
    (flag) => flag === name || flag === name.replace(/[_-]/g, '') || (isAbbreviated && flag.startsWith(name)),
  );
}

function isPlain(word: ShellWord | undefined): word is ShellWord {
  return word !== undefined && !word.hasExpansion && !word.hasGlob;
}
