import { afterEach, describe, expect, it, vi } from 'vitest';
import { answersIn, conversationBlocks } from '../../../../../../src/webview/chat/state/conversationRows';
import { askingTools } from '../../../../../support/askingTools';
import { ChatInWorld } from '../../../../../support/chatInWorld';
import { reply } from '../../../../../support/modelServer';
import { World } from '../../../../../support/world';

let world: World;
let views: ChatInWorld[] = [];
afterEach(async () => {
  for (const view of views) view.dispose();
  views = [];
  await world.close();
});

function look(name: string): ChatInWorld {
  const view = new ChatInWorld(world, name);
  views.push(view);
  return view;
}
const subject = (view: ChatInWorld): string | null =>
  view.chat.state.peek().conversation?.approval?.request.subject ?? null;
const calls = (view: ChatInWorld): readonly string[] => {
  const { conversation } = view.chat.state.peek();
  return conversation === null
    ? []
    : conversationBlocks(conversation, []).flatMap(({ rows }) =>
        rows.flatMap((row) =>
          answersIn(row).flatMap((answer) => answer.calls.map(({ call, state }) => `${call.name} ${state}`)),
        ),
      );
};

describe('questions from the agent, from the store to the view and back', () => {
  it('are shown in every view of the session, also a later one, and disappear from all once one view decides', async () => {
    const asks = askingTools();
    world = await World.create({ tools: asks.tools });
    world.server.script(
      reply().calls('change', { name: 'a.ts' }).calls('change', { name: 'b.ts' }),
      reply().says('Done.'),
    );
    const first = look('one');
    await first.quiet();
    first.chat.drafts.edit('Change both.');
    await first.chat.submit();
    await vi.waitFor(() => expect(subject(first)).not.toBeNull());
    const asked = { ran: [...asks.ran], calls: calls(first) };
    const second = look('two');
    await vi.waitFor(() => expect(second.chat.state.peek().ready).toBe(true));
    await second.chat.switches.open(first.shownSession ?? '');
    await vi.waitFor(() => expect(subject(second)).not.toBeNull());
    const { id } = second.chat.state.peek().conversation?.approval ?? { id: '' };
    const decided = await second.chat.approvals.decide(id, { kind: 'allow', scope: 'once' });
    await vi.waitFor(() =>
      expect([subject(first)?.includes('b.ts'), subject(second)?.includes('b.ts')]).toEqual([true, true]),
    );
    const next = first.chat.state.peek().conversation?.approval?.id ?? '';
    await first.chat.approvals.decide(next, { kind: 'deny', reason: 'not this one' });
    await Promise.all(views.map((view) => view.quiet()));
    expect({
      asked,
      decided,
      ran: asks.ran,
      left: views.map(subject),
      calls: views.map(calls),
      failures: views.flatMap(({ failures }) => failures),
    }).toEqual({
      asked: { ran: [], calls: ['change waiting', 'change queued'] },
      decided: true,
      ran: ['change a.ts'],
      left: [null, null],
      calls: [
        ['change done', 'change denied'],
        ['change done', 'change denied'],
      ],
      failures: [],
    });
  });

  it('follow the chosen mode, which both views show', async () => {
    world = await World.create({ tools: askingTools().tools });
    world.server.script(reply().says('Hello.'));
    const view = look('one');
    await view.quiet();
    await view.chat.approvals.setMode('plan');
    await vi.waitFor(() => expect(view.chat.state.peek().newMode).toBe('plan'));
    view.chat.drafts.edit('Hello?');
    await view.chat.submit();
    await view.quiet();
    const begun = view.chat.state.peek().conversation?.mode;
    await view.chat.approvals.setMode('auto');
    await vi.waitFor(() => expect(view.chat.state.peek().conversation?.mode).toBe('auto'));
    expect([begun, view.chat.state.peek().conversation?.mode, view.failures]).toEqual(['plan', 'auto', []]);
  });
});
