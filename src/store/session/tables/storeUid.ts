/** Key in `state_meta` of the store's unique id, created with the store. */
export const storeUidKey = 'store_uid';

/** Key in `state_meta` which records that the sessions of another store are part of this one. */
export function joinedStoreKey(uid: string): string {
  return `joined_store/${uid}`;
}
