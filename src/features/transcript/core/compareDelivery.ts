import { groupedBy } from '../../../base/groupedBy';
import type { Message } from '../../../transcript/message';
import type { Part } from '../../../transcript/part';
import type { MissingPart } from '../../../transcript/verification';
import { beginsAs, type DeliveryEntry } from '../../../transcript/deliveryEntry';

/** Compares the text that views showed of one message with its stored text. */
export interface MessageComparison {
  /** Parts with a delivery report. */
  readonly parts: number;
  /** Characters that were shown, and how many of them are on disk as they were shown. */
  readonly shown: number;
  readonly onDisk: number;
  readonly missing: readonly MissingPart[];
}

/** Compares the delivery reports of one message with its stored parts (null: no row) and with the row's earlier
 *  versions, oldest first. If several views showed a part, the one that showed most of it counts. Pure. */
export function compareMessage(
  entries: readonly DeliveryEntry[],
  stored: readonly Part[] | null,
  earlier: readonly (readonly Part[])[],
): MessageComparison {
  const versions = stored === null ? earlier : [stored, ...earlier];
  const byPart = groupedBy(entries, ({ part }) => part);
  const each = [...byPart.values()].map((same) => comparePart(same, stored, versions));
  return {
    parts: each.length,
    shown: each.reduce((sum, { shown }) => sum + shown, 0),
    onDisk: each.reduce((sum, { onDisk }) => sum + onDisk, 0),
    missing: each.flatMap(({ missing }) => missing ?? []),
  };
}

/** True when earlier versions of the row can make a difference: the row itself does not hold all the shown text. */
export function needsEarlier(entries: readonly DeliveryEntry[], stored: readonly Part[] | null): boolean {
  return !entries.every((entry) => isHeld(entry, stored === null ? [] : [stored]));
}

/** Counts characters of delivered text in a row that the user may have seen. */
export function deliveredCharacters(message: Message): number {
  if (message.role !== 'assistant' || message.visibility.kind === 'closing') return 0;
  return message.parts.reduce((sum, part) => sum + (part.kind === 'toolCall' ? 0 : part.text.length), 0);
}

interface PartComparison {
  readonly shown: number;
  readonly onDisk: number;
  readonly missing: MissingPart | null;
}

function comparePart(
  entries: readonly DeliveryEntry[],
  stored: readonly Part[] | null,
  versions: readonly (readonly Part[])[],
): PartComparison {
  const [first] = entries;
  const longest = (some: readonly DeliveryEntry[]): number =>
    some.reduce((most, { length }) => Math.max(most, length), 0);
  const lost = entries.filter((entry) => !isHeld(entry, versions));
  const shown = longest(entries);
  if (first === undefined || lost.length === 0) return { shown, onDisk: shown, missing: null };
  const onDisk = longest(entries.filter((entry) => !lost.includes(entry)));
  const { messageUid, part, kind } = first;
  return {
    shown,
    onDisk,
    missing: { messageUid, part, kind, shown: longest(lost), stored: storedLength(stored, first) },
  };
}

/** True when a version of the row holds it: in its place or, if parts were merged or moved, in another part of the
 *  same kind. */
function isHeld(entry: DeliveryEntry, versions: readonly (readonly Part[])[]): boolean {
  return versions.some((parts) => {
    const inPlace = parts[entry.part];
    if (inPlace !== undefined && isOf(entry, inPlace) && beginsAs(inPlace.text, entry)) return true;
    return parts.some((part) => isOf(entry, part) && beginsAs(part.text, entry));
  });
}

function storedLength(parts: readonly Part[] | null, entry: DeliveryEntry): number | null {
  const part = parts?.[entry.part];
  return part !== undefined && isOf(entry, part) ? part.text.length : null;
}

function isOf({ kind }: DeliveryEntry, part: Part): part is Part & { readonly kind: 'text' | 'thinking' } {
  return part.kind === kind;
}
