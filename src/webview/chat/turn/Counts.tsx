/** Numbers of lines added and removed; nothing for files that are not text, and for a number that is 0. */
export function Counts({ added, removed }: { readonly added: number | null; readonly removed: number | null }) {
  const [more, fewer] = [added ?? 0, removed ?? 0];
  if (more === 0 && fewer === 0) return null;
  return (
    <span class="line-counts">
      {more > 0 && <span class="count-added">+{more}</span>} {fewer > 0 && <span class="count-removed">−{fewer}</span>}
    </span>
  );
}
