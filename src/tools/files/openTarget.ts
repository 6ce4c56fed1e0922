import type { AccessPath } from '../../transcript/approval';
import type { AccessPaths } from '../accessPaths';
import { isSecret } from '../sensitivePaths';
import { NotAText, type FileEditor, type TextFile } from './fileEditor';
import { DoesNotFit } from './replacement';

/** A file a call names, and what it holds; null where there is none. */
export interface OpenTarget {
  readonly target: AccessPath;
  readonly file: TextFile | null;
}

/** Finds and reads the file that a written path means. Rejects with a sentence for the model, which names the file as people read it. */
export async function openTarget(
  needs: { readonly paths: AccessPaths; readonly editor: FileEditor },
  written: string,
  signal: AbortSignal,
): Promise<OpenTarget> {
  const target = await needs.paths.resolveAccess(written);
  try {
    return { target, file: await needs.editor.open(target.path, signal) };
  } catch (error) {
    throw error instanceof NotAText ? new NotAText(error.message.replaceAll(target.path, target.shown)) : error;
  }
}

/** The same for a file that has to be there. */
export async function openExisting(
  needs: Parameters<typeof openTarget>[0],
  written: string,
  signal: AbortSignal,
): Promise<{ readonly target: AccessPath; readonly file: TextFile }> {
  const { target, file } = await openTarget(needs, written, signal);
  if (file === null)
    throw new Error(
      `There is no file ${target.shown}. Use list_directory or glob_files to find it, or write_file to create it.`,
    );
  return { target, file };
}

/** A new text for a file. A refusal quotes what stands there, and refusals come before the person is asked: of a file that may not be read unasked
 *  it tells nothing. */
export function fitted(target: AccessPath, make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DoesNotFit) || (target.isInside && !isSecret(target.shown))) throw error;
    throw new DoesNotFit(
      `The edit does not fit ${target.shown}; nothing was changed. Use read_file, which asks the person, to see what the file holds.`,
      { cause: error },
    );
  }
}
