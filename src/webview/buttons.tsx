import type { ButtonHTMLAttributes, TargetedMouseEvent } from 'preact';

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'icon' | 'label'> & {
  readonly label: string;
  readonly act: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  /** Further classes. */
  readonly class?: string;
};

const classes = (own: string, more: string | undefined): string => (more === undefined ? own : `${own} ${more}`);

interface WordsProps {
  /** Before the label, which is then also the tooltip. */
  readonly icon?: string;
  readonly primary?: boolean;
  /** tiny: in the line of a row. */
  readonly size?: 'full' | 'compact' | 'tiny';
}

/** Button of a bar, a card, a row or a notice. */
export function Button({
  label,
  act,
  icon,
  primary = false,
  size = 'compact',
  class: more,
  ...rest
}: ButtonProps & WordsProps) {
  const tooltip = icon === undefined ? {} : { title: label };
  const own = `button ${size}${primary ? '' : ' secondary'}`;
  return (
    <button type="button" class={classes(own, more)} {...tooltip} {...rest} onClick={act}>
      {icon === undefined ? (
        label
      ) : (
        <>
          <Icon name={icon} /> <span class="label">{label}</span>
        </>
      )}
    </button>
  );
}

/** Button with an icon alone. Its label is its name and its tooltip. */
export function IconButton({ icon, label, act, class: more, ...rest }: ButtonProps & { readonly icon: string }) {
  return (
    <button type="button" class={classes('icon-button', more)} title={label} aria-label={label} {...rest} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

/** Button that looks like a link. */
export function LinkButton({ label, act, class: more, ...rest }: ButtonProps) {
  return (
    <button type="button" class={classes('link-button', more)} {...rest} onClick={act}>
      {label}
    </button>
  );
}

/** Button that stays pressed. */
export function Toggle({ on, label, act, ...rest }: ButtonProps & { readonly on: boolean }) {
  return (
    <button type="button" {...rest} class={`toggle${on ? ' on' : ''}`} aria-pressed={on} onClick={act}>
      {label}
    </button>
  );
}

/** Codicon, decoration only: nearby text or the control's label always carries the meaning. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}
