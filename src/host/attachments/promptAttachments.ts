import type { attachmentRequests, AttachmentResults } from '../../protocol/attachmentProtocol';
import type { RequestHandlers } from '../webviews/viewEndpoint';
import type { AttachmentService } from './attachmentService';

/** Attachment operations of a chat view. */
export type PromptAttachments = Omit<Pick<AttachmentService, keyof AttachmentService>, 'dispose'>;

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
