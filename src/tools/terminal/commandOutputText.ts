import { constants } from 'node:os';
import { open } from 'node:fs/promises';
import type { JsonObject } from '../../transcript/json';
import type { ConfinedEnd } from '../sandbox/confinement';
import type { CommandProcess } from './commandProcess';
import { OutputEnds } from './outputEnds';
import { tailCharacters } from './outputReport';
import type { ProcessRow } from './processTable';
import type { StartedCommand } from './runningCommands';

/** Most characters of output in one result for the model. */
const largestExcerpt = 30_000;

/** Output as the model gets it. */
export function outputText(process: CommandProcess): string {
  const beyond = process.file.isFull ? '\n[… output beyond this was not kept]' : '';
  return framed(process.ends, process.file.path) + beyond;
}

/** Output after the first `from` bytes, read from the file. */
export async function laterOutput(process: CommandProcess, from: number): Promise<string> {
  const ends = new OutputEnds();
  const file = await open(process.file.path, 'r');
  try {
    const piece = Buffer.alloc(64 * 1024);
    const until = process.ends.bytes;
    for (let at = from; at < until;) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, until - at), at);
      if (bytesRead === 0) break;
      ends.add(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
  return framed(ends, process.file.path);
}

/** Sentence about its end or that it is running: "Exit code 1 after 2.3 s in src." */
export function stateSentence({ process, folder }: StartedCommand): string {
  const { end } = process;
  const where = folder === '.' ? 'the open folder' : folder;
  if (end === null) return `Running for ${duration(process.runningMs)} in ${where}.`;
  const how =
    end.signal !== null
      ? `Ended by signal ${end.signal}`
      : `Exit code ${end.exitCode ?? 'unknown'}${signalText(end.exitCode)}`;
  return `${how} after ${duration(end.ms)} in ${where}.`;
}

export function leftSentence(left: readonly ProcessRow[], id: string): string {
  const named = left.slice(0, 5).map(({ pid, name }) => `${name} (${pid})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  return (
    `It has ended but left running: ${named.join(', ')}${more}. Use command_output or stop_command with id ` +
    `"${id}"; they end with the editor window.`
  );
}

export function survivorSentence(left: readonly ProcessRow[]): string {
  return left.length === 0
    ? ''
    : ` Could not be ended and still there: ${left.map(({ pid, name }) => `${name} (${pid})`).join(', ')}.`;
}

/** Sentences for the model about a confined command that has ended. */
export function confinedSentences(end: ConfinedEnd | null): readonly string[] {
  if (end === null) return [];
  const { stopped, takenOut, aside, left, wasEnded } = end;
  return [
    stopped.length > 0 &&
      `It ran in the sandbox, which kept it from this: ${stopped.join('; ')}. Name hosts that it needs in ` +
        'hosts; where it cannot work inside, say why in without_sandbox. The person is asked then.',
    wasEnded &&
      'It was ended at once: what appeared would have made Git run a program outside of the sandbox. A new ' +
        'repository may have only ordinary settings there, and no hooks.',
    takenOut.length > 0 &&
      `While it ran, ${takenOut.join(', ')} appeared, which only the person may allow; that was taken out ` +
        `again and is kept in ${aside}. Use write_file for such files, which asks.`,
    left.length > 0 &&
      `${left.join(', ')} could not be checked or taken out. The person is asked about every command until that ` +
        'is gone.',
  ].filter((sentence) => sentence !== false);
}

export function confinedDetails(end: ConfinedEnd | null): JsonObject {
  return end === null ? {} : { sandbox: { stopped: [...end.stopped], takenOut: [...end.takenOut] } };
}

/** Data from which surfaces render a command's row. */
export function commandDetails(
  started: StartedCommand,
  more: { readonly timedOut: boolean; readonly background: string | null },
): JsonObject {
  const { process, command, folder } = started;
  return {
    kind: 'command',
    command,
    folder,
    exitCode: process.end?.exitCode ?? null,
    signal: process.end?.signal ?? null,
    ms: Math.round(process.runningMs),
    bytes: process.ends.bytes,
    file: process.file.path,
    timedOut: more.timedOut,
    background: more.background,
    tail: process.ends.tail(tailCharacters),
  };
}

export function duration(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

function framed(ends: OutputEnds, file: string): string {
  const text = ends
    .excerpt(largestExcerpt, (bytes) => `[… ${bytes} bytes omitted; whole output in ${file}; read with read_file]`)
    .trimEnd();
  return text === '' ? '(no output)' : text;
}

/** Shells report a signal as an exit code above 128. */
function signalText(exitCode: number | null): string {
  if (exitCode === 127) return ' (command not found)';
  if (exitCode === null || exitCode <= 128) return '';
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name === undefined ? '' : ` (${name})`;
}
