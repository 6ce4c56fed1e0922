import { NotUnderstood, type ShellWord } from './shellCommand';
import { parseShell } from './shellParser';

/** Programs that run code from their arguments or their input. */
const interpreters =
  /^((ba|z|da|k|mk|c|tc|fi|a|r)?sh|pwsh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|perl|php|lua[\d.]*|luajit|rscript|julia|osascript|tclsh|wish|groovy|scala|swift|powershell|cmd)(\.exe)?$/i;

/** Commands whose input or words are commands, or that change the shell for what follows. */
const runners =
  /^(eval|exec|source|\.|xargs|parallel|trap|alias|set|shopt|setopt|enable|export|declare|typeset|local|readonly|unset|read|mapfile|hash|pushd|popd|builtin|abbr|ssh|find|fd|fdfind|watch|script|tmux|screen|concurrently|entr|nodemon|gdb|lldb|awk|gawk|sqlite3|psql|mysql|mariadb|vim?|nvim|emacs|ed|ex|expect|bc|dc|m4|irb|ghci|iex|erl|r|octave|start|open)(\.exe)?$/i;

/** Words that may precede a command, and their flags whose value is the next word. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ...'su gosu su-exec chroot cross-env nohup setsid command builtin unbuffer busybox toybox pnpx bunx'
    .split(' ')
    .map((name) => [name, ''] as const),
  ['sudo', '-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D -R'],
  ['doas', '-u -C'],
  ['pkexec', '--user'],
  ['runuser', '-u --user -g -G'],
  ['env', '-u --unset -C --chdir -S --split-string'],
  ['time', '-f -o'],
  ['timeout', '-s --signal -k --kill-after'],
  ['nice', '-n --adjustment'],
  ['ionice', '-c -n -p --class --classdata'],
  ['taskset', ''],
  ['flock', '-w -E'],
  ['stdbuf', '-i -o -e'],
  ['strace', '-e -o -p -s'],
  ['exec', '-a'],
  ['xargs', '-I -n -P -L -d -E -s -a --max-args --max-procs --delimiter --arg-file'],
  ['parallel', '-j --jobs -I'],
  ['watch', '-n --interval'],
  ['caffeinate', '-t -w'],
  ['npx', '-p --package'],
]);
/** Those with an operand of their own before the command. */
const takesOperand = /^(gosu|su-exec|chroot|timeout|taskset|flock)$/;

/** Flags whose value is the next word, by program. Only those that may precede a verb or an operand. */
const valuedFlags = new Map(
  Object.entries({
    git:
      '-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source -o ' +
      '--push-option --exec --receive-pack',
    npm: '-w --workspace --prefix -C --registry --tag --otp --access --userconfig',
    pnpm: '-C --dir --filter -F --registry --tag',
    yarn: '--cwd --registry --tag --new-version',
    bun: '--cwd --filter',
    cargo: '--manifest-path -p --package -C --config -Z --registry',
    docker: '--context -c -H --host --config -l --log-level',
    podman: '--connection -c --url --root',
    kubectl: '-n --namespace --context --cluster --kubeconfig --user -s --server',
    helm: '-n --namespace --kube-context --kubeconfig',
    aws: '--profile --region --output --endpoint-url --query',
    gcloud: '--project --account --configuration --format',
    az: '--subscription -o --output',
    systemctl: '-H --host -M --machine -t --type -p --property',
    apt: '-o -c -t',
    'apt-get': '-o -c -t',
    mvn: '-f --file -pl --projects -P -s --settings',
    gh: '-R --repo',
    rsync: '-e --rsh --exclude --include --filter -f',
    scp: '-i -P -F -o -l -c -J -S',
    ssh: '-i -p -F -o -l -c -J -L -R -D -b -E -I -m -O -Q -S -W -w',
    su: '-c --command -s --shell -g -G',
    truncate: '-s --size -r --reference',
    shred: '-n --iterations -s --size',
  }),
);

/** Name of the program without its folder, in lower case. */
export function programName(text: string): string {
  return (text.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
}

export function isInterpreter(word: string): boolean {
  return interpreters.test(programName(word));
}

/** True when the words after it may be another command. */
export function isCarrier(word: string): boolean {
  const name = programName(word);
  return wrappers.has(name) || runners.test(name) || interpreters.test(name);
}

/** True when the command runs its input, or code that is put together at run time. Even a rule with the same words
 *  does not tell what it runs. */
export function runsItsInput(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]?.text ?? '');
  if (/^(ssh|fd|find|fdfind|watch|script|start|open|nodemon|awk|gawk)$/.test(name)) return false;
  return runners.test(name) || (interpreters.test(name) && !isScript(words.map((word) => word.text)));
}

