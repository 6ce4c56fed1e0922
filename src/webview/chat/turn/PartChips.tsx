import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DraftPart, SentPart } from '../../../transcript/draftPart';
import { Icon, IconButton } from '../../buttons';
import { t } from '../../localization';
import { fileLink, imageAddress, partIcon, partLabel, sizeText } from '../drafts/draftParts';
import { movedAlong } from '../common/listMoves';
import { useChat } from '../state/chat';

interface PartChipsProps<P extends DraftPart> {
  readonly parts: readonly P[];
  /** Removes a part. Without it the parts are read-only. */
  readonly remove?: (part: P) => void;
  /** Called when no chip is left to take the focus. */
  readonly leave?: () => void;
}

/** Attachments of a prompt. One tab stop; the arrow keys move along it, Delete removes one, Enter opens it. */
export function PartChips<P extends DraftPart>({ parts, remove, leave }: PartChipsProps<P>) {
  const chat = useChat();
  const list = useRef<HTMLUListElement>(null);
  const [place, setPlace] = useState(0);
  const [opened, setOpened] = useState<P | null>(null);
  const returns = useRef<number | null>(null);
  const current = Math.min(place, parts.length - 1);
  const shown = opened !== null && parts.includes(opened) ? opened : null;
  const go = (to: number): void => list.current?.querySelectorAll<HTMLElement>('.chip-open')[to]?.focus();
  useLayoutEffect(() => {
    if (returns.current === null) return;
    go(Math.min(returns.current, parts.length - 1));
    returns.current = null;
  }, [parts]);
  if (parts.length === 0) return null;
  const open = (part: P): void => {
    const link = part.kind === 'mention' ? fileLink(part.source) : null;
    if (link !== null) chat.markdown.openLink(link);
    if (part.kind !== 'mention') setOpened(part === shown ? null : part);
  };
  const removeAt = (at: number): void => {
    const part = parts[at];
    if (part === undefined || remove === undefined) return;
    if (parts.length === 1) leave?.();
    else returns.current = at;
    remove(part);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = movedAlong(event, current, parts.length);
    if (to !== null) go(to);
    else if (remove !== undefined && (event.key === 'Delete' || event.key === 'Backspace')) removeAt(current);
    else if (event.key === 'Escape' && shown !== null) setOpened(null);
    else return;
    event.preventDefault();
  };
  return (
    <div class="parts" onKeyDown={onKeyDown}>
      <ul class="chips" role="list" aria-label={t('Attachments')} ref={list}>
        {parts.map((part, index) => (
          <li class="chip" key={index}>
            <button
              type="button"
              class="chip-open"
              tabIndex={index === current ? 0 : -1}
              aria-expanded={part.kind === 'mention' ? undefined : part === shown}
              title={remove === undefined ? titleOf(part) : `${titleOf(part)}\n${t('Press Delete to remove')}`}
              onFocus={() => setPlace(index)}
              onClick={() => open(part)}
            >
              {part.kind === 'image' ? (
                <img class="chip-image" src={imageAddress(part)} alt={t('Image')} />
              ) : (
                <Icon name={partIcon(part)} />
              )}
              <span class="chip-label" dir="auto">
                {partLabel(part)}
              </span>
            </button>
            {remove !== undefined && (
              <RemoveButton
                name={partLabel(part)}
                remove={() => {
                  leave?.();
                  remove(part);
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {shown !== null && shown.kind !== 'mention' && <PartPreview part={shown} />}
    </div>
  );
}

function RemoveButton({ name, remove }: { readonly name: string; readonly remove: () => void }) {
  const label = t('Remove {name}', { name });
  return <IconButton icon="close" label={label} class="chip-remove" tabIndex={-1} act={remove} />;
}

function titleOf(part: DraftPart): string {
  return `${partLabel(part)} · ${sizeText(part)}`;
}

/** Preview of an attachment: its text as it was when read, or the image at a visible size. */
function PartPreview({ part }: { readonly part: SentPart }) {
  const label = t('Preview of {name}', { name: partLabel(part) });
  if (part.kind === 'image') return <img class="part-image" src={imageAddress(part)} alt={label} />;
  return (
    <pre class="part-text" role="region" aria-label={label} tabIndex={0} dir="auto">
      {part.text}
    </pre>
  );
}
