import * as v from 'valibot';
import type { ToolResultPart } from '../transcript/part';

const counted = v.nullable(v.number());

const editDetails = v.object({
  kind: v.literal('edit'),
  files: v.array(
    v.object({
      path: v.string(),
      shown: v.string(),
      change: v.picklist(['created', 'edited', 'deleted']),
      added: counted,
      removed: counted,
    }),
  ),
  diff: v.string(),
});

const commandDetails = v.object({
  kind: v.literal('command'),
  command: v.string(),
  folder: v.string(),
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  ms: v.number(),
  bytes: v.number(),
  file: v.nullable(v.string()),
  timedOut: v.boolean(),
  background: v.nullable(v.string()),
  tail: v.string(),
  sandbox: v.optional(v.object({ stopped: v.array(v.string()), takenOut: v.array(v.string()) })),
});

const todosDetails = v.object({
  kind: v.literal('todos'),
  items: v.array(v.object({ text: v.string(), state: v.picklist(['pending', 'active', 'done']) })),
});

const fetchDetails = v.object({ kind: v.literal('fetch'), url: v.string(), status: counted, bytes: counted });

const planDetails = v.object({ kind: v.literal('plan'), plan: v.string() });

const delegateDetails = v.object({
  kind: v.literal('delegate'),
  sessionId: v.string(),
  title: v.nullable(v.string()),
  turns: v.number(),
  ms: v.number(),
  tokens: v.optional(counted, null),
});

/** `reason`: the user's own words; null when they gave none. */
const deniedDetails = v.object({ kind: v.literal('denied'), reason: v.nullable(v.string()) });

const detailsSchema = v.variant('kind', [
  editDetails,
  commandDetails,
  todosDetails,
  fetchDetails,
  planDetails,
  delegateDetails,
  deniedDetails,
]);

/** Details of a result for the surfaces, beyond its text. */
type ToolDetails = v.InferOutput<typeof detailsSchema>;

export type EditResultDetails = v.InferOutput<typeof editDetails>;

export type DelegateDetails = v.InferOutput<typeof delegateDetails>;

export type CommandDetails = v.InferOutput<typeof commandDetails>;

export type Todo = v.InferOutput<typeof todosDetails>['items'][number];

const read = new WeakMap<ToolResultPart, ToolDetails | null>();

/** Null when there are none, or their kind or version is unknown here: then the result's text is complete. */
export function toolDetails(result: ToolResultPart | null): ToolDetails | null {
  if (result === null || result.details === undefined) return null;
  const known = read.get(result);
  if (known !== undefined) return known;
  const parsed = v.safeParse(detailsSchema, result.details);
  const details = parsed.success ? parsed.output : null;
  read.set(result, details);
  return details;
}

const running = v.object({ isRunning: v.literal(true) });

/** True for a result that stands in for a call which still runs: an agent of another maker reports its calls as they
 *  go. In a turn that is over it means that the call never ended. */
export function isRunningResult(result: ToolResultPart): boolean {
  return result.outcome === 'interrupted' && v.is(running, result.details);
}

const serverTool = v.object({ server: v.string(), tool: v.string() });

/** Returns the server and the tool by their own names; null when the result does not say. */
export function serverToolIn(name: string, result: ToolResultPart | null): v.InferOutput<typeof serverTool> | null {
  const parsed = name.startsWith('mcp_') ? v.safeParse(serverTool, result?.details) : null;
  return parsed?.success === true ? parsed.output : null;
}

/** Returns the todo list a call wrote; null when it wrote none. */
export function todosIn(result: ToolResultPart): readonly Todo[] | null {
  const details = toolDetails(result);
  return details?.kind === 'todos' ? details.items : null;
}

/** Adds up the counts of all files; files that are not text count as zero. */
export function lineCounts(files: readonly Pick<EditResultDetails['files'][number], 'added' | 'removed'>[]) {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return { added: sum('added'), removed: sum('removed') };
}
