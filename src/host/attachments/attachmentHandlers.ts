import type { attachmentRequests, AttachmentResults } from '../../protocol/attachmentProtocol';
import type { RequestHandlers } from '../webviews/viewEndpoint';
import type { PromptAttachments } from './promptAttachments';

/** What a view's questions about attachments do. Of the searches of one view only the newest goes on. */
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
