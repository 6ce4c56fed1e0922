import { parsedJson } from '../../../transcript/json';
import * as v from 'valibot';
import { proposedFiles } from '../../../tools/files/proposedTexts';
import type { PromptFile } from '../../../agent/project/promptFiles';
import type { ApprovalDecision, ApprovalRequest, AskedInput, InputField, Mode } from '../../../transcript/approval';
import { isPlainEdit, modes } from '../../../transcript/approvalChecks';
import type { SentPart } from '../../../transcript/draftPart';
import type { ImagePart, ToolCallPart, ToolResultPart } from '../../../transcript/part';
import { inputAnswer } from '../../../transcript/approval';
import type { ReasoningEffort } from '../../../transcript/session';
import type { Usage } from '../../../transcript/usage';

/** Version 1 of the Agent Client Protocol from the agent's side: what clients send, read strictly, and what they get.
 *  `../core/protocol1.ts` is the client's side. */

export const codes = { unknownMethod: -32601, badParams: -32602, internal: -32603, notFound: -32002 } as const;

const text = v.optional(v.nullable(v.string()));
const blockSchema = v.variant('type', [
  v.looseObject({ type: v.literal('text'), text: v.string() }),
  v.looseObject({ type: v.literal('image'), data: v.string(), mimeType: v.string() }),
  v.looseObject({ type: v.literal('resource_link'), uri: v.string(), name: text }),
  v.looseObject({ type: v.literal('resource'), resource: v.looseObject({ uri: v.string(), text: text }) }),
]);
const session = { sessionId: v.string() };
const pairs = v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []);
const folder = {
  cwd: v.pipe(v.string(), v.regex(/^[/\\]|^[A-Za-z]:[/\\]/, 'cwd is not an absolute path')),
  additionalDirectories: v.optional(v.nullable(v.array(v.string()))),
  mcpServers: v.optional(
    v.array(
      v.union([
        v.object({ type: v.pipe(v.string(), v.notValues(['http', 'stdio'])), name: v.string() }),
        v.object({ type: v.literal('http'), name: v.string(), url: v.pipe(v.string(), v.url()), headers: pairs }),
        v.object({
          type: v.optional(v.literal('stdio')),
          name: v.string(),
          command: v.pipe(v.string(), v.nonEmpty()),
          args: v.array(v.string()),
          env: pairs,
        }),
      ]),
    ),
    [],
  ),
};
type GivenServer = v.InferOutput<typeof folder.mcpServers.wrapped.item>;
export type ClientServer = Extract<GivenServer, { readonly url: string } | { readonly command: string }>;

/** Servers of a client that can be used, and a sentence for each other one. */
export function usableServers(given: readonly GivenServer[]) {
  const isUsable = (server: GivenServer): server is ClientServer => 'url' in server || 'command' in server;
  return {
    servers: given.filter(isUsable),
    problems: given
      .filter((server) => !isUsable(server))
      .map(
        ({ type, name }) => `The MCP server “${name}” is not used: servers of the kind “${type}” are not supported.`,
      ),
  };
}

/** Parameters of the requests and notifications of a client. */
export const params = {
  initialize: v.looseObject({
    clientCapabilities: v.optional(
      v.looseObject({
        session: v.optional(v.nullable(v.looseObject({ notices: v.optional(v.unknown()) }))),
        fs: v.optional(
          v.looseObject({ readTextFile: v.optional(v.boolean()), writeTextFile: v.optional(v.boolean()) }),
        ),
        elicitation: v.optional(
          v.nullable(v.looseObject({ form: v.optional(v.unknown()), url: v.optional(v.unknown()) })),
        ),
      }),
    ),
    clientInfo: v.optional(v.nullable(v.looseObject({ name: text, title: text }))),
  }),
  'session/new': v.looseObject(folder),
  'session/load': v.looseObject({ ...session, ...folder }),
  'session/resume': v.looseObject({ ...session, ...folder }),
  'session/list': v.looseObject({ cwd: text, cursor: text }),
  'session/close': v.looseObject(session),
  'session/prompt': v.looseObject({ ...session, prompt: v.array(v.unknown()) }),
  'session/cancel': v.looseObject(session),
  'session/set_mode': v.looseObject({ ...session, modeId: v.picklist(modes) }),
  'session/set_config_option': v.looseObject({ ...session, configId: v.string(), value: v.string() }),
} as const;

