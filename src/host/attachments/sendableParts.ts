import type { Translate } from '../../base/translate';
import { maxImages, maxParts } from '../../protocol/attachmentProtocol';
import type { ModelRow } from '../../protocol/chatProtocol';
import type { DraftPart, MentionPart, SentPart } from '../../transcript/draftPart';
import { MentionError } from '../common/mentionError';

/** Resolves the parts that are sent beside a prompt's text: reads all mentions now, in parallel. Rejects with a
 *  `MentionError` when something cannot be read or there is too much. */
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

/** Notice for a user who sends images to a model that accepts none. Null: none. */
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
