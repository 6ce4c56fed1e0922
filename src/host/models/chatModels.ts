import type { Disposable } from '../../base/disposable';
import type { ModelList, ModelState, Setup } from '../../protocol/chatProtocol';

/** Models as chat views see them. */
export interface ChatModels {
  /** Model that answers a session that chose `ref` (null: the session chose none, so the default), and the reason if
   *  that model cannot be used. */
  stateOf(ref: string | null): ModelState;
  choices(refresh: boolean): Promise<ModelList>;
  readonly setup: Setup;
  /** Searches again for available models. */
  discover(): Promise<Setup>;
  onDidChange(listener: () => void): Disposable;
}
