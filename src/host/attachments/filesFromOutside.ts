import type { Translate } from '../../base/translate';
import { errorMessage } from '../../base/errorMessage';
import type { Attached } from '../../protocol/attachmentProtocol';
import { isSecret } from '../../tools/pathTreatment';
import type { DraftPart } from '../../transcript/draftPart';
import { contentOf, secretRefused, tooLarge } from './mentionReading';
import { MentionError } from '../common/mentionError';

/** A file or folder that the user picked or dropped. */
export interface PickedFile {
  /** Path as shown to the user; relative to its open folder if it has one. */
  readonly shown: string;
  /** True when it is inside an open folder: it is then read when the prompt is sent. */
  readonly isInside: boolean;
  readonly kind: 'file' | 'directory' | 'other' | null;
  size(): Promise<number>;
  read(): Promise<Uint8Array>;
}

const maxBytes = 10 * 1024 * 1024;

/** Turns picked files into parts of a draft. Files inside the open folders become mentions. Any other file is read
 *  now, because picking it is what allows the read. */
export async function attachedFiles(
  picked: readonly (PickedFile | { readonly problem: string })[],
  t: Translate,
): Promise<Attached> {
  const parts: DraftPart[] = [];
  const problems: string[] = [];
  for (const each of picked) {
    try {
      if ('problem' in each) problems.push(each.problem);
      else parts.push(await attached(each, t));
    } catch (error) {
      const shown = 'problem' in each ? '' : each.shown;
      problems.push(
        error instanceof MentionError
          ? error.message
          : t('Couldn’t read {label}: {reason}', {
              label: shown,
              reason: errorMessage(error),
            }),
      );
    }
  }
  return { parts, problems };
}

async function attached(file: PickedFile, t: Translate): Promise<DraftPart> {
  const { shown, isInside, kind } = file;
  if (kind === 'directory') {
    if (!isInside)
      throw new MentionError(
        t('{label} is a folder outside your workspace. Attach individual files instead.', { label: shown }),
      );
    return { kind: 'mention', source: `folder:${shown}`, label: `${shown}/` };
  }
  if (kind === null)
    throw new MentionError(t('{label} no longer exists. Remove it, or mention something else.', { label: shown }));
  if (isSecret(shown)) throw secretRefused(shown, t);
  if (isInside) return { kind: 'mention', source: `file:${shown}`, label: shown };
  if ((await file.size()) > maxBytes) throw tooLarge(shown, t);
  return contentOf(await file.read(), { label: shown, source: `file:${shown}`, lines: null }, t);
}
