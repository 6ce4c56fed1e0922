import { useEffect, useRef } from 'preact/hooks';
import type { Mention } from '../../../protocol/attachmentProtocol';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { kindWords, mentionIcons } from '../draftParts';
import { mentionListId, mentionOptionId } from './mentions';

interface MentionListProps {
  readonly mentions: readonly Mention[];
  readonly active: number | null;
  readonly pick: (mention: Mention) => void;
}

/** What can be mentioned behind an "@". The focus stays in the composer, which says by its aria attributes which one is active. */
export function MentionList({ mentions, active, pick }: MentionListProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active, mentions]);
  if (mentions.length === 0) {
    return (
      <div id={mentionListId} class="popup command-list mention-none" role="status">
        {t('No match')}
      </div>
    );
  }
  return (
    <ul id={mentionListId} class="popup command-list" role="listbox" aria-label={t('Mentions')} ref={list} onMouseDown={(event) => event.preventDefault()}>
      {mentions.map((mention, place) => (
        <li
          key={mention.source}
          id={mentionOptionId(place)}
          class={`option mention-option${place === active ? ' active' : ''}`}
          role="option"
          aria-selected={place === active}
          title={mention.label}
          onClick={() => pick(mention)}
        >
          <Icon name={mentionIcons[mention.kind]} />
          <span class="mention-label" dir="auto">{nameIn(mention)}</span>
          <span class="visually-hidden">, {kindWords(mention.kind)}, </span>
          <span class="mention-detail" dir="auto">{mention.detail}</span>
        </li>
      ))}
    </ul>
  );
}

/** A file is known by its name; where it is stands behind it. */
function nameIn({ kind, label, detail }: Mention): string {
  const isPath = kind === 'file' || kind === 'folder';
  return isPath && detail !== '' ? (label.replace(/\/$/, '').split('/').at(-1) ?? label) : label;
}
