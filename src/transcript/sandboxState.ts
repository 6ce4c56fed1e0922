/** Tells if the operating system confines commands. off: the user turned it off. missing: this machine cannot;
 *  `reason`: the cause, as part of a sentence; `remedy`: a solution, as a sentence. */
export type SandboxState =
  | { readonly kind: 'works' }
  | { readonly kind: 'off' }
  | { readonly kind: 'missing'; readonly reason: string; readonly remedy: string };
