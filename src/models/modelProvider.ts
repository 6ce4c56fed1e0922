import type { Failure } from '../transcript/stopReason';
import type { ChatModel } from './chatModel';
import type { ModelInfo } from './modelInfo';

/** A source of models: an endpoint with its key, the editor, or Demo. */
export interface ModelProvider {
  readonly name: string;
  /** openai and anthropic speak HTTP to an endpoint; editor is vscode.lm; demo is built in. */
  readonly kind: 'openai' | 'anthropic' | 'editor' | 'demo';
  readonly destination: string;
  /** Asks the source what it has. Never throws: a failure is the answer. */
  listModels(signal: AbortSignal): Promise<ModelListing>;
  /** Opens one model, reading its capabilities and allocated context where the source tells them. Throws `ModelError`. */
  open(modelId: string, signal: AbortSignal): Promise<ChatModel>;
}

export type ModelListing =
  | { readonly kind: 'models'; readonly models: readonly ModelInfo[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A model that cannot be opened or asked, with the failure a person can act on. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  constructor(readonly failure: Failure) {
    super(failure.sentence);
  }
}
