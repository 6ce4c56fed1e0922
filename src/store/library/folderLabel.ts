import { parsedAs } from '../../transcript/json';
import * as v from 'valibot';

/** Identifies a git working copy. Both values are hashes, so neither reveals its origin. */
export interface GitIdentity {
  /** Hash of its remote, without credentials: equal for every clone. Null without a remote. */
  readonly remote: string | null;
  /** Hash of the oldest entry in its reflog: identifies this one clone, as long as that entry has not expired. */
  readonly birth: string | null;
}

const labelSchema = v.object({
  version: v.literal(1),
  /** `window`: an empty window, which has no folder. */
  kind: v.picklist(['folder', 'workspace', 'window']),
  path: v.nullable(v.string()),
  name: v.string(),
  /** The folder's identity in the file system (`placeOf`), independent of its name; null when it cannot be
   *  determined. */
  place: v.nullable(v.string()),
  git: v.nullable(v.object({ remote: v.nullable(v.string()), birth: v.nullable(v.string()) })),
  /** The folders of a workspace in their order. Empty for a folder, and in labels of earlier versions. */
  roots: v.optional(v.array(v.object({ path: v.string(), place: v.nullable(v.string()) })), []),
});

/** The folder that a store belongs to, as of the store's last opening. Kept in the store itself. */
export type FolderLabel = v.InferOutput<typeof labelSchema>;

/** Key of the label in `state_meta`. */
export const folderLabelKey = 'folder';

export function encodeLabel(label: FolderLabel): string {
  return JSON.stringify(label);
}

/** Null for anything but a label of a version known here. */
export function decodeLabel(text: string | null): FolderLabel | null {
  return parsedAs(labelSchema, text);
}

/** Key in our own `state_meta` that records that all sessions of another store were imported. It names that store by
 *  its uid, or by its folder when it has none. */
export function copiedStoreKey(store: { readonly uid: string | null; readonly folder: string }): string {
  return `brought_over/${store.uid ?? store.folder}`;
}
