import { logLayout } from './sqliteAbi';

const { header: headerBytes, frameHeader: frameHeaderBytes } = logLayout;

/** Reads bytes of the file that a frame was stored in as it is. Returns their number. */
type ReadStored = (into: Uint8Array, at: number) => number;

/** A frame in memory, or where the log's file has it as it is. */
type Frame = Uint8Array<ArrayBuffer> | number;

/** The write-ahead log as SQLite wrote it: its header, then frames of one size. Holds the newest frame of each page,
 *  from which a later one may be told by its changes. The same calls give the same image, so that what was written with
 *  it can be read with it. */
export class LogImage {
  private header = new Uint8Array(headerBytes);
  private frames: Frame[] = [];
  private pages: number[] = [];
  private readonly newest = new Map<number, number>();
  private frameBytes = 0;
  /** Bytes. */
  size = 0;
  pageSize = 0;

  constructor(private readonly readStored: ReadStored) {}

  /** Begins a new log. A header with an impossible page size must not be used further. */
  begin(header: Uint8Array): void {
    this.clear();
    this.header = header.slice();
    this.size = headerBytes;
    this.pageSize = view(header).getUint32(8);
    this.frameBytes = frameHeaderBytes + this.pageSize;
  }

  clear(): void {
    this.frames = [];
    this.pages = [];
    this.newest.clear();
    this.header.fill(0);
    this.size = 0;
  }

  /** Number of the frame that begins at this byte of the log; null when none does. */
  frameAt(position: number): number | null {
    const index = (position - headerBytes) / this.frameBytes;
    return this.size >= headerBytes && Number.isInteger(index) && index >= 0 ? index : null;
  }

  /** Content of the newest frame of a page, if it is in memory. */
  newestOf(page: number): Uint8Array | null {
    const frame = this.frames[this.newest.get(page) ?? -1];
    return frame instanceof Uint8Array ? frame.subarray(frameHeaderBytes) : null;
  }

  /** Sets a frame. `frame` is its header and page; or where the file has them. With a page number it becomes the newest
   *  frame of that page. */
  put(index: number, page: number | null, frame: Frame): void {
    this.forget(index);
    this.frames[index] = frame;
    if (page !== null) {
      this.pages[index] = page;
      this.newest.set(page, index);
    }
    this.size = Math.max(this.size, headerBytes + (index + 1) * this.frameBytes);
  }

  /** Sets bytes that are no whole frame. */
  patch(from: Uint8Array, position: number): void {
    for (let done = 0; done < from.length;) {
      const at = position + done;
      const part = from.subarray(done);
      if (at < headerBytes) {
        const piece = part.subarray(0, headerBytes - at);
        this.header.set(piece, at);
        done += piece.length;
      } else {
        const index = Math.floor((at - headerBytes) / this.frameBytes);
        const within = at - headerBytes - index * this.frameBytes;
        const piece = part.subarray(0, this.frameBytes - within);
        this.forget(index);
        const frame = this.frameIn(index);
        frame.set(piece, within);
        this.frames[index] = frame;
        done += piece.length;
      }
    }
    this.size = Math.max(this.size, position + from.length);
  }

  /** Returns the number of bytes read. */
  read(into: Uint8Array, position: number): number {
    const count = Math.max(0, Math.min(into.length, this.size - position));
    for (let done = 0; done < count;) {
      const read = this.readPiece(into.subarray(done, count), position + done);
      if (read === 0) return done;
      done += read;
    }
    return count;
  }

  /** Reads from the header or one frame. Returns 0 when the file is shorter than it was. */
  private readPiece(into: Uint8Array, at: number): number {
    const index = Math.floor((at - headerBytes) / this.frameBytes);
    const within = at < headerBytes ? at : (at - headerBytes) % this.frameBytes;
    const source = at < headerBytes ? this.header : this.frames[index];
    const length = Math.min(into.length, (at < headerBytes ? headerBytes : this.frameBytes) - within);
    if (typeof source === 'number') return this.readStored(into.subarray(0, length), source + within);
    if (source === undefined) into.fill(0, 0, length);
    else into.set(source.subarray(within, within + length));
    return length;
  }

  cut(size: number): void {
    if (size >= this.size) return;
    if (size < headerBytes) return this.clear();
    const kept = Math.ceil((size - headerBytes) / this.frameBytes);
    for (let index = kept; index < this.frames.length; index++) this.forget(index);
    this.frames.length = Math.min(this.frames.length, kept);
    this.pages.length = Math.min(this.pages.length, kept);
    this.size = size;
  }

  /** Keeps later frames from being stored as changes of a frame that is here now. */
  forgetNewest(): void {
    this.newest.clear();
  }

  private forget(index: number): void {
    const page = this.pages[index];
    if (page === undefined) return;
    delete this.pages[index];
    if (this.newest.get(page) === index) this.newest.delete(page);
  }

  private frameIn(index: number): Uint8Array<ArrayBuffer> {
    const frame = this.frames[index];
    if (frame instanceof Uint8Array) return frame;
    const bytes = new Uint8Array(this.frameBytes);
    if (frame !== undefined) this.readStored(bytes, frame);
    return bytes;
  }
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
