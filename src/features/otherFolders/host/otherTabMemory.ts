import * as v from 'valibot';

const key = 'otherFolders.tabs';
const keptTabs = v.array(v.object({ folder: v.string(), sessionId: v.string() }));

type KeptTab = v.InferOutput<typeof keptTabs>[number];

/** The used part of the editor's workspace storage (`Memento`). */
export interface WorkspaceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Remembers the folder of each session shown in this window's tabs across a reload: the pages know only the
 *  session. */
export class OtherTabMemory {
  constructor(private readonly memory: WorkspaceMemory) {}

  /** Folder of the store from which a tab read this session. Null: not known. */
  folderOf(sessionId: string): string | null {
    return this.kept().find((tab) => tab.sessionId === sessionId)?.folder ?? null;
  }

  /** Remembers an open tab. Keeps entries of tabs that are not restored yet: the editor restores each tab only when
   *  the user looks at it. */
  async opened(tab: KeptTab): Promise<void> {
    const others = this.kept().filter(({ folder, sessionId }) => folder !== tab.folder || sessionId !== tab.sessionId);
    await this.memory.update(key, [...others, tab]);
  }

  async closed(tab: KeptTab): Promise<void> {
    await this.memory.update(
      key,
      this.kept().filter(({ folder, sessionId }) => folder !== tab.folder || sessionId !== tab.sessionId),
    );
  }

  private kept(): readonly KeptTab[] {
    const kept = v.safeParse(keptTabs, this.memory.get(key));
    return kept.success ? kept.output : [];
  }
}
