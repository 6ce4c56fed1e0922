import type { Disposable } from '../../base/disposable';
import type { ModelChoices, ModelState, Setup } from '../../protocol/chatProtocol';

/** The models as chat views see them. */
export interface ChatModels {
  /** The model that answers a session which chose `ref` (null: none of its own, so the default), and why it cannot be used if it cannot. */
  stateOf(ref: string | null): ModelState;
  choices(refresh: boolean): Promise<ModelChoices>;
  readonly setup: Setup;
  /** Looks again for what could answer. */
  discover(): Promise<Setup>;
  onDidChange(listener: () => void): Disposable;
}
