import { carries, isCarrier, isInterpreter, isScript, programName } from './commandWrappers';
import { hasWord, knownArguments, knownName, knownProgram, readKnownFlag, type KnownProgram } from './knownPrograms';
import { programText } from './readOnlyCommands';
import type { ShellWord } from './shellCommand';

/** Whether a rule with ` *` covers `more`: further arguments are never a further command. `named` is what the rule itself spells out. */
export function takesAnyArguments(named: readonly string[], more: readonly ShellWord[]): boolean {
  if (more.some((word) => word.hasExpansion || (word.hasGlob && !namesProgramText(word)))) return false;
  return covers(
    named,
    more.map((word) => word.text),
  );
}

const settingsFlag =
  /^(-[a-z]|--?(config|config-file|output|output-file|outfile|outdir|directory|manifest-path|cwd|dir|prefix|file|makefile|parser|runner|interactive|template|require|import|loader|plugins?|preload|modfile|transform|setupfiles|globalsetup|global-setup)(=.*)?)$/i;

/** Whether an argument tells the program what else to run. Flags that only name its settings or its output do not count, except for Git. */
export function namesCommand(words: readonly ShellWord[]): boolean {
  const [command = '', ...rest] = words.filter((word) => !word.hasExpansion && !word.hasGlob).map((word) => word.text);
  const name = knownName(programName(command));
  const carrying = (verb: string): readonly string[] =>
    rest.filter((text) => !readKnownFlag(text, knownArguments(name, verb)).isHarmless && carries(name, text));
  if (name !== 'git') return carrying('').some((text) => !settingsFlag.test(text));
  const [verb = ''] = rest;
  return (
    !hasWord(knownProgram('git')?.verbs, verb) ||
    carrying(verb).length > 0 ||
    leavesPlaceOpen(verb, [], rest.slice(1), knownArguments('git', verb))
  );
}

/** Finds out which program gets the arguments, and asks what is known of it. */
function covers(named: readonly string[], more: readonly string[]): boolean {
  const [first = ''] = named;
  const command = knownName(programName(first));
  if (command === '' || isCarrier(command)) return false;
  const words = [...named, ...more];
  const launched = launchedProgram(command, words);
  if (launched !== null) {
    if (launched.at >= words.length || (launched.at >= named.length && !launched.isKnown)) return false;
    if (launched.isScript) return words.slice(launched.at + 1).every(isForScript);
    const own = Math.max(named.length, launched.at + 1);
    return covers(words.slice(launched.at, own), words.slice(own));
  }
  const known = knownProgram(command);
  // `deno` and `bun` have verbs, and start files as well.
  const isInterpreted = isInterpreter(command) && (known === null || /^[^:]*[./][^:]*$/.test(words[1] ?? ''));
  if (isInterpreted && !(named.length > 1 ? !(named.at(-1) ?? '').startsWith('-') && isScript(named) : isScript(words)))
    return false;
  // A script has flags of its own.
  if (isInterpreted || (known === null && /[./]/.test(first))) return !more.some((text) => carries('', text));
  return coversKnown(command, known, named, more);
}

function coversKnown(
  command: string,
  known: KnownProgram | null,
  named: readonly string[],
  more: readonly string[],
): boolean {
  const hasVerbs = known?.verbs !== undefined;
  const verb = hasVerbs ? (named[1] ?? more[0] ?? '') : '';
  if (hasVerbs && !hasWord(known.verbs, verb) && !(named.length > 1 && hasWord(known.namedVerbs, verb))) return false;
  const spec = knownArguments(command, verb);
  const rest = hasVerbs && named.length === 1 ? more.slice(1) : more;
  if (command === 'git' && leavesPlaceOpen(verb, named, rest, spec)) return false;
  if (command === 'tar' && named.length === 1 && !isHarmlessBundle(rest[0], spec)) return false;
  const passedAt = passedOnFrom(spec, [...named, ...more], rest.length);
  // Where a program is not known, what follows `--` may be a further command.
  if (known === null && rest.includes('--')) return false;
  return rest.slice(0, passedAt).every((text) => isHarmless(text, spec)) && rest.slice(passedAt).every(isForScript);
}

/** Where among the last `count` words those begin that are passed on to a script; `count` where none are. */
function passedOnFrom({ passesOn }: KnownProgram, words: readonly string[], count: number): number {
  if (passesOn === 'afterVerb') return 0;
  const dashes = passesOn === 'afterDashes' ? words.indexOf('--') : -1;
  return dashes === -1 ? count : Math.max(dashes - (words.length - count), 0);
}

