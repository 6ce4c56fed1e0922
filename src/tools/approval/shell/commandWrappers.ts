import { programText } from './readOnlyCommands';
import type { ShellWord } from './shellCommand';

/** Programs that run code they are given, in the words or on their input. */
const interpreters =
  /^((ba|z|da|k|mk|c|tc|fi|a|r)?sh|pwsh|powershell|cmd|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|perl|php|lua[\d.]*|luajit|rscript|julia|osascript|tclsh|wish|expect|groovy|scala|ghci|irb|iex|erl|swift|sqlite3|psql|mysql|mongosh?|redis-cli|bc|gdb|lldb|m4|ed|ex|vim?|nvim|emacs)(\.exe)?$/i;

/** Programs whose words are a further command or a program of their own: a rule with ` *` never fits them. */
const carriers =
  /^(sudo|doas|su|pkexec|runas|ssh|scp|sftp|eval|exec|source|\.|xargs|parallel|watch|entr|script|strace|ltrace|dtruss|chroot|unshare|nsenter|setsid|systemd-run|at|batch|crontab|flock|busybox|toybox|env|printenv|command|builtin|nohup|nice|ionice|stdbuf|time|timeout|trap|alias|unalias|hash|enable|set|shopt|setopt|export|declare|typeset|local|readonly|unset|read|mapfile|exit|return|awk|gawk|mawk|nawk|sed|gsed|find|fd|fdfind|nc|ncat|netcat|socat|telnet|tee|dd|install|ln|start|wsl|abbr|functions?|bind|complete|kill|pkill|killall)(\.exe)?$/i;

/** Flags by which programs run something else, load something, or write somewhere. */
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

/** Short flags of that kind, by the program (and for git by its command). */
const carryingLetters: Readonly<Record<string, RegExp>> = {
  git: /^-(x|O|o|i)/,
  eslint: /^-(c|f|o)|^--format/,
  npm: /^-(c|C)/,
  npx: /^-(c|p)/,
  pnpm: /^-(c|C)/,
  yarn: /^-(c|C)/,
  make: /^-(f|C|E|I)|^[A-Za-z_][\w.]*[:+?!]*=/,
  cargo: /^-(Z|C)/,
  go: /^-(exec|toolexec|vettool|overlay|modfile|o|C)/,
  pytest: /^-(p|c|o)/,
  tar: /^-?[A-Za-z]*[IF]/,
  rsync: /^-[A-Za-z]*e/,
  gradle: /^-(I|D|P|b|c|p)/,
  mvn: /^-(D|f|s|gs|P|t)/,
  docker: /^(run|exec|-v|--volume.*|--mount.*|--privileged)$/,
  podman: /^(run|exec|-v|--volume.*|--mount.*|--privileged)$/,
  kubectl: /^(exec|run|cp|edit|debug|plugin)$/,
  mocha: /^-r/,
  vitest: /^-(c|r)/,
  jest: /^-(c|i)$/,
  tsc: /^-p/,
  gcc: /^-(B|wrapper|fplugin|specs)/,
  zip: /^-[A-Za-z]*T/,
  man: /^-(P|H)/,
  dotnet: /^(exec|fsi|tool)$|^-p:/,
};

/** Verbs that git has itself; any other may be an alias for a command. `config` and those that run commands are left out on purpose. */
const gitVerbs = new Set([
  'add',
  'am',
  'apply',
  'archive',
  'blame',
  'branch',
  'checkout',
  'cherry-pick',
  'clean',
  'clone',
  'commit',
  'describe',
  'diff',
  'fetch',
  'grep',
  'init',
  'log',
  'ls-files',
  'merge',
  'mv',
  'pull',
  'push',
  'rebase',
  'reset',
  'restore',
  'rev-parse',
  'revert',
  'rm',
  'shortlog',
  'show',
  'stash',
  'status',
  'switch',
  'tag',
]);

/** What a word in front of the command lets see of it. `assignments`: set for the command alone. */
export interface Unwrapped {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
}

/** Takes away what only changes how a command runs (`time`, `timeout 10`, `env A=b`), as far as that is sure; the same words otherwise. */
export function unwrapped(words: readonly ShellWord[]): Unwrapped {
  const rest = behindWrapper(words);
  if (rest === null) return { words, assignments: [] };
  const inner = unwrapped(rest.words);
  return { words: inner.words, assignments: [...rest.assignments, ...inner.assignments] };
}

