import { type JsonObject, parseJsonObject } from '../transcript/json';
import type { AnyTool, ToolCallContext, ToolOutput } from './tool';

export interface RequestedCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
}

/** The tools an agent has, by name. A call that cannot be run comes back as a failed output whose text the model can act on. */
export class ToolRegistry {
  private readonly byName: ReadonlyMap<string, AnyTool>;

  constructor(tools: readonly AnyTool[]) {
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Name, description and JSON Schema of every tool, in a fixed order so that provider caches hold. */
  specifications(): readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[] {
    return [...this.byName.values()].map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  /** These tools and more. A name that is taken stays with the tool that has it. */
  with(more: readonly AnyTool[]): ToolRegistry {
    return new ToolRegistry([...this.byName.values(), ...more.filter(({ name }) => !this.byName.has(name))]);
  }

  isReadOnly(name: string): boolean {
    return this.byName.get(name)?.readOnly ?? false;
  }

  async run(call: RequestedCall, signal: AbortSignal, context: ToolCallContext): Promise<ToolOutput> {
    const tool = this.byName.get(call.name);
    if (tool === undefined) {
      return failed(`There is no tool named "${call.name}". Available tools: ${[...this.byName.keys()].join(', ')}.`);
    }
    const input = parseArguments(call.arguments);
    if (input.kind === 'invalid') {
      return failed(`The arguments of ${call.name} are not valid JSON (${input.problem}). Send one JSON object.`);
    }
    const bound = tool.bind(input.value);
    if (bound.kind === 'invalid') {
      return failed(`The arguments of ${call.name} do not fit its schema: ${bound.problems.join('; ')}.`);
    }
    try {
      return await bound.run(signal, context);
    } catch (error) {
      if (signal.aborted) throw error;
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

function parseArguments(text: string): ReturnType<typeof parseJsonObject> {
  // Several providers send no arguments at all for a tool without parameters.
  return text.trim() === '' ? { kind: 'object', value: {} } : parseJsonObject(text);
}

function failed(text: string): ToolOutput {
  return { outcome: 'failed', text };
}
