import * as v from 'valibot';
import { t } from '../../base/translate';
import type { ModelFacts } from '../modelFacts';
import { count, readable, text, texts } from './tolerant';

export const lmStudioListing = v.object({
  data: readable(
    v.object({
      id: v.string(),
      type: text,
      max_context_length: count,
      loaded_context_length: count,
      capabilities: texts,
    }),
  ),
});

/** Returns the chat models of `/api/v0/models`, with the context that they were loaded with. */
export function factsOfLmStudio(listing: v.InferOutput<typeof lmStudioListing>): readonly ModelFacts[] {
  return listing.data.flatMap(({ id, type, max_context_length, loaded_context_length, capabilities }) =>
    type === 'embeddings'
      ? []
      : [
          {
            id,
            ...(max_context_length === undefined ? {} : { contextWindow: max_context_length }),
            ...(loaded_context_length === undefined ? {} : { allocatedContext: loaded_context_length }),
            contextFix: t('Load it in LM Studio with a larger context length.'),
            ...(capabilities === undefined ? {} : { tools: capabilities.includes('tool_use') }),
            images: type === 'vlm',
          },
        ],
  );
}
