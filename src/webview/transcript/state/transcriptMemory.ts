import * as v from 'valibot';
import { rowStates } from '../../../protocol/transcriptProtocol';
import type { VsCodeApi } from '../../vscodeApi';

const memorySchema = v.object({
  version: v.literal(1),
  /** By this the host finds the session again after a reload of the window. */
  sessionId: v.string(),
  raw: v.boolean(),
  showHidden: v.boolean(),
  role: v.nullable(v.picklist(['user', 'assistant', 'tool'])),
  state: v.optional(v.nullable(v.picklist(rowStates)), null),
  /** Row at the top of the view and its distance from there, in pixels; null: at the end. */
  anchor: v.nullable(v.object({ uid: v.string(), offset: v.number() })),
  /** Whether the branches are shown; null: where there are some and room for them. */
  branches: v.optional(v.nullable(v.boolean()), null),
  /** Pixels. */
  branchesWidth: v.optional(v.number(), 230),
});

export type TranscriptMemory = v.InferOutput<typeof memorySchema>;

/** What was kept, or null where nothing was, or another version of the view wrote it. */
export function recallTranscript(api: Pick<VsCodeApi, 'getState'>): TranscriptMemory | null {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : null;
}