function behindWrapper(words: readonly ShellWord[]): Unwrapped | null {
  const [first, second, third] = words;
  const behind = (count: number): Unwrapped | null =>
    words.length > count && words[count]?.text.startsWith('-') === false
      ? { words: words.slice(count), assignments: [] }
      : null;
  switch (first?.text) {
    case 'time':
      return behind(second?.text === '-p' ? 2 : 1);
    case 'nohup':
    case 'command':
      return behind(1);
    case 'nice':
      return second?.text === '-n' && /^\d+$/.test(third?.text ?? '') ? behind(3) : behind(1);
    case 'timeout':
      return isPlain(second) && /^\d+(\.\d+)?[smhd]?$/.test(second.text) ? behind(2) : null;
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

/** Whether a rule with ` *` would let `more` in: further arguments are never a further command. `named` is what the rule itself spells out. */
export function takesAnyArguments(named: readonly string[], more: readonly ShellWord[]): boolean {
  const command = programName(named[0] ?? '');
  if (command === '' || carriers.test(command)) return false;
  if (leavesProgramOpen([...named, ...more.map((word) => word.text)], named.length)) return false;
  if (more.some((word) => word.hasExpansion || (word.hasGlob && !namesProgramText(word)))) return false;
  if (interpreters.test(command))
    return named.length > 1
      ? !isCode(named.at(-1)) && isScript(named)
      : more[0] !== undefined && isScript([command, more[0].text]);
  if (more.some((word) => /^ext::/i.test(word.text) || carries(command, word.text))) return false;
  if (command !== 'git') return true;
  const verb = named[1] ?? more[0]?.text ?? '';
  const settings = named[1] === undefined || verb === 'clone' ? /^-[cC]/ : /^$/;
  const pack = ['clone', 'fetch', 'pull', 'archive'].includes(verb) ? /^-u/ : /^$/;
  if (leavesPlaceOpen(verb, named, more)) return false;
  return gitVerbs.has(verb) && !more.some((word) => settings.test(word.text) || pack.test(word.text));
}

/** Programs, and verbs of package managers, that fetch what the next word names from anywhere and run it. */
const fetchers = /^(npx|pnpx|bunx|uvx|(npm|pnpm|yarn|bun) (exec|x|dlx|create|init|explore)|pipx run|uv tool)$/;

/** Whether such a program would be named by further arguments (from `own` on), and not by the rule. */
function leavesProgramOpen(words: readonly string[], own: number): boolean {
  const command = programName(words[0] ?? '');
  const verbAt = words.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const start = fetchers.test(command) ? 1 : fetchers.test(`${command} ${words[verbAt] ?? ''}`) ? verbAt + 1 : null;
  if (start === null) return false;
  const program = words.findIndex((word, index) => index >= start && !word.startsWith('-'));
  return program === -1 || program >= own;
}

/** Whether further arguments may name another machine or folder that the repository goes to or comes from, rather than a remote by its name. */
function leavesPlaceOpen(verb: string, named: readonly string[], more: readonly ShellWord[]): boolean {
  if (!['push', 'fetch', 'pull'].includes(verb)) return false;
  const operands = more.map((word) => word.text).slice(named.length === 1 ? 1 : 0);
  const [remote = ''] = named.slice(2).some((word) => !word.startsWith('-'))
    ? []
    : operands.filter((text) => !text.startsWith('-'));
  return /[:/\\]|^\.+$/.test(remote) || operands.some((text) => /:\/\/|^[^/:]+@[^/]+:|^[.~]{0,2}\/|^--repo/.test(text));
}

/** Whether an argument tells the program what else to run. Those that only name its settings or its output do not count. */
export function namesCommand(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words;
  const command = programName(first?.text ?? '');
  if (command === 'git')
    return !takesAnyArguments(
      ['git'],
      rest.filter((word) => !word.hasExpansion && !word.hasGlob),
    );
  return rest.some(
    (word) =>
      !/^(-[a-z]|--?(config|config-file|output|prefix|file|makefile|parser|runner|interactive|template|require|import|loader|plugins?|modfile|transform|setupfiles|globalsetup|global-setup)(=.*)?)$/i.test(
        word.text,
      ) && carries(command, word.text),
  );
}

/** Runs what comes on its input, or what is put together while it runs: not even a rule with the same words says what that is. */
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
  return interpreters.test(command) && !isScript(words.map((word) => word.text));
}

/** Programs that get only what they are told, wherever they lie. */
export function programName(text: string): string {
  return (text.split(/[\\/]/).at(-1) ?? '').toLowerCase();
}

export function isCarrier(word: string): boolean {
  return carriers.test(programName(word));
}

export function isInterpreter(word: string): boolean {
  return interpreters.test(programName(word));
}

/** Whether an interpreter was given a file or a module, rather than code, or nothing at all. */
function isScript(words: readonly string[]): boolean {
  const [, first, second] = words;
  if (first === undefined || first === '-' || /^\/dev\//.test(first)) return false;
  if (first === '-m')
    return second !== undefined && /^python|^pypy/.test(programName(words[0] ?? '')) && second !== 'code';
  if (/^(eval|repl)$/.test(first)) return false;
  if (first === '--test' && /^node/.test(programName(words[0] ?? ''))) return true;
  return !/^[-+]/.test(first) && programName(words[0] ?? '').replace('.exe', '') !== 'cmd';
}

function isCode(text: string | undefined): boolean {
  return text === undefined || text.startsWith('-');
}

function carries(command: string, text: string): boolean {
  if (Object.hasOwn(carryingLetters, command) && carryingLetters[command]?.test(text) === true) return true;
  const name = /^--?([A-Za-z][\w-]*)/.exec(text)?.[1]?.toLowerCase();
  if (name === undefined || (!text.startsWith('--') && name.length < 3)) return false;
  // Many programs take the beginning of a long flag for the whole.
  const isAbbreviated =
    ['git', 'npm', 'tar', 'rsync', 'make', 'sort', 'pytest'].includes(command) &&
    text.startsWith('--') &&
    name.length >= 1;
  return carryingFlags.some(
    (flag) => flag === name || flag === name.replace(/[_-]/g, '') || (isAbbreviated && flag.startsWith(name)),
  );
}

/** A pattern such as `src/*.ts`: can become neither a flag nor the name of a file that is asked for. */
function namesProgramText(word: ShellWord): boolean {
  return (
    /^(\.\/)?\w[\w./*-]*$/.test(word.source) &&
    !/(^|\/)\.[^/]/.test(word.source.replace(/^\.\//, '')) &&
    programText.test(word.source)
  );
}

function isPlain(word: ShellWord | undefined): word is ShellWord {
  return word !== undefined && !word.hasExpansion && !word.hasGlob;
}
