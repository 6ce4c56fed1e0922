import type { NamedRisk } from '../../../transcript/approval';
import { CommandArguments } from './commandArguments';
import { isInterpreter, isScript, programName } from './commandWrappers';
import { risksOfProgram } from './riskTable';
import { NotUnderstood, type ShellPart, type ShellScript, type ShellWord } from './shellCommand';
import { parseShell } from './shellParser';

const deepest = 4;
const downloaders = /^(curl|wget|aria2c|http|https|fetch)$/;
const downloadsInside = /(\$\(|<\(|`)[^]*\b(curl|wget|aria2c|fetch)\b/;

/** Words that may precede a command, with the flags whose value is the next word. */
const wrappers: Readonly<Record<string, readonly string[]>> = {
  sudo: ['-u', '--user', '-g', '--group', '-h', '--host', '-p', '--prompt', '-C', '-r', '-t', '-T', '-U', '-D', '-R'],
  doas: ['-u', '-C'],
  pkexec: ['--user'],
  su: [],
  runuser: ['-u', '--user', '-g', '-G'],
  gosu: [],
  env: ['-u', '--unset', '-C', '--chdir', '-S', '--split-string'],
  time: ['-f', '-o'],
  timeout: ['-s', '--signal', '-k', '--kill-after'],
  nohup: [],
  nice: ['-n', '--adjustment'],
  ionice: ['-c', '-n', '-p', '--class', '--classdata'],
  stdbuf: ['-i', '-o', '-e'],
  setsid: [],
  command: [],
  exec: ['-a'],
  builtin: [],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-E', '-s', '-a', '--max-args', '--max-procs', '--delimiter', '--arg-file'],
  watch: ['-n', '--interval'],
  caffeinate: ['-t', '-w'],
  unbuffer: [],
  busybox: [],
};

/** Names what a command risks, for its card. A help for the reader, not a guard: what is not in the table has no name.
 *  Empty too when the text cannot be parsed; the card has a separate sentence for that. */
export function risksOfCommand(command: string): readonly NamedRisk[] {
  return distinct(risksOfText(command, 0));
}

function risksOfText(text: string, depth: number): readonly NamedRisk[] {
  const script = depth > deepest ? null : parseShell(text);
  return script === null || script instanceof NotUnderstood ? [] : risksOfScript(script, depth);
}

function risksOfScript({ parts }: ShellScript, depth: number): readonly NamedRisk[] {
  const found: NamedRisk[] = [];
  const downloaded = new Set<string>();
  let hasDownloaded = false;
  for (const part of parts) {
    const { words, risks } = withoutWrappers(part.words);
    const given = new CommandArguments(programName(words[0]?.text ?? ''), words.slice(1));
    found.push(...risks);
    if (runsDownload(part, words, hasDownloaded, downloaded)) found.push({ kind: 'downloadedScript' });
    else found.push(...risksOfProgram(given));
    found.push(...risksInArguments(given, depth));
    if (!downloaders.test(given.program)) continue;
    hasDownloaded = true;
    for (const file of savedFiles(part, given)) downloaded.add(fileName(file));
  }
  return found;
}

/** Commands that the arguments carry: `bash -c`, `eval`, `find -exec`, `ssh host`. */
function risksInArguments(given: CommandArguments, depth: number): readonly NamedRisk[] {
  const { program, words } = given;
  const texts = words.map(({ text }) => text);
  const from = (index: number): readonly NamedRisk[] =>
    index <= 0 || index >= words.length
      ? []
      : risksOfScript({ parts: [partOf(words.slice(index))], hasLoop: false }, depth + 1);
  if (depth > deepest) return [];
  if (/^((ba|z|da|k|a)?sh|fish)$/.test(program)) {
    const at = texts.findIndex((text) => /^-[a-z]*c$/.test(text));
    return at === -1 ? [] : risksOfText(texts[at + 1] ?? '', depth + 1);
  }
  if (program === 'eval') return risksOfText(texts.join(' '), depth + 1);
  if (/^(find|fd|fdfind)$/.test(program))
    return texts.flatMap((text, index) =>
      /^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(text) ? from(index + 1) : [],
    );
  if (program === 'ssh') {
    const host = texts.indexOf(given.operands[0] ?? '');
    return given.operands.length > 1 ? risksOfText(texts.slice(host + 1).join(' '), depth + 1) : [];
  }
  return [];
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
  return (
    !texts.includes('-c') &&
    !texts.includes('-e') &&
    (texts.includes('-s') || !isScript(texts.filter((text, index) => index === 0 || !/^-[a-z]+$|^--\w/.test(text))))
  );
}

/** Files that a download is saved as. */
function savedFiles({ redirects }: ShellPart, given: CommandArguments): readonly string[] {
  const named = given.program === 'wget' ? given.valueOf('-O', '--output-document') : given.valueOf('-o', '--output');
  const byAddress = given.program === 'wget' ? named === undefined : given.has('O', 'remote-name');
  return [
    ...(named === undefined ? [] : [named]),
    ...(byAddress ? given.operands.map((address) => address.split(/[?#]/, 1)[0] ?? '') : []),
    ...redirects.flatMap(({ kind, target }) => (kind === 'write' ? [target.text] : [])),
  ];
}

function fileName(path: string): string {
  return path.split('/').at(-1) ?? '';
}

/** Removes the words before the command that matters: `sudo -u me`, `env A=b`, `nohup`, `xargs -0`. Names the risk of
 *  those that give further rights. */
function withoutWrappers(words: readonly ShellWord[]): {
  readonly words: readonly ShellWord[];
  readonly risks: readonly NamedRisk[];
} {
  const risks: NamedRisk[] = [];
  let rest = words;
  for (let steps = 0; steps < 10; steps++) {
    const program = programName(rest[0]?.text ?? '');
    const valued = wrappers[program];
    if (valued === undefined) break;
    const given = new CommandArguments(program, rest.slice(1));
    if (/^(sudo|doas|pkexec|su|runuser|gosu)$/.test(program)) risks.push(rightsOf(given));
    if (program === 'su') {
      const command = given.valueOf('-c', '--command');
      return { words: [], risks: command === undefined ? risks : [...risks, ...risksOfText(command, 1)] };
    }
    rest = commandAfter(rest, valued, program);
  }
  return { words: rest, risks };
}

function commandAfter(words: readonly ShellWord[], valued: readonly string[], program: string): readonly ShellWord[] {
  let at = 1;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? '';
    if (text === '--') return words.slice(at + 1);
    if (/^[A-Za-z_]\w*=/.test(text)) continue;
    if (!text.startsWith('-')) break;
    if (valued.includes(text)) at++;
  }
  // The first operand of these is a duration or a user.
  return words.slice(program === 'timeout' || program === 'gosu' ? at + 1 : at);
}

function rightsOf(given: CommandArguments): NamedRisk {
  const user =
    given.program === 'su' || given.program === 'gosu'
      ? given.operands.find((word) => word !== '-')
      : given.valueOf('-u', '--user');
  return user === undefined || user === 'root' || user === '0' || !/^[A-Za-z_][\w.-]{0,31}$/.test(user)
    ? { kind: 'root' }
    : { kind: 'otherUser', target: user };
}

function partOf(words: readonly ShellWord[]): ShellPart {
  return { assignments: [], words, redirects: [], hasExpandedInput: false, isPiped: false, source: '' };
}

function distinct(risks: readonly NamedRisk[]): readonly NamedRisk[] {
  const seen = new Map(risks.map((risk) => [`${risk.kind} ${risk.target ?? ''}`, risk]));
  return [...seen.values()];
}
