import * as v from 'valibot';
import type { VsCodeApi } from '../vscodeApi';

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
  /** Text of the composer. `sent`: the host has been given this very text to keep. */
  draft: v.object({ key: v.string(), text: v.string(), sent: v.boolean() }),
  /** What the view remembers of what it showed (witness.ts, which reads it). */
  witness: v.exactOptional(v.unknown()),
});

/** What the view itself remembers over hiding, showing and reloading. The durable draft is the host's; this one is newer by the keystrokes of
 *  the last moments. */
export type ViewMemory = v.InferOutput<typeof memorySchema>;

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
    draft: { key: newSessionDraft, text: '', sent: true },
  };
}

/** Key of the empty state's draft; a session's draft has the session's id. */
export const newSessionDraft = 'new';

/** What was kept, or nothing where it was written by another version of the view. */
export function recall(api: Pick<VsCodeApi, 'getState'>): ViewMemory {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : noMemory();
}

/** Which of two drafts of the same place is the newer. The view's is, except where the host has it already (the host's may be of a later
 *  view) or visibly goes on from it. */
export function newerDraft(view: ViewMemory['draft'], host: string): string {
  return view.sent || host.startsWith(view.text) ? host : view.text;
}
