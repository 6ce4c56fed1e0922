import type { ReasoningEffort } from '../transcript/session';

/** US dollars per million tokens. The prices for reading from and writing to the prompt cache are absent if they are
 *  not listed. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Prices of requests with more than `fromInput` input tokens, if they differ. */
  readonly long?: Omit<ModelPrice, 'long'> & { readonly fromInput: number };
}

/** Known facts of a model before its first request. Unknown facts are null, never guessed. */
export interface ModelInfo {
  /** "<provider>/<id>", e.g. "Local/qwen3:8b": the value of the setting `hermes.model`. */
  readonly ref: string;
  readonly provider: string;
  readonly id: string;
  readonly label: string;
  /** Destination of prompts, as it is shown to the user: "openrouter.ai", "127.0.0.1:11434", "this computer",
   *  "Editor (Copilot)". */
  readonly destination: string;
  /** Maximum tokens that the model supports. */
  readonly contextWindow: number | null;
  /** Tokens that the server really allocates, if it reports them (Ollama silently truncates at this length). */
  readonly allocatedContext: number | null;
  readonly tools: boolean | null;
  readonly images: boolean | null;
  readonly efforts: readonly ReasoningEffort[];
  readonly price: ModelPrice | null;
  /** Sentences for the user to read before or during use (small context with its fix, no tool support, last batch
   *  may be missing …). */
  readonly warnings: readonly string[];
}
