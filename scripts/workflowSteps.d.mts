/** The steps of a job with the environment of the workflow; `reason` says why a step is not run outside of GitHub. */
export function stepsOf(
  text: string,
  job: string,
): {
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly name: string; readonly run?: string; readonly reason?: string }[];
};
