/** How a service differs from plain chat completions. */
export interface WireTraits {
  /** Understands `stream_options: { include_usage }`. */
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
  // Says what the request cost with its other counts.
  adapt: (body) => ({ ...body, usage: { include: true } }),
};

/** Known differences, by host. Everything else is taken as plain. */
export function traitsOf(baseUrl: string): WireTraits {
  const { hostname } = new URL(baseUrl);
  if (hostname === 'api.openai.com' || hostname.endsWith('.openai.azure.com')) return openai;
  // Sends usage unasked.
  if (hostname === 'api.mistral.ai') return { ...plain, streamOptions: false };
  if (hostname === 'openrouter.ai') return openRouter;
  return plain;
}