function isHarmless(text: string, spec: KnownProgram): boolean {
  if (text === '--') return true;
  return spec.carrying?.test(text) !== true && (!text.startsWith('-') || readKnownFlag(text, spec).isHarmless);
}

/** The first word of `tar xf a.tar` is a bundle of letters too, and their values are the next words. */
function isHarmlessBundle(text: string | undefined, spec: KnownProgram): boolean {
  return (
    text === undefined ||
    text.startsWith('-') ||
    [...text].every((letter) => `${spec.letters}${spec.valued}`.includes(letter))
  );
}

/** Arguments that a script of the project gets. Its flags are not known: those by which the tools behind such scripts run, load or write something are not covered. */
function isForScript(text: string): boolean {
  if (/^-[A-Za-z]/.test(text) && !/^-([AadghknqstuvwyDW]+|[A-Za-z]?\d+)$/.test(text)) return false;
  return !carries('', text);
}

interface Launched {
  /** The place of the program among the words. */
  readonly at: number;
  /** It is a file or a package of the project, and not a program that is known by its name. */
  readonly isScript: boolean;
  /** The star may stand for it. */
  readonly isKnown: boolean;
}

/** Programs and verbs that run the program which the next word names, and perhaps fetch it from anywhere. */
const launchers =
  /^(npx|pnpx|bunx|uvx|(npm|pnpm|yarn|bun) (exec|x|dlx|create|init|explore|node)|(pipx|uv|poetry|pipenv|pdm|hatch|rye|conda|mamba|heroku|doppler|op|chamber|foreman) run|(bundle|rbenv|pyenv|asdf|mise|aws-vault|composer) (exec|x))$/;
const scriptLaunchers = /^(go|deno|bun|cargo|dotnet) run$/;
/** Modules of Python that are programs. Others (`timeit`, `pdb`) take code. */
const pythonModules = new Set(['pytest', 'unittest', 'mypy', 'ruff', 'pip', 'black', 'isort', 'flake8', 'pylint']);

function launchedProgram(command: string, words: readonly string[]): Launched | null {
  if (/^(python|pypy)/.test(command) && words[1] === '-m')
    return { at: pythonModules.has(words[2] ?? '') ? 2 : words.length, isScript: false, isKnown: true };
  if (command === 'node' && words[1] === '--test') return { at: 1, isScript: false, isKnown: true };
  const operand = (from: number): number => {
    const at = words.findIndex((word, index) => index >= from && !word.startsWith('-'));
    return at === -1 ? words.length : at;
  };
  const verbAt = operand(1);
  const launch = `${command} ${words[verbAt] ?? ''}`;
  if (launchers.test(command)) return { at: verbAt, isScript: false, isKnown: false };
  return launchers.test(launch) || scriptLaunchers.test(launch)
    ? { at: operand(verbAt + 1), isScript: scriptLaunchers.test(launch), isKnown: false }
    : null;
}

/** Whether further arguments may name another machine or folder that the repository goes to or comes from, rather than a remote by its name. */
function leavesPlaceOpen(verb: string, named: readonly string[], more: readonly string[], spec: KnownProgram): boolean {
  if (!['push', 'fetch', 'pull', 'clone'].includes(verb)) return false;
  if (more.some((text) => /:\/\/|::|^[^/:]+@[^/]+:|^[.~]{0,2}\//.test(text))) return true;
  const own = named.slice(2);
  return repositoryWords([...own, ...more], spec).some(
    (index) => index >= own.length && /[:/\\]|^[.~]+$/.test([...own, ...more][index] ?? ''),
  );
}

/** The places of the words that may be the repository: the first operand, and any that may be the value of a flag instead. */
function repositoryWords(words: readonly string[], spec: KnownProgram): readonly number[] {
  const found: number[] = [];
  for (const [index, text] of words.entries()) {
    if (text.startsWith('-')) continue;
    const before = words[index - 1] ?? '';
    const flag =
      before.startsWith('-') && before !== '--' && !before.includes('=') ? readKnownFlag(before, spec) : null;
    found.push(index);
    if (flag === null || (flag.isHarmless && !flag.takesNext)) break;
  }
  return found;
}

/** A pattern such as `src/*.ts`: can become neither a flag nor the name of a file that is asked for. */
function namesProgramText(word: ShellWord): boolean {
  return (
    /^(\.\/)?\w[\w./*-]*$/.test(word.source) &&
    !/(^|\/)\.[^/]/.test(word.source.replace(/^\.\//, '')) &&
    programText.test(word.source)
  );
}
