import type { Failure } from '../transcript/stopReason';
import type { ChatModel } from './chatModel';
import type { ModelInfo } from './modelInfo';

/** A source of models: an endpoint with its key, VS Code, or Demo. */
export interface ModelProvider {
  readonly name: string;
  /** openai and anthropic speak HTTP to an endpoint; editor is vscode.lm; demo is built in; agent is a program of
   *  another maker, which answers sessions by itself. */
  readonly kind: 'openai' | 'anthropic' | 'editor' | 'demo' | 'agent';
  readonly destination: string;
  /** Lists the source's models. Never throws: a failure is part of the result. */
  listModels(signal: AbortSignal): Promise<ModelListing>;
  /** Facts about a model that are known without asking anyone. Default: its name. */
  facts?(modelId: string): ModelInfo;
  /** Opens one model. Reads its capabilities and allocated context if the source reports them. Throws `ModelError`. */
  open(modelId: string, signal: AbortSignal): Promise<ChatModel>;
}

export type ModelListing =
  | { readonly kind: 'models'; readonly models: readonly ModelInfo[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A model that cannot be opened or used, with a failure that the user can act on. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  constructor(readonly failure: Failure) {
    super(failure.sentence);
  }
}
