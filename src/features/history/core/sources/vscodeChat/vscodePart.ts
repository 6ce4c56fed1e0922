import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ToolResultPart } from '../../../../../transcript/part';
import type { ForeignPart, SkipKind } from '../foreign';
import { asObject, listOf, nameOf, own, textOf } from '../reading/fields';
import { unreadable } from '../reading/records';
import { editText, markdownOf, referenceText } from './vscodeTexts';
import { toolCallOf, type ModelCalls } from './vscodeToolCall';

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
export function responsePart(value: JsonValue, calls: ModelCalls): ResponsePart {
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
