/** Key in `state_meta` of the store's unique id, created with the store. */
export const storeUidKey = 'store_uid';

/** Key in `state_meta` which records that the sessions of another store are part of this one. */
export function joinedStoreKey(uid: string): string {
  return `joined_store/${uid}`;
}

/** True when data that names a store's uid belongs to another history than this store's. `meta` reads `state_meta`. */
export function isOfOtherStore(uid: string | null, meta: (key: string) => string | null): boolean {
  const own = meta(storeUidKey);
  return uid !== null && own !== null && uid !== own && meta(joinedStoreKey(uid)) === null;
}

/** Key of the small value that tells a repeated import what was read. It ends in the session's id, so it is deleted
 *  with the session. */
export function importMarkKey(sessionId: string): string {
  return `import:${sessionId}`;
}

/** Key of the small value that keeps an erased session from coming back. It holds nothing but the id. */
export function erasedImportKey(sessionId: string): string {
  return `erased-import:${sessionId}!`;
}
