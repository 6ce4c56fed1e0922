import type { ButtonHTMLAttributes, TargetedMouseEvent } from 'preact';
import { Icon } from './Icon';

type ButtonProps = Omit<ButtonHTMLAttributes, 'class' | 'icon' | 'label'> & {
  readonly label: string;
  readonly act: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly class?: string;
};

/** Button of a bar or a notice. `icon`: before the label, which is then also the tooltip. */
export function Button({
  label,
  act,
  icon,
  primary = false,
  ...rest
}: ButtonProps & { readonly icon?: string; readonly primary?: boolean }) {
  const tooltip = icon === undefined ? {} : { title: label };
  return (
    <button type="button" class={`button compact${primary ? '' : ' secondary'}`} {...tooltip} {...rest} onClick={act}>
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
  const classes = more === undefined ? 'icon-button' : `icon-button ${more}`;
  return (
    <button type="button" class={classes} title={label} aria-label={label} {...rest} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

/** Button that looks like a link. */
export function LinkButton({ label, act, ...rest }: ButtonProps) {
  return (
    <button type="button" class="link-button" {...rest} onClick={act}>
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
