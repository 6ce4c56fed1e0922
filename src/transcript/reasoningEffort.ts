/** Requested thinking effort of a model. `default`: the provider's default; the request does not mention it. */
export const reasoningEfforts = ['default', 'none', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];
