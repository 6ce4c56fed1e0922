import * as v from 'valibot';
import type { ReadonlySignal, Signal } from '@preact/signals';
import {
  type RowFilter,
  type TranscriptNotifications,
  type TranscriptResults,
  type TranscriptRows,
  type transcriptCommands,
  type transcriptRequests,
  rowStates,
} from '../../protocol/transcriptProtocol';
import type { Session } from '../../../../transcript/session';
import type { HostConnection, VsCodeApi } from '../../../../webview/rpc';
import type { TranscriptRow } from './transcriptRows';

const memorySchema = v.object({
  version: v.literal(1),
  /** Used by the host to find the session again after a window reload. */
  sessionId: v.string(),
  raw: v.boolean(),
  showHidden: v.boolean(),
  role: v.nullable(v.picklist(['user', 'assistant', 'tool'])),
  state: v.optional(v.nullable(v.picklist(rowStates)), null),
  /** Row at the top of the view and its distance from there, in pixels; null: at the end. */
  anchor: v.nullable(v.object({ uid: v.string(), offset: v.number() })),
  /** True when the branches are shown; null: shown when there are some and there is room. */
  branches: v.optional(v.nullable(v.boolean()), null),
  /** Pixels. */
  branchesWidth: v.optional(v.number(), 230),
});

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

export type TranscriptMemory = v.InferOutput<typeof memorySchema>;

/** Returns the saved memory, or null when there is none or another version of the view wrote it. */
export function recallTranscript(api: Pick<VsCodeApi, 'getState'>): TranscriptMemory | null {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : null;
}
