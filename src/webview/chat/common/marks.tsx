import type { ComponentChildren } from 'preact';
import { Icon } from '../../buttons';

interface FoldButtonProps {
  readonly open: boolean;
  readonly toggle: () => void;
  /** Further classes. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Line that stands in for folded content, and opens it. */
export function FoldButton({ open, toggle, class: more, children }: FoldButtonProps) {
  return (
    <button
      type="button"
      class={more === undefined ? 'fold-button' : `fold-button ${more}`}
      aria-expanded={open}
      onClick={toggle}
    >
      <Icon name={open ? 'chevron-down' : 'chevron-right'} />
      {children}
    </button>
  );
}

/** A file path in an element with the class `tool-path`. When it lacks room, its folders are cut first: the name says
 *  more. */
export function PathParts({ path }: { readonly path: string }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <>
      <span class="tool-folder">{path.slice(0, at)}</span>
      <span class="tool-file">{path.slice(at)}</span>
    </>
  );
}

/** Numbers of lines added and removed; nothing for files that are not text, and for a number that is 0. */
export function Counts({ added, removed }: { readonly added: number | null; readonly removed: number | null }) {
  const [more, fewer] = [added ?? 0, removed ?? 0];
  if (more === 0 && fewer === 0) return null;
  return (
    <span class="line-counts">
      {more > 0 && <span class="count-added">+{more}</span>} {fewer > 0 && <span class="count-removed">−{fewer}</span>}
    </span>
  );
}
