import type { Clock } from '../base/clock';
import { withinTime } from '../base/pause';
import type { AnyTool, BoundCall, ToolOutput } from '../tools/tool';
import { maskedInput } from './maskedCopies';
import type { ProviderQueue } from './providerQueue';
import { withoutFences } from './recallText';

/** Milliseconds that a tool waits until its provider knows the session. */
const readyTimeoutMs = 10_000;

export interface RefusedTool {
  readonly name: string;
  readonly reason: 'core' | 'taken' | 'nameless';
}

/** Selects the provider tools that an agent gets: none with the name of one of Hermes' own (hermes-agent#40466), and
 *  no name twice. */
export function sortTools(
  tools: readonly AnyTool[],
  core: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): { readonly accepted: readonly AnyTool[]; readonly refused: readonly RefusedTool[] } {
  const accepted = new Map<string, AnyTool>();
  const refused: RefusedTool[] = [];
  for (const tool of tools) {
    const reason =
      tool.name.trim() === ''
        ? 'nameless'
        : core.has(tool.name)
          ? 'core'
          : taken.has(tool.name) || accepted.has(tool.name)
            ? 'taken'
            : null;
    if (reason === null) accepted.set(tool.name, tool);
    else refused.push({ name: tool.name, reason });
  }
  return { accepted: [...accepted.values()], refused };
}

/** Wraps a provider's tool for an agent. Masks secrets in the input, removes recall fences from the output, and runs
 *  the tool only after its provider knows the session. A failure is logged with the provider's name and returned as
 *  a failed call. */
export function queuedTool(tool: AnyTool, queue: ProviderQueue, clock: Clock): AnyTool {
  const { name, description, parameters, readOnly } = tool;
  return { name, description, parameters, readOnly, bind: (input) => bound(tool, input, queue, clock) };
}

function bound(tool: AnyTool, input: unknown, queue: ProviderQueue, clock: Clock): BoundCall {
  const call = queue.ask<BoundCall>(tool.name, () => tool.bind(maskedInput(input)), {
    kind: 'invalid',
    problems: [`${tool.name} does not work at the moment`],
  });
  if (call.kind === 'invalid') return call;
  return {
    kind: 'ready',
    run: async (signal, context): Promise<ToolOutput> => {
      const isReady = await withinTime(clock, readyTimeoutMs, queue.ready(), signal);
      signal.throwIfAborted();
      if (!isReady)
        return {
          outcome: 'failed',
          text: 'Memory is still busy with an earlier session. Go on without it, or try again later.',
        };
      try {
        const output = await call.run(signal, context);
        return { ...output, text: withoutFences(output.text) };
      } catch (error) {
        if (!signal.aborted) queue.warn(tool.name, error);
        throw error;
      }
    },
  };
}
