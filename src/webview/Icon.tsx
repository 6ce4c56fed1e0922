/** Codicon, decoration only: nearby text or the control's label always carries the meaning. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}
