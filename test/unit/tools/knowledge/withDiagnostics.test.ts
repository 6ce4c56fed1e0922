import * as v from 'valibot';
import { expect, it } from 'vitest';
import { withDiagnostics } from '../../../../src/tools/knowledge/diagnosticsAfterEdit';
import { defineTool, type ToolOutput } from '../../../../src/tools/tool';
import { ToolRegistry } from '../../../../src/tools/toolRegistry';
import { aToolCall } from '../../../support/toolCalls';

const edit = (output: ToolOutput) =>
  defineTool({
    name: 'edit',
    description: '',
    schema: v.object({}),
    readOnly: false,
    asks: async () => ({ access: { kind: 'plan' } }),
    run: async () => output,
  });
const file = (path: string, change: string) => ({ path, shown: path, change, added: 1, removed: 0 });
const edited = (...files: ReturnType<typeof file>[]): ToolOutput => ({
  outcome: 'done',
  text: 'Edited.',
  details: { kind: 'edit', files, diff: '' },
});

async function run(
  output: ToolOutput,
  afterEdit: (paths: readonly string[]) => Promise<string | null>,
): Promise<string> {
  const registry = new ToolRegistry([withDiagnostics(edit(output), afterEdit)]);
  return (await registry.run({ callId: 'c', name: 'edit', arguments: '{}' }, new AbortController().signal, aToolCall()))
    .text;
}

it('reports errors in the edited files after the result', async () => {
  expect(
    await run(
      edited(file('/a', 'edited'), file('/b', 'deleted'), file('/c', 'created')),
      async (paths) => `errors in ${paths.join()}`,
    ),
  ).toBe('Edited.\n\nerrors in /a,/c');
});

it('leaves the result unchanged where there are none, or they cannot be requested', async () => {
  expect([
    await run(edited(file('/a', 'edited')), async () => null),
    await run(edited(file('/a', 'edited')), () => Promise.reject(new Error('stopped'))),
  ]).toEqual(['Edited.', 'Edited.']);
});

it('requests none when nothing was edited', async () => {
  const never = () => Promise.reject(new Error('asked'));
  const failed: ToolOutput = { outcome: 'failed', text: 'Refused.' };
  expect([await run(failed, never), await run(edited(file('/b', 'deleted')), never)]).toEqual(['Refused.', 'Edited.']);
});

it('still asks before it runs, and refuses invalid arguments', async () => {
  const tool = withDiagnostics(edit(edited()), async () => null);
  const bound = tool.bind({});
  expect([bound.kind === 'ready' && (await bound.asks?.(new AbortController().signal)), tool.bind(7).kind]).toEqual([
    { access: { kind: 'plan' } },
    'invalid',
  ]);
});
