import { patched } from '../../../tools/files/patching';
import { readPatch, UnreadablePatch } from '../../../tools/files/patchText';
import { DoesNotFit } from '../../../tools/files/replacement';
import { fitCode } from './codeFit';
import { fileNamedInCode } from './fence';

/** Proposed new text of a file; or `same`: the file already has the code; or `misfit`: nothing shows where the code
 *  belongs. */
export type Proposal =
  { readonly kind: 'change'; readonly text: string } | { readonly kind: 'same' } | { readonly kind: 'misfit' };

/** `before`: the file's text; null if there is no file. Code whose language is "diff" or "patch" is applied as a
 *  patch. */
export function proposal(before: string | null, code: string, language: string): Proposal {
  if (language === 'diff' || language === 'patch') return ofPatch(before, code);
  const own = withoutName(before, code);
  if (before === null) return { kind: 'change', text: own.endsWith('\n') ? own : `${own}\n` };
  const fit = fitCode(before, own);
  if (fit.kind === 'same') return { kind: 'same' };
  return fit.kind === 'nowhere' ? { kind: 'misfit' } : { kind: 'change', text: fit.text };
}

/** Drops a first line that only names the file, unless the file has that line. */
function withoutName(before: string | null, code: string): string {
  const named = fileNamedInCode(code);
  const [first = ''] = code.split('\n', 1);
  return named === null || before?.split(/\r?\n/).includes(first) === true ? code : named.rest;
}

function ofPatch(before: string | null, code: string): Proposal {
  try {
    const [file, another] = readPatch(
      /^(?:--- |\*\*\* Begin Patch)/m.test(code)
        ? code
        : `*** Begin Patch\n*** Update File: file\n${code.trimEnd()}\n*** End Patch`,
    );
    if (file === undefined || another !== undefined || file.kind === 'delete') return { kind: 'misfit' };
    if (file.kind === 'add') return before === null ? { kind: 'change', text: file.text } : { kind: 'misfit' };
    if (before === null || file.moveTo !== null) return { kind: 'misfit' };
    const text = patched(before, file.hunks, 'the file');
    return text === before ? { kind: 'same' } : { kind: 'change', text };
  } catch (error) {
    if (error instanceof DoesNotFit || error instanceof UnreadablePatch) return { kind: 'misfit' };
    throw error;
  }
}
