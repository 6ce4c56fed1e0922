import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '../../../base/clock';
import { storeError } from '../../../store/engine/sqlFailure';
import { StoreError } from '../../../store/storeError';

/** Surroundings of a command. Tests pass their own. */
export interface Terminal {
  /** Writes a line to the standard output. */
  print(line: string): void;
  /** Writes a line to the standard error stream: progress, and what went wrong. */
  note(line: string): void;
  /** Gives the result to `--json`, which prints nothing else to the standard output. */
  result(data: object): void;
  /** Asks a question that is answered with yes or no. Without a terminal the answer is no. */
  confirm(question: string): Promise<boolean>;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Relative paths start here. */
  readonly folder: string;
  /** Folder of the bundles and of `sql-wasm.wasm`. */
  readonly programFolder: string;
}

/** Values of the options of one call, as `util.parseArgs` returns them. */
export type OptionValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

export interface Command {
  readonly name: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  /** Lines for `hermes-history help <name>`, the usage first. */
  readonly help: readonly string[];
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Options whose value may be left out: it is empty then. Default: none. */
  readonly mayBeEmpty?: readonly string[];
  /** Runs the command and returns its exit code. May throw: the message is printed, and the exit code is 2. */
  run(terminal: Terminal, options: OptionValues, words: readonly string[]): Promise<ExitCode>;
}

/** 0: done. 1: something was found, or not everything was done. 2: wrong usage, or an error. */
export type ExitCode = 0 | 1 | 2;

/** Wrong usage: the message is printed with the usage of the command. */
export class UsageError extends Error {}

export function sizeText(bytes: number): string {
  const megabyte = 1024 * 1024;
  return bytes < megabyte ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / megabyte).toFixed(1)} MB`;
}

/** How to get back what can be read of a damaged file. */
export const rescueText =
  'To move everything readable into a new file and keep the damaged one: ' +
  'hermes-history check --store <folder> --repair --yes';

/** Text for the error of a damaged store, whose own sentence is one for a window; null for any other error. */
export function damageText(error: unknown): string | null {
  const isDamage = error instanceof StoreError && error.message === storeError('corrupt', '').message;
  return isDamage ? `The file that holds these sessions is damaged. Nothing was changed. ${rescueText}` : null;
}
