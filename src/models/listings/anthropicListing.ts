import * as v from 'valibot';
import type { ModelFacts } from '../modelFacts';
import { count, readable, text } from './tolerant';

export const anthropicListing = v.object({
  data: readable(v.object({ id: v.string(), display_name: text, max_input_tokens: count })),
});

/** Returns the facts from the list, plus facts that hold for every Claude since 3: 200k tokens, tools and images. */
export function factsOfAnthropicListing(listing: v.InferOutput<typeof anthropicListing>): readonly ModelFacts[] {
  return listing.data.map(({ id, display_name, max_input_tokens }) => ({
    ...factsOfClaude(id),
    ...(display_name ? { label: display_name } : {}),
    ...(max_input_tokens ? { contextWindow: max_input_tokens } : {}),
  }));
}

export function factsOfClaude(id: string): ModelFacts {
  if (!id.startsWith('claude-')) return { id };
  // Extended thinking was added in 3.7. Older models refuse the request.
  const thinks = !/^claude-3-(?:opus|sonnet|haiku|5)/.test(id);
  return {
    id,
    contextWindow: 200_000,
    tools: true,
    images: true,
    efforts: thinks ? ['default', 'none', 'low', 'medium', 'high'] : ['default'],
  };
}
