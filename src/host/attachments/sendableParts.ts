import { maxImages, maxParts } from '../../protocol/attachmentProtocol';
import type { ModelRow } from '../../protocol/chatProtocol';
import type { DraftPart, MentionPart, SentPart } from '../../transcript/draftPart';
import { MentionError } from './promptAttachments';

export type Translate = (message: string, args?: Record<string, string>) => string;

/** What is sent with a prompt for what stands beside its text: everything that is only mentioned is read now, all at once. Rejects with a
 *  `MentionError` where something cannot be read or it is too much. */
export async function sendableParts(
  parts: readonly DraftPart[],
  read: (mention: MentionPart) => Promise<SentPart>,
  t: Translate,
): Promise<readonly SentPart[]> {
  if (parts.length > maxParts)
    throw new MentionError(
      t('You can send at most {most} attachments with one prompt. Remove some.', { most: String(maxParts) }),
    );
  const sent = await Promise.all(parts.map((part) => (part.kind === 'mention' ? read(part) : part)));
  const images = sent.filter(({ kind }) => kind === 'image').length;
  if (images > maxImages)
    throw new MentionError(
      t('You can send at most {most} images with one prompt. Remove some.', { most: String(maxImages) }),
    );
  return sent;
}

/** What a person should know who sends images to a model that takes none; null where there is nothing to say. */
export function imageNotice(
  parts: readonly SentPart[],
  model: Pick<ModelRow, 'label' | 'images'> | null,
  t: Translate,
): string | null {
  if (model?.images !== false || !parts.some(({ kind }) => kind === 'image')) return null;
  return t('{model} can’t see images. It is only told that they exist. Choose another model to have it look at them.', {
    model: model.label,
  });
}
