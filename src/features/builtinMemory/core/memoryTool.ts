import * as v from 'valibot';
import { type AnyTool, defineTool, type ToolOutput, done, failed } from '../../../tools/tool';
import type { MemoryWrite } from '../../../memory/memoryProvider';
import { type EntryChange, lengthOf, memoryLimits, type MemoryOperation } from './memoryEntries';
import { MemoryFileError } from './memoryFile';
import { titleOf } from './memoryBlock';
import { holdsSecret, threatIn } from './memoryScan';
import type { MemoryPlace, MemoryScope, RememberedFiles } from './rememberedFiles';

interface MemoryToolDeps {
  readonly files: RememberedFiles;
  /** Called when a write is on disk. */
  readonly wrote: (write: MemoryWrite) => void;
  readonly attempts: WriteAttempts;
}

/** Counts writes that did not fit within one turn. When the limit is reached, the tool result asks the model to
 *  continue without the write, so it does not retry forever. */
export class WriteAttempts {
  private failed = 0;

  constructor(private readonly most = 3) {}

  reset(): void {
    this.failed = 0;
  }

  /** Counts a write that did not fit. Returns true when it was the last allowed attempt. */
  countFailed(): boolean {
    return ++this.failed >= this.most;
  }

  get isSpent(): boolean {
    return this.failed >= this.most;
  }
}

const actions = ['add', 'replace', 'remove'] as const;
const operationFields = {
  action: v.pipe(
    v.picklist(actions),
    v.description(
      'add: a new entry (content). replace: the entry that old_text names becomes content. remove: that entry goes.',
    ),
  ),
  content: v.optional(v.pipe(v.string(), v.description('One fact or wish, in a short sentence or two.'))),
  old_text: v.optional(v.pipe(v.string(), v.description('A few words that only the entry that is meant contains.'))),
};

const inputSchema = v.object({
  ...operationFields,
  action: v.optional(operationFields.action),
  target: v.optional(v.pipe(v.picklist(['memory', 'user']), v.description('Default: memory.')), 'memory'),
  scope: v.optional(
    v.pipe(v.picklist(['global', 'workspace']), v.description('Default: workspace for memory, global for user.')),
  ),
  operations: v.optional(
    v.pipe(
      v.array(
        v.object({ action: v.picklist(actions), content: v.optional(v.string()), old_text: v.optional(v.string()) }),
      ),
      v.description('Changes of one target, in order, instead of action, content and old_text.'),
    ),
  ),
});
type Input = v.InferOutput<typeof inputSchema>;

/** Tool that saves notes for later sessions. Every write is on disk before the model gets the result. */
export function memoryTool(deps: MemoryToolDeps): AnyTool {
  return defineTool({
    name: 'memory',
    description: [
      'Saves, corrects or removes what the system prompt of later sessions says.',
      `target "memory": notes about projects, tools and lessons learned (at most ${memoryLimits.memory} ` +
        'characters in all). target "user": who the person is and how they want things (at most ' +
        `${memoryLimits.user}).`,
      'scope "workspace": for the open folder. scope "global": for every folder.',
      'operations: several changes at once, all or none, to make room and add in one call. Never save keys or ' +
        'passwords.',
    ].join(' '),
    schema: inputSchema,
    readOnly: false,
    run: (input) => write(input, deps),
  });
}

const spent =
  'Memory is full, and room could not be made in this turn. Go on with the task without saving this; tell the ' +
  'person in one sentence that memory is full and that Open Memory shows it.';

async function write(input: Input, { files, wrote, attempts }: MemoryToolDeps): Promise<ToolOutput> {
  if (attempts.isSpent) return failed(spent);
  const place = placeOf(input, files);
  if (typeof place === 'string') return failed(place);
  const operations = operationsOf(input);
  if (typeof operations === 'string') return failed(operations);
  const refused = operations.flatMap((operation) =>
    operation.action === 'remove' ? [] : (contentProblem(operation.content) ?? []),
  );
  if (refused[0] !== undefined) return failed(refused[0]);
  try {
    const result = await files.apply(place, operations);
    if (result.kind === 'applied') {
      for (const change of result.changes) wrote({ ...change, target: place.target });
      return done(savedText(place, result.entries, result.changes));
    }
    if (result.kind === 'full' && attempts.countFailed()) return failed(`${result.text} ${spent}`);
    const advice =
      result.kind === 'full'
        ? ' Make room first: replace several entries by a shorter one, or remove what is out of date, in one call ' +
          'with operations.'
        : '';
    return failed(`${result.text}${advice}\n\n${listed(place, result.before)}`);
  } catch (error) {
    if (error instanceof MemoryFileError) return failed(error.message);
    throw error;
  }
}

const noWorkspace =
  'No folder is open, so there is no workspace to remember this for. Use the scope "global", or leave it.';

function placeOf({ target, scope }: Input, files: RememberedFiles): MemoryPlace | string {
  const usual: MemoryScope = target === 'user' ? 'global' : 'workspace';
  const place = files.place(target, scope ?? usual);
  if (place !== null) return place;
  if (scope === undefined) return files.place(target, 'global') ?? noWorkspace;
  return noWorkspace;
}

function operationsOf({ operations, action, content, old_text: oldText }: Input): readonly MemoryOperation[] | string {
  const given = operations ?? [];
  if (given.length > 0 && action !== undefined) return 'Give either action or operations, not both.';
  if (given.length === 0 && action === undefined)
    return 'Nothing to do: give an action ("add", "replace" or "remove") or operations.';
  const single = action === undefined ? given : [{ action, content, old_text: oldText }];
  const read = single.map((one) => operationOf(one.action, one.content, one.old_text));
  return read.find((one) => typeof one === 'string') ?? read.filter((one) => typeof one !== 'string');
}

function operationOf(
  action: MemoryOperation['action'],
  content: string | undefined,
  oldText: string | undefined,
): MemoryOperation | string {
  if (action !== 'remove' && content === undefined) return `"${action}" needs content.`;
  if (action !== 'add' && oldText === undefined)
    return `"${action}" needs old_text: a few words of the entry that is meant.`;
  switch (action) {
    case 'add':
      return { action, content: content ?? '' };
    case 'replace':
      return { action, content: content ?? '', oldText: oldText ?? '' };
    case 'remove':
      return { action, oldText: oldText ?? '' };
    default:
      return action satisfies never;
  }
}

function contentProblem(content: string): string | null {
  if (holdsSecret(content))
    return (
      'This looks like it holds a key or a password. Memory goes to the model with every request, so it is not ' +
      'saved. Save it without the secret, say where it is kept instead.'
    );
  const threat = threatIn(content);
  return threat === null
    ? null
    : `This is not saved: it holds ${threat}, and memory speaks to the model in every session. Say it in other ` +
        'words if it is a plain fact.';
}

function savedText(place: MemoryPlace, entries: readonly string[], changes: readonly EntryChange[]): string {
  const used =
    `${titleOf(place)}: ${entries.length === 1 ? '1 entry' : `${entries.length} entries`}, ${lengthOf(entries)} of ` +
    `${place.limit} characters.`;
  if (changes.length === 0) return `That is saved already. ${used}`;
  return `Saved. ${used} Later sessions are told it from their beginning; this one knows it already.`;
}

function listed(place: MemoryPlace, entries: readonly string[]): string {
  if (entries.length === 0) return `${titleOf(place)} has no entries.`;
  return (
    `${titleOf(place)}, ${lengthOf(entries)} of ${place.limit} characters:\n` +
    entries.map((entry) => `- ${entry}`).join('\n')
  );
}
