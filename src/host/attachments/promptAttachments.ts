import type { Disposable } from '../../base/disposable';
import type {
  Attached,
  CurrentFile,
  FoundMentions,
  Pinned,
  attachmentRequests,
  AttachmentResults,
} from '../../protocol/attachmentProtocol';
import type { ModelRow } from '../../protocol/chatProtocol';
import type { DraftPart, SentPart } from '../../transcript/draftPart';
import type { RequestHandlers } from '../webviews/viewEndpoint';

/** Attachment operations of a chat view. */
export interface PromptAttachments {
  /** Null: nothing can be offered. */
  readonly currentFile: CurrentFile | null;
  onDidChangeCurrentFile(listener: () => void): Disposable;
  /** Searches for mentions, best first. An aborted search resolves with the results so far. `whole`: waits longer
   *  rather than leave out a source. */
  search(text: string, limit: number, signal: AbortSignal, whole?: boolean): Promise<FoundMentions>;
  pin(source: string): Promise<Pinned>;
  /** Called when the user sees the list of commands: starts what offers more of them. */
  startServers(): void;
  /** Gets a prompt of an MCP server. `text`: its first arguments. */
  serverPrompt(name: string, text: string): Promise<Attached>;
  /** Lets the user pick files. */
  pick(): Promise<Attached>;
  dropped(uris: readonly string[]): Promise<Attached>;
  /** Reads mentioned content in its current state. Rejects with a `MentionError` when something cannot be read or
   *  there is too much; the prompt is then not sent. */
  resolve(parts: readonly DraftPart[]): Promise<readonly SentPart[]>;
  /** Notice for a user who sends these parts to this model. Null: none. */
  noticeOf(parts: readonly SentPart[], model: Pick<ModelRow, 'label' | 'images'> | null): string | null;
}

/** Handles attachment requests of a view. A new search cancels the previous search of the same view. */
export function attachmentHandlers(
  attachments: PromptAttachments,
): RequestHandlers<typeof attachmentRequests, AttachmentResults> {
  let searching = new AbortController();
  return {
    mentions: ({ text, limit, whole }) => {
      searching.abort();
      searching = new AbortController();
      return attachments.search(text, limit, searching.signal, whole);
    },
    pin: ({ source }) => attachments.pin(source),
    startServers: async () => {
      attachments.startServers();
      return null;
    },
    serverPrompt: ({ name, text }) => attachments.serverPrompt(name, text),
    attachFiles: () => attachments.pick(),
    dropped: ({ uris }) => attachments.dropped(uris),
  };
}
