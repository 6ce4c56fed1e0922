import { errorMessage } from '../base/errorMessage';
import { type JsonObject, parseJsonObject } from '../transcript/json';
import type { AnyTool, AskedAccess, ToolCallContext, ToolOutput } from './tool';

interface RequestedCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
}

/** Tools of an agent, by name. A call that cannot run returns a failed output with text that the model can act on. */
export class ToolRegistry {
  private readonly byName: ReadonlyMap<string, AnyTool>;

  constructor(tools: readonly AnyTool[]) {
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Name, description, and JSON Schema of every tool, in a fixed order so that provider caches stay valid. */
  specifications(): readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[] {
    return [...this.byName.values()].map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  /** Registry with additional tools. If a name is taken, the existing tool keeps it. */
  with(more: readonly AnyTool[]): ToolRegistry {
    return new ToolRegistry([...this.byName.values(), ...more.filter(({ name }) => !this.byName.has(name))]);
  }

  without(refused: (tool: AnyTool) => boolean): ToolRegistry {
    return new ToolRegistry([...this.byName.values()].filter((tool) => !refused(tool)));
  }

  /** Validates a call's name and arguments without running it. */
  prepare(call: RequestedCall): PreparedCall {
    const tool = this.byName.get(call.name);
    if (tool === undefined) {
      return refused(`There is no tool named "${call.name}". Available tools: ${[...this.byName.keys()].join(', ')}.`);
    }
    const input = parseArguments(call.arguments);
    if (input.kind === 'invalid') {
      return refused(`The arguments of ${call.name} are not valid JSON (${input.problem}). Send one JSON object.`);
    }
    const bound = tool.bind(input.value);
    if (bound.kind === 'invalid') {
      return refused(`The arguments of ${call.name} do not fit its schema: ${bound.problems.join('; ')}.`);
    }
    return {
      kind: 'ready',
      input: JSON.stringify(bound.input ?? input.value),
      readOnly: tool.readOnly,
      delegates: tool.delegates === true,
      asks: (signal) =>
        orFailed(signal, async () => ({ kind: 'asks', asked: (await bound.asks?.(signal)) ?? null }) as const),
      run: (signal, context) =>
        orFailed(signal, async () => ({ kind: 'ran', output: await bound.run(signal, context) }) as const).then(
          ({ output }) => output,
        ),
    };
  }

  /** Prepares the call and runs it without approval. */
  async run(call: RequestedCall, signal: AbortSignal, context: ToolCallContext): Promise<ToolOutput> {
    const prepared = this.prepare(call);
    return prepared.kind === 'failed' ? prepared.output : prepared.run(signal, context);
  }
}

/** Call whose approval and run are separate steps, or the result of a call that cannot run. */
export type PreparedCall =
  | {
      readonly kind: 'ready';
      /** Arguments that it runs with, as JSON text: checked, and without what the tool does not know. */
      readonly input: string;
      readonly readOnly: boolean;
      readonly delegates: boolean;
      /** Access that needs approval before it runs. Rejects only when `signal` is aborted. */
      asks(signal: AbortSignal): Promise<{ readonly kind: 'asks'; readonly asked: AskedAccess | null } | FailedCall>;
      /** Rejects only when `signal` is aborted. */
      run(signal: AbortSignal, context: ToolCallContext): Promise<ToolOutput>;
    }
  | FailedCall;

interface FailedCall {
  readonly kind: 'failed';
  readonly output: ToolOutput;
}

async function orFailed<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | FailedCall> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw error;
    return refused(errorMessage(error));
  }
}

function parseArguments(text: string): ReturnType<typeof parseJsonObject> {
  // Several providers send no arguments for a tool without parameters.
  return text.trim() === '' ? { kind: 'object', value: {} } : parseJsonObject(text);
}

function refused(text: string): FailedCall {
  return { kind: 'failed', output: { outcome: 'failed', text } };
}
