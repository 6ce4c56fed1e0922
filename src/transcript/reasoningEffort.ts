/** How hard a model is asked to think. `default`: as its service does by itself; nothing is said about it in the request. */
export const reasoningEfforts = ['default', 'none', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];
