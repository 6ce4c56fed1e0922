import { signal, type Signal } from '@preact/signals';
import type { FinishedTurn } from '../../turnLabels';

/** The view's own delivery report about a turn that ended with the extension process. In characters. `at`: time of
 *  Pull the Plug, in seconds since the epoch; null for any other end. */
export interface CrashReport {
  readonly at: number | null;
  readonly shown: number;
  readonly onDisk: number;
  /** Characters stored in their place, whatever their content. */
  readonly stored: number;
  readonly dismiss: () => void;
}

/** Null when the usual words suffice. The delivery reporter loads after the first paint: null until then. */
export const crashReport: Signal<((turn: FinishedTurn) => CrashReport | null) | null> = signal(null);
