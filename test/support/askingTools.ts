import * as v from 'valibot';
import { defineTool, type AnyTool, type JudgedAccess, type ToolCallContext } from '../../src/tools/tool';

const named = v.object({ name: v.string() });

export interface AskingTools {
  readonly tools: readonly AnyTool[];
  /** What ran, in order of its start. */
  readonly ran: string[];
  /** How long a call may take that is named so: until this is resolved. */
  readonly holds: Map<string, Promise<void>>;
  /** The server no longer wants the input that `ask_server` asks for with names that begin with `input`. */
  readonly withdraw: AbortController;
}

/** `change` wants to change a file and has to be allowed · `look` only reads · `fetch` only reads, and has to be allowed · `present` presents a plan · `ask_server` uses a tool of an
 *  MCP server, which says of those that begin with `get` that they only look. */
export function askingTools(during: (name: string, call: ToolCallContext) => void = () => undefined): AskingTools {
  const ran: string[] = [];
  const holds = new Map<string, Promise<void>>();
  const withdraw = new AbortController();
  const tool = (name: string, readOnly: boolean, access: ((target: string) => JudgedAccess) | null): AnyTool =>
    defineTool({
      name,
      description: name,
      schema: named,
      readOnly,
      ...(access === null
        ? {}
        : { asks: (input: { name: string }) => Promise.resolve({ access: access(input.name) }) }),
      run: async (input, signal, call) => {
        ran.push(`${name} ${input.name}`);
        during(`${name} ${input.name}`, call);
        if (input.name === 'unawaited') askedFor(call, withdraw.signal).catch(() => undefined);
        if (input.name.startsWith('input')) ran.push(await askedFor(call, withdraw.signal));
        const held = holds.get(input.name);
        if (held !== undefined) await Promise.race([held, aborted(signal)]);
        return { outcome: 'done', text: `${name} ${input.name} is done` };
      },
    });
  const edit = (name: string): JudgedAccess => ({
    kind: 'edit',
    paths: [{ path: `/project/${name}`, shown: name, isInside: true }],
  });
  const tools = [
    tool('change', false, edit),
    tool('look', true, null),
    tool('fetch', true, (name) => ({ kind: 'fetch', url: `https://${name}` })),
    tool('present', false, () => ({ kind: 'plan' })),
    tool('ask_server', false, (name) => ({ kind: 'mcp', server: 's', tool: name, readOnly: name.startsWith('get') })),
  ];
  return { tools, ran, holds, withdraw };
}

async function askedFor({ ask }: ToolCallContext, signal: AbortSignal): Promise<string> {
  const city = { kind: 'text' } as const;
  const field = { name: 'city', title: 'City', description: null, isRequired: true, value: city };
  const input = { kind: 'input', server: 's', asked: { kind: 'form', fields: [field] } } as const;
  const { state } = await ask(input, 'Which city?', signal);
  return `answer ${JSON.stringify(state.kind === 'decided' ? state.decision : state.kind)}`;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new Error('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
