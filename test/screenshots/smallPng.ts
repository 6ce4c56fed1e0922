import { crc32, deflateSync } from 'node:zlib';
import { decode } from 'fast-png';
import { reduceColors } from './palette';

export interface Frame {
  /** A PNG of a browser. */
  readonly png: Uint8Array;
  /** Milliseconds. */
  readonly delay: number;
}

/** A part of a picture: where it is, and its pixels. */
interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly indexes: Uint8Array;
}

/** The same picture with at most this many colors, as an indexed PNG. */
export function smallPng(png: Uint8Array, colors: number): Buffer {
  return animatedPng([{ png, delay: 0 }], colors);
}

/**
 * Frames of one size as an animated PNG that repeats forever (https://www.w3.org/TR/png-3/#apng-frame-based-animation). They share one palette, and a
 * frame holds only the rectangle in which it differs from the one before it. A single frame becomes a still picture.
 * Where it does not move (mail, lists of extensions), a viewer shows the last frame.
 */
export function animatedPng(frames: readonly Frame[], colors: number): Buffer {
  const pictures = frames.map(({ png }) => rgbaOf(png));
  const [first] = pictures;
  if (first === undefined) throw new Error('A picture needs at least one frame');
  const { width, height } = first;
  if (pictures.some((each) => each.width !== width || each.height !== height))
    throw new Error('The frames have different sizes');
  const size = width * height;
  const { indexes, palette } = reduceColors(Buffer.concat(pictures.map(({ rgba }) => rgba)), colors);
  const whole = (frame: number): Uint8Array => indexes.subarray(frame * size, (frame + 1) * size);

  const isAnimated = frames.length > 1;
  let sequence = 0;
  const chunks = [
    chunk('IHDR', numbers(width, height), Buffer.from([8, 3, 0, 0, 0])),
    chunk('PLTE', Buffer.from(palette.flatMap(([red, green, blue]) => [red, green, blue]))),
    ...(palette.some(([, , , alpha]) => alpha < 255)
      ? [chunk('tRNS', Buffer.from(palette.map(([, , , alpha]) => alpha)))]
      : []),
    ...(isAnimated ? [chunk('acTL', numbers(frames.length, 0))] : []),
    // Without a frame control before it, the picture that old viewers show is no part of the animation.
    ...(isAnimated ? [chunk('IDAT', pixels({ x: 0, y: 0, width, height, indexes: whole(frames.length - 1) }))] : []),
    ...frames.flatMap(({ delay }, index) => {
      const part =
        index === 0
          ? { x: 0, y: 0, width, height, indexes: whole(0) }
          : difference(whole(index - 1), whole(index), width, height);
      return [
        ...(isAnimated ? [frameControl(sequence++, part, delay)] : []),
        isAnimated ? chunk('fdAT', numbers(sequence++), pixels(part)) : chunk('IDAT', pixels(part)),
      ];
    }),
    chunk('IEND'),
  ];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function rgbaOf(png: Uint8Array): { readonly width: number; readonly height: number; readonly rgba: Uint8Array } {
  const { width, height, data, channels, depth } = decode(png);
  if (depth !== 8 || (channels !== 3 && channels !== 4)) throw new Error('A screenshot is not in RGB or RGBA');
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < channels; channel++)
      rgba[pixel * 4 + channel] = data[pixel * channels + channel] ?? 0;
  return { width, height, rgba };
}

/** The smallest rectangle that holds every changed pixel; one pixel if there is none, as a frame may not be empty. */
function difference(before: Uint8Array, after: Uint8Array, width: number, height: number): Part {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < after.length; at++) {
    if (before[at] === after[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  if (right < 0) [left, top, right, bottom] = [0, 0, 0, 0];
  const part = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  const indexes = new Uint8Array(part.width * part.height);
  for (let row = 0; row < part.height; row++)
    indexes.set(after.subarray((top + row) * width + left, (top + row) * width + right + 1), row * part.width);
  return { ...part, indexes };
}

/** Replaces its rectangle, and stays until the next frame. */
function frameControl(sequence: number, { x, y, width, height }: Part, delay: number): Buffer {
  const rest = Buffer.alloc(6);
  // In thousandths of a second, two bytes.
  rest.writeUInt16BE(Math.min(0xffff, Math.round(delay)), 0);
  rest.writeUInt16BE(1000, 2);
  return chunk('fcTL', numbers(sequence, width, height, x, y), rest);
}

/** Rows without a filter: indexes of neighbors tell nothing about each other. */
function pixels({ width, height, indexes }: Part): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++)
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  return deflateSync(rows, { level: 9 });
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

function chunk(type: string, ...data: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...data]);
  return Buffer.concat([numbers(body.length - 4), body, numbers(crc32(body))]);
}
