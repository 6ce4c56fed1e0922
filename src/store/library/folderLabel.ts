import * as v from 'valibot';

/** What tells a working copy of git from others. Both are hashes: neither says where it came from. */
export interface GitIdentity {
  /** Of its remote, without credentials: equal for every clone. Null without a remote. */
  readonly remote: string | null;
  /** Of the oldest entry in its reflog: this very clone, as long as that entry has not expired. */
  readonly birth: string | null;
}

const labelSchema = v.object({
  version: v.literal(1),
  /** window: an empty window, which has no folder. */
  kind: v.picklist(['folder', 'workspace', 'window']),
  path: v.nullable(v.string()),
  name: v.string(),
  /** The folder as the file system knows it, whatever its name; null where that cannot be told. */
  place: v.nullable(v.string()),
  git: v.nullable(v.object({ remote: v.nullable(v.string()), birth: v.nullable(v.string()) })),
});

/** The folder a store belongs to, as it was when the store was last opened. Kept in the store itself. */
export type FolderLabel = v.InferOutput<typeof labelSchema>;

/** Its key in `state_meta`. */
export const folderLabelKey = 'folder';

export function encodeLabel(label: FolderLabel): string {
  return JSON.stringify(label);
}

/** Null for what is no label of a version known here. */
export function decodeLabel(text: string | null): FolderLabel | null {
  if (text === null) return null;
  try {
    const parsed = v.safeParse(labelSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}

/** Key in our own `state_meta` that says when another store's sessions were all brought over. It names that store by its uid, or by its folder
 *  where it has none. */
export function broughtOverKey(store: { readonly uid: string | null; readonly folder: string }): string {
  return `brought_over/${store.uid ?? store.folder}`;
}
