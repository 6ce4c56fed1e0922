import { NodeFileSystem } from '../engine/nodeFileSystem';
import { StoreClient, type WorkerPort } from './storeClient';
import { setSpillAside } from '../spill/foundSpills';
import type { SpillPlace } from '../spill/spillStore';
import type { SpillHome } from '../spill/turnSpill';

interface SpillHomeDeps {
  /** The store's own folder first; read again for each spill, because a window may move. */
  readonly folders: () => readonly string[];
  readonly temporaryFolder: () => Promise<string | null>;
  readonly startWorker: () => WorkerPort;
}

/** Spills on this machine's disk, each in a separate thread: the store's thread may be the one that failed. */
export class NodeSpillHome implements SpillHome {
  private readonly fileSystem = new NodeFileSystem();

  constructor(private readonly deps: SpillHomeDeps) {}

  get folders(): readonly string[] {
    return this.deps.folders();
  }

  temporaryFolder(): Promise<string | null> {
    return this.deps.temporaryFolder();
  }

  async open(place: SpillPlace): ReturnType<SpillHome['open']> {
    const client = new StoreClient(this.deps.startWorker());
    const { path } = await client.open(place);
    return { store: client.store, path };
  }

  remove(path: string): void {
    this.fileSystem.remove(path);
  }

  setAside(path: string): string {
    return setSpillAside(this.fileSystem, path);
  }
}
