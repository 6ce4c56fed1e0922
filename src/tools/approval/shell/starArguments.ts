import { carries, isCarrier, isInterpreter, isScript, programName } from './commandWrappers';
import { hasWord, knownArguments, knownName, knownProgram, readKnownFlag, type KnownProgram } from './knownPrograms';
import { programText } from './readOnlyCommands';
import type { ShellWord } from './shellCommand';

/** True when a rule with ` *` covers `more`: further arguments are never a further command. `named`: the words that
 *  the rule spells out. */
export function takesAnyArguments(named: readonly string[], more: readonly ShellWord[]): boolean {
  if (more.some((word) => word.hasExpansion || (word.hasGlob && !namesProgramText(word)))) return false;
  return covers(
    named,
    more.map((word) => word.text),
  );
}

const settingsFlag =
  /^(-[a-z]|--?(config|config-file|output|output-file|outfile|outdir|directory|manifest-path|cwd|dir|prefix|file|makefile|parser|runner|interactive|template|require|import|loader|plugins?|preload|modfile|transform|setupfiles|globalsetup|global-setup)(=.*)?)$/i;

/** True when an argument tells the program what else to run. Flags that only name its settings or output do not
 *  count, except for Git. */
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

/** Finds the program that gets the arguments, and checks them against its entry. */
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
  // `deno` and `bun` have verbs, and also run files.
  const isInterpreted = isInterpreter(command) && (known === null || /^[^:]*[./][^:]*$/.test(words[1] ?? ''));
  if (isInterpreted && !(named.length > 1 ? !(named.at(-1) ?? '').startsWith('-') && isScript(named) : isScript(words)))
    return false;
  // A script has its own flags.
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
  // For an unknown program, a further command may follow `--`.
  if (known === null && rest.includes('--')) return false;
  return rest.slice(0, passedAt).every((text) => isHarmless(text, spec)) && rest.slice(passedAt).every(isForScript);
}

/** Index, among the last `count` words, of the first word that is passed to a script; `count` when there is none. */
function passedOnFrom({ passesOn }: KnownProgram, words: readonly string[], count: number): number {
  if (passesOn === 'afterVerb') return 0;
  const dashes = passesOn === 'afterDashes' ? words.indexOf('--') : -1;
  return dashes === -1 ? count : Math.max(dashes - (words.length - count), 0);
}

function isHarmless(text: string, spec: KnownProgram): boolean {
  if (text === '--') return true;
  return spec.carrying?.test(text) !== true && (!text.startsWith('-') || readKnownFlag(text, spec).isHarmless);
}

/** The first word of `tar xf a.tar` is also a group of letters, and the next words are their values. */
function isHarmlessBundle(text: string | undefined, spec: KnownProgram): boolean {
  return (
    text === undefined ||
    text.startsWith('-') ||
    [...text].every((letter) => `${spec.letters}${spec.valued}`.includes(letter))
  );
}

/** True for an argument that a project script may get. Its flags are unknown. So it rejects flags with which the
 *  tools that such scripts call run, load, or write something. */
function isForScript(text: string): boolean {
  if (/^-[A-Za-z]/.test(text) && !/^-([AadghknqstuvwyDW]+|[A-Za-z]?\d+)$/.test(text)) return false;
  return !carries('', text);
}

interface Launched {
  /** Index of the program among the words. */
  readonly at: number;
  /** True for a file or package of the project, false for a program known by name. */
  readonly isScript: boolean;
  /** True when the star may stand for it. */
  readonly isKnown: boolean;
}

/** Programs and verbs that run the program named by the next word, and may fetch it from anywhere. */
const launchers =
  /^(npx|pnpx|bunx|uvx|(npm|pnpm|yarn|bun) (exec|x|dlx|create|init|explore|node)|(pipx|uv|poetry|pipenv|pdm|hatch|rye|conda|mamba|heroku|doppler|op|chamber|foreman) run|(bundle|rbenv|pyenv|asdf|mise|aws-vault|composer) (exec|x))$/;
const scriptLaunchers = /^(go|deno|bun|cargo|dotnet) run$/;
/** Python modules that are programs. Others (`timeit`, `pdb`) accept code. */
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

/** True when further arguments may name another machine or folder as the source or target of the repository, instead
 *  of a named remote. */
function leavesPlaceOpen(verb: string, named: readonly string[], more: readonly string[], spec: KnownProgram): boolean {
  if (!['push', 'fetch', 'pull', 'clone'].includes(verb)) return false;
  if (more.some((text) => /:\/\/|::|^[^/:]+@[^/]+:|^[.~]{0,2}\//.test(text))) return true;
  const own = named.slice(2);
  return repositoryWords([...own, ...more], spec).some(
    (index) => index >= own.length && /[:/\\]|^[.~]+$/.test([...own, ...more][index] ?? ''),
  );
}

/** Indexes of the words that may be the repository: the first operand, and any word that may instead be the value of
 *  a flag. */
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

/** True for a pattern such as `src/*.ts`: it can match neither a flag nor a file that needs approval. */
function namesProgramText(word: ShellWord): boolean {
  return (
    /^(\.\/)?\w[\w./*-]*$/.test(word.source) &&
    !/(^|\/)\.[^/]/.test(word.source.replace(/^\.\//, '')) &&
    programText.test(word.source)
  );
}
