import type { AttachmentPart, ImagePart } from './part';

/** What goes along with a prompt's text. It is as it was when the prompt was sent. */
export type SentPart = AttachmentPart | ImagePart;

/** Something that a prompt will be sent with: named, and not read yet. The host reads it when the prompt is sent. */
export interface MentionPart {
  readonly kind: 'mention';
  /** What it names: "file:src/upload.ts", "file:src/upload.ts:10-24", "folder:src", "symbol:src/upload.ts:10-24#retry", "problems",
   *  "problems:src/upload.ts", "selection", "terminal", "git:status", "git:diff", "git:<commit>", "session:<id>". */
  readonly source: string;
  /** What it is called in the composer: "src/upload.ts". */
  readonly label: string;
}

/** What stands beside the text of a prompt that is not sent yet. */
export type DraftPart = MentionPart | SentPart;