/** True when an interpreter gets a file or a module to run. False for inline code or no argument. */
export function isScript(words: readonly string[]): boolean {
  const [program = '', first, second] = words;
  if (first === undefined || first === '-' || /^\/dev\//.test(first)) return false;
  if (first === '-m') return second !== undefined && /^python|^pypy/.test(programName(program)) && second !== 'code';
  // An address names code that is fetched (`npm:x` too).
  if (/^(eval|repl)$|^[a-z]+:/.test(first)) return false;
  if (first === '--test' && /^node/.test(programName(program))) return true;
  return !/^[-+]/.test(first) && programName(program) !== 'cmd';
}

/** Arguments of one program, split into flags and operands as far as their form tells. */
export class CommandArguments {
  readonly operands: readonly ShellWord[];
  private readonly flags: readonly string[];

  /** `words`: after the program's name. */
  constructor(
    readonly program: string,
    readonly words: readonly ShellWord[],
  ) {
    const valued = (valuedFlags.get(program) ?? '').split(' ');
    const operands: ShellWord[] = [];
    const flags: string[] = [];
    for (let at = 0; at < words.length; at++) {
      const word = words[at];
      if (word === undefined) break;
      if (word.text === '--') {
        operands.push(...words.slice(at + 1));
        break;
      }
      if (!word.text.startsWith('-') || word.text === '-') operands.push(word);
      else {
        flags.push(word.text);
        if (valued.includes(word.text)) at++;
      }
    }
    this.operands = operands;
    this.flags = flags;
  }

  static of(words: readonly ShellWord[]): CommandArguments {
    return new CommandArguments(programName(words[0]?.text ?? ''), words.slice(1));
  }

  get names(): readonly string[] {
    return this.operands.map(({ text }) => text);
  }

  /** Program and operands in one line: "npm publish". */
  get line(): string {
    return [this.program, ...this.names].join(' ');
  }

  /** `letters`: single letters, also within a group. `long`: long names, with or without a value. */
  has(letters: string, ...long: readonly string[]): boolean {
    return this.flags.some((flag) => {
      // Git and others take the beginning of a long name for the whole.
      const [name = ''] = flag.slice(2).split('=', 1);
      if (flag.startsWith('--')) return name !== '' && long.some((each) => each.startsWith(name));
      return (letters !== '' && new RegExp(`^-[A-Za-z0-9]*[${letters}]`).test(flag)) || long.includes(flag.slice(1));
    });
  }

  /** Value of a flag, in the next word or after its `=`; undefined without the flag. */
  valueOf(...names: readonly string[]): string | undefined {
    for (const [index, { text }] of this.words.entries()) {
      if (names.includes(text)) return this.words[index + 1]?.text;
      const long = names.find((name) => name.startsWith('--') && text.startsWith(`${name}=`));
      if (long !== undefined) return text.slice(long.length + 1);
    }
    return undefined;
  }

  /** The words without the program's global flags: those before its verb, and words that the shell computes there. */
  get withoutGlobalFlags(): readonly string[] {
    const [verb] = this.operands.filter((word) => !isComputed(word));
    const at = verb === undefined ? -1 : this.words.indexOf(verb);
    return [this.program, ...this.words.slice(Math.max(at, 0)).map(({ text }) => text)];
  }
}

/** True when only the shell knows what the word is. */
export function isComputed(word: ShellWord): boolean {
  return word.hasExpansion || word.hasGlob;
}

/** Command without its wrapper. `assignments`: variables set for this command only. */
interface Unwrapped {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
}

/** Removes wrappers that only change how a command runs (`time`, `timeout 10`, `env A=b`), as far as that is
 *  certain. Otherwise returns the same words. */
export function unwrapped(words: readonly ShellWord[]): Unwrapped {
  const found =
    /^(time( -p)?|nohup|command|nice( -n \d+)?|timeout \d+(\.\d+)?[smhd]?|env( [A-Za-z_]\w*=\S*)*) (?!-)/.exec(
      words.map((word) => (isComputed(word) || /\s/.test(word.text) ? '-' : word.text)).join(' '),
    );
  if (found === null) return { words, assignments: [] };
  const count = found[0].trim().split(' ').length;
  if (words.length <= count || (words[0]?.text === 'env' && /^[A-Za-z_]\w*=/.test(words[count]?.text ?? '')))
    return { words, assignments: [] };
  const assignments = words.slice(1, count).flatMap((word) => {
    const at = word.text.indexOf('=');
    return at === -1 ? [] : [{ name: word.text.slice(0, at), value: { ...word, text: word.text.slice(at + 1) } }];
  });
  const inner = unwrapped(words.slice(count));
  return { words: inner.words, assignments: [...assignments, ...inner.assignments] };
}

/** One command that words run: themselves, or what they carry. */
export interface CarriedCommand {
  readonly words: readonly ShellWord[];
  /** The program that carries it. Null: none. */
  readonly by: CommandArguments | null;
  readonly isRemote: boolean;
}

const deepest = 4;

/** Every command that these words run, as far as their form tells: after `sudo` and `xargs`, in the text of `bash -c`,
 *  after `find -exec`. The first one is the words themselves. */
export function carriedCommands(words: readonly ShellWord[], isRemote = false, depth = 0): readonly CarriedCommand[] {
  const given = CommandArguments.of(words);
  const own = { words, by: null, isRemote };
  if (depth > deepest) return [own];
  const inner = (rest: readonly ShellWord[], isThere = isRemote): readonly CarriedCommand[] =>
    rest.length === 0
      ? []
      : carriedCommands(rest, isThere, depth + 1).map((each) => ({ ...each, by: each.by ?? given }));
  const inText = (text: string, isThere = isRemote): readonly CarriedCommand[] => {
    const script = parseShell(text);
    return script instanceof NotUnderstood ? [] : script.parts.flatMap((part) => inner(part.words, isThere));
  };
  return [own, ...carriedBy(given, words, inner, inText)];
}

function carriedBy(
  given: CommandArguments,
  words: readonly ShellWord[],
  inner: (rest: readonly ShellWord[], isRemote?: boolean) => readonly CarriedCommand[],
  inText: (text: string, isRemote?: boolean) => readonly CarriedCommand[],
): readonly CarriedCommand[] {
  const { program, operands } = given;
  const texts = words.map(({ text }) => text);
  if (program === 'su') return inText(given.valueOf('-c', '--command') ?? '');
  const at = /^((ba|z|da|k|a)?sh|fish|flock|script|npx|npm)$/.test(program)
    ? texts.findIndex((text) => /^-[a-z]*c$/.test(text))
    : -1;
  if (at !== -1) return inText(texts[at + 1] ?? '');
  const flags = wrappers.get(program);
  if (flags !== undefined) return inner(afterWrapper(words, flags, takesOperand.test(program) ? 1 : 0));
  const [first] = operands;
  if (first !== undefined && /^(npm|pnpm|yarn|bun) (exec|x|dlx)$/.test(`${program} ${first.text}`))
    return inner(afterWrapper(words.slice(words.indexOf(first)), '-p --package', 0));
  if (/^(eval|trap)$/.test(program)) return inText(texts.slice(1).join(' '));
  if (program === 'git') return carriedByGit(given, words, inner, inText);
  if (/^(find|gfind|fd|fdfind)$/.test(program))
    return texts.flatMap((text, index) =>
      /^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(text) ? inner(words.slice(index + 1)) : [],
    );
  if (program === 'ssh' && first !== undefined) return inText(texts.slice(words.indexOf(first) + 1).join(' '), true);
  return [];
}

function carriedByGit(
  given: CommandArguments,
  words: readonly ShellWord[],
  inner: (rest: readonly ShellWord[]) => readonly CarriedCommand[],
  inText: (text: string) => readonly CarriedCommand[],
): readonly CarriedCommand[] {
  const [verb, second] = given.operands;
  const text = /^(rebase|difftool)$/.test(verb?.text ?? '') && given.valueOf('-x', '--exec', '--extcmd');
  if (typeof text === 'string') return inText(text);
  if (second === undefined || !/^(bisect run|submodule foreach)$/.test(given.names.slice(0, 2).join(' '))) return [];
  const rest = afterWrapper(words.slice(words.indexOf(second)), '', 0);
  return rest.length === 1 ? inText(rest[0]?.text ?? '') : inner(rest);
}

function afterWrapper(words: readonly ShellWord[], flags: string, operands: number): readonly ShellWord[] {
  const valued = flags.split(' ');
  let at = 1;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? '';
    if (text === '--') return words.slice(at + 1);
    if (/^[A-Za-z_]\w*=/.test(text)) continue;
    if (!text.startsWith('-')) break;
    if (valued.includes(text)) at++;
  }
  return words.slice(at + operands);
}
