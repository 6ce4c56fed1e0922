import { inflateSync } from 'node:zlib';
import { decode, decodeApng, encode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { animatedPng, smallPng } from '../../screenshots/smallPng';

type Pixel = readonly [number, number, number];
const [red, green, blue]: readonly [Pixel, Pixel, Pixel] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];

/** A picture whose rows are these. */
function aPng(rows: readonly (readonly Pixel[])[]): Uint8Array {
  const [first = []] = rows;
  return encode({ width: first.length, height: rows.length, data: Uint8Array.from(rows.flat(2)), channels: 3 });
}

/** Colors of an indexed PNG, row by row. */
function colorsOf(png: Uint8Array): readonly (readonly number[])[] {
  const { data, palette } = decode(png);
  return [...data].map((index) => palette?.[index] ?? []);
}

/** What a viewer shows where nothing moves, then of each frame: its rectangle replaces that of the frame before it. */
function shownFrames(png: Buffer): readonly (readonly (readonly number[] | undefined)[])[] {
  const { width, height, palette } = decodeApng(png);
  const shown: number[] = Array.from({ length: width * height }, () => -1);
  const frames: (readonly (readonly number[] | undefined)[])[] = [];
  let [frameWidth, x, y] = [width, 0, 0];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (type === 'fcTL') [frameWidth, x, y] = [data.readUInt32BE(4), data.readUInt32BE(12), data.readUInt32BE(16)];
    if (type !== 'IDAT' && type !== 'fdAT') continue;
    const rows = inflateSync(type === 'IDAT' ? data : data.subarray(4));
    // Each row begins with its filter: none.
    rows.forEach((index, position) => {
      const [row, column] = [Math.floor(position / (frameWidth + 1)), position % (frameWidth + 1)];
      if (column > 0) shown[(y + row) * width + x + column - 1] = index;
    });
    frames.push(shown.map((index) => palette?.[index]));
  }
  return frames;
}

describe('a picture', () => {
  it('with few colors keeps every pixel', () => {
    const rows = [
      [red, green, red],
      [blue, red, green],
    ];
    const small = smallPng(aPng(rows), 3);
    expect([colorsOf(small), decode(small).palette?.length]).toEqual([rows.flat(), 3]);
  });

  it('with many colors keeps the most different ones', () => {
    const grays = Array.from({ length: 64 }, (_, index): Pixel => [index, index, index]);
    const colors = colorsOf(smallPng(aPng([[...grays, red, blue]]), 8));
    const error = grays.map(([gray], index) => Math.abs(gray - (colors[index]?.[0] ?? 255)));
    expect({
      palette: new Set(colors.map(String)).size,
      far: colors.slice(-2),
      error: Math.max(...error) <= 8,
    }).toEqual({ palette: 8, far: [red, blue], error: true });
  });
});

describe('an animated picture', () => {
  const still = [red, red, red];
  const frames = [
    [still, still, still],
    [still, [red, green, red], still],
    [still, [red, green, blue], still],
  ].map(aPng);

  it('shows each frame for its time, with the colors of all, and the last where it does not move', () => {
    const encoded = animatedPng(
      frames.map((png, index) => ({ png, delay: 100 * (index + 1) })),
      16,
    );
    const { numberOfFrames, numberOfPlays } = decodeApng(encoded);
    const delays = [...encoded.toString('latin1').matchAll(/fcTL/g)].map(({ index }) =>
      encoded.readUInt16BE(index + 24),
    );
    expect({
      numberOfFrames,
      numberOfPlays,
      delays,
      middle: shownFrames(encoded).map((pixels) => pixels.slice(3, 6)),
    }).toEqual({
      numberOfFrames: 3,
      numberOfPlays: 0,
      delays: [100, 200, 300],
      middle: [
        [red, green, blue],
        [red, red, red],
        [red, green, red],
        [red, green, blue],
      ],
    });
  });

  it('stores only what changed, and at least one pixel', () => {
    const [first = new Uint8Array()] = frames;
    const sizes = (encoded: Buffer): readonly (readonly number[])[] =>
      [...encoded.toString('latin1').matchAll(/fcTL/g)].map(({ index }) =>
        [8, 12, 16, 20].map((offset) => encoded.readUInt32BE(index + offset)),
      );
    expect([
      sizes(
        animatedPng(
          frames.map((png) => ({ png, delay: 1 })),
          16,
        ),
      ),
      sizes(
        animatedPng(
          [first, first].map((png) => ({ png, delay: 1 })),
          16,
        ),
      ),
    ]).toEqual([
      [
        [3, 3, 0, 0],
        [1, 1, 1, 1],
        [1, 1, 2, 1],
      ],
      [
        [3, 3, 0, 0],
        [1, 1, 0, 0],
      ],
    ]);
  });

  it('is refused if its frames have different sizes', () => {
    const [first = new Uint8Array()] = frames;
    expect(() =>
      animatedPng(
        [first, aPng([[red]])].map((png) => ({ png, delay: 1 })),
        16,
      ),
    ).toThrow('different sizes');
  });
});
