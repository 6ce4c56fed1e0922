import * as v from 'valibot';
import type { AttachmentPart } from '../transcript/part';
import type { DraftPart, MentionPart } from '../transcript/draftPart';

/** Parts of a prompt besides its text. Becomes part of `chatRequests`. */

/** Maximum bytes of one image, before base64 encoding. */
export const maxImageBytes = 5 * 1024 * 1024;
export const maxImages = 10;
/** Maximum characters of one attachment. */
export const maxAttachmentCharacters = 200_000;
export const maxParts = 50;
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

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

/** `parts` of `submit`, `editAndResend` and `saveDraft`. Sending too many is refused; a draft keeps them. */
export const draftParts = v.array(v.variant('kind', [mention, attachment, image]));

/** Prompt that left the composer and may or may not be stored, with its text there. */
export const draftOnItsWay = v.object({ uid: v.string(), text: v.string(), parts: v.optional(draftParts) });

export type MentionKind =
  'file' | 'folder' | 'symbol' | 'problems' | 'selection' | 'terminal' | 'git' | 'session' | 'resource';

/** Possible mention. Lists are sorted best first. */
export interface Mention {
  readonly source: string;
  readonly label: string;
  /** Detail about it: the folder of a file, the subject of a commit. */
  readonly detail: string;
  readonly kind: MentionKind;
}

/** File of the text editor that the user used last, or the selection in it: offered as an attachment, and sent only
 *  once the user attached it. */
export interface CurrentFile extends Pick<Mention, 'source' | 'label'> {
  readonly kind: 'file' | 'selection';
}

export interface FoundMentions {
  readonly mentions: readonly Mention[];
  /** False while some possible matches are still being listed; a request with `whole` includes them. */
  readonly isWhole: boolean;
}

export const attachmentRequests = {
  /** `text`: the text after the `@`, may be empty. A new request replaces an earlier one, which returns what it has
   *  found so far. `whole`: also waits for matches that are not known immediately. */
  mentions: v.object({
    text: v.pipe(v.string(), v.maxLength(500)),
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
    whole: v.exactOptional(v.boolean()),
  }),
  /** Reads content that may be gone when the prompt is sent: a selection, output of a terminal. Asks the user for what
   *  a template of an MCP server needs. Accepts any other source as well. */
  pin: v.object({ source }),
  /** The user sees the list of commands: servers that offer prompts are started. */
  startServers: v.object({}),
  /** Gets a prompt of an MCP server, and asks the user for arguments that `text` does not have. Nothing when the user
   *  cancels. */
  serverPrompt: v.object({ name: v.pipe(v.string(), v.maxLength(500)), text: v.pipe(v.string(), v.maxLength(20_000)) }),
  /** Opens VS Code's file picker; the result is empty when the user picked nothing. */
  attachFiles: v.object({}),
  /** Files and folders dropped from the editor: the lines of its `text/uri-list`. */
  dropped: v.object({ uris: v.pipe(v.array(v.pipe(v.string(), v.maxLength(8192))), v.maxLength(maxParts)) }),
} as const;

export interface AttachmentResults {
  readonly mentions: FoundMentions;
  readonly pin: Pinned;
  readonly startServers: null;
  readonly serverPrompt: Attached;
  readonly attachFiles: Attached;
  readonly dropped: Attached;
}

/** `problem`: a sentence for the user. */
export type Pinned =
  | AttachmentPart
  | MentionPart
  | { readonly kind: 'problem'; readonly problem: string }
  /** The user was asked for something, and canceled. */
  | { readonly kind: 'canceled' };

export interface Attached {
  readonly parts: readonly DraftPart[];
  /** Messages to the user about what could not be attached, and why. */
  readonly problems: readonly string[];
}
