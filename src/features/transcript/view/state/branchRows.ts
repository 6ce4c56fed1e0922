import type { TranscriptBranch } from '../../protocol/transcriptProtocol';

/** A session in the tree of branches, as rendered and announced: depth from 1, and position among its siblings. */
export interface BranchRow {
  readonly branch: TranscriptBranch;
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
  readonly hasBranches: boolean;
  readonly isOpen: boolean;
}

/** Returns the visible rows of the tree, in order. `closed`: conversations with folded branches. Pure. */
export function branchRows(branches: readonly TranscriptBranch[], closed: ReadonlySet<string>): readonly BranchRow[] {
  const known = new Set(branches.map(({ conversationId }) => conversationId));
  const below = (parent: string | null): readonly TranscriptBranch[] =>
    branches.filter(({ parentConversationId }) =>
      parentConversationId !== null && known.has(parentConversationId)
        ? parentConversationId === parent
        : parent === null,
    );
  const rows = (parent: string | null, level: number): readonly BranchRow[] => {
    const siblings = below(parent);
    return siblings.flatMap((branch, index) => {
      const hasBranches = branches.some(({ parentConversationId }) => parentConversationId === branch.conversationId);
      const isOpen = hasBranches && !closed.has(branch.conversationId);
      const row: BranchRow = { branch, level, place: index + 1, siblings: siblings.length, hasBranches, isOpen };
      return [row, ...(isOpen ? rows(branch.conversationId, level + 1) : [])];
    });
  };
  return rows(null, 1);
}

/** Result of a key in the tree, from the focused row: focus another row, open or close this one; null when the key
 *  does nothing. */
type TreeMove =
  { readonly kind: 'focus'; readonly conversationId: string } | { readonly kind: 'open' | 'close' } | null;

export function treeMove(rows: readonly BranchRow[], from: string, key: string): TreeMove {
  const at = rows.findIndex(({ branch }) => branch.conversationId === from);
  const current = rows[at];
  if (current === undefined) return null;
  const focus = (row: BranchRow | undefined): TreeMove =>
    row === undefined ? null : { kind: 'focus', conversationId: row.branch.conversationId };
  switch (key) {
    case 'ArrowDown':
      return focus(rows[at + 1]);
    case 'ArrowUp':
      return focus(rows[at - 1]);
    case 'Home':
      return focus(rows[0]);
    case 'End':
      return focus(rows.at(-1));
    case 'ArrowRight':
      if (!current.hasBranches) return null;
      return current.isOpen ? focus(rows[at + 1]) : { kind: 'open' };
    case 'ArrowLeft':
      return current.isOpen
        ? { kind: 'close' }
        : focus(rows.find(({ branch }) => branch.conversationId === current.branch.parentConversationId));
    default:
      return null;
  }
}

/** Returns the message to show after moving from one session of the tree to another: coming up from a branch, the
 *  message it was branched from. */
export function arrivalIn(target: TranscriptBranch, from: TranscriptBranch | undefined): string | null {
  return from?.parentConversationId === target.conversationId ? from.branchedFrom : null;
}
