/** Start parameters of a thread, which checks one place and ends. Both sides come from one build, so messages are typed
 *  and not validated. */
export interface CheckThread {
  /** own: folder of a store. hermes: path of a database of Hermes Agent. file: path of a database of either kind. */
  readonly place: { readonly kind: 'own' | 'hermes' | 'file'; readonly path: string };
  /** Folder for private copies. */
  readonly copies: string;
  /** Only this session of a store. Default: all. */
  readonly sessionId?: string;
}
