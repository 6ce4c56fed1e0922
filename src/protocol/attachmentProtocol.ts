import * as v from 'valibot';
import type { AttachmentPart } from '../transcript/part';
import type { DraftPart } from '../transcript/draftPart';

/** What a prompt may carry beside its text. Becomes part of `chatRequests`. */

/** Bytes of one image, before it is written in base64. */
export const maxImageBytes = 5 * 1024 * 1024;
export const maxImages = 10;
/** Characters of one attachment. */
export const maxAttachmentCharacters = 200_000;
export const maxParts = 50;
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

const source = v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096));
const label = v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096));
const mention = v.object({ kind: v.literal('mention'), source, label });
const attachment = v.object({
  kind: v.literal('attachment'),
  label,
  source,
  text: v.pipe(v.string(), v.maxLength(maxAttachmentCharacters)),
});
const image = v.object({
  kind: v.literal('image'),
  mediaType: v.pipe(
    v.string(),
    v.check((type) => imageTypes.some((each) => each === type), 'is no type of image that models take'),
  ),
  dataBase64: v.pipe(v.string(), v.nonEmpty(), v.maxLength(Math.ceil(maxImageBytes / 3) * 4)),
  name: v.exactOptional(v.string()),
});

/** `parts` of `submit`, `editAndResend` and `saveDraft`. That there are too many is said when they are sent; a draft keeps them. */
export const draftParts = v.array(v.variant('kind', [mention, attachment, image]));

/** A prompt that left the composer and may or may not be stored, as it read there. */
export const draftOnItsWay = v.object({ uid: v.string(), text: v.string(), parts: v.optional(draftParts) });

export const mentionKinds = [
  'file',
  'folder',
  'symbol',
  'problems',
  'selection',
  'terminal',
  'git',
  'session',
] as const;
export type MentionKind = (typeof mentionKinds)[number];

/** Something that can be mentioned, best first. */
export interface Mention {
  readonly source: string;
  readonly label: string;
  /** A word about it: the folder a file is in, what a commit says. */
  readonly detail: string;
  readonly kind: MentionKind;
}

export interface FoundMentions {
  readonly mentions: readonly Mention[];
  /** Some of what may fit is still being listed: asked for as a whole, it comes along. */
  readonly isWhole: boolean;
}

export const attachmentRequests = {
  /** `text`: what stands behind the `@`, maybe nothing. A further question takes the place of an earlier one, which is answered with what was found
   *  by then. `whole`: it waits for what was not known at once. */
  mentions: v.object({
    text: v.pipe(v.string(), v.maxLength(500)),
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    whole: v.exactOptional(v.boolean()),
  }),
  /** Takes what is there now and may be gone when the prompt is sent: a selection, output of a terminal. Any other source as well. */
  pin: v.object({ source }),
  /** The editor's own file picker; empty where the person picked nothing. */
  attachFiles: v.object({}),
  /** Files and folders that were dropped from the editor: the lines of its `text/uri-list`. */
  dropped: v.object({ uris: v.pipe(v.array(v.pipe(v.string(), v.maxLength(8192))), v.maxLength(maxParts)) }),
} as const;

export interface AttachmentResults {
  readonly mentions: FoundMentions;
  readonly pin: Pinned;
  readonly attachFiles: Attached;
  readonly dropped: Attached;
}

/** `problem`: a sentence for the person. */
export type Pinned = AttachmentPart | { readonly kind: 'problem'; readonly problem: string };

export interface Attached {
  readonly parts: readonly DraftPart[];
  /** What could not be attached and why, for the person. */
  readonly problems: readonly string[];
}
