import type { Message } from '../../transcript/message';
import type { Part } from '../../transcript/part';
import type { MissingPart } from '../../transcript/verification';
import { beginsAs, type WitnessEntry } from '../../transcript/witness';

/** What views showed of one message, against what is stored of it. */
export interface MessageComparison {
  /** Parts with a witness. */
  readonly parts: number;
  /** Characters that were shown, and those of them that are on disk as they were shown. */
  readonly shown: number;
  readonly onDisk: number;
  readonly missing: readonly MissingPart[];
}

/** Compares the witness of one message with its stored parts (null: no row) and with what the row said before it was rewritten, oldest first. A
 *  part that several views showed was shown as far as the one that showed most of it. Pure. */
export function compareMessage(
  entries: readonly WitnessEntry[],
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

export function groupedBy<K>(
  entries: readonly WitnessEntry[],
  key: (entry: WitnessEntry) => K,
): ReadonlyMap<K, readonly WitnessEntry[]> {
  const groups = new Map<K, WitnessEntry[]>();
  for (const entry of entries) {
    const group = groups.get(key(entry));
    if (group === undefined) groups.set(key(entry), [entry]);
    else group.push(entry);
  }
  return groups;
}

/** Whether earlier versions of the row can make a difference: the row itself does not hold all that was shown. */
export function needsEarlier(entries: readonly WitnessEntry[], stored: readonly Part[] | null): boolean {
  return !entries.every((entry) => isHeld(entry, stored === null ? [] : [stored]));
}

/** Characters of delivered text in a row that a person may have been shown. */
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
  entries: readonly WitnessEntry[],
  stored: readonly Part[] | null,
  versions: readonly (readonly Part[])[],
): PartComparison {
  const [first] = entries;
  const longest = (some: readonly WitnessEntry[]): number =>
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

/** A version of the row holds it, in its place or, where parts were joined or moved, in another of its kind. */
function isHeld(entry: WitnessEntry, versions: readonly (readonly Part[])[]): boolean {
  return versions.some((parts) => {
    const inPlace = parts[entry.part];
    if (inPlace !== undefined && isOf(entry, inPlace) && beginsAs(inPlace.text, entry)) return true;
    return parts.some((part) => isOf(entry, part) && beginsAs(part.text, entry));
  });
}

function storedLength(parts: readonly Part[] | null, entry: WitnessEntry): number | null {
  const part = parts?.[entry.part];
  return part !== undefined && isOf(entry, part) ? part.text.length : null;
}

function isOf({ kind }: WitnessEntry, part: Part): part is Part & { readonly kind: 'text' | 'thinking' } {
  return part.kind === kind;
}
