import { signal, type Signal } from '@preact/signals';
import type { SettledTurn } from '../../turnLabels';

/** What the view's own witness says of a turn that ended with the extension process. In characters. `at`: when the plug was pulled, in seconds since
 *  the epoch; null for any other end. */
export interface CrashTold {
  readonly at: number | null;
  readonly shown: number;
  readonly onDisk: number;
  /** What is stored where they were, whatever it says. */
  readonly stored: number;
  readonly dismiss: () => void;
}

/** Null where there is nothing to say beyond what is always said. The witness is loaded behind the first paint: null until it is there. */
export const crashTold: Signal<((turn: SettledTurn) => CrashTold | null) | null> = signal(null);
