import { Icon } from '../../Icon';

interface FoldButtonProps {
  readonly open: boolean;
  readonly label: string;
  readonly toggle: () => void;
  /** True while the folded content is still growing. */
  readonly live?: boolean;
}

/** Line that stands in for folded content, and opens it. */
export function FoldButton({ open, label, toggle, live = false }: FoldButtonProps) {
  return (
    <button type="button" class="fold-button" aria-expanded={open} onClick={toggle}>
      <Icon name={open ? 'chevron-down' : 'chevron-right'} />
      <span class={live ? 'shimmer' : ''} dir="auto">
        {label}
      </span>
    </button>
  );
}
