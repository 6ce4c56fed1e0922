import type { ChangedFile } from '../../../protocol/transcriptTypes';
import type { Chat } from '../state/chat';
import { mayHaveChangedFiles } from '../state/conversation';
import { FeedPages } from '../state/feedPages';

/** Finds the files that asking a prompt again, or rewinding to it, could revert. */
export class FilesToRevert {
  constructor(
    private readonly chat: Chat,
    private readonly pages = chat.part(FeedPages),
  ) {}

  /** Resolves to the files that turns from this one on changed, or to null when that is unknown; the reason was
   *  shown. */
  async from(turnUid: string): Promise<readonly ChangedFile[] | null> {
    if (!this.mayExist(turnUid)) return [];
    let files: readonly ChangedFile[] = [];
    const done = await this.chat.ask(async () => void (files = await this.chat.host.request('filesFrom', { turnUid })));
    return done ? files : null;
  }

  private mayExist(turnUid: string): boolean {
    const { conversation } = this.chat;
    // Messages between an older turn and the newest ones are not loaded, so their changes are unknown here.
    return conversation !== null && (this.pages.away.peek() !== null || mayHaveChangedFiles(conversation, turnUid));
  }
}
