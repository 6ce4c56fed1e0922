import * as v from 'valibot';
import { joinedDraft } from '../../../transcript/draftPart';
import type { VsCodeApi } from '../../rpc';

const memorySchema = v.object({
  version: v.literal(1),
  /** Session that the scroll position and folds belong to; null: the empty state. */
  sessionId: v.nullable(v.string()),
  /** First visible message and the pixels from the view's top to its top; null: at the end, following. */
  anchor: v.nullable(v.object({ uid: v.string(), offset: v.number() })),
  openFolds: v.array(v.string()),
  /** Scroll position and open folds of recently left sessions, most recent first. */
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
  /** Article that had the focus or contained it. */
  focused: v.optional(v.nullable(v.string()), null),
  composerFocused: v.boolean(),
  /** Earlier prompts being edited, by their turns. */
  edits: v.optional(
    v.array(v.object({ turnUid: v.string(), text: v.string(), without: v.exactOptional(v.array(v.number())) })),
    [],
  ),
  /** Composer texts not confirmed to be on disk, and prompts being sent from those composers. */
  unsaved: v.optional(
    v.array(
      v.object({
        key: v.string(),
        text: v.string(),
        /** Uid of the prompt that the text will be. */
        uid: v.exactOptional(v.string()),
        /** What the host had when it was typed. */
        base: v.exactOptional(v.string()),
        sent: v.array(v.object({ uid: v.string(), text: v.string() })),
      }),
    ),
    [],
  ),
  /** Milliseconds of thinking in messages that the view watched, newest first. */
  thoughts: v.optional(v.array(v.object({ uid: v.string(), ms: v.number() })), []),
  /** The view's delivery report (witness.ts, which reads it). */
  witness: v.exactOptional(v.unknown()),
});

/** State that the view keeps across hiding, showing and reloading. The host has the durable drafts; those kept here
 *  are newer by the last moments of typing. */
export type ViewMemory = v.InferOutput<typeof memorySchema>;
export type UnsavedDraft = ViewMemory['unsaved'][number];

export function noMemory(): ViewMemory {
  return v.parse(memorySchema, { version: 1, sessionId: null, anchor: null, openFolds: [], composerFocused: false });
}

/** Key of the empty state's draft; a session's draft has the session's id. */
export const newSessionDraft = 'new';

/** Key of the draft of an earlier prompt that is edited. It ends in the session's id: erasing that erases the draft. */
export function editDraftKey({ uid, sessionId }: { readonly uid: string; readonly sessionId: string }): string {
  return `edit/${uid}/${sessionId}`;
}

/** Returns the saved memory, or an empty one when another version of the view wrote it. */
export function recall(api: Pick<VsCodeApi, 'getState'>): ViewMemory {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : noMemory();
}

/** Returns the newer of two drafts of the same composer: the one that continues the other, or the view's if it was made
 *  from the host's. Otherwise both: another view wrote the host's. */
export function newerDraft({ text, sent, base }: UnsavedDraft, host: string): string {
  const own = joinedDraft([...sent.map((prompt) => prompt.text), text]);
  if (host.startsWith(own)) return host;
  return base === host || own.startsWith(host) ? own : joinedDraft([host, own]);
}
