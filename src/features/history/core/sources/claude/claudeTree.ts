import { isSet, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';
import type { SourceRecord } from '../reading/records';
import type { JsonObject } from '../../../../../transcript/json';

interface Node {
  readonly line: number;
  readonly parent: string | null;
  /** Records of one API message share its id. */
  readonly messageId: string | null;
  readonly hasResult: boolean;
}

/** The tree of a session's records, without their content. */
export interface ClaudeTree {
  /** True for the first record of a uuid in the file. */
  isFirst(uuid: string, line: number): boolean;
  /** True when the record belongs to the branch that the user saw last. */
  isCurrent(uuid: string): boolean;
  /** True when a summary replaced the record for the model. */
  isCompacted(uuid: string): boolean;
  /** True for the ids of records that the model still gets after the summary in this line. */
  keptBy(line: number): (uuid: string) => boolean;
}

/** Reads only the ids of the records: memory grows with their number, not with their size. A parent that is missing
 *  is replaced by the record before it, so that nothing after a gap is lost. */
export async function claudeTree(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  path: string,
  /** Subtype of the record of a compaction. */
  boundary = 'compact_boundary',
): Promise<ClaudeTree> {
  const nodes = new Map<string, Node>();
  let previous: string | null = null;
  let leaf: string | null = null;
  const boundaries: { readonly line: number; readonly preserved: ReadonlySet<string> }[] = [];
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const { value } = record;
    const uuid = nameOf(value, 'uuid');
    if (uuid === null || nodes.has(uuid)) continue;
    const line = record.place.number;
    const stated = nameOf(value, 'parentUuid') ?? nameOf(value, 'logicalParentUuid');
    const parent: string | null = stated === null || nodes.has(stated) ? stated : previous;
    nodes.set(uuid, { line, parent, messageId: messageIdOf(value), hasResult: hasResult(value) });
    if (isSet(value, 'isSidechain') && !isOwnFile(path)) continue;
    previous = uuid;
    const type = textOf(value, 'type');
    if (type === 'user' || type === 'assistant' || type === 'tool_result') leaf = uuid;
    if (textOf(value, 'subtype') === boundary) {
      boundaries.push({ line, preserved: preservedIn(value, nodes) });
    }
  }
  const current = currentBranch(nodes, leaf);
  const newest = boundaries.at(-1) ?? { line: 0, preserved: new Set<string>() };
  return {
    isFirst: (uuid, line) => nodes.get(uuid)?.line === line,
    isCurrent: (uuid) => current.has(uuid),
    isCompacted: (uuid) => (nodes.get(uuid)?.line ?? newest.line) < newest.line && !newest.preserved.has(uuid),
    keptBy: (line) => {
      const preserved = boundaries.findLast((boundary) => boundary.line < line)?.preserved;
      return (uuid) => preserved?.has(uuid) ?? false;
    },
  };
}

/** True for a file that holds one sub-agent: every record in it is marked as a sidechain. */
export function isOwnFile(path: string): boolean {
  return /(?:^|[/\\])agent-[^/\\]*\.jsonl$/.test(path);
}

/** Ancestors of the newest record, and what belongs to them: the other records of their API messages, and results of
 *  calls that ran in parallel, which hang beside the branch. */
function currentBranch(nodes: ReadonlyMap<string, Node>, leaf: string | null): ReadonlySet<string> {
  const current = new Set<string>();
  for (let at = leaf; at !== null && !current.has(at); at = nodes.get(at)?.parent ?? null) current.add(at);
  const messageIds = new Set([...current].flatMap((uuid) => nodes.get(uuid)?.messageId ?? []));
  for (const [uuid, { messageId, parent, hasResult: isResult }] of nodes) {
    if (messageId !== null && messageIds.has(messageId)) current.add(uuid);
    else if (isResult && parent !== null && current.has(parent)) current.add(uuid);
  }
  return current;
}

function messageIdOf(value: JsonObject): string | null {
  return textOf(value, 'type') === 'assistant' ? nameOf(objectOf(value, 'message'), 'id') : null;
}

function hasResult(value: JsonObject): boolean {
  return own(value, 'toolUseResult') !== undefined || nameOf(value, 'sourceToolAssistantUUID') !== null;
}

/** Records that a compaction kept: a list of them, or the first and the last one. */
function preservedIn(boundary: JsonObject, nodes: ReadonlyMap<string, Node>): ReadonlySet<string> {
  const about = objectOf(boundary, 'compactMetadata');
  const listed = listOf(objectOf(about, 'preservedMessages'), 'uuids') ?? [];
  const preserved = new Set(listed.filter((uuid): uuid is string => typeof uuid === 'string'));
  const segment = objectOf(about, 'preservedSegment');
  const head = nameOf(segment, 'headUuid');
  for (let at = nameOf(segment, 'tailUuid'); at !== null && !preserved.has(at); at = nodes.get(at)?.parent ?? null) {
    preserved.add(at);
    if (at === head) break;
  }
  return preserved;
}
