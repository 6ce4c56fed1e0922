import * as v from 'valibot';
import { rowStates } from '../../../protocol/transcriptProtocol';
import type { VsCodeApi } from '../../vscodeApi';

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

export type TranscriptMemory = v.InferOutput<typeof memorySchema>;

/** Returns the saved memory, or null when there is none or another version of the view wrote it. */
export function recallTranscript(api: Pick<VsCodeApi, 'getState'>): TranscriptMemory | null {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : null;
}
