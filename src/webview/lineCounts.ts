interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** Adds up the counts of all files; files that are not text count as zero. */
export function lineCounts(
  files: readonly { readonly added: number | null; readonly removed: number | null }[],
): LineCounts {
  return files.reduce<LineCounts>(
    (sum, { added, removed }) => ({ added: sum.added + (added ?? 0), removed: sum.removed + (removed ?? 0) }),
    { added: 0, removed: 0 },
  );
}
