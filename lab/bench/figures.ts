export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly count: number;
}

/** `part`: from 0 (the smallest value) to 1 (the largest). 0 without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

export function quantiles(values: readonly number[], digits = 3): Quantiles {
  const at = (part: number): number => rounded(quantile(values, part), digits);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), count: values.length };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function rounded(value: number, digits = 1): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

/** Slope of log y over log x: 0 where y does not grow with x, 1 where it is ten times as large for ten times x. */
export function growth(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const middle = { x: mean(logs.map(({ x }) => x)), y: mean(logs.map(({ y }) => y)) };
  const above = logs.reduce((sum, { x, y }) => sum + (x - middle.x) * (y - middle.y), 0);
  return rounded(above / logs.reduce((sum, { x }) => sum + (x - middle.x) ** 2, 0), 3);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function grouped(value: number): string {
  return value.toLocaleString('en');
}
