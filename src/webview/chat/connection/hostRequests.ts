import { signal, type ReadonlySignal } from '@preact/signals';
import { RefusedRequest } from '../../rpc';

/** A sentence above the composer: something asked for was refused, or is answered. */
export interface Problem {
  readonly sentence: string;
  readonly isRefusal: boolean;
  readonly offersModels: boolean;
}

/** What the person asked the host for, and what there is to say about it: one sentence at a time, until it is dismissed or something else is
 *  asked for. */
export class HostRequests {
  private readonly said = signal<Problem | null>(null);

  get problem(): ReadonlySignal<Problem | null> {
    return this.said;
  }

  /** Runs a request; whether it was done. A refusal is said; anything else is a fault of the view and goes where faults go. */
  async ask(request: () => Promise<unknown>): Promise<boolean> {
    this.dismiss();
    try {
      await request();
      return true;
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      this.refuse(error.message, error.causeClass === 'noModel' || error.causeClass === 'noKey');
      return false;
    }
  }

  refuse(sentence: string, offersModels = false): void {
    this.said.value = { sentence, isRefusal: true, offersModels };
  }

  inform(sentence: string): void {
    this.said.value = { sentence, isRefusal: false, offersModels: false };
  }

  dismiss(): void {
    this.said.value = null;
  }
}

/** Null when it was done, else why not: for what is said where it was asked for. */
export async function refusalOf(request: () => Promise<unknown>): Promise<string | null> {
  try {
    await request();
    return null;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return error.message;
  }
}
