/** Pixels as indexes into a palette. */
export interface IndexedPixels {
  /** One index per pixel. */
  readonly indexes: Uint8Array;
  /** Colors as red, green, blue, alpha. */
  readonly palette: readonly (readonly [number, number, number, number])[];
}

interface Color {
  /** Red, green, blue, alpha, from the highest byte. */
  readonly value: number;
  readonly count: number;
}

const channels = [24, 16, 8, 0] as const;

/**
 * Reduces RGBA pixels to a palette by median cut: colors are divided where they differ most, until there are `limit` groups. Pictures with no more
 * colors than that stay exactly as they are.
 * @param limit 1 to 256
 */
export function reduceColors(rgba: Uint8Array, limit: number): IndexedPixels {
  const values = new Uint32Array(rgba.length / 4);
  const counts = new Map<number, number>();
  for (let pixel = 0; pixel < values.length; pixel++) {
    const at = pixel * 4;
    const value =
      (((rgba[at] ?? 0) << 24) | ((rgba[at + 1] ?? 0) << 16) | ((rgba[at + 2] ?? 0) << 8) | (rgba[at + 3] ?? 0)) >>> 0;
    values[pixel] = value;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const groups = dividedInto(
    limit,
    [...counts].map(([value, count]) => ({ value, count })),
  );
  const indexOf = new Map(groups.flatMap((group, index) => group.map(({ value }) => [value, index] as const)));
  return {
    indexes: Uint8Array.from(values, (value) => indexOf.get(value) ?? 0),
    palette: groups.map(average),
  };
}

function dividedInto(limit: number, colors: readonly Color[]): readonly (readonly Color[])[] {
  const groups = [spreadOf(colors)];
  while (groups.length < limit) {
    groups.sort((a, b) => b.weight - a.weight);
    const [widest] = groups;
    if (widest === undefined || widest.weight === 0) break;
    groups.splice(0, 1, ...halves(widest).map(spreadOf));
  }
  return groups.map(({ colors: found }) => found);
}

interface Group {
  readonly colors: readonly Color[];
  /** The channel in which the colors differ most. */
  readonly channel: number;
  /** How much dividing the group improves the picture; 0 for a single color. */
  readonly weight: number;
}

/** Squared differences from the mean, of all pixels, in the channel where they are largest. */
function spreadOf(colors: readonly Color[]): Group {
  const total = colors.reduce((sum, { count }) => sum + count, 0);
  const spreads = channels.map((channel) => {
    const mean = colors.reduce((sum, { value, count }) => sum + part(value, channel) * count, 0) / total;
    const weight = colors.reduce((sum, { value, count }) => sum + (part(value, channel) - mean) ** 2 * count, 0);
    return { channel, weight: colors.length < 2 ? 0 : weight };
  });
  const widest = spreads.reduce((most, each) => (each.weight > most.weight ? each : most));
  return { colors, ...widest };
}

/** Divides at the mean, so that a few pixels of a far color do not vanish in a group of many. */
function halves({ colors, channel }: Group): readonly (readonly Color[])[] {
  const total = colors.reduce((sum, { count }) => sum + count, 0);
  const mean = colors.reduce((sum, { value, count }) => sum + part(value, channel) * count, 0) / total;
  return [
    colors.filter(({ value }) => part(value, channel) <= mean),
    colors.filter(({ value }) => part(value, channel) > mean),
  ];
}

function average(colors: readonly Color[]): readonly [number, number, number, number] {
  const total = colors.reduce((sum, { count }) => sum + count, 0);
  const of = (channel: number): number =>
    Math.round(colors.reduce((sum, { value, count }) => sum + part(value, channel) * count, 0) / total);
  return [of(24), of(16), of(8), of(0)];
}

function part(value: number, channel: number): number {
  return (value >>> channel) & 255;
}
