import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log';
import { systemClock } from '../../src/base/clock';
import { BuiltinProvider } from '../../src/features/builtinMemory/core/builtinProvider';
import { memoryDisk } from '../../src/features/builtinMemory/core/memoryFile';
import { RememberedFiles } from '../../src/features/builtinMemory/core/rememberedFiles';
import type { SearchedStore } from '../../src/features/builtinMemory/core/sessionSearch';
import type { MemoryProvider } from '../../src/memory/memoryProvider';
import type { World } from './world';

/** A world whose agents have the built-in memory, with files in the world's home. */
export class BuiltinMemory {
  world: World | null = null;
  private readonly files = new RememberedFiles({
    ...memoryDisk(systemClock),
    globalFolder: () => join(this.home, 'global'),
    workspaceFolder: () => join(this.home, 'workspace'),
  });

  /** For `World.create`. */
  readonly memory = (): readonly MemoryProvider[] => [
    new BuiltinProvider({ files: this.files, store: this.store, wrote: () => undefined, log: silentLog }),
  ];

  /** What a file holds; null where there is none. */
  text(path: 'global/USER.md' | 'global/MEMORY.md' | 'workspace/MEMORY.md' | 'workspace/USER.md'): string | null {
    try {
      return readFileSync(join(this.home, path), 'utf8');
    } catch {
      return null;
    }
  }

  /** Whatever store the world has at the moment. */
  private get store(): SearchedStore {
    const store = () => this.there.store;
    return {
      search: (...query) => store().search(...query),
      getMessage: (uid) => store().getMessage(uid),
      getSession: (id) => store().getSession(id),
      listSessions: (query) => store().listSessions(query),
      readTranscript: (query) => store().readTranscript(query),
    };
  }

  private get home(): string {
    return this.there.home;
  }

  private get there(): World {
    if (this.world === null) throw new Error('there is no world yet');
    return this.world;
  }
}
