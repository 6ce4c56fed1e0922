import type { ChangedFile } from '../../../protocol/transcriptTypes';
import type { ChatPartDeps } from '../state/chatPart';
import { mayHaveChangedFiles } from '../state/conversation';
import type { FeedPages } from '../state/feedPages';

interface FilesToRevertDeps extends Pick<ChatPartDeps, 'host' | 'requests' | 'view'> {
  readonly pages: FeedPages;
}

/** Finds the files that asking a prompt again, or rewinding to it, could revert. */
export class FilesToRevert {
  constructor(private readonly deps: FilesToRevertDeps) {}

  /** Resolves to the files that turns from this one on changed, or to null when that is unknown; the reason was
   *  shown. */
  async from(turnUid: string): Promise<readonly ChangedFile[] | null> {
    if (!this.mayExist(turnUid)) return [];
    let files: readonly ChangedFile[] = [];
    const { host, requests } = this.deps;
    const done = await requests.ask(async () => void (files = await host.request('filesFrom', { turnUid })));
    return done ? files : null;
  }

  private mayExist(turnUid: string): boolean {
    const { pages, view } = this.deps;
    const { conversation } = view;
    // Messages between an older turn and the newest ones are not loaded, so their changes are unknown here.
    return conversation !== null && (pages.away.peek() !== null || mayHaveChangedFiles(conversation, turnUid));
  }
}
