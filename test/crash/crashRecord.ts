import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';

/** What a host that is going to be killed is told. */
export interface CrashHostOrder {
  /** Begins the uids of its prompts. */
  readonly name: string;
  readonly storage: string;
  readonly workerEntry: string;
  /** File to which it appends what it shows. */
  readonly record: string;
  /** The open folder, which its tools read. */
  readonly project: string;
  readonly url: string;
  readonly protocol: 'openai' | 'anthropic';
  readonly sessionId: string | null;
  readonly prompts: number;
  /** Tokens its model says it takes: few, so that histories are compressed. */
  readonly contextWindow: number;
}

/** What a host is told that is going to be killed around Enter. */
export type EnterHostOrder = Pick<CrashHostOrder, 'storage' | 'workerEntry' | 'project' | 'url'>;

/** Where the store holds what was typed. */
export interface StoredTexts {
  readonly prompts: readonly string[];
  readonly queued: readonly string[];
  readonly drafts: readonly string[];
}

const shownLine = v.variant('kind', [
  v.object({
    kind: v.literal('text'),
    sessionId: v.string(),
    turnUid: v.string(),
    uid: v.string(),
    part: v.number(),
    start: v.number(),
    text: v.string(),
  }),
  v.object({ kind: v.literal('row'), uid: v.string() }),
  v.object({ kind: v.literal('prompt'), uid: v.string(), sessionId: v.string() }),
  v.object({ kind: v.literal('settled'), turnUid: v.string() }),
]);

/** One thing a surface showed, or a prompt it was told is saved. */
export type Shown = v.InferOutput<typeof shownLine>;

/** Everything shown so far; a last line that was not written whole was not shown. */
export function readRecord(file: string): readonly Shown[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => v.parse(shownLine, JSON.parse(line)));
}
