import * as v from 'valibot';
import { joinedDraft } from '../../../protocol/transcriptTypes';
import type { VsCodeApi } from '../../vscodeApi';

const memorySchema = v.object({
  version: v.literal(1),
  /** Whose scroll and folds these are; null: the empty state's. */
  sessionId: v.nullable(v.string()),
  /** The first message in sight and how far its top is above the view's, in pixels; null: at the end, following. */
  anchor: v.nullable(v.object({ uid: v.string(), offset: v.number() })),
  openFolds: v.array(v.string()),
  /** Of the sessions that were left last, where the person was and what was unfolded there; the last one left comes first. */
  places: v.optional(
    v.array(
      v.object({
        conversationId: v.string(),
        anchor: v.nullable(v.object({ uid: v.string(), offset: v.number() })),
        openFolds: v.array(v.string()),
      }),
    ),
    [],
  ),
  /** The article that had the focus, or had something in it that did. */
  focused: v.optional(v.nullable(v.string()), null),
  composerFocused: v.boolean(),
  /** Earlier prompts that are being edited, by the turns they stand in. */
  edits: v.optional(
    v.array(v.object({ turnUid: v.string(), text: v.string(), without: v.exactOptional(v.array(v.number())) })),
    [],
  ),
  /** Texts of composers that the host has not said are on disk, and prompts that were on their way from there. */
  unsaved: v.optional(
    v.array(
      v.object({ key: v.string(), text: v.string(), sent: v.array(v.object({ uid: v.string(), text: v.string() })) }),
    ),
    [],
  ),
  /** What the view remembers of what it showed (witness.ts, which reads it). */
  witness: v.exactOptional(v.unknown()),
});

/** What the view itself remembers over hiding, showing and reloading. The durable drafts are the host's; those kept here are newer by the
 *  keystrokes of the last moments. */
export type ViewMemory = v.InferOutput<typeof memorySchema>;
export type UnsavedDraft = ViewMemory['unsaved'][number];

export function noMemory(): ViewMemory {
  return {
    version: 1,
    sessionId: null,
    anchor: null,
    openFolds: [],
    places: [],
    focused: null,
    edits: [],
    composerFocused: false,
    unsaved: [],
  };
}

/** Key of the empty state's draft; a session's draft has the session's id. */
export const newSessionDraft = 'new';

/** What was kept, or nothing where it was written by another version of the view. */
export function recall(api: Pick<VsCodeApi, 'getState'>): ViewMemory {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : noMemory();
}

/** Which of two drafts of the same place is the newer. The view's is, except where the host's visibly goes on from it: a later view did. */
export function newerDraft({ text, sent }: UnsavedDraft, host: string): string {
  const own = joinedDraft([...sent.map((prompt) => prompt.text), text]);
  return host.startsWith(own) ? host : own;
}
