/** Message of a thrown value. Values that are not errors become text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
