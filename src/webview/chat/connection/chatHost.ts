import type { Timers } from '../../times';
import type { ChatNotifications, ChatResults, chatCommands, chatRequests } from '../../../protocol/chatProtocol';
import { type HostConnection, RefusedRequest } from '../../rpc';
import type { ViewMemory } from './viewMemory';
import { signal, type ReadonlySignal } from '@preact/signals';

/** Protocol of the chat view in the form that `connectToHost` takes. */
export interface ChatProtocol {
  readonly commands: typeof chatCommands;
  readonly requests: typeof chatRequests;
  readonly results: ChatResults;
  readonly notifications: ChatNotifications;
}

export type ChatHost = HostConnection<ChatProtocol>;

/** What surrounds a chat view. */
export interface ChatSurroundings {
  readonly host: ChatHost;
  readonly timers: Timers;
  readonly newUid: () => string;
  /** The view's memory, and the function that saves changes to it. */
  readonly memory: { readonly recalled: ViewMemory; remember(change: Partial<ViewMemory>): void };
}

/** Sentence above the composer: a refusal, or the reply to a request. */
export interface RequestProblem {
  readonly sentence: string;
  readonly isRefusal: boolean;
  readonly offersModels: boolean;
  /** True when the store refused it: another window has it, or it could not be written. */
  readonly isOfStore: boolean;
}

const storeCauses: readonly string[] = ['locked', 'full', 'readOnly', 'replaced', 'deleted', 'corrupt'];

/** Runs the user's requests to the host and holds the sentence to show about them: one at a time, until it is
 *  dismissed or another request starts. */
export class HostRequests {
  private readonly shown = signal<RequestProblem | null>(null);
  readonly problem: ReadonlySignal<RequestProblem | null> = this.shown;

  /** Runs a request; resolves to true when it succeeded. Shows a refusal. Rethrows any other error, which is a bug
   *  of the view. */
  async ask(request: () => Promise<unknown>): Promise<boolean> {
    this.dismiss();
    try {
      await request();
      return true;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      const { causeClass, message } = error;
      this.refuse(message, causeClass === 'noModel' || causeClass === 'noKey', storeCauses.includes(causeClass));
      return false;
    }
  }

  refuse(sentence: string, offersModels = false, isOfStore = false): void {
    this.shown.value = { sentence, isRefusal: true, offersModels, isOfStore };
  }

  inform(sentence: string): void {
    this.shown.value = { sentence, isRefusal: false, offersModels: false, isOfStore: false };
  }

  /** Called when the store can be written again. */
  dismissStoreRefusal(): void {
    if (this.shown.peek()?.isOfStore === true) this.dismiss();
  }

  dismiss(): void {
    this.shown.value = null;
  }
}

/** Resolves to null when the request succeeded, else to the reason, for callers that show it themselves. */
export async function refusalOf(request: () => Promise<unknown>): Promise<string | null> {
  try {
    await request();
    return null;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return error.message;
  }
}
