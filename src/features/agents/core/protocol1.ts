import * as v from 'valibot';
import type { HandedServer } from '../../../tools/handedServer';
import { type TodoItem, mostTodos } from '../../../tools/todo/todoList';
import { beginningOf } from '../../../tools/terminal/plainText';
import {
  type AgentCallContent,
  agentCallKinds,
  agentCallStatuses,
  type AgentCallUpdate,
  type AgentCommand,
  type AgentOption,
  type AgentUpdate,
  type OwnUpdate,
} from './agentUpdate';

/** Version 1 of the Agent Client Protocol: the only module that knows the shapes of its messages. Everything is read
 *  leniently: what one field gets wrong costs that field, never the message. */

const protocolVersion = 1;

/** Maximum characters of a message that is kept as it came. */
const longestRaw = 64 * 1024;

const maybe = <T extends v.GenericSchema>(schema: T) => v.fallback(v.optional(v.nullable(schema)), undefined);
const text = maybe(v.string());
const flag = v.fallback(v.optional(v.unknown()), undefined);

export const methods = {
  initialize: 'initialize',
  newSession: 'session/new',
  loadSession: 'session/load',
  resumeSession: 'session/resume',
  forkSession: 'session/fork',
  prompt: 'session/prompt',
  cancel: 'session/cancel',
  setMode: 'session/set_mode',
  setOption: 'session/set_config_option',
  setModel: 'session/set_model',
  update: 'session/update',
  requestPermission: 'session/request_permission',
  readFile: 'fs/read_text_file',
  writeFile: 'fs/write_text_file',
  elicit: 'elicitation/create',
  cancelRequest: '$/cancel_request',
} as const;

/** A line of the connection. */
export const messageSchema = v.looseObject({
  id: v.fallback(v.optional(v.union([v.string(), v.number(), v.null()])), undefined),
  method: v.fallback(v.optional(v.string()), undefined),
});
export type WireMessage = v.InferOutput<typeof messageSchema>;

const errorSchema = v.looseObject({
  code: v.fallback(v.number(), 0),
  message: v.fallback(v.string(), ''),
  data: v.optional(v.unknown()),
});

/** Refusal of a request. `code` may be any number: agents pass on codes of their services. */
export interface WireError {
  readonly code: number;
  readonly message: string;
}

/** Null when the answer is no refusal. */
export function errorIn(message: WireMessage): WireError | null {
  if (message['error'] === undefined || message['error'] === null) return null;
  const parsed = v.safeParse(errorSchema, message['error']);
  if (!parsed.success) return { code: 0, message: JSON.stringify(message['error']) };
  const { code, message: said, data } = parsed.output;
  const details = data === undefined || data === null ? '' : ` (${JSON.stringify(data).slice(0, 500)})`;
  return { code, message: `${said}${details}` };
}

export const signInNeeded = -32000;

const abilitiesSchema = v.object({
  protocolVersion: v.fallback(v.number(), 1),
  agentCapabilities: maybe(
    v.object({
      loadSession: flag,
      sessionCapabilities: maybe(v.object({ resume: flag, fork: flag })),
      promptCapabilities: maybe(v.object({ image: flag, embeddedContext: flag })),
      mcpCapabilities: maybe(v.object({ http: flag, sse: flag })),
    }),
  ),
});

export function initializeParams(version: string, fs: boolean) {
  return {
    protocolVersion,
    clientCapabilities: {
      fs: { readTextFile: fs, writeTextFile: fs },
      terminal: false,
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      subagents: {},
      elicitation: { form: {}, url: {} },
    },
    clientInfo: { name: 'hermes-vscode', title: 'Hermes for VS Code', version },
  };
}

/** What the agent can do. Throws when the answer is no answer to `initialize`. */
export function readAbilities(answer: unknown) {
  const { protocolVersion: version, agentCapabilities: offered } = v.parse(abilitiesSchema, answer);
  const has = (value: unknown): boolean => value !== undefined && value !== null && value !== false;
  return {
    version,
    loads: offered?.loadSession === true,
    resumes: has(offered?.sessionCapabilities?.resume),
    forks: has(offered?.sessionCapabilities?.fork),
    images: offered?.promptCapabilities?.image === true,
    embeds: offered?.promptCapabilities?.embeddedContext === true,
    // Kinds of MCP servers that it takes besides those on standard input and output.
    http: offered?.mcpCapabilities?.http === true,
    sse: offered?.mcpCapabilities?.sse === true,
  };
}
export type AgentAbilities = Readonly<ReturnType<typeof readAbilities>>;

