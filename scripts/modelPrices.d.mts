/** A row of the file: prices per million tokens (input, output, read from and written to the cache), tokens of context
 *  and of output, and the prices of long requests after the number of input tokens from which they hold. */
export type PriceRow = (number | null | (number | null)[])[];
type Services = Record<string, Record<string, PriceRow>>;
export function fromModelsDev(answer: unknown): Services;
export function fromPackage(folder: string): Services;
export function fileText(snapshot: {
  readonly source: string;
  readonly date: string;
  readonly providers: Services;
}): string;
