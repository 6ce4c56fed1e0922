const possible = /\.(?:json|jsonl|ndjson|zst|db|sqlite3?)$/i;

/** True for the name of a file that is looked at in a chosen folder. A file that is named itself may have any name. */
export function mayHoldSessions(path: string): boolean {
  return possible.test(path);
}
