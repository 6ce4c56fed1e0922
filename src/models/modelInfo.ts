import type { ReasoningEffort } from '../transcript/reasoningEffort';

/** US dollars per million tokens. What reading from and writing to the prompt cache costs is absent where it is not listed. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** What is known of a model before it is asked. Unknown is said as unknown, never guessed. */
export interface ModelInfo {
  /** "<provider>/<id>", e.g. "Local/qwen3:8b": what the setting `hermes.model` holds. */
  readonly ref: string;
  readonly provider: string;
  readonly id: string;
  readonly label: string;
  /** Where prompts go, as a person reads it: "openrouter.ai", "127.0.0.1:11434", "this computer", "Editor (Copilot)". */
  readonly destination: string;
  /** Tokens the model can take. */
  readonly contextWindow: number | null;
  /** Tokens the server really allocates, where it says so (Ollama truncates silently at this). */
  readonly allocatedContext: number | null;
  readonly tools: boolean | null;
  readonly images: boolean | null;
  readonly efforts: readonly ReasoningEffort[];
  readonly price: ModelPrice | null;
  /** Sentences a person should read before or while using it (small context with its fix, no tool support, last batch may be missing …). */
  readonly warnings: readonly string[];
}
