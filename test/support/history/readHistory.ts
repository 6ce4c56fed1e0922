import { fileURLToPath } from 'node:url';
import type {
  ForeignMessage,
  ForeignPart,
  ForeignSession,
  SessionFacts,
  Skipped,
} from '../../../src/features/history/core/sources/foreign';
import type { HistoryPlaces } from '../../../src/features/history/core/sources/historyPlaces';
import { withFacts } from '../../../src/features/history/core/sources/reading/sessionReading';
import {
  noCounts,
  counted,
  type HistorySource,
  type ReadCounts,
} from '../../../src/features/history/core/sources/historySource';

export const fixtures = fileURLToPath(new URL('../../fixtures/history', import.meta.url));

/** Places where nothing is, but for those given. */
export function placesWith(given: Partial<HistoryPlaces>): HistoryPlaces {
  const none = '/nowhere';
  return {
    claude: none,
    codex: none,
    hermes: none,
    cline: none,
    opencode: none,
    opencodeDatabase: null,
    pi: none,
    piSessions: null,
    gemini: none,
    qwen: none,
    home: none,
    editors: [],
    chosen: [],
    ...given,
  };
}

export interface FoundHistory {
  readonly sessions: readonly ForeignSession[];
  readonly skipped: readonly Skipped[];
}

export async function findHistory(source: HistorySource, places: HistoryPlaces): Promise<FoundHistory> {
  const [sessions, skipped]: [ForeignSession[], Skipped[]] = [[], []];
  for await (const path of source.locate(places))
    for await (const found of source.findIn(path)) {
      if (found.kind === 'session') sessions.push(found.session);
      else skipped.push(found.skipped);
    }
  return { sessions, skipped };
}

export interface ReadHistory {
  readonly messages: readonly ForeignMessage[];
  readonly facts: Partial<SessionFacts>;
  readonly skipped: readonly Skipped[];
  readonly records: ReadCounts;
}

export async function readHistory(source: HistorySource, session: ForeignSession): Promise<ReadHistory> {
  const [messages, skipped]: [ForeignMessage[], Skipped[]] = [[], []];
  let facts: Partial<SessionFacts> = {};
  let records = noCounts;
  for await (const event of source.read(session)) {
    records = counted(records, event);
    if (event.kind === 'message') messages.push(event.message);
    if (event.kind === 'skipped') skipped.push(event.skipped);
    if (event.kind === 'facts') facts = withFacts(facts, event.facts);
  }
  return { messages, facts, skipped, records: records };
}

/** The outline of the session with this id. */
export async function outlineOf(source: HistorySource, places: HistoryPlaces, id: string): Promise<readonly string[]> {
  const { sessions } = await findHistory(source, places);
  const session = sessions.find((found) => found.id === id);
  if (session === undefined) throw new Error(`no session ${id}`);
  return outline(await readHistory(source, session));
}

/** The neutral form as lines to compare: place in the conversation, role, parts. */
export function outline({ messages, skipped, records: records, facts }: ReadHistory): readonly string[] {
  return [
    ...messages.map((message, index) => {
      const { role, view, parts, omitted = [] } = message;
      const left = omitted.length === 0 ? '' : ` (${omitted.join(' ')})`;
      return `${index + 1} ${view} ${role}: ${parts.map(partLine).join(' | ')}${left}`;
    }),
    ...[...new Set(skipped.filter(({ kind }) => kind !== 'bookkeeping').map(skipLine))],
    `facts: ${JSON.stringify(facts)}`,
    `in ${records.in} = imported ${records.imported} + skipped ${records.skipped}, ${records.messages} messages`,
  ];
}

function skipLine({ kind, reason, place }: Skipped): string {
  return `${kind} at ${place.unit} ${place.number}: ${reason}`;
}

function partLine(part: ForeignPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'thinking':
      return `(thinks: ${part.text}${part.metadata === undefined ? '' : ` ${JSON.stringify(part.metadata)}`})`;
    case 'image':
      return `(image ${part.mediaType} ${part.dataBase64})`;
    case 'imageLink':
      return `(image at ${part.url})`;
    case 'toolCall':
      return `calls ${part.name} ${part.callId} ${part.arguments}`;
    case 'toolResult':
      return `${part.outcome} ${part.name} ${part.callId}: ${part.text}${(part.images ?? []).map(partLine).join('')}`;
  }
}
