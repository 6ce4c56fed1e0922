const sectorBytes = 512;

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Content of one file: the current state, the durable state, and the sectors and sizes that changed in between. */
export class Inode {
  size = 0;
  /** Open handles. A power cut leaves none. */
  handles = 0;
  private content = new Uint8Array(0);
  private durable = new Uint8Array(0);
  private durableSize = 0;
  private readonly dirtySectors = new Set<number>();
  private sizesSinceSync: number[] = [];

  constructor(
    private readonly id: number,
    public modifiedAt: number,
  ) {}

  get identity(): string {
    return `sim:${this.id}`;
  }

  bytes(): Uint8Array {
    return this.content.subarray(0, this.size);
  }

  read(into: Uint8Array, position: number): number {
    const part = this.content.subarray(Math.min(position, this.size), Math.min(position + into.length, this.size));
    into.set(part);
    return part.length;
  }

  write(from: Uint8Array, position: number): void {
    const end = position + from.length;
    this.content = withRoom(this.content, end);
    this.content.set(from, position);
    this.touch(position, end);
    if (end > this.size) this.resize(end);
  }

  truncate(size: number): void {
    this.content = withRoom(this.content, size);
    const [from, to] = [Math.min(size, this.size), Math.max(size, this.size)];
    this.content.fill(0, from, to);
    this.touch(from, to);
    this.resize(size);
  }

  sync(): void {
    this.durable = withRoom(this.durable, this.content.length);
    for (const sector of this.dirtySectors) this.keepSector(this.durable, sector);
    this.durableSize = this.size;
    this.dirtySectors.clear();
    this.sizesSinceSync = [];
  }

  powerCut(random: Random): Inode {
    const survivor = new Inode(this.id, this.modifiedAt);
    // Newest first: a random number near 0 keeps the newest size, as it does for sectors and names.
    const sizes = [...this.sizesSinceSync.toReversed(), this.durableSize];
    survivor.size = sizes[Math.floor(random() * sizes.length)] ?? this.durableSize;
    survivor.content = withRoom(this.durable.slice(), Math.max(this.content.length, survivor.size));
    for (const sector of this.dirtySectors) if (random() < 0.5) this.keepSector(survivor.content, sector);
    survivor.content.fill(0, survivor.size);
    survivor.durable = survivor.content.slice();
    survivor.durableSize = survivor.size;
    return survivor;
  }

  private touch(from: number, to: number): void {
    for (let sector = Math.floor(from / sectorBytes); sector * sectorBytes < to; sector += 1)
      this.dirtySectors.add(sector);
  }

  private keepSector(target: Uint8Array, sector: number): void {
    const from = sector * sectorBytes;
    const part = this.content.subarray(from, from + sectorBytes);
    target.set(part.subarray(0, Math.max(0, target.length - from)), from);
  }

  private resize(size: number): void {
    this.size = size;
    this.sizesSinceSync.push(size);
  }
}

function withRoom(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  if (bytes.length >= size) return bytes;
  const larger = new Uint8Array(Math.max(size, bytes.length * 2, 4096));
  larger.set(bytes);
  return larger;
}
