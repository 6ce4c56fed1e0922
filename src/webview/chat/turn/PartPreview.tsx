import type { SentPart } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { imageAddress, partLabel } from '../drafts/draftParts';

/** Preview of an attachment: its text as it was when read, or the image at a visible size. */
export function PartPreview({ part }: { readonly part: SentPart }) {
  const label = t('Preview of {name}', { name: partLabel(part) });
  if (part.kind === 'image') return <img class="part-image" src={imageAddress(part)} alt={label} />;
  return (
    <pre class="part-text" role="region" aria-label={label} tabIndex={0} dir="auto">
      {part.text}
    </pre>
  );
}
