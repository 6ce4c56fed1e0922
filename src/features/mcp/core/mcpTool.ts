import { type JsonObject, parseJsonObject } from '../../../transcript/json';
import { estimateTokens } from '../../../transcript/contextUse';
import type { AnyTool, AskedAccess, ToolCallContext, ToolOutput } from '../../../tools/tool';
import { answerServer } from '../../../tools/askedInput';
import type { McpCallOptions, McpListedTool } from './mcpConnection';
import type { McpServer } from './mcpServer';
import { resultOutput } from './resultOutput';

/** Milliseconds that a call may be silent, and take in total. Progress resets the silence. */
const silenceMs = 120_000;
const totalMs = 1_800_000;
/** Milliseconds that a call waits for a lost server. */
const lostTimeoutMs = 10_000;
const longestDescription = 8000;
const longestSchema = 60_000;
const longestPreview = 20_000;

/** Reason why no model can be offered this tool, as the end of a sentence; null when it can. */
export function problemOf({ inputSchema }: McpListedTool): string | null {
  if (inputSchema === null || ![inputSchema.type].flat().includes('object'))
    return 'its schema does not describe an object';
  const { properties } = inputSchema;
  if (properties !== undefined && (typeof properties !== 'object' || properties === null || Array.isArray(properties)))
    return 'its schema has properties that are no object';
  return JSON.stringify(inputSchema).length > longestSchema
    ? `its schema is longer than ${longestSchema} characters`
    : null;
}

/** Wraps a server's tool for the agent. It always asks for approval: a server's claims about itself guarantee
 *  nothing. The server checks the arguments; its schema goes to the model unchanged. `name`: the one that the model
 *  calls. `openPage`: opens a web page that the user agreed to. */
export function mcpTool(
  name: string,
  server: McpServer,
  tool: McpListedTool,
  openPage: (url: string) => Promise<void>,
): AnyTool {
  const origin = { server: server.plan.name, tool: tool.name };
  const about = { name, description: describe(tool, origin.server), parameters: parametersOf(tool) };
  return foreignTool(about, { kind: 'mcp', ...origin, readOnly: tool.readOnly }, async (args, signal, call) => {
    const onProgress = (text: string): void => call.report({ kind: 'note', text });
    const declined = new Set<string>();
    const onDeclined = (sentence: string): void => {
      declined.add(sentence);
      onProgress(sentence);
    };
    const onAsked: McpCallOptions['onAsked'] = (asked, over) =>
      answerServer({ server: origin.server, asked, signal: over }, call, openPage, onDeclined);
    const options = { signal, onProgress, onAsked, silenceMs, totalMs };
    const answer = await server.call(tool.name, args, options, lostTimeoutMs);
    const output =
      answer.kind === 'ok'
        ? resultOutput(answer.value, origin)
        : failedOutput(answer.sentence, answer.mayHaveRun, origin);
    // Stored with the result, so that the user finds it in the transcript.
    return declined.size === 0 ? output : { ...output, text: [output.text, ...declined].join('\n\n') };
  });
}

/** A tool of somebody else: whoever has it checks the arguments, and the user is asked before each call. */
export function foreignTool(
  about: Pick<AnyTool, 'name' | 'description' | 'parameters'>,
  access: AskedAccess['access'],
  run: (args: JsonObject, signal: AbortSignal, call: ToolCallContext) => Promise<ToolOutput>,
): AnyTool {
  return {
    ...about,
    readOnly: false,
    bind: (input) => {
      const args = parseJsonObject(JSON.stringify(input ?? null));
      if (args.kind === 'invalid') return { kind: 'invalid', problems: ['the arguments are not a JSON object'] };
      return {
        kind: 'ready',
        asks: () => Promise.resolve({ access, preview: previewOf(args.value) }),
        run: (signal, call) => run(args.value, signal, call),
      };
    },
  };
}

/** Tokens that the tool adds to every request, about. */
export function tokensOf(tool: McpListedTool): number {
  return estimateTokens(`${tool.name} ${tool.description} ${JSON.stringify(tool.inputSchema)}`);
}

function failedOutput(
  sentence: string,
  mayHaveRun: boolean,
  { server, tool }: { readonly server: string; readonly tool: string },
): ToolOutput {
  const consequence = mayHaveRun ? 'The call may have run: check before you repeat it.' : 'The call did not run.';
  return {
    outcome: 'failed',
    text: `The MCP server "${server}" gave no result for ${tool}. ${sentence} ${consequence}`,
    details: { server, tool },
  };
}

function describe({ title, description, name }: McpListedTool, server: string): string {
  const described = description.trim() === '' ? (title ?? name) : description.trim();
  const kept = described.length <= longestDescription ? described : `${described.slice(0, longestDescription)}…`;
  return `${kept}\n\n(Tool "${name}" of the MCP server "${server}".)`;
}

function parametersOf({ inputSchema }: McpListedTool): JsonObject {
  const { $schema: _dialect, ...schema } = inputSchema ?? {};
  // Some providers reject an object schema without properties. Those of a reference would be replaced by empty ones.
  return { ...schema, type: 'object', ...('$ref' in schema ? {} : { properties: schema.properties ?? {} }) };
}

function previewOf(args: JsonObject): string {
  const text = JSON.stringify(args, null, 2);
  const shown =
    text.length <= longestPreview ? text : `${text.slice(0, longestPreview)}\n… (${text.length} characters in all)`;
  // Use a longer fence than any in the text, so that arguments cannot imitate our own words.
  const fence = '`'.repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}json\n${shown}\n${fence}`;
}
