import type { FolderLabel } from './folderLabel';

/** A store that is not this window's, as its shelf in the library says. */
export interface OtherStore {
  /** The folder it lies in. */
  readonly folder: string;
  /** What it calls itself; null for one that was never given a name. */
  readonly uid: string | null;
  /** Null when it does not say which folder it belongs to. */
  readonly label: FolderLabel | null;
  /** Conversations that a list would show or has archived; without the trash. */
  readonly sessions: number;
  /** Seconds since the epoch; of an unreadable store, when its file was last written. */
  readonly lastActiveAt: number;
  /** Another window has it open. */
  readonly inUse: boolean;
  /** Why it cannot be read, for a person. */
  readonly problem: string | null;
}

/** Where stores of other folders may lie. */
export interface StorePlaces {
  /** Folders that hold one folder for each workspace, with a store in it under the name given: `<hash>/<extension id>`. */
  readonly workspaces: readonly { readonly root: string; readonly extension: string }[];
  /** Folders that hold a store in each of their folders. */
  readonly shelves: readonly string[];
  /** The folder of this window's own store. */
  readonly own: string;
}
