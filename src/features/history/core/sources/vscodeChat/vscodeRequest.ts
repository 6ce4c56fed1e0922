import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { StopReason } from '../../../../../transcript/stopReason';
import type { ToolResultPart } from '../../../../../transcript/part';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignMessage, ForeignPart, ForeignPlace, ForeignView, SkipKind } from '../foreign';
import type { ReadEvent } from '../historySource';
import {
  epochTimeOf,
  isSet,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  usageOf,
  asObject,
  own,
  textOf,
} from '../reading/fields';
import { skip } from '../reading/sessionReading';
import { modelCalls, toolCallOf, type ModelCalls } from './vscodeToolCall';
import { pathOf, editText, markdownOf, referenceText } from './vscodeToolCall';
import { unreadable } from '../reading/records';

type ResponsePart =
  | {
      readonly kind: 'content';
      readonly part: ForeignPart;
      /** Result of the call that `part` is. Default: none. */
      readonly result?: ToolResultPart;
      /** True for a part of a sub-agent's work. */
      readonly isSidechain: boolean;
      /** True for a text that is a paragraph of its own. */
      readonly isBlock: boolean;
    }
  | { readonly kind: 'skipped'; readonly skip: SkipKind; readonly reason: string };

/** Parts that steer or decorate the panel. */
const ofThePanel = new Set([
  'autoModeResolution',
  'clearToPreviousToolInvocation',
  'codeblockUri',
  'command',
  'disabledClaudeHooks',
  'extensions',
  'hook',
  'mcpServersStarting',
  'prepareToolInvocation',
  'progressMessage',
  'progressTaskSerialized',
  'undoStop',
  'voiceProgress',
]);

/** Reads a part of a response (`SerializedChatResponsePart`). */
function responsePart(value: JsonValue, calls: ModelCalls): ResponsePart {
  const part = asObject(value);
  if (part === null) {
    return typeof value === 'string' && value !== '' ? text(value, null) : damaged(unreadable());
  }
  const kind = textOf(part, 'kind');
  switch (kind) {
    case null:
      return text(markdownOf(part), part);
    case 'markdownContent':
    case 'markdownVuln':
      return text(markdownOf(own(part, 'content')), part);
    case 'warning':
    case 'info':
      return text(markdownOf(own(part, 'content')), part, true);
    case 'inlineReference':
      return text(referenceText(part), part);
    case 'thinking':
      return thinking(part);
    case 'toolInvocationSerialized': {
      const found = toolCallOf(part, calls);
      if (found === null) return damaged('A tool call without an id or a name was left out.');
      return { ...content(found.call, part), result: found.result };
    }
    case 'textEditGroup':
    case 'notebookEditGroup':
    case 'workspaceEdit':
    case 'externalEdit':
      return text(editText(part), part, true);
    case 'confirmation':
    case 'elicitationSerialized':
    case 'questionCarousel':
    case 'pullRequest':
      return text(questionText(part), part, true);
    default:
      return ofThePanel.has(kind)
        ? { kind: 'skipped', skip: 'bookkeeping', reason: `A record of type “${kind}” holds no message.` }
        : { kind: 'skipped', skip: 'unknown', reason: `Records of type “${kind}” are not known.` };
  }
}

const nothing: ResponsePart = { kind: 'skipped', skip: 'bookkeeping', reason: 'The message is empty.' };

function thinking(part: JsonObject): ResponsePart {
  const pieces = listOf(part, 'value')?.filter((piece) => typeof piece === 'string');
  const said = pieces?.join('') ?? textOf(part, 'value') ?? '';
  // VS Code ends a thought with an empty part.
  return said === '' ? nothing : content({ kind: 'thinking', text: said }, part);
}

function text(said: string, part: JsonObject | null, isBlock = false): ResponsePart {
  return said === '' ? nothing : content({ kind: 'text', text: said }, part, isBlock);
}

function content(part: ForeignPart, of: JsonObject | null, isBlock = false) {
  const isSidechain = nameOf(of, 'subAgentInvocationId') !== null;
  return { kind: 'content', part, isSidechain, isBlock } as const;
}

function damaged(reason: string): ResponsePart {
  return { kind: 'skipped', skip: 'damaged', reason };
}

