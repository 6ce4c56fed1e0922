import type { DiskOperation } from '../../../support/simulatedDisk';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import { readWhole } from '../../../../src/store/engine/fileSystem';
import { RememberedFiles } from '../../../../src/features/builtinMemory/core/rememberedFiles';
import type { MemoryDisk } from '../../../../src/features/builtinMemory/core/memoryFile';
import type { ProcessTable } from '../../../../src/store/lock/processLookup';
import { ManualClock } from '../../../support/manualClock';

/** A disk in memory on which windows write; each is a process of its own. */
export class MemoryDisks {
  readonly clock = new ManualClock();
  readonly disk: SimulatedDisk;
  /** Looked at before each call that reaches the disk. */
  intervene: (operation: DiskOperation) => string | undefined = () => undefined;
  readonly living = new Set<number>();
  private names = 0;

  constructor() {
    this.disk = new SimulatedDisk({ now: () => this.clock.now(), intervene: (operation) => this.intervene(operation) });
  }

  /** A window's sight of the disk. */
  window(pid = 1): MemoryDisk {
    this.living.add(pid);
    return {
      fileSystem: this.disk,
      processes: processes(pid, this.living),
      clock: this.clock,
      uniqueName: () => `n${++this.names}`,
    };
  }

  files(pid = 1, workspace: string | null = '/workspace'): RememberedFiles {
    return new RememberedFiles({
      ...this.window(pid),
      globalFolder: () => '/global',
      workspaceFolder: () => workspace,
    });
  }

  text(path: string): string | null {
    return this.disk.stat(path) === undefined ? null : new TextDecoder().decode(readWhole(this.disk, path));
  }

  put(path: string, content: string | Uint8Array): void {
    this.disk.makeFolder(path.slice(0, path.lastIndexOf('/')));
    this.disk.put(path, typeof content === 'string' ? new TextEncoder().encode(content) : content);
  }
}

function processes(pid: number, living: ReadonlySet<number>): ProcessTable {
  return {
    self: () => ({
      pid,
      startedAt: `start ${pid}`,
      boot: 'boot',
      pidNamespace: 'pids',
      machine: 'machine',
      host: 'host',
    }),
    find: (wanted) => (living.has(wanted) ? { startedAt: `start ${wanted}` } : undefined),
  };
}
