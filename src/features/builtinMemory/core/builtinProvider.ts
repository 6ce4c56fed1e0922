import type { Log } from '../../../base/log';
import { errorMessage } from '../../../base/errorMessage';
import type { AnyTool } from '../../../tools/tool';
import type { MemoryProvider, MemoryWrite } from '../../../memory/memoryProvider';
import type { MemoryProviderFactory } from '../../../memory/memoryProviders';
import { memoryBlock, type RememberedPart } from './memoryBlock';
import { memoryTool, WriteAttempts } from './memoryTool';
import type { MemoryPlace, RememberedFiles } from './rememberedFiles';
import { type SearchedStore, SessionSearch } from './sessionSearch';
import { sessionSearchTool } from './sessionSearchTool';

interface BuiltinProviderDeps {
  readonly files: RememberedFiles;
  readonly store: SearchedStore;
  /** Called when a write is on disk, to notify the other providers. */
  readonly wrote: (write: MemoryWrite) => void;
  readonly log: Log;
}

export const builtinName = 'builtin';

export function builtinFactory(files: RememberedFiles, store: SearchedStore, log: Log): MemoryProviderFactory {
  return {
    name: builtinName,
    kind: 'builtin',
    create: ({ wrote }) => new BuiltinProvider({ files, store, wrote, log }),
  };
}

/** Hermes' own memory: short notes in files on this machine, and the stored sessions. Data leaves the machine only
 *  in requests to the model. Notes are read when a session begins or resumes, and then stay fixed for the life of
 *  that session. A write is on disk when the tool returns, so the next session has it. */
export class BuiltinProvider implements MemoryProvider {
  readonly name = builtinName;
  readonly tools: readonly AnyTool[];
  private readonly attempts = new WriteAttempts();
  private sessionId: string | null = null;
  private block = '';

  constructor(private readonly deps: BuiltinProviderDeps) {
    const { files, wrote, store } = deps;
    this.tools = [
      memoryTool({ files, wrote, attempts: this.attempts }),
      sessionSearchTool(new SessionSearch(store), () => this.sessionId),
    ];
  }

  async initialize(sessionId: string): Promise<void> {
    this.serve(sessionId);
  }

  async onSessionSwitch(newSessionId: string): Promise<void> {
    if (newSessionId && newSessionId !== this.sessionId) this.serve(newSessionId);
  }

  systemPromptBlock(): string {
    return this.block;
  }

  async onTurnStart(): Promise<void> {
    this.attempts.reset();
  }

  /** Stores nothing: the model has saved its notes with the tool, and the turns themselves are in the store. */
  async syncTurn(): Promise<void> {
    // Intentionally empty.
  }

  private serve(sessionId: string): void {
    this.sessionId = sessionId;
    this.block = memoryBlock(this.deps.files.places.flatMap((place) => this.read(place)));
  }

  private read(place: MemoryPlace): readonly RememberedPart[] {
    try {
      return [{ place, entries: this.deps.files.entries(place) }];
    } catch (error) {
      this.deps.log.warn(`${place.path} couldn’t be read and is left out of the system prompt: ${errorMessage(error)}`);
      return [];
    }
  }
}
