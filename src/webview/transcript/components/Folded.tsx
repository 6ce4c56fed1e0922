import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../localization';

const mostLines = 40;
const mostCharacters = 8000;

/** Returns the beginning of a long text, or the whole text if it is short. Pure. */
function beginningOf(text: string): string {
  const lines = text.split('\n', mostLines + 1);
  const beginning = lines.length > mostLines ? lines.slice(0, mostLines).join('\n') : text;
  return beginning.length > mostCharacters ? beginning.slice(0, mostCharacters) : beginning;
}

interface FoldedProps {
  readonly text: string;
  /** True when shown whole, because the user was taken here. */
  readonly open: boolean;
  readonly render: (text: string) => ComponentChild;
}

/** Shows a long text up to about its fortieth line, the rest on demand. */
export function Folded({ text, open, render }: FoldedProps) {
  const [wanted, setWanted] = useState(false);
  const beginning = beginningOf(text);
  const isLong = beginning.length < text.length;
  const isOpen = wanted || open || !isLong;
  return (
    <>
      {render(isOpen ? text : beginning)}
      {isLong && !open && (
        <button type="button" class="link-button fold" aria-expanded={isOpen} onClick={() => setWanted(!wanted)}>
          {isOpen ? t('Show Less') : t('Show All ({count} lines)', { count: text.split('\n').length })}
        </button>
      )}
    </>
  );
}
