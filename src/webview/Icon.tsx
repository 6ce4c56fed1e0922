/** A codicon. Decoration only: what it means is always said in words beside it or in the control's label. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}
