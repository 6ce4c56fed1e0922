import * as v from 'valibot';

const key = 'otherFolders.tabs';
const keptTabs = v.array(v.object({ folder: v.string(), sessionId: v.string() }));

export type KeptTab = v.InferOutput<typeof keptTabs>[number];

/** The editor's memory of this workspace, as far as it is used here. */
export interface WorkspaceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Which session of which folder the tabs of this window show, over a reload: their pages know the session alone. */
export class OtherTabMemory {
  constructor(private readonly memory: WorkspaceMemory) {}

  /** Folder of the store that a tab read this session from; null for one that is not known. */
  folderOf(sessionId: string): string | null {
    return this.kept().find((tab) => tab.sessionId === sessionId)?.folder ?? null;
  }

  /** Tabs that are not back yet are kept: they come one by one, each when it is looked at. */
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