/** What this program offers. It needs no sign-in: keys come from the environment. */
export function initializeAnswer(version: string) {
  return {
    protocolVersion: 1,
    agentInfo: { name: 'hermes-agent', title: 'Hermes', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
    authMethods: [],
  };
}

/** A prompt of a client: its text, and its attachments. Throws for a block that it was not offered. */
export function readPrompt(blocks: readonly unknown[]): { readonly text: string; readonly parts: readonly SentPart[] } {
  const written: string[] = [];
  const parts: SentPart[] = [];
  for (const item of blocks) {
    const block = v.parse(blockSchema, item);
    if (block.type === 'text') written.push(block.text);
    else if (block.type === 'image') parts.push({ kind: 'image', mediaType: block.mimeType, dataBase64: block.data });
    else if (block.type === 'resource_link') written.push(`[${block.name ?? block.uri}](${block.uri})`);
    else if (typeof block.resource.text === 'string')
      parts.push({
        kind: 'attachment',
        label: block.resource.uri.replace(/^.*\//, ''),
        source: block.resource.uri,
        text: block.resource.text,
      });
    else throw new Error(`The content of ${block.resource.uri} is not text.`);
  }
  return { text: written.join(''), parts };
}

/** Command output as Markdown that shows it unchanged. */
function fenced(output: string): string {
  const longest = Math.max(2, ...[...output.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${output}\n${fence}`;
}

const textContent = (said: string) => ({ type: 'content' as const, content: { type: 'text' as const, text: said } });
const imageContent = ({ mediaType, dataBase64 }: ImagePart) => ({
  type: 'image' as const,
  mimeType: mediaType,
  data: dataBase64,
});

export function messageChunk(
  who: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  messageId: string,
  said: string | ImagePart,
) {
  const content = typeof said === 'string' ? { type: 'text' as const, text: said } : imageContent(said);
  return { sessionUpdate: who, messageId, content };
}

export function attachmentChunk(messageId: string, source: string, said: string) {
  const content = { type: 'resource' as const, resource: { uri: source, text: said } };
  return { sessionUpdate: 'user_message_chunk' as const, messageId, content };
}

/** Kinds by the words in a tool's name: tools of servers have names of their own. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^(edit|write|apply|create)|patch/, 'edit'],
  [/^(read|list)/, 'read'],
  [/search|find|glob/, 'search'],
  [/command/, 'execute'],
  [/^fetch/, 'fetch'],
  [/plan/, 'switch_mode'],
  [/delegate|todo/, 'think'],
];

function callKind(name: string): string {
  return kinds.find(([words]) => words.test(name))?.[1] ?? 'other';
}

export function callStarted(toolCallId: string, { name, arguments: written }: ToolCallPart) {
  const read = parsedJson(written);
  const rawInput = read === undefined ? written : read;
  const subject = Object.values(typeof rawInput === 'object' && rawInput !== null ? rawInput : {}).find(
    (value) => typeof value === 'string' && value !== '',
  );
  const title = subject === undefined ? name : `${name}: ${String(subject).split('\n')[0]?.slice(0, 120) ?? ''}`;
  return { sessionUpdate: 'tool_call' as const, toolCallId, title, kind: callKind(name), status: 'pending', rawInput };
}

export function callProgress(toolCallId: string, output?: string) {
  const content = output === undefined ? {} : { content: [textContent(fenced(output))] };
  return { sessionUpdate: 'tool_call_update' as const, toolCallId, status: 'in_progress' as const, ...content };
}

export function callEnded(toolCallId: string, { outcome, text: said, images = [] }: ToolResultPart) {
  return {
    sessionUpdate: 'tool_call_update' as const,
    toolCallId,
    status: outcome === 'done' ? ('completed' as const) : ('failed' as const),
    content: [
      ...(said === '' ? [] : [textContent(said)]),
      ...images.map((image) => ({ type: 'content' as const, content: imageContent(image) })),
    ],
    rawOutput: { outcome, text: said },
  };
}

interface Choice {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once';
  readonly decision: ApprovalDecision;
}

/** The decisions that a client may offer for an approval. */
function choicesFor(request: ApprovalRequest): readonly Choice[] {
  const deny: Choice = {
    optionId: 'deny',
    name: request.access.kind === 'plan' ? 'Keep Planning' : 'Deny',
    kind: 'reject_once',
    decision: { kind: 'deny', reason: null },
  };
  const allow = (optionId: string, name: string, mode?: Mode): Choice => ({
    optionId,
    name,
    kind: mode === 'auto' ? 'allow_always' : 'allow_once',
    decision: { kind: 'allow', scope: 'once', ...(mode === undefined ? {} : { mode }) },
  });
  // A form can only be filled in where it can be shown.
  if (request.access.kind === 'input') return [deny];
  if (request.access.kind === 'plan')
    return [
      allow('start', 'Start, Ask Before Changes', 'ask'),
      allow('auto', 'Start, Edit Automatically', 'auto'),
      deny,
    ];
  const always: Choice[] = isPlainEdit(request)
    ? [allow('auto', 'Allow All Edits', 'auto')]
    : request.rules.length === 0
      ? []
      : [
          {
            optionId: 'session',
            name: `Allow in This Session: ${request.rules.join(', ')}`,
            kind: 'allow_always',
            decision: { kind: 'allow', scope: 'session', rules: request.rules },
          },
        ];
  return [allow('allow', 'Allow'), ...always, deny];
}

/** `request_permission` for an approval. The names of its files are relative to `root`. */
export function permissionRequest(
  sessionId: string,
  toolCallId: string,
  request: ApprovalRequest,
  absolute: (shown: string) => string,
) {
  const { tool, subject, preview, reasons } = request;
  const diffs = proposedFiles(preview ?? '').filter(({ isWhole }) => isWhole);
  const side = (lines: readonly string[], other: string): string =>
    lines
      .filter((line) => !line.startsWith(other) && !line.startsWith('\\'))
      .map((line) => line.slice(1))
      .join('\n');
  const content =
    diffs.length > 0
      ? diffs.map(({ shown, kind, hunks }) => {
          const lines = hunks.flatMap((hunk) => hunk.lines);
          const oldText = kind === 'created' ? null : side(lines, '+');
          return { type: 'diff' as const, path: absolute(shown), oldText, newText: side(lines, '-') };
        })
      : preview === null
        ? []
        : [textContent(preview)];
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: `${tool}: ${subject}`,
      kind: callKind(tool),
      status: 'pending' as const,
      content,
      _meta: { hermes: { reasons } },
    },
    options: choicesFor(request).map(({ optionId, name, kind }) => ({ optionId, name, kind })),
  };
}

const outcomeSchema = v.looseObject({
  outcome: v.looseObject({ outcome: v.string(), optionId: v.optional(v.string()) }),
});

/** The user's decision. Null: the question was closed without one. Anything that is not one of the options offered
 *  denies. */
export function readDecision(answer: unknown, request: ApprovalRequest): ApprovalDecision | null {
  const parsed = v.safeParse(outcomeSchema, answer);
  if (parsed.success && parsed.output.outcome.outcome === 'cancelled') return null;
  const chosen = parsed.success ? parsed.output.outcome.optionId : undefined;
  return choicesFor(request).find(({ optionId }) => optionId === chosen)?.decision ?? { kind: 'deny', reason: null };
}

export interface OptionState {
  readonly mode: Mode;
  readonly model: string;
  /** References of models that can be chosen. */
  readonly models: readonly string[];
  readonly effort: ReasoningEffort;
}

const modeNames: Readonly<Record<Mode, readonly [string, string]>> = {
  ask: ['Ask Before Changes', 'Asks before each change and command'],
  auto: ['Edit Automatically', 'Edits files in the folder without asking'],
  plan: ['Plan', 'Changes nothing until you approve a plan'],
};
const effortNames: Readonly<Record<ReasoningEffort, string>> = {
  default: 'Default',
  none: 'None',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
};

export const modesState = (current: Mode) => ({
  currentModeId: current,
  availableModes: Object.entries(modeNames).map(([id, [name, description]]) => ({ id, name, description })),
});

export function configOptions({ mode, model, models, effort }: OptionState) {
  const select = (id: string, name: string, category: string, currentValue: string, options: readonly object[]) => ({
    type: 'select' as const,
    id,
    name,
    category,
    currentValue,
    options,
  });
  const listed = [...new Set([model, ...models])];
  return [
    select(
      'mode',
      'Mode',
      'mode',
      mode,
      Object.entries(modeNames).map(([value, [name, description]]) => ({ value, name, description })),
    ),
    select(
      'model',
      'Model',
      'model',
      model,
      listed.map((value) => ({ value, name: value })),
    ),
    select(
      'effort',
      'Reasoning Effort',
      'thought_level',
      effort,
      Object.entries(effortNames).map(([value, name]) => ({ value, name })),
    ),
  ];
}

/** Prompt files, skills and agents of the project, which the client offers after a slash. */
export function commandsUpdate(prompts: readonly PromptFile[]) {
  return {
    sessionUpdate: 'available_commands_update' as const,
    availableCommands: prompts.map(({ name, description, argumentHint }) => ({
      name,
      description: description ?? '',
      input: argumentHint === null ? null : { hint: argumentHint },
    })),
  };
}

export function noticeUpdate(title: string) {
  return { sessionUpdate: 'notice' as const, severity: 'warning' as const, title };
}

/** `costUsd` null: not known. */
export function usageUpdate(used: number, size: number, costUsd: number | null) {
  const cost = costUsd === null ? {} : { cost: { amount: costUsd, currency: 'USD' } };
  return { sessionUpdate: 'usage_update' as const, used, size, ...cost };
}

/** Usage of a turn for the answer to its prompt. Null where a count is not known. */
export function promptUsage(usage: Usage | null): object | null {
  const { inputTokens = null, outputTokens = null, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage ?? {};
  if (inputTokens === null || outputTokens === null) return null;
  const [cachedReadTokens, cachedWriteTokens] = [cachedInputTokens ?? 0, cacheWriteTokens ?? 0];
  return {
    inputTokens: Math.max(0, inputTokens - cachedReadTokens - cachedWriteTokens),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedReadTokens,
    cachedWriteTokens,
    ...(reasoningTokens === null || reasoningTokens === undefined ? {} : { thoughtTokens: reasoningTokens }),
  };
}

/** What an MCP server wants to know, for a client that shows forms. */
export function elicitation(sessionId: string, id: string, asked: AskedInput, message: string): object {
  if (asked.kind === 'url') return { sessionId, mode: 'url', elicitationId: id, url: asked.url, message };
  const properties = Object.fromEntries(asked.fields.map((field) => [field.name, fieldSchema(field)]));
  const required = asked.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { sessionId, mode: 'form', message, requestedSchema: { type: 'object', properties, required } };
}

function fieldSchema({ title, description, value }: InputField): object {
  const about = { title, ...(description === null ? {} : { description }) };
  switch (value.kind) {
    case 'text':
      return { type: 'string', ...about, ...withDefault(value.default) };
    case 'number':
      return { type: value.isWhole ? 'integer' : 'number', ...about, ...withDefault(value.default) };
    case 'yesNo':
      return { type: 'boolean', ...about, ...withDefault(value.default) };
    case 'choice': {
      const options = value.options.map(({ value: each, label }) => ({ const: each, title: label }));
      return value.isMany
        ? { type: 'array', ...about, items: { anyOf: options }, ...withDefault(value.default) }
        : { type: 'string', ...about, oneOf: options, ...withDefault(value.default?.[0]) };
    }
    default:
      return value satisfies never;
  }
}

function withDefault(value: unknown): { readonly default?: unknown } {
  return value === undefined ? {} : { default: value };
}

const elicitedSchema = v.looseObject({ action: v.string(), content: v.optional(v.nullable(inputAnswer)) });

/** The user's answer to a form or a page. Anything but `accept` declines it. */
export function readElicited(answer: unknown): ApprovalDecision {
  const parsed = v.safeParse(elicitedSchema, answer);
  if (!parsed.success || parsed.output.action !== 'accept') return { kind: 'deny', reason: null };
  const { content } = parsed.output;
  return { kind: 'allow', scope: 'once', ...(content === undefined || content === null ? {} : { answer: content }) };
}
