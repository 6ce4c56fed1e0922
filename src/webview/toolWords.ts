import { t } from './localization';
import type { ToolCallPart, ToolOutcome, ToolResultPart } from '../protocol/transcriptWords';

/** What a person sees a tool call do. queued: it waits for its turn to run it. */
export type ToolState = 'queued' | 'waiting' | 'running' | ToolOutcome;

export interface ToolWords {
  readonly icon: string;
  /** What it does or did: "Read", "Searching for". */
  readonly verb: string;
  /** What it works on; empty where the arguments do not say. */
  readonly target: string;
}

interface ToolKind {
  readonly icon: string;
  /** Names of the argument that says what the call works on, best first. */
  readonly target: readonly string[];
  readonly doing: () => string;
  readonly did: () => string;
  readonly quoted?: true;
  /** It only looks at files: several in a row are folded into one line. */
  readonly folds?: true;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: { icon: 'file', target: ['path'], doing: () => t('Reading'), did: () => t('Read'), folds: true },
  list_directory: { icon: 'list-tree', target: ['path'], doing: () => t('Listing'), did: () => t('Listed'), folds: true },
  search_files: { icon: 'search', target: ['query'], doing: () => t('Searching for'), did: () => t('Searched for'), quoted: true, folds: true },
  memory: { icon: 'bookmark', target: ['content', 'old_text'], doing: () => t('Updating memory'), did: () => t('Updated memory') },
  session_search: { icon: 'history', target: ['query'], doing: () => t('Searching earlier sessions'), did: () => t('Searched earlier sessions'), quoted: true },
  read_skill: { icon: 'book', target: ['name'], doing: () => t('Reading skill'), did: () => t('Read skill') },
};

/** The words of a call's row. A tool that is not known here is named as it is. */
export function toolWords(call: ToolCallPart, state: ToolState): ToolWords {
  const kind = Object.hasOwn(kinds, call.name) ? kinds[call.name] : undefined;
  if (kind === undefined) return { icon: 'tools', verb: call.name, target: '' };
  const target = toolTarget(call);
  const verb = state === 'done' ? kind.did() : kind.doing();
  return { icon: kind.icon, verb, target: kind.quoted && target !== '' ? `“${target}”` : target };
}

/** The plain argument that says what a call works on: a path, a query. */
export function toolTarget(call: ToolCallPart): string {
  const kind = Object.hasOwn(kinds, call.name) ? kinds[call.name] : undefined;
  const given = parsedArguments(call.arguments);
  const key = kind?.target.find((name) => typeof given[name] === 'string');
  const value = key === undefined ? undefined : given[key];
  return typeof value === 'string' ? value : '';
}

/** Calls that only look: several in a row are folded into one line. */
export function isLowValueRead(name: string): boolean {
  return Object.hasOwn(kinds, name) && kinds[name]?.folds === true;
}

/** "Read 3 files · searched for “retry(”": what a fold of reads says. */
export function foldWords(calls: readonly ToolCallPart[]): string {
  const of = (name: string): readonly ToolCallPart[] => calls.filter((call) => call.name === name);
  const [read, listed, searched] = [of('read_file'), of('list_directory'), of('search_files')];
  const words = [
    read.length === 0 ? [] : [read.length === 1 ? t('read 1 file') : t('read {count} files', { count: read.length })],
    listed.length === 0 ? [] : [listed.length === 1 ? t('listed 1 folder') : t('listed {count} folders', { count: listed.length })],
    searched.length === 0 ? [] : [searched.length === 1 ? t('searched for “{query}”', { query: firstTarget(searched) }) : t('searched {count} times', { count: searched.length })],
  ].flat().join(' · ');
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

/** State in words, for the row's end and its accessible name. */
export function stateWord(state: ToolState): string {
  switch (state) {
    case 'queued':
      return t('queued');
    case 'waiting':
      return t('waiting for approval');
    case 'running':
      return t('running');
    case 'done':
      return t('done');
    case 'failed':
      return t('failed');
    case 'denied':
      return t('denied');
    case 'cancelled':
      return t('cancelled');
    case 'interrupted':
      return t('interrupted');
  }
}

/** A short count of what came back, from the result's details: "42 lines", "3 matches". Empty where there is none. */
export function resultCount(result: ToolResultPart | null): string {
  const details = result?.details;
  if (details === undefined || details === null || typeof details !== 'object') return '';
  const counts = new Map<string, unknown>(Object.entries(details));
  const count = (key: string): number | null => {
    const value = counts.get(key);
    return typeof value === 'number' ? value : null;
  };
  const [lines, entries, matches] = [count('lines'), count('entries'), count('matches')];
  if (matches !== null) return matches === 1 ? t('1 match') : t('{count} matches', { count: matches });
  if (entries !== null) return entries === 1 ? t('1 entry') : t('{count} entries', { count: entries });
  if (lines !== null) return lines === 1 ? t('1 line') : t('{count} lines', { count: lines });
  return '';
}

/** Arguments indented for reading; as written where they are not JSON. */
export function readableArguments(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

function firstTarget(calls: readonly ToolCallPart[]): string {
  return calls[0] === undefined ? '' : toolTarget(calls[0]);
}

function parsedArguments(text: string): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Undefined for text that is not JSON: a model may write anything, and a call cut off by a stop ends in the middle. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
