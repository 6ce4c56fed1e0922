import type { ShellWord } from './shellCommand';

/** Flags whose value is the next word, by program. Only those that may stand before a verb or an operand. */
const valuedFlags: Readonly<Record<string, readonly string[]>> = {
  git: ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '-o', '--push-option', '--exec', '--receive-pack'],
  npm: ['-w', '--workspace', '--prefix', '-C', '--registry', '--tag', '--otp', '--access', '--userconfig'],
  pnpm: ['-C', '--dir', '--filter', '-F', '--registry', '--tag'],
  yarn: ['--cwd', '--registry', '--tag', '--new-version'],
  bun: ['--cwd', '--filter'],
  cargo: ['--manifest-path', '-p', '--package', '-C', '--config', '-Z', '--registry'],
  docker: ['--context', '-c', '-H', '--host', '--config', '-l', '--log-level'],
  podman: ['--connection', '-c', '--url', '--root'],
  kubectl: ['-n', '--namespace', '--context', '--cluster', '--kubeconfig', '--user', '-s', '--server'],
  helm: ['-n', '--namespace', '--kube-context', '--kubeconfig'],
  aws: ['--profile', '--region', '--output', '--endpoint-url', '--query'],
  gcloud: ['--project', '--account', '--configuration', '--format'],
  az: ['--subscription', '-o', '--output'],
  systemctl: ['-H', '--host', '-M', '--machine', '-t', '--type', '-p', '--property'],
  apt: ['-o', '-c', '-t'],
  'apt-get': ['-o', '-c', '-t'],
  dotnet: ['-s', '--source', '-k', '--api-key'],
  mvn: ['-f', '--file', '-pl', '--projects', '-P', '-s', '--settings'],
  gh: ['-R', '--repo'],
  rsync: ['-e', '--rsh', '--exclude', '--include', '--filter', '-f'],
  scp: ['-i', '-P', '-F', '-o', '-l', '-c', '-J', '-S'],
  su: ['-c', '--command', '-s', '--shell', '-g', '-G'],
  ssh: [
    '-i',
    '-p',
    '-F',
    '-o',
    '-l',
    '-c',
    '-J',
    '-L',
    '-R',
    '-D',
    '-b',
    '-E',
    '-I',
    '-m',
    '-O',
    '-Q',
    '-S',
    '-W',
    '-w',
  ],
};

/** Arguments of one program, split into flags and operands as far as their form tells. */
export class CommandArguments {
  readonly operands: readonly string[];
  private readonly flags: readonly string[];

  constructor(
    readonly program: string,
    readonly words: readonly ShellWord[],
  ) {
    const valued = valuedFlags[program] ?? [];
    const texts = words.map(({ text }) => text);
    const operands: string[] = [];
    const flags: string[] = [];
    for (let at = 0; at < texts.length; at++) {
      const text = texts[at] ?? '';
      if (text === '--') {
        operands.push(...texts.slice(at + 1));
        break;
      }
      if (!text.startsWith('-') || text === '-') operands.push(text);
      else {
        flags.push(text);
        if (valued.includes(text)) at++;
      }
    }
    this.operands = operands;
    this.flags = flags;
  }

  /** Program and operands in one line: "npm publish". */
  get line(): string {
    return [this.program, ...this.operands].join(' ');
  }

  /** `letters`: single letters, also within a group. `long`: long names, with or without a value. */
  has(letters: string, ...long: readonly string[]): boolean {
    return this.flags.some((flag) => {
      if (flag.startsWith('--')) return long.includes(flag.slice(2).split('=', 1)[0] ?? '');
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
}
