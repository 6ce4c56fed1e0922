/** Whether commands are confined by the operating system. off: the person does not want it. missing: this machine cannot; `reason`: why, as part of a
 *  sentence; `remedy`: what can be done, as a sentence. */
export type SandboxState =
  | { readonly kind: 'works' }
  | { readonly kind: 'off' }
  | { readonly kind: 'missing'; readonly reason: string; readonly remedy: string };
