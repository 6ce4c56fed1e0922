import type { attachmentRequests, AttachmentResults } from '../../protocol/attachmentProtocol';
import type { RequestHandlers } from '../webviews/viewEndpoint';
import type { PromptAttachments } from './promptAttachments';

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
    attachFiles: () => attachments.pick(),
    dropped: ({ uris }) => attachments.dropped(uris),
  };
}
