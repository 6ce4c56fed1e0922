import type { BusyMode } from '../../../src/gateway/gateway';
import type { Finish } from '../../../src/models/chatModel';
import type { DeliveredKind } from '../../../src/transcript/part';
import type { ModelFailureCause } from '../../../src/transcript/stopReason';

/** How another window gets the store. asked: it asks an owner that answers no prompt, and gets it · stopped: the owner's turn is stopped for
 *  it · taken: the owner was taken for dead; it still runs, and finds out when it writes. */
export type HandOver = 'asked' | 'stopped' | 'taken';

/** A call takes `ms` and, with `asks`, has to be allowed before it runs. One that `delegates` hands a task to a sub-agent instead. */
export interface CalledTool {
  readonly ms: number;
  readonly readOnly: boolean;
  readonly asks?: boolean;
  readonly delegates?: boolean;
}

/** How a service names the calls of an answer. own: each otherwise · same: all by one id · counted: from zero in every answer. */
export type CallIds = 'own' | 'same' | 'counted';

/** One thing that happens. Numbers pick a surface or a session (modulo how many there are); what makes no sense at that moment is skipped. */
export type Step =
  | { readonly kind: 'prompt'; readonly surface: number; readonly repeated: boolean; readonly busy?: BusyMode }
  | { readonly kind: 'resubmit'; readonly surface: number }
  | { readonly kind: 'show'; readonly surface: number; readonly session: number | null }
  | {
      readonly kind: 'say';
      readonly session: number;
      readonly of: DeliveredKind;
      readonly words: number;
      readonly long?: boolean;
    }
  | { readonly kind: 'call'; readonly session: number; readonly tools: readonly CalledTool[]; readonly ids?: CallIds }
  | {
      readonly kind: 'finish';
      readonly session: number;
      readonly why: Finish['unified'];
      readonly isNearlyFull?: boolean;
    }
  | { readonly kind: 'break'; readonly session: number; readonly cause: ModelFailureCause; readonly inCall: boolean }
  | { readonly kind: 'stop' | 'promote' | 'unqueue' | 'compress'; readonly session: number }
  /** Of what the conversation waits for. `again`: the other answer comes right behind it. */
  | {
      readonly kind: 'decide';
      readonly session: number;
      readonly how: 'allow' | 'deny' | 'session';
      readonly again?: boolean;
    }
  | { readonly kind: 'summary'; readonly how: 'written' | 'empty' | 'overloaded' | 'badRequest' }
  | { readonly kind: 'retry'; readonly surface: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'clockSet'; readonly bySeconds: number }
  | { readonly kind: 'memory'; readonly ms: number; readonly fails: boolean }
  | { readonly kind: 'slowStore'; readonly latencyMs: number }
  | { readonly kind: 'failingStore'; readonly times: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'powerCut' | 'kill' | 'close'; readonly seed: number }
  | { readonly kind: 'handOver'; readonly how: HandOver }
  /** In the window that lost the store. */
  | { readonly kind: 'formerWindow'; readonly does: 'prompt' | 'say' | 'finish' | 'stop' | 'decide' };
