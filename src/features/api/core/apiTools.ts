import * as v from 'valibot';
import type { AnyTool } from '../../../tools/tool';
import { type JsonObject, parseJsonObject } from '../../../transcript/json';
import type { MemoryTool } from './hermes';

const toolSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'is no name of 1 to 64 letters, digits, hyphens and underscores')),
  description: v.string(),
  parameters: v.record(v.string(), v.unknown()),
  readOnly: v.boolean(),
  run: v.function(),
});
const inputSchema = v.record(v.string(), v.unknown());

/** Adapts a tool of another extension to our interface. Throws a `TypeError` that says what is wrong when it is not
 *  a valid tool. */
export function adaptedTool(tool: MemoryTool): AnyTool {
  const parsed = v.safeParse(toolSchema, tool);
  if (!parsed.success) throw new TypeError(`one of its tools is no tool: ${describe(parsed.issues)}`);
  const { name, description, readOnly } = parsed.output;
  return {
    name,
    description,
    readOnly,
    parameters: objectSchema(name, parsed.output.parameters),
    bind: (input) => {
      const given = v.safeParse(inputSchema, input);
      if (!given.success) return { kind: 'invalid', problems: ['not an object'] };
      return {
        kind: 'ready',
        run: async (signal) => {
          const text: unknown = await tool.run(given.output, signal);
          if (typeof text !== 'string') throw new TypeError(`${name} came back with ${typeof text} in place of text.`);
          return { outcome: 'done', text };
        },
      };
    },
  };
}

/** Returns the schema as models receive it: plain JSON, of type "object". */
function objectSchema(name: string, parameters: object): JsonObject {
  const parsed = parseJsonObject(JSON.stringify(parameters));
  if (parsed.kind === 'invalid')
    throw new TypeError(`the parameters of its tool ${name} are no JSON Schema of an object`);
  return { ...parsed.value, type: 'object' };
}

export function describe(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'it'}: ${issue.message}`).join('; ');
}
