/** Returns the name of a model without its provider: its label if it is `known`, else from its ref. */
export function modelName(ref: string, known: { readonly ref: string; readonly label: string } | null = null): string {
  return known?.ref === ref ? known.label : ref.slice(ref.indexOf('/') + 1);
}
