import type { FileStat, FileSystem, OpenFile, OpenMode } from '../../src/store/engine/fileSystem';

/** One process's use of a disk: when it ends, the system closes its files. */
export class SimulatedProcess implements FileSystem {
  private readonly files = new Set<OpenFile>();

  constructor(private readonly disk: FileSystem) {}

  end(): void {
    for (const file of this.files) file.close();
  }

  open(path: string, mode: OpenMode): OpenFile {
    const file = this.disk.open(path, mode);
    this.files.add(file);
    return file;
  }

  stat(path: string): FileStat | undefined {
    return this.disk.stat(path);
  }

  mayWrite(path: string): boolean {
    return this.disk.mayWrite(path);
  }

  rename(from: string, to: string): void {
    this.disk.rename(from, to);
  }

  link(existing: string, created: string): void {
    this.disk.link(existing, created);
  }

  remove(path: string): void {
    this.disk.remove(path);
  }

  list(folder: string): readonly string[] {
    return this.disk.list(folder);
  }

  makeFolder(path: string): void {
    this.disk.makeFolder(path);
  }

  syncFolder(path: string): void {
    this.disk.syncFolder(path);
  }
}