/** A server in the form of `session/new`. Null for a kind that the agent does not take. */
export function serverParams(server: HandedServer, { http, sse }: AgentAbilities): object | null {
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => ({ name, value }));
  if (server.kind === 'stdio')
    return { name: server.name, command: server.command, args: server.args, env: pairs(server.environment) };
  if (!(server.kind === 'http' ? http : sse)) return null;
  return { type: server.kind, name: server.name, url: server.url, headers: pairs(server.headers) };
}

const choiceSchema = v.pipe(
  v.object({ value: v.string(), name: v.fallback(v.string(), ''), description: text }),
  v.transform(({ value, name, description = null }) => ({ value, name: name || value, description })),
);
const optionSchema = v.pipe(
  v.object({
    id: v.string(),
    name: v.fallback(v.string(), ''),
    category: text,
    currentValue: v.union([v.string(), v.boolean()]),
    options: v.fallback(
      v.optional(v.array(v.union([choiceSchema, v.object({ options: v.array(choiceSchema) })])), []),
      [],
    ),
  }),
  v.transform(({ id, name, category = null, currentValue: current, options }): AgentOption => {
    const choices = options.flatMap((choice) => ('options' in choice ? choice.options : [choice]));
    return { id, name: name || id, category, current, choices };
  }),
);

/** Options that stand for the older `modes` and `models`. */
const olderForms = {
  modes: { id: '$mode', category: 'mode', name: 'Mode', current: 'currentModeId', list: 'availableModes', key: 'id' },
  models: {
    ...{ id: '$model', category: 'model', name: 'Model' },
    ...{ current: 'currentModelId', list: 'availableModels', key: 'modelId' },
  },
} as const;

/** Options of a session, from whatever of the three forms the agent uses. `sessionId` null: the one that was sent. */
export function readSession(answer: unknown): {
  readonly sessionId: string | null;
  readonly options: readonly AgentOption[];
} {
  const options = readOptions(fieldOf(answer, 'configOptions'));
  const older = Object.entries(olderForms).flatMap(([field, { category, current, list, key, ...about }]) => {
    const form = fieldOf(answer, field);
    if (!Array.isArray(fieldOf(form, list)) || options.some((option) => option.category === category)) return [];
    const choices = listIn(fieldOf(form, list)).map((choice) => ({ ...Object(choice), value: fieldOf(choice, key) }));
    return readOptions([{ ...about, category, currentValue: fieldOf(form, current), options: choices }]);
  });
  return { sessionId: textIn(answer, 'sessionId'), options: [...options, ...older] };
}

/** Reads a list of config options. An option that cannot be read is left out. */
function readOptions(list: unknown): readonly AgentOption[] {
  return listIn(list).flatMap((item) => {
    const parsed = v.safeParse(optionSchema, item);
    return parsed.success ? [parsed.output] : [];
  });
}

/** The request that sets an option. */
export function setOptionRequest(sessionId: string, option: AgentOption, value: string | boolean) {
  if (option.id === olderForms.modes.id) return { method: methods.setMode, params: { sessionId, modeId: value } };
  if (option.id === olderForms.models.id) return { method: methods.setModel, params: { sessionId, modelId: value } };
  const type = typeof value === 'boolean' ? { type: 'boolean' as const } : {};
  return { method: methods.setOption, params: { sessionId, configId: option.id, value, ...type } };
}

/** Options after one was set: the answer's own list, since one choice may change others. */
export function optionsAfter(
  answer: unknown,
  options: readonly AgentOption[],
  set: AgentOption,
  value: string | boolean,
): readonly AgentOption[] {
  const listed = readOptions(fieldOf(answer, 'configOptions'));
  if (listed.length > 0) return listed;
  return options.map((option) => (option.id === set.id ? { ...option, current: value } : option));
}

