/** Reasons not to release a tag, one sentence each. */
export function releaseProblems(
  tag: string,
  project: { readonly version: string; readonly changelog: string; readonly isPlaceholder: boolean },
): string[];
