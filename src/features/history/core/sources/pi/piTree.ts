import type { JsonObject } from '../../../../../transcript/json';
import { countOf, nameOf, textOf } from '../reading/fields';
import type { SourceRecord } from '../reading/records';

interface Node {
  readonly line: number;
  readonly parent: string | null;
}

/** The tree of a session's entries, without their content. */
export interface PiTree {
  isFirst(id: string, line: number): boolean;
  /** True when the entry belongs to the branch that the user saw last. */
  isCurrent(id: string): boolean;
  /** True when a summary replaced the entry for the model. */
  isCompacted(id: string): boolean;
  /** True for the ids of entries that the model still gets after this compaction. */
  keptBy(compaction: string): (id: string) => boolean;
}

/** Id of an entry. Version 1 had no ids. */
export function piId(value: JsonObject, name: string): string {
  return nameOf(value, 'id') ?? name;
}

/** Reads only the ids of the entries: memory grows with their number, not with their size. A parent that is missing
 *  is replaced by the entry before it, so that nothing after a gap is lost. */
export async function piTree(records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>): Promise<PiTree> {
  const nodes = new Map<string, Node>();
  /** Ids of the first entries that compactions kept. */
  const compactions = new Map<string, string | null>();
  const byIndex: (string | null)[] = [];
  let leaf: string | null = null;
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const { value, place, name } = record;
    const isHeader = textOf(value, 'type') === 'session';
    const id = piId(value, name);
    byIndex.push(isHeader ? null : id);
    if (isHeader || nodes.has(id)) continue;
    const stated = nameOf(value, 'parentId');
    // A parent of null begins a new root: the user went back to before the first prompt.
    const isRoot = value['parentId'] === null;
    const parent: string | null = stated !== null && nodes.has(stated) ? stated : isRoot ? null : leaf;
    nodes.set(id, { line: place.number, parent });
    leaf = id;
    if (textOf(value, 'type') !== 'compaction') continue;
    const index = countOf(value, 'firstKeptEntryIndex');
    compactions.set(id, nameOf(value, 'firstKeptEntryId') ?? (index === null ? null : (byIndex[index] ?? null)));
  }
  const branch = ancestorsOf(nodes, leaf);
  const current = new Set(branch);
  const compacted = compactedIn(branch, compactions);
  return {
    isFirst: (id, line) => nodes.get(id)?.line === line,
    isCurrent: (id) => current.has(id),
    isCompacted: (id) => compacted.has(id),
    keptBy: (compaction) => {
      const before = ancestorsOf(nodes, compaction);
      const first = before.indexOf(compactions.get(compaction) ?? '');
      const kept = new Set(before.slice(1, first + 1));
      return (id) => kept.has(id);
    },
  };
}

/** From the leaf to the root. A parent always comes before its child in the file, so this ends. */
function ancestorsOf(nodes: ReadonlyMap<string, Node>, leaf: string | null): readonly string[] {
  const branch: string[] = [];
  for (let at = leaf; at !== null; at = nodes.get(at)?.parent ?? null) branch.push(at);
  return branch;
}

/** Entries before the newest compaction of the branch, except those that it kept. */
function compactedIn(branch: readonly string[], compactions: ReadonlyMap<string, string | null>): ReadonlySet<string> {
  const at = branch.findIndex((id) => compactions.has(id));
  const before = at === -1 ? [] : branch.slice(at + 1);
  const firstKept = compactions.get(branch[at] ?? '') ?? null;
  const kept = firstKept === null ? -1 : before.indexOf(firstKept);
  return new Set(before.slice(kept + 1));
}
