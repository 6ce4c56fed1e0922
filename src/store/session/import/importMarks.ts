/** Key of the small value that tells a repeated import what was read. It ends in the session's id, so it is deleted
 *  with the session. */
export function importMarkKey(sessionId: string): string {
  return `import:${sessionId}`;
}

/** Key of the small value that keeps an erased session from coming back. It holds nothing but the id. */
export function erasedImportKey(sessionId: string): string {
  return `erased-import:${sessionId}!`;
}
