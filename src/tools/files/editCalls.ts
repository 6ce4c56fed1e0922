import type { GenericSchema, InferOutput } from 'valibot';
import type { AccessPaths } from '../accessPaths';
import {
  type AnyTool,
  type AskedAccess,
  defineTool,
  done,
  failed,
  type Tool,
  type ToolCallContext,
  type ToolOutput,
} from '../tool';
import type { EditJournal, FileState } from './editJournal';
import { CannotWrite, FileChanged, NotAText, type FileEditor } from './fileEditor';
import {
  changesNothing,
  editDetails,
  fileEdit,
  fingerprint,
  previewOf,
  resultText,
  type DoneChange,
  type PlannedChange,
} from './plannedChange';
import { UnreadablePatch } from './patchText';
import { DoesNotFit } from './replacement';
import { encodeText } from './textFormat';

export interface FileToolDeps {
  readonly paths: AccessPaths;
  readonly editor: FileEditor;
  readonly journal: EditJournal;
}

/** Computes the changes of a call from the present files. Rejects with a sentence for the model when they cannot be
 *  made. */
type EditPlan<Input> = (input: Input, signal: AbortSignal) => Promise<readonly PlannedChange[]>;

/** Tool that changes files as planned: with the diff shown before approval, the same change computed again when it is
 *  made, and the journal that stores the earlier contents. */
export function editTool<const Schema extends GenericSchema<unknown, object>>(
  deps: FileToolDeps,
  {
    plan,
    ...tool
  }: Pick<Tool<Schema>, 'name' | 'description' | 'schema'> & {
    readonly plan: EditPlan<InferOutput<Schema>>;
  },
): AnyTool {
  const calls = new EditCalls(deps, plan);
  return defineTool({
    ...tool,
    readOnly: false,
    asks: (input, signal) => calls.asks(input, signal),
    run: (input, signal, call) => calls.run(input, signal, call),
  });
}

class EditCalls<Input extends object> {
  /** Fingerprint of the changes that the user saw, by the call's arguments. */
  private readonly previewed = new WeakMap<object, string>();

  constructor(
    private readonly deps: FileToolDeps,
    private readonly plan: EditPlan<Input>,
  ) {}

  async asks(input: Input, signal: AbortSignal): Promise<AskedAccess | null> {
    const changes = await this.planned(input, signal);
    this.previewed.set(input, fingerprint(changes));
    return {
      access: { kind: 'edit', paths: changes.map(({ target }) => target) },
      preview: previewOf(changes),
      changesNothing: changes.every(changesNothing),
    };
  }

  async run(input: Input, signal: AbortSignal, call: ToolCallContext): Promise<ToolOutput> {
    const changes = await this.planned(input, signal);
    const allowed = this.previewed.get(input);
    const names = changes.map(({ target }) => target.shown).join(', ');
    if (allowed !== undefined && allowed !== fingerprint(changes)) {
      return failed(
        `${names} changed after this edit was shown to the person, and it would no longer do the same. Nothing was ` +
          'changed. Read the file again and repeat the edit.',
      );
    }
    if (changes.every(changesNothing)) return done(`${names} has exactly this content already. Nothing was changed.`);
    signal.throwIfAborted();
    return this.make(changes, signal, call);
  }

  private async make(
    changes: readonly PlannedChange[],
    signal: AbortSignal,
    call: ToolCallContext,
  ): Promise<ToolOutput> {
    const { editor, journal } = this.deps;
    const opened = await journal.begin(call, changes.map(stateBefore));
    let kept: boolean;
    try {
      await speaking(changes, () => editor.apply(changes.map(fileEdit), signal));
    } finally {
      // Also after a failure: a file that could not be restored is then recorded as changed.
      kept = await this.statesNow(changes)
        .then((after) => opened.end(after))
        .then(
          () => true,
          () => false,
        );
    }
    const made = await Promise.all(changes.map((change) => this.asSaved(change)));
    const warning = kept
      ? ''
      : '\n\nWhat the files hold now could not be recorded, so reverting this turn may not cover them.';
    return done(resultText(made) + warning, editDetails(made));
  }

  private async planned(input: Input, signal: AbortSignal): Promise<readonly PlannedChange[]> {
    const known: PlannedChange[] = [];
    const changes = await this.plan(input, signal);
    for (const change of changes) {
      if (known.some(({ target }) => target.path === change.target.path))
        throw new Error(`${change.target.shown} is named twice. Put all changes of a file in one place.`);
      known.push(change);
    }
    for (const { target, after, before } of changes)
      if (after !== null) encodeText(target.shown, after, before ?? { encoding: 'utf8', hasBom: false });
    return changes;
  }

  private statesNow(changes: readonly PlannedChange[]): Promise<readonly FileState[]> {
    return Promise.all(
      changes.map(async ({ target }) => ({
        path: target.path,
        bytes: await this.deps.editor.bytesOnDisk(target.path),
      })),
    );
  }

  private async asSaved(change: PlannedChange): Promise<DoneChange> {
    // Ignore the call's signal: the edit is done, and its result must be reported.
    const now = await this.deps.editor.open(change.target.path, new AbortController().signal).catch(() => null);
    return { ...change, saved: change.after === null ? null : (now?.text ?? change.after) };
  }
}

/** State that can be restored: the file as the user sees it, including unsaved text. */
function stateBefore({ target, before }: PlannedChange): FileState {
  return { path: target.path, bytes: before === null ? null : encodeText(target.path, before.text, before) };
}

/** Replaces absolute paths in refusals with the paths that the model knows. */
async function speaking<T>(changes: readonly PlannedChange[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !isRefusal(error)) throw error;
    throw new Error(
      changes.reduce((text, { target }) => text.replaceAll(target.path, target.shown), error.message),
      { cause: error },
    );
  }
}

function isRefusal(error: Error): boolean {
  return [NotAText, FileChanged, CannotWrite, DoesNotFit, UnreadablePatch].some((kind) => error instanceof kind);
}
