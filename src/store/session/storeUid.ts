/** The key in `state_meta` of what tells one store from another, made when the store is. */
export const storeUidKey = 'store_uid';