const callSchema = v.object({
  toolCallId: v.pipe(
    v.unknown(),
    v.transform((id) => (typeof id === 'string' ? id : JSON.stringify(id ?? ''))),
  ),
  title: text,
  kind: text,
  status: maybe(v.picklist(agentCallStatuses)),
  content: v.optional(v.unknown()),
  locations: v.optional(v.unknown()),
  rawInput: v.optional(v.unknown()),
  rawOutput: v.optional(v.unknown()),
  _meta: v.fallback(
    v.optional(
      v.looseObject({
        terminal_output: maybe(v.object({ data: v.string() })),
        terminal_output_delta: maybe(v.object({ data: v.string() })),
        terminal_exit: maybe(v.object({ exit_code: maybe(v.number()), signal: text })),
      }),
    ),
    undefined,
  ),
});

function readCall(value: unknown): AgentCallUpdate | null {
  const parsed = v.safeParse(callSchema, value);
  if (!parsed.success) return null;
  const { toolCallId: id, title, kind, status, content, locations, rawInput, rawOutput, _meta: meta } = parsed.output;
  const known = agentCallKinds.find((name) => name === kind);
  const [delta, whole] = [meta?.terminal_output_delta?.data, meta?.terminal_output?.data];
  const printed = delta ?? whole;
  const exit = meta?.terminal_exit ?? exitIn(rawOutput);
  return {
    id,
    ...(title === undefined || title === null ? {} : { title }),
    ...(kind === undefined || kind === null ? {} : { callKind: known ?? 'other' }),
    ...(status === undefined || status === null ? {} : { status }),
    ...(content === undefined || content === null ? {} : { content: [content].flat().map(readContent) }),
    ...(Array.isArray(locations) ? { paths: locations.flatMap(pathIn) } : {}),
    ...(rawInput === undefined || rawInput === null ? {} : { input: rawInput }),
    ...(rawOutput === undefined || rawOutput === null ? {} : { output: rawOutput }),
    ...(printed === undefined ? {} : { printed: { text: printed, mayRepeat: delta === undefined } }),
    ...(exit === null ? {} : { exit: { code: exit.exit_code ?? null, signal: exit.signal ?? null } }),
  };
}

const exitSchema = v.object({ exit_code: v.number(), signal: text });

function exitIn(output: unknown): v.InferOutput<typeof exitSchema> | null {
  const parsed = v.safeParse(exitSchema, output);
  return parsed.success ? parsed.output : null;
}

function pathIn(location: unknown): readonly string[] {
  const path = typeof location === 'string' ? location : (textIn(location, 'path') ?? '');
  return path === '' ? [] : [path];
}

function readContent(item: unknown): AgentCallContent {
  switch (fieldOf(item, 'type')) {
    case 'content': {
      const block = readBlock(fieldOf(item, 'content'));
      if (block !== null) return block;
      break;
    }
    case 'diff': {
      const [path, after] = [textIn(item, 'path'), textIn(item, 'newText')];
      if (path !== null && after !== null) return { kind: 'diff', path, before: textIn(item, 'oldText'), after };
      break;
    }
    case 'terminal':
      return { kind: 'terminal', id: String(fieldOf(item, 'terminalId')) };
  }
  return readBlock(item) ?? { kind: 'raw', raw: rawText(item) };
}

/** Text or image of a content block; a link as Markdown. Null for a block that this product cannot show. Some agents
 *  send text without a block, or without saying that it is text. */
function readBlock(block: unknown): Extract<AgentCallContent, { readonly kind: 'text' | 'image' }> | null {
  if (typeof block === 'string') return { kind: 'text', text: block };
  const [said, data, mediaType] = [textIn(block, 'text'), textIn(block, 'data'), textIn(block, 'mimeType')];
  const [uri, inside] = [textIn(block, 'uri'), textIn(fieldOf(block, 'resource'), 'text')];
  switch (fieldOf(block, 'type') ?? 'text') {
    case 'text':
      return said === null ? null : { kind: 'text', text: said };
    case 'image':
      return data === null || mediaType === null
        ? null
        : { kind: 'image', image: { kind: 'image', mediaType, dataBase64: data } };
    case 'resource_link':
      return uri === null ? null : { kind: 'text', text: `[${textIn(block, 'name') ?? uri}](${uri})` };
    case 'resource':
      return inside === null ? null : { kind: 'text', text: inside };
    default:
      return null;
  }
}

