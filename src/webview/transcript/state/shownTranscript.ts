import type { ReadonlySignal, Signal } from '@preact/signals';
import type {
  RowFilter,
  TranscriptNotifications,
  TranscriptResults,
  TranscriptRows,
  transcriptCommands,
  transcriptRequests,
} from '../../../protocol/transcriptProtocol';
import type { Session } from '../../../protocol/transcriptTypes';
import type { HostConnection } from '../../rpc';
import type { TranscriptMemory } from './transcriptMemory';
import type { TranscriptRow } from './transcriptRows';

export interface TranscriptViewProtocol {
  readonly commands: typeof transcriptCommands;
  readonly requests: typeof transcriptRequests;
  readonly results: TranscriptResults;
  readonly notifications: TranscriptNotifications;
}

export interface TranscriptDeps {
  readonly host: HostConnection<TranscriptViewProtocol>;
  readonly recalled: TranscriptMemory | null;
  readonly keep: (memory: TranscriptMemory) => void;
  readonly nowMs: () => number;
  readonly setLocalization: (strings: Readonly<Record<string, string>>) => void;
}

/** The shown transcript, for the parts of the tab that work with it. */
export interface ShownTranscript {
  readonly deps: TranscriptDeps;
  readonly session: ReadonlySignal<Session | null>;
  readonly stored: ReadonlySignal<TranscriptRows | null>;
  readonly rows: ReadonlySignal<readonly TranscriptRow[]>;
  readonly filter: ReadonlySignal<RowFilter>;
  /** Sentence for the user. Default: null. */
  readonly problem: Signal<string | null>;
  readonly reveal: (uid: string, focus: boolean) => Promise<void>;
}
