import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignMessage, ForeignPart, ForeignPlace, ForeignSession, ForeignView } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { anthropicContent, joined, noContent, type ReadContent } from '../reading/anthropicBlocks';
import { elements } from '../reading/elements';
import { countOf, epochTimeOf, isSet, isoTimeOf, nameOf, numberOf, objectOf, own, textOf } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';
import { longestLine } from '../reading/lines';
import { RecentNames } from '../reading/recentNames';
import { CountedRecords, skip } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { UsageSum } from '../reading/usageSum';
import { listKeyOf, sessionsIn, taskFolders, taskOf, tasksIn, taskUsage, type ClineTask } from './clineTasks';

/** Version of the session files of the Cline command line. Task folders have no version. */
const knownVersion = 1;

/** Tasks of Cline, Roo Code and Kilo Code (before 7): lists of messages of Anthropic's API. Formats read:
 *  sessions of the Cline command line 3.0.65, by files that the program wrote; task folders by
 *  src/core/storage/disk.ts of cline/cline and src/core/task-persistence/apiMessages.ts of RooCodeInc/Roo-Code. */
export class ClineSource implements HistorySource {
  readonly name = 'cline';

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ editors, cline }: HistoryPlaces): AsyncGenerator<string> {
    for (const folder of taskFolders(editors, cline)) yield* tasksIn(this.files, folder);
    yield* sessionsIn(this.files, `${cline}/data/sessions`);
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    yield await this.glance(await taskOf(this.files, path));
  }

  read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    return new ClineReading(this.files, location.path).events();
  }

  private async glance({ id, path, key, about, writtenBy }: ClineTask): Promise<Found> {
    const place = { path, unit: 'file', number: 1 } as const;
    const version = numberOf(about, 'version');
    if (key !== null && version !== null && version !== knownVersion) {
      const reason = t('The session has version {version}. Version {known} can be read.', {
        version: String(version),
        known: String(knownVersion),
      });
      return { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
    }
    if (key === null && (await this.firstCharacter(path)) === '{') {
      const reason = t('The task is in the second format of Roo Code. Only lists of messages can be read.');
      return { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
    }
    const times = new TimeSpan();
    times.add(isoTimeOf(about, 'started_at') ?? epochTimeOf(about, 'ts'));
    times.add(isoTimeOf(about, 'ended_at'));
    times.add((await this.files.stat(path))?.modifiedAt ?? null);
    const session: ForeignSession = {
      source: 'cline',
      id,
      location: { path, key },
      lineage: lineageOf(about),
      title:
        nameOf(objectOf(about, 'metadata'), 'title') ?? shortTitle(promptOf(about)) ?? (await this.firstPrompt(path)),
      folder: nameOf(about, 'cwd') ?? nameOf(about, 'workspace') ?? nameOf(about, 'cwdOnTaskInitialization'),
      model: nameOf(about, 'model'),
      startedAt: times.startedAt,
      endedAt: times.endedAt,
      usage: taskUsage(about),
      writtenBy,
      messageCount: null,
    };
    return { kind: 'session', session };
  }

  private async firstCharacter(path: string): Promise<string | null> {
    for await (const piece of this.files.read(path, { end: 100 })) {
      return (
        Buffer.from(piece)
          .toString('utf8')
          .replace(/^\uFEFF/, '')
          .trimStart()[0] ?? null
      );
    }
    return null;
  }

  private async firstPrompt(path: string): Promise<string | null> {
    for await (const event of new ClineReading(this.files, path).events()) {
      if (event.kind !== 'message' || event.message.role !== 'user' || event.message.view !== 'shown') continue;
      const texts = event.message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
      return shortTitle(unwrapped(texts.join('\n')));
    }
    return null;
  }
}

function lineageOf(about: JsonObject | null): ForeignSession['lineage'] {
  const parentId = nameOf(about, 'parentTaskId') ?? nameOf(about, 'parent_session_id');
  return parentId === null ? null : { kind: 'delegate', parentId };
}

function promptOf(about: JsonObject | null): string {
  return unwrapped(nameOf(about, 'task') ?? nameOf(about, 'prompt') ?? '');
}

/** A prompt of the command line, which is stored between tags. */
function asTyped(part: ForeignPart): ForeignPart {
  const typed =
    part.kind === 'text' ? /^<user_input\b[^>]*>([\s\S]*)<\/user_input>\s*$/.exec(part.text)?.[1] : undefined;
  return typed === undefined ? part : { kind: 'text', text: typed };
}

/** The prompt without the tags that Cline puts around it. */
function unwrapped(text: string): string {
  return /<(task|user_input|user_message)\b[^>]*>([\s\S]*?)<\/\1>/.exec(text)?.[2] ?? text;
}

class ClineReading {
  private readonly records = new CountedRecords();
  private readonly calls = new RecentNames();
  private readonly times = new TimeSpan();
  private readonly usage = new UsageSum();
  private model: string | null = null;

  constructor(
    private readonly files: HistoryFiles,
    private readonly path: string,
  ) {}

  async *events(): AsyncGenerator<ReadEvent> {
    const list = elements(this.files.read(this.path), longestLine, listKeyOf(this.path));
    for await (const element of this.records.of(list)) {
      const place: ForeignPlace = { path: this.path, unit: 'element', number: element.number };
      if (element.kind === 'tooLong') {
        yield skip(place, 'damaged', `The message has ${element.characters} characters, which is too long to read.`);
        continue;
      }
      const parsed = parseJsonObject(element.text);
      if (parsed.kind === 'object') yield* this.take(parsed.value, place);
      else yield skip(place, 'damaged', t('The record is cut off or is not a JSON object.'));
    }
    const { startedAt, endedAt } = this.times;
    const known = this.model === null ? {} : { model: this.model };
    const counted = this.usage.total === null ? {} : { usage: this.usage.total };
    yield {
      kind: 'facts',
      records: 0,
      facts: { ...known, ...counted, ...(startedAt === null ? {} : { startedAt, endedAt }) },
    };
    yield { kind: 'end', records: this.records.count };
  }

  private *take(value: JsonObject, place: ForeignPlace): Generator<ReadEvent> {
    const role = textOf(value, 'role');
    if (role !== 'user' && role !== 'assistant') {
      return yield skip(place, 'unknown', `Messages of role “${role ?? 'none'}” are not known.`);
    }
    const content = joined([reasoningOf(value), anthropicContent(own(value, 'content'), this.calls.nameOf)]);
    if (content.parts.length === 0) return yield skip(place, 'damaged', content.omitted[0] ?? 'The message is empty.');
    for (const part of content.parts) if (part.kind === 'toolCall') this.calls.add(part.callId, part.name);
    const message = messageOf(role, value, content, place);
    this.times.add(message.createdAt);
    this.usage.add(message.usage);
    this.model = message.model ?? this.model;
    yield { kind: 'message', records: 1, message };
    if (isError(value)) yield { kind: 'ended', records: 0, reason: 'error' };
  }
}

/** A note about a failed request, stored in the place of an answer. */
function isError(value: JsonObject): boolean {
  return textOf(objectOf(value, 'metadata'), 'displayRole') === 'error';
}

function messageOf(
  role: 'user' | 'assistant',
  value: JsonObject,
  { parts, omitted }: ReadContent,
  place: ForeignPlace,
): ForeignMessage {
  const model = objectOf(value, 'modelInfo');
  return {
    id: `message ${place.number}`,
    parentId: null,
    role: isError(value)
      ? 'system'
      : role === 'user' && parts.every(({ kind }) => kind === 'toolResult')
        ? 'tool'
        : role,
    parts: role === 'user' ? parts.map(asTyped) : parts,
    view: viewOf(value, parts),
    createdAt: epochTimeOf(value, 'ts'),
    model: nameOf(model, 'id') ?? nameOf(model, 'modelId'),
    provider: nameOf(model, 'provider') ?? nameOf(model, 'providerId'),
    finishReason: null,
    usage: usageOf(objectOf(value, 'metrics')),
    place,
    omitted,
  };
}

/** Roo Code keeps the reasoning of some providers beside the content. */
function reasoningOf(value: JsonObject): ReadContent {
  const text =
    nameOf(value, 'reasoning_content') ?? (textOf(value, 'type') === 'reasoning' ? nameOf(value, 'text') : null);
  return text === null ? noContent : { parts: [{ kind: 'thinking', text }], omitted: [] };
}

/** Fields of Roo Code: `isSummary` marks a summary, `condenseParent` the messages that it replaces, `truncationParent`
 *  messages that are no longer sent, and `isTruncationMarker` its note about them. */
function viewOf(value: JsonObject, parts: ForeignMessage['parts']): ForeignView {
  if (isSet(value, 'isSummary') || textOf(objectOf(value, 'metadata'), 'kind') === 'compaction_summary')
    return 'summary';
  const [first] = parts;
  const isNote = textOf(value, 'role') === 'user' && first?.kind === 'text' && first.text.startsWith('[SYSTEM] ');
  if (isNote || isSet(value, 'isTruncationMarker')) return 'hidden';
  return nameOf(value, 'condenseParent') !== null || nameOf(value, 'truncationParent') !== null ? 'compacted' : 'shown';
}

function usageOf(metrics: JsonObject | null): Usage | null {
  const [inputTokens, outputTokens] = [countOf(metrics, 'inputTokens'), countOf(metrics, 'outputTokens')];
  if (inputTokens === null && outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: countOf(metrics, 'cacheReadTokens'),
    cacheWriteTokens: countOf(metrics, 'cacheWriteTokens'),
    reasoningTokens: null,
  };
}
