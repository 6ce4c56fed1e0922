import type { AccessPath } from '../../transcript/approval';
import type { AccessPaths } from '../accessPaths';
import { isSecret } from '../pathTreatment';
import { NotAText, type FileEditor, type TextFile } from './fileEditor';
import { DoesNotFit } from './replacement';

/** File that a call names, and its content; null when there is none. */
interface OpenTarget {
  readonly target: AccessPath;
  readonly file: TextFile | null;
}

/** Finds and reads the file that a path refers to. Rejects with a sentence for the model, which names the file by
 *  its displayed path. */
export async function openTarget(
  deps: { readonly paths: AccessPaths; readonly editor: FileEditor },
  written: string,
  signal: AbortSignal,
): Promise<OpenTarget> {
  const target = await deps.paths.resolveAccess(written);
  try {
    return { target, file: await deps.editor.open(target.path, signal) };
  } catch (error) {
    throw error instanceof NotAText ? new NotAText(error.message.replaceAll(target.path, target.shown)) : error;
  }
}

/** Like `openTarget`, for a file that must exist. */
export async function openExisting(
  deps: Parameters<typeof openTarget>[0],
  written: string,
  signal: AbortSignal,
): Promise<{ readonly target: AccessPath; readonly file: TextFile }> {
  const { target, file } = await openTarget(deps, written, signal);
  if (file === null)
    throw new Error(
      `There is no file ${target.shown}. Use list_directory or glob_files to find it, or write_file to create it.`,
    );
  return { target, file };
}

/** Returns the new text of a file. A refusal normally quotes the file, and comes before the approval. For a file
 *  that needs approval to read, the refusal reveals nothing. */
export function fitted(target: AccessPath, make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DoesNotFit) || (target.isInside && !isSecret(target.shown))) throw error;
    throw new DoesNotFit(
      `The edit does not fit ${target.shown}; nothing was changed. Use read_file, which asks the person, to see ` +
        'what the file holds.',
      { cause: error },
    );
  }
}
