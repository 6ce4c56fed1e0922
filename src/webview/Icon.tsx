import type { ButtonHTMLAttributes, Ref } from 'preact';

/** Codicon, decoration only: nearby text or the control's label always carries the meaning. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Further classes. */
  readonly class?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button with words, in the form that its class names. */
function buttonOf(own: string) {
  return ({ class: more, ...attributes }: ButtonProps) => (
    <button type="button" class={more === undefined ? own : `${own} ${more}`} {...attributes} />
  );
}

export const Button = buttonOf('button');
export const LinkButton = buttonOf('link-button');

interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'label'> {
  readonly icon: string;
  /** Accessible name, and the title unless there is another one. */
  readonly label: string;
}

/** An icon as a button. */
export function IconButton({ icon, label, class: more, ...attributes }: IconButtonProps) {
  return (
    <button
      type="button"
      class={more === undefined ? 'icon-button' : `icon-button ${more}`}
      aria-label={label}
      title={label}
      {...attributes}
    >
      <Icon name={icon} />
    </button>
  );
}