/** Several blocks in the place of one. Null if one of them is no text. */
function readTexts(blocks: readonly unknown[]): ReturnType<typeof readBlock> {
  const texts = blocks.map(readBlock).flatMap((block) => (block?.kind === 'text' ? [block.text] : []));
  return texts.length < blocks.length ? null : { kind: 'text', text: texts.join('') };
}

/** Reads the news of a `session/update`. Never throws: news of an unknown kind is kept as it came. */
export function readUpdate(params: unknown): AgentUpdate {
  const update = fieldOf(params, 'update');
  const read = readNews(update);
  // Claude sends what a sub-agent does in the session of its parent.
  const parent = textIn(fieldOf(fieldOf(update, '_meta'), 'claudeCode'), 'parentToolUseId') ?? '';
  return parent === '' ? read : { kind: 'nested', parent, update: read };
}

/** The id of the call that stands for a sub-agent's session. */
export function subAgentCallId(sessionId: string): string {
  return `session ${sessionId}`;
}

function readNews(update: unknown): OwnUpdate {
  const name = fieldOf(update, 'sessionUpdate');
  const unknown: OwnUpdate = { kind: 'unknown', name: textIn(update, 'sessionUpdate') ?? '', raw: rawText(update) };
  switch (name) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
    case 'user_message_chunk': {
      const content = fieldOf(update, 'content');
      const block = Array.isArray(content) ? readTexts(content) : readBlock(content);
      if (block === null) return unknown;
      if (name === 'user_message_chunk') return { kind: 'prompt', text: block.kind === 'text' ? block.text : '' };
      if (block.kind === 'image') return block;
      const channel = name === 'agent_message_chunk' ? 'text' : 'thinking';
      return { kind: 'text', channel, text: block.text, messageId: textIn(update, 'messageId') };
    }
    case 'tool_call':
    case 'tool_call_update': {
      const call = readCall(update);
      return call === null ? unknown : { kind: 'call', isStart: name === 'tool_call', call };
    }
    case 'plan': {
      const entries = fieldOf(update, 'entries');
      return Array.isArray(entries) ? { kind: 'plan', items: readPlan(entries) } : unknown;
    }
    case 'available_commands_update':
      return { kind: 'commands', commands: readCommands(fieldOf(update, 'availableCommands')) };
    case 'current_mode_update': {
      const mode = textIn(update, 'currentModeId');
      return mode === null ? unknown : { kind: 'mode', mode };
    }
    case 'config_option_update':
      return { kind: 'options', options: readOptions(fieldOf(update, 'configOptions')) };
    case 'subagent_update': {
      const [id, title] = [textIn(update, 'sessionId'), textIn(update, 'title')];
      if (id === null) return unknown;
      const status = fieldOf(fieldOf(update, 'state'), 'state') === 'idle' ? 'completed' : 'in_progress';
      const call = { id: subAgentCallId(id), callKind: 'think', ...(title === null ? {} : { title }), status } as const;
      return { kind: 'subAgent', sessionId: id, call };
    }
    case 'session_info_update':
      return { kind: 'info', failure: codexFailure(fieldOf(update, '_meta')) };
    case 'usage_update': {
      const [used, size, cost] = ['used', 'size', 'cost'].map((field) => fieldOf(update, field));
      if (typeof used !== 'number' || typeof size !== 'number') return unknown;
      const amount = fieldOf(cost, 'currency') === 'USD' ? fieldOf(cost, 'amount') : null;
      return { kind: 'usage', used, size, costUsd: typeof amount === 'number' ? amount : null };
    }
    case 'notice': {
      const said = ['title', 'description', 'message', 'text']
        .map((field) => textIn(update, field) ?? '')
        .filter((part) => part !== '');
      return said.length === 0 ? unknown : { kind: 'notice', text: [...new Set(said)].join('\n') };
    }
    default:
      return unknown;
  }
}

