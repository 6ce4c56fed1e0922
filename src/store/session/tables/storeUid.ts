/** The key in `state_meta` of what tells one store from another, made when the store is. */
export const storeUidKey = 'store_uid';

/** The key in `state_meta` that says that the sessions of another store are part of this one. */
export function joinedStoreKey(uid: string): string {
  return `joined_store/${uid}`;
}
