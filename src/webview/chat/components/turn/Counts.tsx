/** Numbers of lines added and removed; nothing for files that are not text. */
export function Counts({ added, removed }: { readonly added: number | null; readonly removed: number | null }) {
  if (added === null && removed === null) return null;
  return (
    <span class="line-counts">
      <span class="count-added">+{added ?? 0}</span> <span class="count-removed">−{removed ?? 0}</span>
    </span>
  );
}
