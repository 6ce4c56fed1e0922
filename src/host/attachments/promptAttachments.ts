import type { Attached, FoundMentions, Pinned } from '../../protocol/attachmentProtocol';
import type { ModelRow } from '../../protocol/chatProtocol';
import type { DraftPart, SentPart } from '../../transcript/draftPart';
import { MentionError } from '../common/mentionError';

/** What a chat view asks about the things that go along with a prompt. */
export interface PromptAttachments {
  /** What can be mentioned, best first. An aborted question is answered with what was found by then. `whole`: rather later than without a part. */
  search(text: string, limit: number, signal: AbortSignal, whole?: boolean): Promise<FoundMentions>;
  pin(source: string): Promise<Pinned>;
  /** Lets the person pick files. */
  pick(): Promise<Attached>;
  dropped(uris: readonly string[]): Promise<Attached>;
  /** Reads what is only mentioned, as it is now. Rejects with a `MentionError` where something cannot be read or it is too much: then the prompt is not sent. */
  resolve(parts: readonly DraftPart[]): Promise<readonly SentPart[]>;
  /** What a person should know who sends these to this model; null where there is nothing to say. */
  noticeOf(parts: readonly SentPart[], model: Pick<ModelRow, 'label' | 'images'> | null): string | null;
}

/** Where nothing can be mentioned. */
export const noAttachments: PromptAttachments = {
  search: async () => ({ mentions: [], isWhole: true }),
  pin: async () => ({ kind: 'problem', problem: 'Nothing can be attached here.' }),
  pick: async () => ({ parts: [], problems: [] }),
  dropped: async () => ({ parts: [], problems: [] }),
  resolve: async (parts) =>
    parts.map((part) => {
      if (part.kind === 'mention')
        throw new MentionError(`${part.label} cannot be read here. Remove it, or attach its text.`);
      return part;
    }),
  noticeOf: () => null,
};
