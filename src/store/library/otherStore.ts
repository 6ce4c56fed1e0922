import type { FolderLabel } from './folderLabel';

/** A store of another window, as the library describes it. */
export interface OtherStore {
  /** The folder that contains the store. */
  readonly folder: string;
  /** Uid of the store; null for a store that never got one. */
  readonly uid: string | null;
  /** Null when the store does not record which folder it belongs to. */
  readonly label: FolderLabel | null;
  /** Number of conversations, listed or archived; excludes the trash. */
  readonly sessions: number;
  /** Seconds since the epoch; for an unreadable store, the time its file was last written. */
  readonly lastActiveAt: number;
  /** True when another window has it open. */
  readonly inUse: boolean;
  /** The reason why it cannot be read, as text for the user; null when it can. */
  readonly problem: string | null;
}

/** Places where stores of other folders may be. */
export interface StoreLocations {
  /** Folders with one subfolder per workspace, each with a store at the given name: `<hash>/<extension id>`. */
  readonly workspaces: readonly { readonly root: string; readonly extension: string }[];
  /** Folders whose subfolders each hold a store. */
  readonly shelves: readonly string[];
  /** The folder of this window's own store. */
  readonly own: string;
}