const mostCommands = 200;
const commandSchema = v.object({
  // Some have a leading slash, and Gemini's have blanks ("memory show").
  name: v.pipe(
    v.string(),
    v.transform((name) => name.replace(/^\//, '')),
    v.regex(/^[\p{L}\d$_:.-]+(?: [\p{L}\d$_:.-]+)*$/u),
    v.maxLength(80),
  ),
  description: text,
  input: maybe(v.object({ hint: text })),
});

/** Commands that can be typed after a slash. One with another name is left out. */
function readCommands(list: unknown): readonly AgentCommand[] {
  return listIn(list)
    .slice(0, mostCommands)
    .flatMap((item) => {
      const parsed = v.safeParse(commandSchema, item);
      if (!parsed.success) return [];
      const { name, description, input } = parsed.output;
      return [{ name, description: lineOf(description ?? ''), hint: input?.hint ? lineOf(input.hint) : null }];
    });
}

/** One line of an agent's words. */
function lineOf(said: string): string {
  return beginningOf(said.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), 300);
}

/** Codex reports errors of its model beside the session's title. */
function codexFailure(meta: unknown): string | null {
  const codex = fieldOf(meta, 'codex');
  const status = textIn(fieldOf(codex, 'threadStatus'), 'type');
  return textIn(fieldOf(codex, 'error'), 'message') ?? (status === 'systemError' ? status : null);
}

function readPlan(entries: readonly unknown[]): readonly TodoItem[] {
  const items = entries.flatMap((entry): TodoItem[] => {
    const [content, status] = [textIn(entry, 'content')?.trim() ?? '', fieldOf(entry, 'status')];
    if (content === '') return [];
    const state = status === 'completed' ? 'done' : status === 'in_progress' ? 'active' : 'pending';
    return [{ text: content.slice(0, 300), state }];
  });
  return items.slice(0, mostTodos);
}

/** A question of the agent about one of its calls. `null` call: it says nothing about it. */
export interface PermissionQuestion {
  readonly call: AgentCallUpdate | null;
  readonly options: readonly { readonly id: string | number; readonly name: string; readonly kind: string }[];
}

export function readPermission(params: unknown): PermissionQuestion {
  const options = listIn(fieldOf(params, 'options')).flatMap((item) => {
    const [id, name, kind] = ['optionId', 'name', 'kind'].map((field) => fieldOf(item, field));
    // It goes back as it came.
    const isId = typeof id === 'string' || typeof id === 'number';
    return isId ? [{ id, name: String(name ?? id), kind: String(kind ?? '') }] : [];
  });
  return { call: readCall(fieldOf(params, 'toolCall')), options };
}

export const cancelledPermission = { outcome: { outcome: 'cancelled' } };

function optionFor({ options }: PermissionQuestion, isAllowed: boolean) {
  const wanted = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  return wanted.flatMap((kind) => options.filter((offered) => offered.kind === kind))[0];
}

/** True when a permission would hold for later calls too: the agent offers none for once. */
export const isForGood = (question: PermissionQuestion): boolean => optionFor(question, true)?.kind === 'allow_always';

/** The agent's option for a decision of the user. An agent that offers no such option gets `cancelled`, which is never
 *  taken as permission. Rules are kept by this product, so an allowed call is allowed once, where that is offered. */
export function permissionAnswer(question: PermissionQuestion, isAllowed: boolean) {
  const option = optionFor(question, isAllowed);
  return option === undefined ? cancelledPermission : { outcome: { outcome: 'selected', optionId: option.id } };
}

/** Answer to a prompt. `stopReason`: as the agent named it. */
export interface PromptAnswer {
  readonly stopReason: string;
  readonly hasUsage: boolean;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
}

export function readPromptAnswer(result: unknown): PromptAnswer {
  const usage = fieldOf(result, 'usage');
  // Gemini's form.
  const quota = fieldOf(fieldOf(fieldOf(result, '_meta'), 'quota'), 'token_count');
  const count = (name: string, inQuota?: string): number | null => {
    const value = fieldOf(usage, name) ?? (inQuota === undefined ? undefined : fieldOf(quota, inQuota));
    return typeof value === 'number' ? value : null;
  };
  const cached = count('cachedReadTokens');
  const input = count('inputTokens', 'input_tokens');
  return {
    stopReason: String(fieldOf(result, 'stopReason') ?? ''),
    // Codex says `usage: null` for a turn whose model failed.
    hasUsage: usage !== null,
    inputTokens: input === null ? null : input + (cached ?? 0) + (count('cachedWriteTokens') ?? 0),
    outputTokens: count('outputTokens', 'output_tokens'),
    cachedInputTokens: cached,
  };
}

/** A field of an object that came over the wire; undefined when there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A text of such an object; null when there is none. */
export function textIn(value: unknown, name: string): string | null {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : null;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function rawText(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, longestRaw);
}
