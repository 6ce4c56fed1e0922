import type { Mention } from '../../../protocol/attachmentProtocol';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { kindLabel, mentionIcons } from '../drafts/draftParts';
import { mentionGroups } from './suggestionGroups';
import { mentionListId, mentionOptionId } from './mentions';
import { SuggestionList } from './SuggestionList';

interface MentionListProps {
  readonly mentions: readonly Mention[];
  readonly active: number | null;
  readonly pick: (mention: Mention) => void;
}

/** Completions for "@". */
export function MentionList({ mentions, active, pick }: MentionListProps) {
  if (mentions.length === 0) {
    return (
      <div id={mentionListId} class="popup command-list mention-none" role="status">
        {t('No match')}
      </div>
    );
  }
  const option = (mention: Mention, place: number) => (
    <div
      key={mention.source}
      id={mentionOptionId(place)}
      class={`option mention-option${place === active ? ' active' : ''}`}
      role="option"
      aria-selected={place === active}
      title={mention.label}
      onClick={() => pick(mention)}
    >
      <Icon name={mentionIcons[mention.kind]} />
      <span class="mention-label" dir="auto">
        {nameIn(mention)}
      </span>
      <span class="visually-hidden">, {kindLabel(mention.kind)}, </span>
      <span class="mention-detail" dir="auto">
        {mention.detail}
      </span>
    </div>
  );
  return (
    <SuggestionList
      id={mentionListId}
      label={t('Mentions')}
      groups={mentionGroups(mentions)}
      shown={`${active} ${mentions.length}`}
      option={option}
    />
  );
}

/** Names a file by its base name; its folder follows after it. */
function nameIn({ kind, label, detail }: Mention): string {
  const isPath = kind === 'file' || kind === 'folder';
  return isPath && detail !== '' ? (label.replace(/\/$/, '').split('/').at(-1) ?? label) : label;
}