/** A question of a tool or extension, with its answers where they are stored. */
function questionText(part: JsonObject): string {
  const questions = (listOf(part, 'questions') ?? []).map((question) => markdownOf(own(asObject(question), 'title')));
  const answers = own(part, 'data');
  return [
    markdownOf(own(part, 'title')),
    markdownOf(own(part, 'message')),
    textOf(part, 'description') ?? '',
    ...questions,
    textOf(part, 'kind') === 'questionCarousel' && asObject(answers) !== null ? JSON.stringify(answers) : '',
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

/** Messages of a request and its response. A request is a record, and so is each part of its response.
 *  `id`: unique in the session. */
export class VscodeRequest {
  private answers = 0;
  private open: { readonly parts: ForeignPart[]; readonly isSidechain: boolean; records: number } | null = null;
  private results: ToolResultPart[] = [];

  constructor(
    private readonly request: JsonObject,
    private readonly id: string,
    private readonly place: ForeignPlace,
  ) {}

  /** Records that the events stand for. */
  get records(): number {
    return 1 + (listOf(this.request, 'response') ?? []).length;
  }

  *events(): Generator<ReadEvent> {
    const { request, place } = this;
    const parts = promptParts(request);
    if (parts.length === 0) yield skip(place, 'damaged', 'The message is empty.');
    else yield { kind: 'message', records: 1, message: this.messageOf(this.id, 'user', parts, this.promptView) };
    const calls = modelCalls(objectOf(request, 'result'));
    for (const value of listOf(request, 'response') ?? []) {
      const read = responsePart(value, calls);
      if (read.kind === 'skipped') {
        yield skip(place, read.skip, read.reason);
        continue;
      }
      // Text after the results of tools belongs to the next answer of the model.
      const isNext = this.results.length > 0 && read.result === undefined;
      if (isNext || this.open?.isSidechain !== read.isSidechain) yield* this.close();
      this.add(read.part, read.isSidechain, read.isBlock);
      if (read.result !== undefined) this.results.push(read.result);
    }
    yield* this.close(usageOf(request, { input: 'promptTokens', output: 'completionTokens' }));
    const error = nameOf(objectOf(objectOf(request, 'result'), 'errorDetails'), 'message');
    if (error !== null)
      yield { kind: 'message', records: 0, message: this.answer('system', [{ kind: 'text', text: error }], this.view) };
    const ended = endOf(request);
    if (ended !== null && this.view !== 'abandoned') yield { kind: 'ended', records: 0, reason: ended };
  }

  private add(part: ForeignPart, isSidechain: boolean, isBlock: boolean): void {
    this.open ??= { parts: [], isSidechain, records: 0 };
    this.open.records++;
    const last = this.open.parts.at(-1);
    // A link inside a sentence divides its text.
    const between = isBlock ? '\n\n' : '';
    if (last?.kind === 'text' && part.kind === 'text')
      this.open.parts.splice(-1, 1, { kind: 'text', text: last.text + between + part.text });
    else this.open.parts.push(part);
  }

  private *close(usage: Usage | null = null): Generator<ReadEvent> {
    const { open, results } = this;
    this.open = null;
    this.results = [];
    if (open === null) return;
    const view = open.isSidechain && this.view === 'shown' ? 'sidechain' : this.view;
    const message = { ...this.answer('assistant', open.parts, view), model: modelOf(this.request), usage };
    yield { kind: 'message', records: open.records, message };
    if (results.length > 0) yield { kind: 'message', records: 0, message: this.answer('tool', results, view) };
  }

  private answer(role: ForeignMessage['role'], parts: readonly ForeignPart[], view: ForeignView): ForeignMessage {
    return this.messageOf(`${this.id} answer ${++this.answers}`, role, parts, view);
  }

  private messageOf(
    id: string,
    role: ForeignMessage['role'],
    parts: readonly ForeignPart[],
    view: ForeignView,
  ): ForeignMessage {
    const asked = epochTimeOf(this.request, 'timestamp');
    const createdAt = role === 'user' ? asked : (answeredAt(this.request) ?? asked);
    return { id, role, parts, view, createdAt, place: this.place };
  }

  private get promptView(): ForeignView {
    const { request, view } = this;
    const isHidden = ['requestHiddenFromTranscript', 'hiddenFromTranscript', 'isSystemInitiated'].some((name) =>
      isSet(request, name),
    );
    return view === 'shown' && isHidden ? 'hidden' : view;
  }

  /** A request that the user took back is kept until the next one is sent. `isHidden` is its earlier name. */
  private get view(): ForeignView {
    const removal = objectOf(this.request, 'shouldBeRemovedOnSend');
    const isTakenBack = removal !== null && nameOf(removal, 'afterUndoStop') === null;
    return isTakenBack || isSet(this.request, 'isHidden') ? 'abandoned' : 'shown';
  }
}

/** When the response was complete. Seconds since the epoch. */
export function answeredAt(request: JsonObject | null): number | null {
  return epochTimeOf(objectOf(request, 'modelState'), 'completedAt') ?? epochTimeOf(request, 'responseTimestamp');
}

/** The model of a request, without the provider before it: `copilot/gpt-4.1`. */
export function modelOf(request: JsonObject | null): string | null {
  const id = nameOf(request, 'modelId');
  const slash = id?.indexOf('/') ?? -1;
  return id === null || slash < 1 || slash === id.length - 1 ? id : id.slice(slash + 1);
}

/** Version of a stored session; the first had none. */
export function versionOf(about: JsonObject | null): number {
  return numberOf(about, 'version') ?? 1;
}

/** `ResponseModelState` of VS Code: 2 is canceled, 3 is failed. Earlier versions have only `isCanceled`. */
function endOf(request: JsonObject): StopReason | null {
  const state = numberOf(objectOf(request, 'modelState'), 'value');
  if (isSet(request, 'isCanceled') || state === 2) return 'user';
  return state === 3 || objectOf(objectOf(request, 'result'), 'errorDetails') !== null ? 'error' : null;
}

/** Kinds of variables that VS Code or an extension adds to each prompt. */
const added = new Set(['promptText', 'workspace', 'implicit', 'tool', 'toolset']);

/** The text of a prompt: plain in the first version, `{text, parts}` since. */
export function promptText(request: JsonObject | null): string {
  return textOf(request, 'message') ?? textOf(objectOf(request, 'message'), 'text') ?? '';
}

/** Parts of a prompt: its text, attached images, and notes about other attachments. */
function promptParts(request: JsonObject): readonly ForeignPart[] {
  const text = promptText(request);
  const variables = listOf(objectOf(request, 'variableData'), 'variables') ?? [];
  return [
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...variables.flatMap((variable) => variablePart(asObject(variable))),
  ];
}

function variablePart(variable: JsonObject | null): readonly ForeignPart[] {
  const kind = textOf(variable, 'kind') ?? '';
  // Variables inside the prompt's text have a range.
  if (
    variable === null ||
    added.has(kind) ||
    isSet(variable, 'automaticallyAdded') ||
    own(variable, 'range') !== undefined
  )
    return [];
  const value = own(variable, 'value');
  const name = nameOf(variable, 'name');
  const image = kind === 'image' ? imageData(value) : null;
  if (image !== null) {
    const mediaType = nameOf(variable, 'mimeType') ?? 'image/png';
    return [{ kind: 'image', mediaType, dataBase64: image, ...(name === null ? {} : { name }) }];
  }
  if (kind === 'paste') {
    const code = textOf(variable, 'code') ?? textOf(variable, 'value') ?? '';
    return code === '' ? [] : [{ kind: 'text', text: code }];
  }
  const label = pathOf(value) ?? name;
  return label === null ? [] : [{ kind: 'text', text: `[Attached: ${label.slice(0, 1000)}]` }];
}

/** Bytes of an image in Base64. VS Code stores them under `$base64`, and as an object of numbers before. */
function imageData(value: JsonValue | undefined): string | null {
  const object = asObject(value);
  const encoded = nameOf(object, '$base64');
  if (encoded !== null || object === null) return encoded;
  const bytes = Object.values(object);
  const isBytes = bytes.length > 0 && bytes.every((byte) => typeof byte === 'number');
  return isBytes ? Buffer.from(bytes.map(Number)).toString('base64') : null;
}
