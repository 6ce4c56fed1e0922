/** Differences between a service and plain chat completions. */
interface WireTraits {
  /** True when it supports `stream_options: { include_usage }`. */
  readonly streamOptions: boolean;
  adapt(body: Record<string, unknown>, cacheKey: string | null): Record<string, unknown>;
}

const plain: WireTraits = { streamOptions: true, adapt: (body) => body };

const openai: WireTraits = {
  streamOptions: true,
  adapt({ max_tokens: limit, ...body }, cacheKey) {
    return {
      ...body,
      // Reasoning models there refuse max_tokens.
      ...(limit === undefined ? {} : { max_completion_tokens: limit }),
      ...(cacheKey === null ? {} : { prompt_cache_key: cacheKey }),
    };
  },
};

const openRouter: WireTraits = {
  streamOptions: true,
  // Requests the cost together with the other counts.
  adapt: (body) => ({ ...body, usage: { include: true } }),
};

/** Returns the known differences, by host. Every other service counts as plain. */
export function traitsOf(baseUrl: string): WireTraits {
  const { hostname } = new URL(baseUrl);
  if (hostname === 'api.openai.com' || hostname.endsWith('.openai.azure.com')) return openai;
  // Sends usage without being asked.
  if (hostname === 'api.mistral.ai') return { ...plain, streamOptions: false };
  if (hostname === 'openrouter.ai') return openRouter;
  return plain;
}
